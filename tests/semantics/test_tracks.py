"""Tracks: their defaults, what their parts may read, and what is said about wrong ones."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from groundeval.diagnostics import Code, Diagnostic, Source, codes
from groundeval.ir import expressions as ir
from groundeval.ir import program
from groundeval.ir.types import MECHANISM, TEXT, list_of
from groundeval.ir.walk import nodes, reads
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.semantics.track_params import TrackParams
from groundeval.semantics.tracks import track
from groundeval.syntax import ast
from groundeval.syntax.parser import parse
from tests.semantics.desk_names import SYMBOLS, with_lets

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared"))

ASKED = """
  ask for e in events, a in actors
    about e
    actor a
    as_of e.at
  answer { known: bool  where: set<subsystem>?  why: text ignored }
  truth {
    known = all x in e.artifacts: visible(a, x, as_of)
    where = { x.subsystem for x in e.artifacts }
  }
"""
SCORED = """
  score answer { "verdict" 1 of answer.known == truth.known }
  score trajectory { "gates" 1 of 1 - violation_rate }
  weights answer 0.5, trajectory 0.5
  correct when answer.known == truth.known
"""


def built(
    body: str, symbols: Symbols = SYMBOLS, params: dict[str, object] | None = None
) -> tuple[program.Track, list[Diagnostic]]:
    """The track with that body, and what was found."""
    text = f"gev 1\ntrack t {{{body}}}\n"
    parsed = parse(Source("t.gev", text))
    assert parsed.diagnostics == (), [d.message for d in parsed.diagnostics]
    assert parsed.value is not None
    tree = next(d for d in parsed.value.declarations if isinstance(d, ast.Track))
    findings = Findings()
    return track(tree, "t", Elaborator(symbols, findings), TrackParams(params or {})), findings.all


def found_in(body: str) -> list[Code]:
    return [d.code for d in built(body)[1]]


def test_a_track_is_filled_up_with_the_defaults_of_the_language() -> None:
    found, findings = built(ASKED + SCORED)
    assert findings == []
    assert found.enforce is None
    assert found.title == "t"
    assert isinstance(found.violation, ir.Call)
    assert found.violation.function == "breaks/1"
    numerator, denominator = found.rate
    assert isinstance(numerator, ir.Var)
    assert numerator.name == "broken"
    assert isinstance(denominator, ir.Arithmetic)
    assert denominator.op == "+"
    assert reads(denominator) == {"broken"}
    assert isinstance(found.sound, ir.Equal)
    assert reads(found.sound) == {"violation_rate"}
    assert found.weights == (("answer", 0.5), ("trajectory", 0.5))
    assert [(f.name, str(f.type), f.ignored) for f in found.answer] == [
        ("known", "bool", False),
        ("where", "set<subsystem>?", False),
        ("why", "text", True),
    ]
    assert [name for name, _ in found.truth] == ["known", "where"]
    assert found.truth_reads == ()


def test_a_component_without_a_value_is_one() -> None:
    body = ASKED + SCORED.replace('"gates" 1 of 1 - violation_rate', '"there" 1')
    found, _ = built(body)
    value = found.scores[1].components[0].value
    assert isinstance(value, ir.Const)
    assert value.value == 1


def with_rounding(item: str) -> str:
    return ASKED + SCORED.replace(
        '"verdict" 1 of answer.known == truth.known', f'"verdict" 1\n{item}\n'
    )


def test_a_block_is_rounded_only_where_it_says_so() -> None:
    found, findings = built(with_rounding("round 4"))
    assert findings == []
    assert [s.round for s in found.scores] == [4, None]


def test_a_param_may_say_how_many_decimals() -> None:
    body = "param digits = 3\n" + with_rounding("round digits")
    assert built(body)[0].scores[0].round == 3
    assert built(body, params={"digits": 0})[0].scores[0].round == 0


@pytest.mark.parametrize(
    ("item", "code"),
    [
        ("round 10", codes.BAD_ROUNDING),
        ("round -1", codes.BAD_ROUNDING),
        ("round 1.5", codes.BAD_ROUNDING),
        ("round true", codes.TYPE_MISMATCH),
        ("round size(opened)", codes.NOT_CONSTANT),
        ("round 4 round 3", codes.REPEATED_TRACK_CLAUSE),
    ],
)
def test_what_cannot_be_rounded_to_is_said_once(item: str, code: Code) -> None:
    assert found_in(with_rounding(item)) == [code]


def test_lets_that_scores_read_are_definitions_in_an_order_that_works() -> None:
    lets = """
      let c = b and right
      let right = answer.known == truth.known
      let b = right or looked(opened)
      let looked(xs) = not empty(xs)
      let rated = violation_rate == 0
      let early = e.at < as_of
    """
    body = (
        ASKED.replace("known = all", "known = early and all")
        + lets
        + SCORED.replace("correct when", "sound when rated and c\n  correct when")
    )
    found, findings = built(body)
    assert findings == []
    names = [d.name for d in found.definitions]
    assert set(names) == {"right", "b", "c"}
    for definition in found.definitions:
        for other in reads(definition.value) & set(names):
            assert names.index(other) < names.index(definition.name)
    assert "violation_rate" in reads(found.sound), "a let of later values is put in line"
    assert "early" not in reads(found.truth[0][1])


def test_what_no_score_reads_is_no_definition() -> None:
    found, findings = built(ASKED + "let spare = 1\n" + SCORED)
    assert found.definitions == ()
    assert [d.code for d in findings] == [codes.UNUSED_LET]


def test_a_let_used_by_a_let_is_used() -> None:
    lets = "let a(x) = b(x)\nlet b(x) = x == truth.known\nlet right = a(answer.known)\n"
    _, findings = built(
        ASKED
        + lets
        + SCORED.replace("correct when answer.known == truth.known", "correct when right")
    )
    assert findings == []


WITHOUT_TRUTH = """
  answer { said: bool  ids: set<artifact>  cause: event  way: one of ["a", "b"] }
  let got = retrieved | truth.extra
  score answer {
    require truth.said == answer.said
    "in"      1/8 of any c in cited: c in truth.visible
    "recall"  1/8 of recall(answer.ids, truth.evidence) ?? 1
    "overlap" 1/8 of truth.touched overlaps cited
    "cause"   1/8 of truth.cause == answer.cause
    "way"     1/8 of answer.way == truth.way
    "label"   1/8 of same_label(truth.name, answer.way)
    "count"   1/8 of truth.count / 10
    "flag"    1/8 of if truth.flag and not empty(got) then 1 else 0
  }
  score trajectory { "walk" 1 of (share q in truth.walked: q == answer.way) ?? 0 }
  weights answer 0.5, trajectory 0.5
  correct when answer.said == truth.said and same(truth.raw, missing)
"""


def test_a_truth_from_outside_gets_its_types_from_where_it_is_read() -> None:
    found, findings = built(WITHOUT_TRUTH)
    assert findings == []
    assert {name: str(shape) for name, shape in found.truth_reads} == {
        "said": "bool",
        "visible": "set<artifact>",
        "evidence": "set<text>",
        "touched": "set<artifact>",
        "cause": "event_id",
        "way": "text",
        "name": "text",
        "count": "number",
        "flag": "bool",
        "extra": "set<text>",
        "walked": "set<text>",
        "raw": "json?",
    }
    assert found.ask is None
    assert found.truth == ()


def test_params_are_constants_that_a_project_may_set() -> None:
    body = (
        'param least = 0.5\nparam far = 2d\nparam words = ["a"]\nparam label = "x"\n'
        + ASKED.replace("about e", "where e.at > 2026-01-01 + far\n about e")
        + SCORED.replace("1 - violation_rate", "least + size(words)").replace(
            "correct when", 'correct when label == "x" and'
        )
    )
    found, findings = built(body)
    assert findings == []
    assert 0.5 in _constants(found.scores[1].components[0].value)
    given: dict[str, object] = {"least": 1, "far": "3d", "words": ["b", "c"], "label": "y"}
    found, findings = built(body, params=given)
    assert findings == []
    assert {1, ("b", "c")} <= _constants(found.scores[1].components[0].value)
    assert found.ask is not None
    assert found.ask.where is not None
    assert 3 * 86_400_000_000 in _constants(found.ask.where)


def _constants(found: ir.Expr) -> set[object]:
    return {n.value for n in nodes(found) if isinstance(n, ir.Const)}


@pytest.mark.parametrize(
    ("given", "code"),
    [
        ({"leest": 1}, codes.UNKNOWN_PARAM),
        ({"least": "many"}, codes.BAD_PARAM),
        ({"least": True}, codes.BAD_PARAM),
        ({"least": None}, codes.BAD_PARAM),
        ({"far": "long"}, codes.BAD_PARAM),
        ({"far": 3}, codes.BAD_PARAM),
        ({"words": [1]}, codes.BAD_PARAM),
    ],
)
def test_a_param_is_set_to_a_value_of_its_type(given: dict[str, object], code: Code) -> None:
    body = (
        'param least = 0.5\nparam far = 2d\nparam words = ["a"]\n'
        + ASKED
        + SCORED.replace("1 - violation_rate", "if as_of2 then least else size(words)").replace(
            "weights", "let as_of2 = question.as_of > 2026-01-01 + far\nweights"
        )
    )
    _, findings = built(body, params=given)
    assert [d.code for d in findings if d.code != codes.MAY_BE_MISSING] == [code]


def replaced(old: str, new: str) -> str:
    body = ASKED + SCORED
    assert old in body
    return body.replace(old, new, 1)


WRONG = [
    (ASKED[: ASKED.index("truth {")] + SCORED, [codes.MISSING_TRACK_CLAUSE]),
    (SCORED, [codes.MISSING_TRACK_CLAUSE]),
    (replaced("about e\n", "\n"), [codes.MISSING_TRACK_CLAUSE]),
    (replaced("actor a\n", "actor e\n"), [codes.TYPE_MISMATCH]),
    (replaced("as_of e.at", "as_of 7d"), [codes.TYPE_MISMATCH]),
    (replaced("about e\n", "about events\n"), [codes.TYPE_MISMATCH]),
    (replaced("e in events", "e in evnts"), [codes.UNKNOWN_NAME]),
    (replaced("a in actors", "a in e.id"), [codes.NO_COLLECTION]),
    (replaced("a in actors", "a in actors, a in actors"), [codes.REPEATED_NAME]),
    (replaced("a in actors", "a in actors, truth in actors"), [codes.RESERVED_NAME]),
    (replaced("known: bool", "abstain: bool known: bool"), [codes.BAD_ANSWER_FIELD]),
    (replaced("known: bool", "known: bool known: bool"), [codes.REPEATED_NAME]),
    (replaced("known: bool", "known: boool"), [codes.UNKNOWN_TYPE]),
    (replaced("known: bool", "x: one of 3 known: bool"), [codes.BAD_ANSWER_FIELD]),
    (replaced("known = all", "known = truth.where == 1 and all"), [codes.UNKNOWN_NAME]),
    (replaced("where = {", "known = 1 where = {"), [codes.REPEATED_NAME]),
    (replaced("answer.known ==", "answer.why =="), [codes.UNKNOWN_FIELD]),
    (replaced("truth.known", "truth.knwn"), [codes.UNKNOWN_FIELD]),
    (replaced('"verdict" 1 ', '"verdict" 0.9 '), [codes.WRONG_SUM]),
    (replaced('"verdict" 1 ', '"verdict" 3/2 '), [codes.BAD_WEIGHT]),
    (replaced('"verdict" 1 ', '"verdict" 1/0 '), [codes.BAD_WEIGHT]),
    (replaced('"verdict" 1 of', '"verdict" 0.5 "verdict" 0.5 of'), [codes.REPEATED_NAME]),
    (replaced("weights answer 0.5", "weights answer 0.6"), [codes.WRONG_SUM]),
    (replaced("weights answer 0.5, ", "weights "), [codes.WRONG_SUM, codes.MISSING_TRACK_CLAUSE]),
    (replaced("weights answer 0.5, trajectory 0.5", ""), [codes.MISSING_TRACK_CLAUSE]),
    (replaced("weights answer 0.5", "weights anser 0.5"), [codes.UNKNOWN_SCORE]),
    (
        replaced("score trajectory", "score trajektory"),
        [codes.UNKNOWN_SCORE, codes.MISSING_TRACK_CLAUSE],
    ),
    (
        replaced("score trajectory {", "score trajectory when empty(calls) {"),
        [codes.MISSING_TRACK_CLAUSE],
    ),
    (ASKED + SCORED + 'score answer when empty(calls) { "x" 1 }', [codes.UNREACHED_SCORE]),
    (ASKED + SCORED + 'score answer { "x" 1 }', [codes.UNREACHED_SCORE]),
    (replaced("correct when answer.known == truth.known", ""), [codes.MISSING_TRACK_CLAUSE]),
    (ASKED + SCORED + "correct when true", [codes.REPEATED_TRACK_CLAUSE]),
    (ASKED + SCORED + "enforce horizn", [codes.UNKNOWN_GATE]),
    (ASKED + SCORED + "enforce horizon, horizon", [codes.REPEATED_NAME]),
    (ASKED + SCORED + "rate broken of calls", [codes.TYPE_MISMATCH]),
    (ASKED + SCORED + "rate violation_rate of 1", [codes.UNKNOWN_NAME]),
    (ASKED + SCORED + "sound when broken == 0", [codes.UNKNOWN_NAME]),
    (ASKED + SCORED + "violation when violation_rate > 0", [codes.UNKNOWN_NAME]),
    (replaced("1 - violation_rate", "scores.answer"), [codes.UNKNOWN_NAME]),
    (replaced("1 - violation_rate", "cited"), [codes.TYPE_MISMATCH]),
    (replaced("1 - violation_rate", "visible(`alice`, `A`, 2026-01-01)"), [codes.WRONG_ARGUMENTS]),
    (replaced("1 - violation_rate", 'count c in calls: breaks(c, "gate")'), [codes.UNKNOWN_GATE]),
    (ASKED + SCORED + "let answer = 1", [codes.RESERVED_NAME]),
    (ASKED + SCORED + "let size = 1", [codes.RESERVED_NAME]),
    (
        ASKED + SCORED + "sound when a\nlet a = 1 == 1\nlet a = 2 == 2",
        [codes.REPEATED_NAME],
    ),
    (ASKED + SCORED + "sound when a\nlet a = b\nlet b = a", [codes.LET_CYCLE]),
    (
        ASKED + SCORED + "let a = b\nlet b = a",
        [codes.LET_CYCLE, codes.UNUSED_LET, codes.UNUSED_LET],
    ),
    (ASKED + SCORED + "sound when bad\nlet bad = answer.knwn", [codes.UNKNOWN_FIELD]),
    (ASKED + SCORED + 'balance { "a" 1/2 when truth.known }', [codes.WRONG_SUM]),
    (ASKED + SCORED + 'balance { "a" 1/2 when true "a" 1/2 when true }', [codes.REPEATED_NAME]),
    (ASKED + SCORED + 'text "{actr}"', [codes.UNKNOWN_NAME]),
    (replaced("truth {", "truth { known2 = breaks(3)"), [codes.MISPLACED_NAME]),
    (
        replaced("1 - violation_rate", 'count c in calls: breaks(c, "actor")') + "enforce horizon",
        [codes.UNENFORCED_GATE],
    ),
    (replaced("1 - violation_rate", "share c in calls: breaks(c)"), [codes.MAY_BE_MISSING]),
    (replaced("1 - violation_rate", "recall(cited, opened)"), [codes.MAY_BE_MISSING]),
    (
        replaced("1 - violation_rate", 'recall(answer.where, ["git"])'),
        [codes.MAY_BE_MISSING],
    ),
]


@pytest.mark.parametrize(("body", "expected"), WRONG)
def test_a_slip_in_a_track_is_named(body: str, expected: list[Code]) -> None:
    assert sorted(found_in(body)) == sorted(expected)


def test_an_own_truth_needs_questions_of_its_own() -> None:
    outside = 'truth { known = 1 } balance { "a" 1 when true } answer { known: bool }' + SCORED
    assert found_in(outside) == [codes.MISSING_TRACK_CLAUSE, codes.MISSING_TRACK_CLAUSE]


@pytest.mark.parametrize(
    "value",
    [
        "(share c in calls: breaks(c)) ?? 0",
        "if empty(calls) then 1 else share c in calls: breaks(c)",
        "if empty(calls) or empty(cited) then 1 else recall(opened, cited)",
        "if not empty(cited) then f1(opened, cited) else 0",
        "if question.as_of is missing then 0 else 1",
        'if answer.where is not missing then recall(cited, ["A"]) else 0',
    ],
)
def test_a_component_is_known_to_have_a_value(value: str) -> None:
    assert found_in(replaced("1 - violation_rate", value)) == []


def test_require_says_what_components_may_rely_on() -> None:
    walked = "share c in calls: breaks(c)"
    for guard in ("require not empty(calls)", "require answer.known and not (empty(calls) or ok)"):
        body = replaced('"gates" 1 of 1 - violation_rate', f'{guard}\n "gates" 1 of {walked}')
        assert found_in(body + "let ok = empty(cited)") in ([], [codes.UNUSED_LET])
    body = replaced(
        '"gates" 1 of 1 - violation_rate', f'require empty(calls)\n "gates" 1 of {walked}'
    )
    assert found_in(body) == [codes.MAY_BE_MISSING]


def test_guarded_blocks_come_first_and_keep_their_order() -> None:
    guarded = 'score answer when empty(calls) { "x" 1 }\nscore answer when empty(cited) { "y" 1 }'
    found, findings = built(ASKED + guarded + SCORED)
    assert findings == []
    names = [s.components[0].name for s in found.scores if s.name == "answer"]
    assert names == ["x", "y", "verdict"]


def test_the_answer_may_take_one_of_the_mechanisms() -> None:
    body = replaced("known: bool", 'known: bool m: one of mechanisms w: one of ["a", "b"]')
    found, findings = built(body)
    assert findings == []
    fields = {f.name: f for f in found.answer}
    assert str(fields["m"].type) == "mechanism"
    assert fields["m"].choices == ir.Var(
        fields["m"].choices.span if fields["m"].choices else found.span,
        list_of(MECHANISM),
        "mechanisms",
    )
    assert isinstance(fields["w"].choices, ir.Const)
    assert fields["w"].type == TEXT


def test_enforce_names_gates_none_or_all() -> None:
    for written, enforced in (
        ("enforce none", ()),
        ("enforce all", None),
        ("enforce horizon, actor", ("horizon", "actor")),
    ):
        found, findings = built(ASKED + SCORED + written)
        assert findings == []
        assert found.enforce == enforced


def test_artifacts_are_seen_as_of_the_question() -> None:
    body = replaced("x.subsystem for", "x.title for").replace("where: set<subsystem>?", "")
    found, findings = built(body)
    assert findings == []
    fields = [n for n in nodes(found.truth[1][1]) if isinstance(n, ir.ArtifactField)]
    assert [isinstance(f.at, ir.Var) and f.at.name for f in fields] == ["as_of"]


def _tracks_in(folder: Path) -> list[Path]:
    return sorted(folder.rglob("*.gev"))


@pytest.mark.parametrize("path", _tracks_in(ROOT / "tracks"), ids=lambda p: p.stem)
def test_bundled_tracks_elaborate(path: Path) -> None:
    _holds(path, {codes.MAY_BE_MISSING})


def test_the_design_s_tracks_elaborate() -> None:
    folder = SHARED / "design" / "tracks"
    if not folder.is_dir():
        pytest.skip(f"no shared design pages at {folder}")
    for path in _tracks_in(folder):
        _holds(path, {codes.MAY_BE_MISSING})


def _holds(path: Path, allowed: set[Code]) -> None:
    parsed = parse(Source(path.name, path.read_text(encoding="utf-8")))
    assert parsed.value is not None
    for tree in parsed.value.declarations:
        if isinstance(tree, ast.Track):
            findings = Findings()
            symbols = replace(SYMBOLS, subsystems={}, actors={}, events={})
            found = track(tree, path.stem, Elaborator(symbols, findings), TrackParams())
            assert {d.code for d in findings.all} <= allowed
            known = {d.name for d in found.definitions}
            for score in found.scores:
                for component in score.components:
                    assert component.value.type.name in {"bool", "number"}
                    assert reads(component.value) <= known | _SCORE_VARIABLES


_SCORE_VARIABLES = {
    *("answer", "raw_answer", "truth", "question", "calls", "cited", "retrieved", "opened"),
    "violation_rate",
}


def test_a_track_that_names_a_gate_the_contract_lacks_is_wrong() -> None:
    _, findings = built(ASKED + SCORED + "enforce horizon", replace(SYMBOLS, gates={}))
    assert [d.code for d in findings] == [codes.UNKNOWN_GATE]


def test_a_domains_let_that_only_a_definition_uses_counts_as_used() -> None:
    symbols = with_lets("let fine(x) = x == true\n")
    body = ASKED + SCORED.replace("correct when answer.known == truth.known", "correct when right")
    parsed = parse(Source("t.gev", f"gev 1\ntrack t {{{body} let right = fine(answer.known) }}\n"))
    assert parsed.value is not None
    findings = Findings()
    el = Elaborator(symbols, findings)
    (tree,) = (d for d in parsed.value.declarations if isinstance(d, ast.Track))
    track(tree, "t", el, TrackParams())
    assert findings.all == []
    assert symbols.lets["fine"].span in el.used_lets
