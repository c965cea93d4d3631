"""What a program says, beyond what the cases of wrong contracts show."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.program import Program
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.semantics.symbols import DataFacts
from groundeval.world.time import DAY, format_instant

DOMAIN = """gev 1
## What the desk does.
domain desk "The desk"
timezone "Europe/Berlin"
subsystem wiki, tickets
role agent { reads: [tickets]  clearances: ["low"] }
role lead inherits agent { reads: [wiki] }
role chief inherits lead { hears: [opened] }
actor `ben`: agent until 2026-03-10, lead from 2026-03-10 { team: blue  floor: 3 }
event opened "ticket" { ticket: artifact  tags: set<text>  customer: text?  found by "ticket {ticket}" }
event solved { ref: text  page: artifact  customer: text? }
"""


def program(*parts: str, data: DataFacts | None = None) -> Program:
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": DOMAIN + "\n".join(parts)}), data=data)
    assert checked.value is not None, [str(d) for d in checked.diagnostics]
    return checked.value


def link(join: str, more: str = "") -> str:
    return f"link l {{ cause a: opened  effect b: solved  join {join}  within 7d  {more} }}"


def silence(more: str) -> str:
    clauses = "after a: opened  expect b: solved  join a.ticket == b.ref  within 7d"
    return f"silence s {{ {clauses}  {more} }}"


def test_heading_and_settings() -> None:
    rules = program("observed from 2026-03-01 until 2026-04-01")
    assert (rules.domain, rules.title, rules.doc) == ("desk", "The desk", "What the desk does.")
    assert rules.timezone == "Europe/Berlin"
    assert rules.observed is not None
    assert format_instant(rules.observed[0]) == "2026-02-28T23:00:00Z"
    assert rules.subsystems == ("tickets", "wiki")


def test_roles_add_up_what_they_inherit() -> None:
    roles = {r.name: r for r in program().roles}
    assert roles["chief"].includes == {"agent", "lead", "chief"}
    assert roles["chief"].lists == {
        "clearances": frozenset({"low"}),
        "hears": frozenset({"opened"}),
        "reads": frozenset({"tickets", "wiki"}),
    }
    assert roles["agent"].lists["reads"] == {"tickets"}


def test_actors_have_stints_and_attributes() -> None:
    (ben,) = program().actors
    assert [(s.role, s.start, s.end) for s in ben.stints] == [
        ("agent", None, ben.stints[0].end),
        ("lead", ben.stints[0].end, None),
    ]
    assert ben.stints[0].end is not None
    assert format_instant(ben.stints[0].end) == "2026-03-09T23:00:00Z"
    assert ben.attributes == {"team": "blue", "floor": 3}


def test_event_types_have_labels_and_texts() -> None:
    opened, solved = program().event_types
    assert (opened.label, solved.label) == ("ticket", "solved")
    assert opened.key_fields == ("ticket",)
    assert opened.found_by is not None
    (hole,) = [p for p in opened.found_by.parts if isinstance(p, ir.Hole)]
    assert isinstance(hole.expr, ir.EventField)
    assert hole.expr.name == "ticket"
    assert isinstance(hole.expr.base, ir.Var)
    assert hole.expr.base.name == "event"


def test_a_join_is_split_into_equalities_and_the_rest() -> None:
    join = (
        program(link("b.ref == a.ticket and a.at < b.at and a.customer == b.customer"))
        .links[0]
        .join
    )
    assert len(join.equalities) == 2
    for first, second in join.equalities:
        assert isinstance(first, ir.EventField)
        assert isinstance(second, ir.EventField)
        assert isinstance(first.base, ir.Var)
        assert isinstance(second.base, ir.Var)
        assert (first.base.name, second.base.name) == ("a", "b")
    assert isinstance(join.residual, ir.Order)
    assert not join.pairwise


@pytest.mark.parametrize(
    ("join", "equalities"),
    [
        ("a.ticket == b.ref", 1),
        ("a.artifacts overlaps b.artifacts", 1),
        ("a.tags overlaps b.artifacts and a.ticket == b.ref", 2),
        ("a.ticket == b.ref and a.actors == b.actors", 1),
        ("a.ticket == b.ref and not (a.customer == b.customer)", 1),
        ("a.ticket == b.ref and a.ticket == a.customer", 1),
        ("same_case(a, b)", 1),
        ("a.ticket == b.ref and (b.page == a.ticket or a.at < b.at)", 1),
    ],
)
def test_which_conjuncts_are_equalities(join: str, equalities: int) -> None:
    rules = program(link(join), "let same_case(x, y) = x.ticket == y.ref and x.at < y.at")
    found = rules.links[0].join
    assert len(found.equalities) == equalities
    assert (found.residual is None) == (join.count(" and ") < equalities and "case" not in join)


def test_key_fields_are_those_of_joins_places_and_artifacts() -> None:
    rules = program(
        link("a.ticket == b.ref"), silence('search wiki for "solution {a.customer} {a.ticket}"')
    )
    keys = {t.name: t.key_fields for t in rules.event_types}
    assert keys == {"opened": ("customer", "ticket"), "solved": ("page", "ref")}


def test_a_silence_has_places_windows_and_no_match() -> None:
    (found,) = program(silence('search wiki for "solution {a.ticket}"  fetch a.ticket')).silences
    assert [s.subsystem for s in found.searches] == ["wiki"]
    assert len(found.fetches) == 1
    assert found.within == 7 * DAY
    assert (found.trigger.variable, found.expected.variable) == ("a", "b")


def test_a_link_has_its_options() -> None:
    more = (
        "match nearest  necessity each  ties in log order  evidence a.ticket or b.page "
        'outcome_changed false  premise "had {a.ticket} not come"  aka "x", "y"  because "so"'
    )
    (found,) = program(link("a.ticket == b.ref", more)).links
    assert (found.match, found.necessity, found.ties_in_log_order) == ("nearest", "each", True)
    assert (found.outcome_changed, found.aliases, found.because) == (False, ("x", "y"), "so")
    assert len(found.evidence) == 2
    assert found.premise is not None


def test_gates_know_whether_they_need_an_actor_and_take_extensions() -> None:
    horizon, own = program(
        "gate own { permit read when actor in artifact.participants }",
        "gate horizon { permit read when artifact.created <= as_of }",
        'extend gate own { permit read "shared" when "shared" in artifact.labels because "rule 7" }',
    ).gates
    assert (horizon.name, horizon.needs_actor) == ("horizon", False)
    assert (own.name, own.needs_actor) == ("own", True)
    assert [(r.name, r.because) for r in own.rules] == [(None, None), ("shared", "rule 7")]
    assert own.rules[0].where == "desk.gev:12"


def test_sources_keep_their_fields_and_options() -> None:
    (source,) = program(
        'source events "log/./*.jsonl" { id = .id  at = .time  type = "{.verb} {.what}"',
        '  ordered = true  timezone = "UTC"  account = .who.account',
        '  skip when .stage != "done" }',
    ).sources
    assert source.pattern == "log/*.jsonl"
    assert [name for name, _ in source.fields] == ["account", "at", "id", "type"]
    assert (source.zone, source.ordered, len(source.skips)) == ("UTC", True, 1)


def test_a_policy_alone_is_a_program_of_its_files_name() -> None:
    text = "gev 1\ngate g { permit read when artifact.subsystem in role.reads }\n"
    checked = analyse("rbac.gev", MemoryFiles({"rbac.gev": text}))
    assert checked.diagnostics == ()
    assert checked.value is not None
    assert (checked.value.domain, checked.value.title) == ("rbac", "rbac")


def test_the_order_of_declarations_and_files_changes_nothing() -> None:
    parts = [
        link("a.ticket == b.ref"),
        silence("fetch a.ticket"),
        "gate g { permit read }",
        "gate f { permit search }",
    ]
    one = program(*parts)
    other = program(*reversed(parts))
    assert [g.name for g in one.gates] == ["f", "g"] == [g.name for g in other.gates]
    assert [f.name for f in one.files] == ["desk.gev"]
    assert one.files[0].digest != other.files[0].digest
    unplaced = replace(one.links[0], span=other.links[0].span)
    assert unplaced.name == other.links[0].name


def test_line_ends_do_not_change_a_digest() -> None:
    unix = analyse("desk.gev", MemoryFiles({"desk.gev": DOMAIN})).value
    windows = analyse("desk.gev", MemoryFiles({"desk.gev": DOMAIN.replace("\n", "\r\n")})).value
    assert unix is not None
    assert windows is not None
    assert unix.files == windows.files


def test_undeclared_names_may_come_from_a_source_until_the_data_are_there() -> None:
    text = DOMAIN + (
        'source events "e.jsonl" { id = .id  at = .at  type = .type }\n'
        "link l { cause a: opened  effect b: closed  join a.ticket == b.ticket  within 7d }\n"
    )
    files = MemoryFiles({"desk.gev": text})
    assert analyse("desk.gev", files).ok
    fields = {"closed": frozenset({"ticket"}), "opened": frozenset({"ticket", "tags"})}
    assert analyse("desk.gev", files, data=DataFacts(event_fields=fields)).ok
    checked = analyse("desk.gev", files, data=DataFacts(event_fields={"close": frozenset()}))
    (finding,) = [d for d in checked.diagnostics if d.code is codes.UNKNOWN_EVENT_TYPE]
    assert finding.help == "did you mean `close`?"


def test_a_declared_field_that_no_event_has_is_a_warning() -> None:
    fields = {"opened": frozenset({"ticket", "tag"}), "solved": frozenset({"ref", "page"})}
    files = MemoryFiles({"desk.gev": DOMAIN})
    checked = analyse("desk.gev", files, data=DataFacts(event_fields=fields))
    found = [(d.code, d.span.line, d.help) for d in checked.diagnostics]
    assert found == [(codes.FIELD_NOT_IN_DATA, 10, "did you mean `tag`?")]
    assert checked.value is not None


def test_what_could_not_be_read_does_not_make_other_names_unknown() -> None:
    text = DOMAIN.replace("role agent {", "role agent agent {")
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": text}))
    assert [d.code.id for d in checked.diagnostics] == ["GEV101"]
    assert checked.value is None


def test_a_warning_is_allowed_until_its_last_day_is_over() -> None:
    allow = '# gev: allow GEV426 until 1970-01-10 because "no bound is known"'
    text = (
        DOMAIN
        + f"{allow}\nlink l {{ cause a: opened  effect b: solved  join a.ticket == b.ref }}\n"
    )
    files = MemoryFiles({"desk.gev": text})
    assert analyse("desk.gev", files, today=10 * DAY - 1).diagnostics == ()
    late = analyse("desk.gev", files, today=10 * DAY)
    assert {d.code for d in late.diagnostics} == {codes.NO_WINDOW, codes.EXPIRED_SUPPRESSION}
    assert analyse("desk.gev", files).diagnostics == ()


def test_an_allow_for_findings_of_later_stages_waits_for_them() -> None:
    text = DOMAIN + '# gev: allow GEV719 because "guests write too"\nsubsystem mail\n'
    assert analyse("desk.gev", MemoryFiles({"desk.gev": text})).diagnostics == ()


@pytest.mark.parametrize("zone", ["", "Europe", "../UTC", "/etc/localtime", "localtime", "CE ST"])
def test_what_is_no_zone_on_every_machine_is_refused(zone: str) -> None:
    files = MemoryFiles({"desk.gev": f'gev 1\ntimezone "{zone}"\n'})
    assert [d.code for d in analyse("desk.gev", files).diagnostics] == [codes.UNKNOWN_TIMEZONE]
