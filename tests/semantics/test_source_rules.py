"""What `source` blocks may say of a record: conversions, zones, its place, roles."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest

from groundeval import api
from groundeval.diagnostics import Diagnostic
from groundeval.loading import Loaded
from groundeval.world.time import format_instant

RECORDS = """\
{"who": "ann", "when": "2026-03-05T10:00:00", "day": "05-03-2026", "kind": "seen"}
{"who": "ann", "when": "2026-03-05T11:00:00Z", "day": "Never", "kind": "seen"}
"""
EVENTS = 'source events "log.jsonl" {{ id = "{{file}}:{{line}}"  type = .kind  actors = .who  {} }}'


def loaded(folder: Path, rules: str, files: Mapping[str, str]) -> Loaded:
    value, found = load(folder, rules, files)
    assert value is not None, found
    return value


def load(
    folder: Path, rules: str, files: Mapping[str, str]
) -> tuple[Loaded | None, tuple[Diagnostic, ...]]:
    for name, text in {"contract.gev": f"gev 1\ndomain d\n{rules}\n", **files}.items():
        (folder / name).write_text(text, encoding="utf-8")
    project = api.open_project(folder / "contract.gev")
    assert project.value is not None
    result = api.load(project.value)
    return result.value, result.diagnostics


def times(found: Loaded) -> list[str]:
    return [format_instant(e.at) for e in found.world.log]


@pytest.mark.parametrize("order", ["{rule}  {zone}", "{zone}  {rule}"])
def test_a_computed_time_is_in_the_zone_of_its_source(tmp_path: Path, order: str) -> None:
    rule = order.format(rule="at = instant(.when) + 8h", zone='timezone = "America/New_York"')
    found = loaded(tmp_path, 'timezone "UTC"\n' + EVENTS.format(rule), {"log.jsonl": RECORDS})
    assert times(found) == ["2026-03-05T19:00:00Z", "2026-03-05T23:00:00Z"]


def test_elsewhere_it_is_in_the_contracts_zone(tmp_path: Path) -> None:
    rules = 'timezone "Europe/Berlin"\n' + EVENTS.format("at = instant(.when) + 8h")
    assert times(loaded(tmp_path, rules, {"log.jsonl": RECORDS}))[0] == "2026-03-05T17:00:00Z"


def test_without_a_zone_a_computed_time_is_missing_and_that_is_said(tmp_path: Path) -> None:
    value, found = load(tmp_path, EVENTS.format("at = instant(.when)"), {"log.jsonl": RECORDS})
    assert value is None
    (error,) = [d for d in found if d.severity == "error"]
    assert (Path(error.span.file).name, error.span.line) == ("log.jsonl", 1)
    assert "`at`" in error.message
    assert "timezone" in error.help


def test_computed_times_inside_records_stay_times(tmp_path: Path) -> None:
    rule = 'at = instant(.when)  facts = { day: instant(.day, "DD-MM-YYYY"), gap: 36h }'
    found = loaded(tmp_path, 'timezone "UTC"\n' + EVENTS.format(rule), {"log.jsonl": RECORDS})
    first, second = found.world.log
    assert dict(first.facts) == {"day": "2026-03-05T00:00:00Z", "gap": "1d12h"}
    assert dict(second.facts) == {"gap": "1d12h"}


def test_the_place_of_a_record_can_be_its_id(tmp_path: Path) -> None:
    rules = 'timezone "UTC"\n' + EVENTS.format("at = .when")
    found = loaded(tmp_path, rules, {"log.jsonl": RECORDS})
    assert [e.id for e in found.world.log] == ["log.jsonl:1", "log.jsonl:2"]


@pytest.mark.parametrize(
    ("rule", "slug", "said"),
    [
        ('instant(.when, "DD-MM-YY")', "bad-time-form", "`YY`"),
        ('instant(.when, "DD-MM")', "bad-time-form", "no whole date"),
        ('instant(.when, "DD-MM-YYYY ss")', "bad-time-form", "no whole time of day"),
        ('instant(.when, "DD-DD-MM-YYYY")', "bad-time-form", "twice"),
        ("instant(.when, .form)", "not-constant", "plain text"),
        ("instant(instant(.when))", "wrong-arguments", "not a time"),
        ('instant(.when, "DD-MM-YYYY", "UTC")', "wrong-arguments", "3 arguments"),
        (".when + 8h", "type-mismatch", "length of time"),
    ],
)
def test_what_is_wrong_with_a_time_is_said_before_data_are_read(
    tmp_path: Path, rule: str, slug: str, said: str
) -> None:
    _, found = load(tmp_path, EVENTS.format(f"at = {rule}"), {"log.jsonl": RECORDS})
    assert [d.code.slug for d in found if d.severity == "error"][:1] == [slug]
    assert said in found[0].message


def test_actors_may_be_read_from_a_log_that_names_them_often(tmp_path: Path) -> None:
    rules = (
        'timezone "UTC"\n'
        + EVENTS.format("at = .when")
        + '\nsource actors "log.jsonl" { id = .who }'
    )
    found = loaded(tmp_path, rules, {"log.jsonl": RECORDS})
    assert [a.id for a in found.world.access.actors] == ["ann"]
    assert found.report.undeclared.count == 0


def test_actors_that_contradict_each_other_are_an_error(tmp_path: Path) -> None:
    rules = (
        'timezone "UTC"\n'
        + EVENTS.format("at = .when")
        + '\nsource actors "log.jsonl" { id = .who  seen = .when }'
    )
    value, found = load(tmp_path, rules, {"log.jsonl": RECORDS})
    assert value is None
    assert "duplicate-id" in {d.code.slug for d in found}


ROLES = """\
{"role": "reader", "may": ["a", "b"]}
{"role": "reader", "may": "c"}
{"role": "empty"}
"""


def test_roles_are_read_from_data_and_add_up_with_declared_ones(tmp_path: Path) -> None:
    rules = (
        'timezone "UTC"\nrole reader { may: ["z"] }\nrole boss inherits reader { may: ["x"] }\n'
        'source roles "roles.jsonl" { id = .role  may = .may }\n'
        "gate g { permit read when artifact.subsystem in role.may }\n"
        + EVENTS.format("at = .when")
    )  # fmt: skip
    found = loaded(tmp_path, rules, {"log.jsonl": RECORDS, "roles.jsonl": ROLES})
    lists = {r.name: sorted(r.lists.get("may", ())) for r in found.world.access.roles}
    assert lists == {
        "boss": ["a", "b", "c", "x", "z"],
        "empty": [],
        "reader": ["a", "b", "c", "z"],
    }
    assert [r.name for r in found.program.roles] == ["boss", "empty", "reader"]


def test_a_stint_of_a_role_that_neither_declares_is_an_error(tmp_path: Path) -> None:
    rules = (
        'timezone "UTC"\nsource roles "roles.jsonl" { id = .role }\n'
        'source stints "log.jsonl" { actor = .who  role = .kind }\n'
        'source actors "log.jsonl" { id = .who }\n' + EVENTS.format("at = .when")
    )
    value, found = load(tmp_path, rules, {"log.jsonl": RECORDS, "roles.jsonl": ROLES})
    assert value is None
    stints = [d for d in found if d.code.slug == "unknown-stint-role"]
    assert "source roles" in stints[0].help


def test_a_field_of_one_short_name_is_not_taken_for_a_slip_of_another(tmp_path: Path) -> None:
    rules = 'timezone "UTC"\n' + EVENTS.format("at = .when  kind = .kind")
    assert [e.field("kind") for e in loaded(tmp_path, rules, {"log.jsonl": RECORDS}).world.log] == [
        "seen",
        "seen",
    ]
    slip, found = load(tmp_path, rules.replace("kind = ", "factz = "), {"log.jsonl": RECORDS})
    assert slip is None
    assert "did you mean `facts`" in found[0].help
