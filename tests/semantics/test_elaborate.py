"""Expressions: what they become, and what is said about those that say nothing."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundeval.diagnostics import Code, codes
from groundeval.functions import FUNCTIONS
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, DURATION, TEXT, TIME, Type, list_of, set_of
from groundeval.ir.walk import nodes
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.syntax import ast
from tests.semantics.desk_names import (
    DATA,
    HERE,
    SCOPE,
    SYMBOLS,
    elaborated,
    parsed,
    pointed_at,
    with_lets,
)

GOOD = [
    # literals
    ("true", "bool"),
    ("missing", "missing?"),
    ("3", "number"),
    ("-3", "number"),
    ("2.5", "number"),
    ('"text"', "text"),
    ("7d", "duration"),
    ("-1h30m", "duration"),
    ("2026-03-05", "time"),
    ("2026-03-05T10:00:00+02:00", "time"),
    ("[]", "list<never>"),
    ("[1, 2.5]", "list<number>"),
    ("[1, true]", "list<number>"),
    ("[[1], [2]]", "list<list<number>>"),
    ('[actor, "alice"]', "list<text>"),
    # fields of the model
    ("artifact.id", "artifact"),
    ("artifact.subsystem", "subsystem?"),
    ("artifact.created <= as_of", "bool?"),
    ("artifact.labels", "set<text>"),
    ("artifact.events", "list<event>"),
    ('artifact["label"]', "json?"),
    ("artifact.sensitivity", "json?"),
    ("artifact.owner.name", "json?"),
    ("actor.id", "actor"),
    ("actor.team", "json?"),
    ("role.reads", "set<text>"),
    ("role.id", "text"),
    ("e.id", "event_id"),
    ("e.at", "time"),
    ("e.label", "text"),
    ("e.keys", "list<key>"),
    ("e.actors", "list<actor>"),
    ("e.artifacts", "list<artifact>"),
    ("e.artifacts.anything", "artifact?"),
    ('e.artifacts["odd kind"]', "artifact?"),
    ("e.facts", "json?"),
    ("e.facts.severity", "text?"),
    ("e.facts.other", "json?"),
    ("e.facts.other.deep", "json?"),
    ("e.facts.other[0]", "json?"),
    ("e.jira", "artifact?"),
    ('e["jira"]', "artifact?"),
    ("e.due", "time?"),
    ("e.reviewers", "list<actor>"),
    ("x.hours", "json?"),
    ("x.jira", "artifact?"),
    ("s.trigger.at", "time"),
    ("s.window", "duration?"),
    ("s.expected.label", "text"),
    ("l.cause.label", "text"),
    ("l.evidence", "list<set<artifact>>"),
    ("answer.exists", "bool"),
    ('answer["exists"]', "bool"),
    ("answer.cause", "event_id?"),
    # names that stand for themselves
    ("actor == `alice`", "bool"),
    ("`alice` == actor", "bool"),
    ("actor in [`alice`, `bob`]", "bool"),
    ("artifact.subsystem == jira", "bool?"),
    ("artifact.subsystem in [jira, git]", "bool?"),
    ('artifact.subsystem == "handbook"', "bool?"),
    ("e.type == opened", "bool"),
    ('e.type in ["opened", "closed"]', "bool"),
    ("artifact == `GIT-801`", "bool"),
    ("visible(`bob`, `GIT-801`, 2026-03-09)", "bool"),
    # comparisons
    ("e.jira == f.jira", "bool?"),
    ("e.jira == e.actors", "bool?"),
    ("e.reviewers == e.owner", "bool?"),
    ("e.due > f.at", "bool?"),
    ("e.hours > 3", "bool?"),
    ('e.severity in ["high", "low"]', "bool?"),
    ("e.actors overlaps f.actors", "bool"),
    ("e.jira in cited", "bool?"),
    ("actor in e.owner", "bool?"),
    ("cited == [artifact]", "bool"),
    ('"a" < "b"', "bool"),
    ("e.facts.other == 3", "bool?"),
    ("e.facts.other < 3", "bool?"),
    ("e == f", "bool"),
    ('artifact.title matches "^a+$"', "bool?"),
    ("e.severity is missing", "bool"),
    ("e.severity is not missing", "bool"),
    # connectives
    ("ok and maybe", "bool?"),
    ("not ok", "bool"),
    ("ok or e.urgent", "bool?"),
    ("ok or e.facts.flag", "bool?"),
    ("maybe ?? false", "bool"),
    ("maybe ?? 0", "number"),
    ("if ok then 1 else false", "number"),
    ("if ok then cited else []", "set<artifact>"),
    ("if maybe then 1 else 2", "number?"),
    ("if ok then e.id else missing", "event_id?"),
    ('if ok then l.specs else ["none"]', "list<text>"),
    # reckoning
    ("1 + n", "number"),
    ("n / 2", "number"),
    ("n / n", "number?"),
    ("as_of - e.at", "duration"),
    ("as_of - 7d", "time"),
    ("7d + as_of", "time"),
    ("as_of - e.at <= 7d", "bool"),
    ("e.due - e.at", "duration?"),
    ("2 * 7d", "duration"),
    ("7d / 2", "duration"),
    ("7d / 1h", "number"),
    ("e.hours * 2", "number?"),
    ("e.facts.other - 1", "number?"),
    # sets
    ("cited | opened_ids", "set<artifact>"),
    ("cited - opened_ids", "set<artifact>"),
    ("cited & e.artifacts", "set<artifact>"),
    ("e.artifacts | f.artifacts", "list<artifact>"),
    ("cited | e.jira", "set<artifact>"),
    ("[] | cited", "set<artifact>"),
    # walks
    ("any c in calls: empty(c.results)", "bool"),
    ("all r in e.reviewers: r == actor", "bool"),
    ("count c in calls: breaks(c)", "number"),
    ("share c in calls: breaks(c)", "number?"),
    ("(share c in calls: breaks(c)) ?? 0", "number"),
    ("first v in artifact.events: v.at < as_of", "event?"),
    ("(last v in artifact.events: ok).at", "time?"),
    ("sum c in calls: breaks(c)", "number"),
    ("mean c in calls: size(c.results)", "number?"),
    ("max v in artifact.events: v.at", "time?"),
    ("min k in [1, 2]: k", "number"),
    ("max a in l.evidence: recall(cited, a)", "number?"),
    ("any k in e.facts.list: k == 3", "bool"),
    ("any k in e.jira: k == artifact", "bool"),
    ("{ v.id for v in artifact.events }", "set<event_id>"),
    ("{ a.subsystem for a in e.artifacts if visible(actor, a, as_of) }", "set<subsystem>"),
    ("[c for c in calls if empty(c.results)]", "list<call>"),
    ("any k in []: k == 3", "bool"),
    ("any k in []: k.x and covered(k)", "bool"),
    ("[k for k in []]", "list<never>"),
    ("sum k in []: k", "number"),
    # calls
    ("size(cited)", "number"),
    ("empty(e.reviewers)", "bool"),
    ("size(e.jira)", "number"),
    ("recall(cited, e.facts.list)", "number?"),
    ("max(1, size(cited))", "number"),
    ("max(1, e.hours)", "number?"),
    ("same(answer.cause, missing)", "bool"),
    ("as_bool(answer.exists)", "bool?"),
    ("same_label(e.severity, artifact.foo)", "bool?"),
    ("holds(lead)", "bool"),
    ('holds("sales")', "bool"),
    ('breaks(first c in calls: ok, "horizon")', "bool?"),
    ("prevented(l.effect, without: l.cause)", "bool"),
    ("paths(l.effect, longest: 3)", "list<list<event>>"),
    ("s.recorded_by(as_of)", "bool"),
    ('opens("subsystem", actor, artifact, as_of)', "bool"),
    ("visible(artifact)", "bool"),
    ("covers_any(first c in calls: ok, s.places)", "bool?"),
    ("ghost(e, subsystems_open(actor, as_of))", "place"),
    ('ghost(e, ["jira"])', "place"),
    # texts
    ('"{e.at:date} {actor}"', "text"),
    ('"{e.severity} {e.keys}"', "text?"),
]


@pytest.mark.parametrize(("text", "shape"), GOOD)
def test_a_good_expression_has_its_type_and_no_finding(text: str, shape: str) -> None:
    found, findings = elaborated(text)
    assert [f.message for f in findings] == []
    assert str(found.type) == shape


@pytest.mark.parametrize(("text", "shape"), GOOD)
def test_every_node_of_a_good_expression_has_a_known_function_and_no_error(
    text: str, shape: str
) -> None:
    found, _ = elaborated(text)
    for node in nodes(found):
        assert node.type.name != "error"
        assert not isinstance(node, ir.Call) or node.function in FUNCTIONS


# text, code, the piece that is pointed at, a piece of the help
BAD = [
    ("actr == 1", codes.UNKNOWN_NAME, "actr", "did you mean `actor`?"),
    ("zzz", codes.UNKNOWN_NAME, "zzz", "here one can read"),
    ("e.severity == high", codes.UNKNOWN_NAME, "high", '`"high"`'),
    ("actor == alce", codes.UNKNOWN_NAME, "alce", "did you mean `alice`?"),
    ("actor == `alce`", codes.UNKNOWN_ACTOR, "`alce`", "did you mean `alice`?"),
    ('actor in ["alice", "bbo"]', codes.UNKNOWN_ACTOR, '"bbo"', "did you mean `bob`?"),
    ('artifact.subsystem == "gti"', codes.UNKNOWN_SUBSYSTEM, '"gti"', "did you mean `git`?"),
    ('artifact.subsystem in ["git", "gti"]', codes.UNKNOWN_SUBSYSTEM, '"gti"', "`git`"),
    ('ghost(e, ["gti"])', codes.UNKNOWN_SUBSYSTEM, '"gti"', "did you mean `git`?"),
    ('e.type == "opend"', codes.UNKNOWN_EVENT_TYPE, '"opend"', "did you mean `opened`?"),
    ('e.type in ["opend"]', codes.UNKNOWN_EVENT_TYPE, '"opend"', "did you mean `opened`?"),
    ('s.expected.type == "opend"', codes.UNKNOWN_EVENT_TYPE, '"opend"', "`opened`"),
    ("holds(leed)", codes.UNKNOWN_ROLE, "leed", "did you mean `lead`?"),
    ("role.raeds", codes.UNKNOWN_FIELD, "raeds", "did you mean `reads`?"),
    ("artifact.titel", codes.UNKNOWN_FIELD, "titel", "did you mean `title`?"),
    ("artifact.label", codes.UNKNOWN_FIELD, "label", '["label"]'),
    ("actor.tem", codes.UNKNOWN_FIELD, "tem", "did you mean `team`?"),
    ("actor.role", codes.UNKNOWN_FIELD, "role", "`role` alone"),
    ("s.triger", codes.UNKNOWN_FIELD, "triger", "did you mean `trigger`?"),
    ("answer.exist", codes.UNKNOWN_FIELD, "exist", "did you mean `exists`?"),
    ("cited.id", codes.UNKNOWN_FIELD, "id", "walk it"),
    ("n.x", codes.UNKNOWN_FIELD, "x", ""),
    ("e.id.at", codes.UNKNOWN_FIELD, "at", "a text"),
    ("n[1]", codes.UNKNOWN_FIELD, "1", "undeclared"),
    ("e.severty", codes.UNDECLARED_FIELD, "severty", "did you mean `severity`?"),
    ("e.qqqq", codes.UNDECLARED_FIELD, "qqqq", "declare it"),
    ('e["odd key"]', codes.UNDECLARED_FIELD, '"odd key"', "declare it"),
    ("x.qqqq", codes.UNDECLARED_FIELD, "qqqq", "declare it"),
    ("f.severity", codes.UNDECLARED_FIELD, "severity", "declare it"),
    ("sizes(cited)", codes.UNKNOWN_FUNCTION, "sizes", "did you mean `size`?"),
    ("holds_(1)", codes.UNKNOWN_FUNCTION, "holds_", "did you mean `holds`?"),
    ("label(e)", codes.UNKNOWN_FUNCTION, "label", ""),
    ("recorded_by(s, as_of)", codes.UNKNOWN_FUNCTION, "recorded_by", ""),
    ("s.recorded(as_of)", codes.UNKNOWN_FUNCTION, "recorded", "did you mean `recorded_by`?"),
    ("edges(actor, e)", codes.MISPLACED_NAME, "edges", "`ask for`"),
    (".field", codes.MISPLACED_NAME, ".field", ""),
    ("size()", codes.WRONG_ARGUMENTS, "size()", "`size(xs)`"),
    ("visible(actor, artifact)", codes.WRONG_ARGUMENTS, "visible(actor, artifact)", "or"),
    ("s.recorded_by()", codes.WRONG_ARGUMENTS, "s.recorded_by()", "silence.recorded_by(at)"),
    ("paths(e, longst: 3)", codes.WRONG_ARGUMENTS, "longst", "did you mean `longest`?"),
    ("paths(e, effect: e)", codes.WRONG_ARGUMENTS, "effect", "last"),
    ("holds(1)", codes.WRONG_ARGUMENTS, "holds(1)", "holds(ROLE)"),
    ("prevented(e.id, e)", codes.WRONG_ARGUMENTS, "e.id", "not its id"),
    ("visible(actor, e, as_of)", codes.WRONG_ARGUMENTS, "e", "`.id`"),
    ("visible(actor, e.artifacts, as_of)", codes.WRONG_ARGUMENTS, "e.artifacts", "walk it"),
    ('visible(actor, artifact, "2026-01-01")', codes.WRONG_ARGUMENTS, '"2026-01-01"', ""),
    ("visible(artifact, artifact, as_of)", codes.WRONG_ARGUMENTS, "artifact", ""),
    ("size(n)", codes.WRONG_ARGUMENTS, "n", "[x]"),
    ("visible(actor, e.jira, as_of)", codes.SEVERAL_VALUES, "e.jira", "walk it"),
    ("visible(actor, e.facts.a, as_of)", codes.SEVERAL_VALUES, "e.facts.a", "walk it"),
    ('opens("horizn", actor, artifact, as_of)', codes.UNKNOWN_GATE, '"horizn"', "`horizon`"),
    ("opens(e.severity, actor, artifact, as_of)", codes.NOT_CONSTANT, "e.severity", "in quotes"),
    ('e.at == "2026-03-05"', codes.TYPE_MISMATCH, 'e.at == "2026-03-05"', "without quotes"),
    ('e.at < "2026-03-05"', codes.TYPE_MISMATCH, 'e.at < "2026-03-05"', "without quotes"),
    ("as_of - e.at < 7", codes.TYPE_MISMATCH, "as_of - e.at < 7", "`7d`"),
    ("ok == 1", codes.TYPE_MISMATCH, "ok == 1", ""),
    ("ok < true", codes.TYPE_MISMATCH, "ok < true", "order"),
    ("e < f", codes.TYPE_MISMATCH, "e < f", "order"),
    ('e == "id"', codes.TYPE_MISMATCH, 'e == "id"', "`id`"),
    ("role == `lead`", codes.UNKNOWN_NAME, "`lead`", "holds(lead)"),
    ('role == "lead"', codes.TYPE_MISMATCH, 'role == "lead"', "holds"),
    ("artifact == cited", codes.TYPE_MISMATCH, "artifact == cited", "`in`"),
    ("actor == artifact.created", codes.TYPE_MISMATCH, "actor == artifact.created", "quotes"),
    ("e.hours == e.severity", codes.TYPE_MISMATCH, "e.hours == e.severity", ""),
    ("n in cited", codes.TYPE_MISMATCH, "n in cited", ""),
    ("cited overlaps [1]", codes.TYPE_MISMATCH, "cited overlaps [1]", ""),
    ("1 + true", codes.TYPE_MISMATCH, "1 + true", "then 1 else 0"),
    ('"a" + "b"', codes.TYPE_MISMATCH, '"a" + "b"', "holes"),
    ("cited + cited", codes.TYPE_MISMATCH, "cited + cited", "`|`"),
    ("as_of + as_of", codes.TYPE_MISMATCH, "as_of + as_of", ""),
    ("as_of - 7", codes.TYPE_MISMATCH, "as_of - 7", "`7d`"),
    ("-actor", codes.TYPE_MISMATCH, "actor", ""),
    ('[1, "a"]', codes.TYPE_MISMATCH, '"a"', ""),
    ("if ok then 1 else actor", codes.TYPE_MISMATCH, "actor", "one kind"),
    ("any k in []: k + actor", codes.TYPE_MISMATCH, "k + actor", ""),
    ("n ?? actor", codes.TYPE_MISMATCH, "actor", "one kind"),
    ('n matches "a"', codes.TYPE_MISMATCH, "n", ""),
    ('cited matches "a"', codes.TYPE_MISMATCH, "cited", "walk it"),
    ("sum c in calls: c.results", codes.TYPE_MISMATCH, "c.results", "size"),
    ("sum v in artifact.events: v.at", codes.TYPE_MISMATCH, "v.at", ""),
    ("e.facts[ok]", codes.TYPE_MISMATCH, "ok", ""),
    ('"{answer}"', codes.TYPE_MISMATCH, "answer", "fields"),
    ("not n", codes.NO_CONDITION, "n", "compare"),
    ("ok and cited", codes.NO_CONDITION, "cited", "not empty"),
    ("if actor then 1 else 2", codes.NO_CONDITION, "actor", "is not missing"),
    ("any c in calls: c.limit", codes.NO_CONDITION, "c.limit", "compare"),
    ("any c in n: ok", codes.NO_COLLECTION, "n", "[a, b]"),
    ('any c in "abc": ok', codes.NO_COLLECTION, '"abc"', "[a, b]"),
    ("actor in n", codes.NO_COLLECTION, "n", "=="),
    ("actor overlaps cited", codes.NO_COLLECTION, "actor", "=="),
    ("cited | artifact", codes.NO_COLLECTION, "artifact", "[x]"),
    ("cited in opened_ids", codes.SEVERAL_VALUES, "cited", "overlaps"),
    ("{ l.evidence for c in calls }", codes.SEVERAL_VALUES, "l.evidence", "list"),
    ("actor == missing", codes.MISSING_COMPARED, "missing", "is missing"),
    ("e.severity != missing", codes.MISSING_COMPARED, "missing", "is not missing"),
    ('artifact.title matches "a(b"', codes.BAD_PATTERN, '"a(b"', "RE2"),
    (r'artifact.title matches "(?=a)"', codes.BAD_PATTERN, '"(?=a)"', "RE2"),
    ("2026-13-05", codes.BAD_LITERAL, "2026-13-05", ""),
    ("1h2d", codes.BAD_LITERAL, "1h2d", "large to small"),
    ('"{e.at:time}"', codes.BAD_FORMAT, "{e.at:time}", "date"),
    ('"{actor:date}"', codes.BAD_FORMAT, "{actor:date}", "leave"),
]


@pytest.mark.parametrize(("text", "code", "piece", "helps"), BAD)
def test_a_slip_is_one_finding_at_its_place_with_help(
    text: str, code: Code, piece: str, helps: str
) -> None:
    _, findings = elaborated(text)
    assert [f.code.slug for f in findings] == [code.slug]
    assert pointed_at(text, findings[0]).strip() == piece
    assert helps in findings[0].help
    assert findings[0].message[0] not in ".,"
    assert not findings[0].message.endswith(".")


@pytest.mark.parametrize(("text", "code", "piece", "helps"), BAD)
def test_an_error_inside_larger_expressions_stays_one_finding(
    text: str, code: Code, piece: str, helps: str
) -> None:
    for around in ("(({}) == 1) and ok", "size({{ q for q in ({}) }})", "if ok then ({}) else 1"):
        _, findings = elaborated(around.format(text))
        assert [f.code.slug for f in findings] == [code.slug]


def test_an_instant_without_zone_needs_the_contracts() -> None:
    naive = replace(SYMBOLS, timezone=None)
    for text in ("2026-03-05", "2026-03-05T10:00:00"):
        _, findings = elaborated(text, naive)
        assert [f.code for f in findings] == [codes.NO_ZONE]
    assert elaborated("2026-03-05T10:00:00Z", naive)[1] == []
    berlin, _ = elaborated("2026-03-05", replace(SYMBOLS, timezone="Europe/Berlin"))
    utc, _ = elaborated("2026-03-05")
    assert isinstance(berlin, ir.Const)
    assert isinstance(utc, ir.Const)
    assert utc.value - berlin.value == 3_600_000_000


def test_fields_that_change_need_an_instant() -> None:
    timeless = replace(SCOPE, as_of=None)
    assert elaborated("artifact.subsystem", scope=timeless)[1] == []
    for text in ("artifact.labels", "artifact.events", 'artifact["x"]'):
        _, findings = elaborated(text, scope=timeless)
        assert [f.code for f in findings] == [codes.NO_INSTANT]


def test_data_settle_which_fields_there_are() -> None:
    known = replace(SYMBOLS, data=DATA)
    assert elaborated("e.channel", known)[1] == []
    assert elaborated("e.facts.channel", known)[1] == []
    assert elaborated("artifact.owner", known)[1] == []
    assert elaborated("actor == `carol`", known)[1] == []
    for text in ("e.chanel", "e.facts.chanel", "e.artifacts.jria"):
        _, findings = elaborated(text, known)
        assert [f.code for f in findings] == [codes.UNDECLARED_FIELD]
        assert "did you mean" in findings[0].help
    _, findings = elaborated("artifact.ownr", known)
    assert [f.code for f in findings] == [codes.UNKNOWN_FIELD]


def test_names_that_a_source_supplies_cannot_be_told_wrong() -> None:
    loose = replace(
        SYMBOLS,
        open_actors=True,
        open_roles=True,
        open_subsystems=True,
        open_event_types=True,
    )
    for text in (
        "actor == `dave`",
        'artifact.subsystem == "wiki"',
        "holds(boss)",
        "role.sees",
        'e.type == "other"',
        "actor.level",
        "x.anything",
    ):
        assert elaborated(text, loose)[1] == [], text
    assert elaborated("e.anything", loose)[1] != []


# --- what is lowered to what


def test_equality_with_a_data_field_is_a_join_and_other_equality_is_not() -> None:
    joined, _ = elaborated("e.jira == f.jira")
    plain, _ = elaborated("actor == artifact.id", expected=None)
    assert isinstance(joined, ir.Equal)
    assert joined.join
    collection, _ = elaborated("e.reviewers == e.owner")
    assert isinstance(collection, ir.Equal)
    assert isinstance(collection.left, ir.EventField), "a missing field must stay missing"
    assert isinstance(plain, ir.Const | ir.Equal)
    ids, _ = elaborated("artifact == `A`")
    assert isinstance(ids, ir.Equal)
    assert not ids.join


def test_parts_of_an_event_are_read_from_that_part_only() -> None:
    parts = {
        "e.jira": "any",
        "e.artifacts.jira": "artifacts",
        "e.facts.jira": "facts",
        'e.facts["jira"]': "facts",
        'e["jira"]': "any",
    }
    for text, part in parts.items():
        found, _ = elaborated(text)
        assert isinstance(found, ir.EventField)
        assert (found.name, found.part) == ("jira", part)


def test_a_declared_time_is_read_in_the_contracts_zone() -> None:
    found, _ = elaborated("e.due")
    assert isinstance(found, ir.Call)
    assert found.function == "as_time/2"
    field, zone = found.arguments
    assert isinstance(field, ir.EventField)
    assert isinstance(zone, ir.Const)
    assert zone.value == "UTC"


def test_a_missing_field_stays_missing_when_compared_and_is_empty_when_walked() -> None:
    compared, _ = elaborated("actor in e.owner")
    assert isinstance(compared, ir.Membership)
    assert isinstance(compared.collection, ir.If)
    declared, _ = elaborated("e.reviewers overlaps [`alice`]")
    assert isinstance(declared, ir.Overlaps)
    assert isinstance(declared.left, ir.If)
    asked, _ = elaborated("e.reviewers is missing")
    assert isinstance(asked, ir.IsMissing)
    assert isinstance(asked.operand, ir.EventField)
    walked, _ = elaborated("any o in e.owner: o == actor")
    assert isinstance(walked, ir.Quantifier)
    assert isinstance(walked.collection, ir.AsList)


def test_the_id_of_an_artifact_or_actor_is_itself() -> None:
    for text in ("artifact.id", "actor.id"):
        found, _ = elaborated(text)
        assert isinstance(found, ir.Var)


def test_label_and_keys_are_the_contracts_words() -> None:
    for text, function in (("e.label", "label/1"), ("s.trigger.keys", "keys/1")):
        found, _ = elaborated(text)
        assert isinstance(found, ir.Call)
        assert found.function == function


def test_as_bool_of_an_answer_reads_what_was_written() -> None:
    found, _ = elaborated("as_bool(answer.exists)")
    assert isinstance(found, ir.Call)
    assert [n.name for n in nodes(found) if isinstance(n, ir.Var)] == ["raw_answer"]
    elsewhere, _ = elaborated("as_bool(answer.exists)", scope=replace(SCOPE, raw_answer=False))
    assert [n.name for n in nodes(elsewhere) if isinstance(n, ir.Var)] == ["answer"]


def test_what_may_be_of_any_kind_is_read_as_a_condition() -> None:
    found, _ = elaborated("ok and e.urgent")
    assert isinstance(found, ir.And)
    assert isinstance(found.right, ir.Call)
    assert found.right.function == "as_bool/1"


def test_branches_become_what_they_have_in_common() -> None:
    counted, _ = elaborated("if ok then 1 else false")
    assert isinstance(counted, ir.If)
    assert isinstance(counted.otherwise, ir.ToNumber)
    several, _ = elaborated('if ok then cited else ["A"]')
    assert isinstance(several, ir.If)
    assert isinstance(several.otherwise, ir.Comprehension)
    assert several.otherwise.kind == "set"


def test_literals_are_constants() -> None:
    values = {
        '["a", "b"]': ("a", "b"),
        "-3": -3,
        "[1, [2]]": None,
        "90m": 5_400_000_000,
        '"e\u0301"': "\u00e9",
    }
    for text, value in values.items():
        found, findings = elaborated(text)
        if value is None:
            assert findings
        else:
            assert isinstance(found, ir.Const)
            assert found.value == value


# --- lets


def test_lets_are_put_in_line_with_their_arguments_bound_once() -> None:
    symbols = with_lets(
        "let late(v, t) = v.at > t\nlet any_late(vs, t) = any v in vs: late(v, t)\n"
    )
    found, findings = elaborated("any_late(artifact.events, as_of) or late(e, as_of)", symbols)
    assert findings == []
    bound = [
        n.name if isinstance(n, ir.Bind) else n.variable
        for n in nodes(found)
        if isinstance(n, ir.Bind | ir.Quantifier)
    ]
    assert len(bound) == len(set(bound)) == 7


def test_a_let_reads_its_place_but_not_what_surrounds_its_use() -> None:
    symbols = with_lets(
        "let mine = artifact.created < as_of\nlet leak = k > 1\nlet deep(k) = leak\n"
    )
    assert elaborated("mine", symbols)[1] == []
    for text in ("any k in [1, 2]: leak", "deep(2)"):
        _, findings = elaborated(text, symbols)
        assert [(f.code, f.span.file) for f in findings] == [(codes.UNKNOWN_NAME, "lets.gev")]


def test_an_argument_knows_what_its_event_can_be() -> None:
    symbols = with_lets("let bad(v) = v.severity == v.jira\n")
    assert elaborated("bad(e)", symbols)[1] == []
    _, findings = elaborated("bad(f)", symbols)
    assert [f.code for f in findings] == [codes.UNDECLARED_FIELD]


@pytest.mark.parametrize(
    ("lets", "text", "cycle"),
    [
        ("let a = a\n", "a", "`a` → `a`"),
        ("let a = b\nlet b = c\nlet c = b\n", "a", "`b` → `c` → `b`"),
        ("let f(x) = g(x)\nlet g(x) = f(x)\n", "f(1)", "`f` → `g` → `f`"),
    ],
)
def test_a_let_that_uses_itself_is_named_with_its_circle(lets: str, text: str, cycle: str) -> None:
    _, findings = elaborated(text, with_lets(lets))
    assert [(f.code, f.help) for f in findings] == [(codes.LET_CYCLE, cycle)]


def test_a_let_is_called_as_it_was_declared() -> None:
    symbols = with_lets("let add(x, y) = x + y\nlet k = 3\n")
    assert elaborated("add(1, k)", symbols)[1] == []
    assert elaborated("add(y: 1, x: k)", symbols)[1] == []
    for text in ("add(1)", "add", "k(1)", "add(1, z: 2)", "add(1, x: 2)"):
        _, findings = elaborated(text, symbols)
        assert [f.code for f in findings] == [codes.WRONG_ARGUMENTS], text


def test_lets_that_double_at_each_level_are_stopped() -> None:
    doubling = "".join(f"let a{i} = a{i + 1} + a{i + 1}\n" for i in range(40)) + "let a40 = 1\n"
    _, findings = elaborated("a0", with_lets(doubling))
    assert {f.code for f in findings} == {codes.TOO_LARGE}


def test_deep_nesting_is_a_finding_and_no_crash() -> None:
    node: ast.Expr = ast.Constant(HERE, value=True)
    for _ in range(5000):
        node = ast.Not(HERE, node)
    findings = Findings()
    Elaborator(SYMBOLS, findings).condition(node, SCOPE)
    assert [f.code for f in findings.all] == [codes.TOO_LARGE]


# --- the other entries


def test_a_condition_is_true_or_false() -> None:
    findings = Findings()
    el = Elaborator(SYMBOLS, findings)
    assert el.condition(parsed("ok"), SCOPE).type == BOOL
    assert findings.all == []
    el.condition(parsed("n"), SCOPE)
    assert [f.code for f in findings.all] == [codes.NO_CONDITION]


def test_a_wording_is_a_text_node_even_when_plain() -> None:
    findings = Findings()
    el = Elaborator(SYMBOLS, findings)
    node = parsed('"plain"')
    assert isinstance(node, ast.Text)
    assert el.text(node, SCOPE).parts == ("plain",)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("3", 3),
        ("-2.5", -2.5),
        ("1 / 4", 0.25),
        ("2 * 1d + 1h", 49 * 3_600_000_000),
        ("7d / 2", 302_400_000_000),
        ('"a"', "a"),
        ("missing", None),
        ("[jira, git]", ("jira", "git")),
        ('{ a: 1 b: ["x"] c: { d: true } }', {"a": 1, "b": ("x",), "c": {"d": True}}),
        ("1970-01-02", 86_400_000_000),
        ("1970-01-02 - 1d", 0),
        ("some_name", "some_name"),
    ],
)
def test_constants_are_values(text: str, value: object) -> None:
    findings = Findings()
    el = Elaborator(SYMBOLS, findings)
    scope = replace(SCOPE, variables={})
    assert el.constant(parsed(text), scope, names_as_text=True) == value
    assert findings.all == []


@pytest.mark.parametrize(
    ("text", "expected", "code"),
    [
        ("n", None, codes.NOT_CONSTANT),
        ('"{n}"', None, codes.NOT_CONSTANT),
        ("1 / 0", None, codes.NOT_CONSTANT),
        ("size(cited)", None, codes.NOT_CONSTANT),
        ("7", DURATION, codes.TYPE_MISMATCH),
        ('"2026-01-01"', TIME, codes.TYPE_MISMATCH),
        ("zzz", None, codes.UNKNOWN_NAME),
    ],
)
def test_what_is_no_constant_is_a_finding(text: str, expected: Type | None, code: Code) -> None:
    findings = Findings()
    assert Elaborator(SYMBOLS, findings).constant(parsed(text), SCOPE, expected) is None
    assert [f.code for f in findings.all] == [code]


def test_raw_fields_are_read_in_sources() -> None:
    scope = replace(SCOPE, variables={}, record=True)
    for text in (".a", ".a.b", ".", "stem(.path)", '"{.a} {.b.c}"', '.stage != "done"'):
        found, findings = elaborated(text, scope=scope)
        assert findings == []
        assert {n.name for n in nodes(found) if isinstance(n, ir.Var)} == {"record"}


def test_expected_types_settle_bare_names_only() -> None:
    found, findings = elaborated("`GIT-801`", expected=TEXT)
    assert isinstance(found, ir.Const)
    assert findings == []
    assert elaborated("`GIT-801`")[1] != []
    assert elaborated("[]", expected=set_of(TEXT))[0].type == list_of(Type("never"))


def test_symbols_without_roles_take_any_list() -> None:
    lone: Symbols = replace(SYMBOLS, roles={}, role_lists={})
    assert elaborated("artifact.subsystem in role.reads", lone)[1] == []
