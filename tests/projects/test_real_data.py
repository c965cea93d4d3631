"""Real data load through `source` blocks as they are: every trap, and the values others worked out."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from benchmarks.real_data import FOLDERS, Reading, copied, read, readings
from benchmarks.real_values import VALUES, comparable
from groundeval import api
from groundeval.diagnostics import Diagnostic
from groundeval.world.events import Event
from groundeval.world.time import format_instant, parse_instant

Readings = Mapping[str, Mapping[str, Reading]]


@pytest.fixture(scope="session")
def data(shared: Path) -> Path:
    folder = shared / "data"
    absent = [name for name in FOLDERS.values() if not (folder / name).is_dir()]
    if absent:
        pytest.skip(f"GROUNDEVAL_SHARED lacks data/{', data/'.join(absent)}")
    return folder


@pytest.fixture(scope="session")
def found(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Readings:
    folder = tmp_path_factory.mktemp("real")
    return {p: readings(p, data / name, folder) for p, name in FOLDERS.items()}


def changed(
    project: str, data: Path, into: Path, changes: Mapping[str, str]
) -> tuple[Diagnostic, ...]:
    """The findings of a project under a changed contract."""
    contract = copied(project, data / FOLDERS[project], into, changes)
    opened = api.open_project(contract)
    assert opened.value is not None
    return api.check_project(opened.value)


@pytest.mark.parametrize("check", sorted(VALUES))
def test_values_that_others_worked_out(check: str, found: Readings, data: Path) -> None:
    entries = json.loads((data / "checks.json").read_text(encoding="utf-8"))
    entry = next(e for e in entries if e["id"] == check)
    project = next(p for p, name in FOLDERS.items() if name == entry["source"])
    contracts = {name: reading.contract for name, reading in found[project].items()}
    assert VALUES[check](contracts) == comparable(entry["expected"])


def test_findings_are_the_true_ones(found: Readings) -> None:
    codes = {p: sorted(d.code.id for d in r[""].findings) for p, r in found.items()}
    # What events name and the export lacks; labels and approvals that no file dates.
    assert codes == {
        "beads": ["GEV720", "GEV721"],
        "enterprisebench": [],
        "k8s-audit": [],
        "k8s-enhancements": ["GEV721"],
    }


def test_audit_log_in_one_and_many_documents(found: Readings) -> None:
    log, report = found["k8s-audit"][""].loaded.world.log, found["k8s-audit"][""].loaded.report
    falco = [e for e in log if e.source.startswith("data/falco/")]
    assert (len(log), len(falco)) == (88, 51)
    assert report.passed_over > 0, "JSON that is no event is skipped by rule"
    in_one_file = [e for e in falco if e.source.endswith("create_configmap_sensitive_values.json")]
    assert len(in_one_file) == 6
    assert len({str(e.facts["auditID"]) for e in falco}) == 49
    assert len({e.id for e in falco}) == 51


def test_audit_actor_is_the_impersonated_one(found: Readings) -> None:
    loaded = found["k8s-audit"][""].loaded
    demo = [e for e in loaded.world.log if e.source.endswith("demo.log")]
    assert {a for e in demo for a in e.actors} == {"bob", "alice", "system:serviceaccount:ns1:sa1"}
    assert loaded.report.undeclared.count == 0
    declared = {a.id for a in loaded.world.access.actors}
    assert {"bob", "minikube-user", "system:anonymous"} <= declared


def test_audit_times_of_both_versions_and_objects_with_parts_missing(found: Readings) -> None:
    log = found["k8s-audit"][""].loaded.world.log
    by_source = {"demo": _first(log, "demo.log"), "falco": _first(log, "attach_pod.json")}
    assert format_instant(by_source["demo"].at) == "2017-09-11T19:55:05Z"
    assert format_instant(by_source["falco"].at).startswith("2018-10-26T13:42:46.")
    objects = {e.field("object") for e in log}
    assert {"-/namespaces/foo", "default/pods/-", "default/services/nginx", None} <= objects
    created = _first(log, "anonymous_creates_namespace_foo.json")
    assert "creationTimestamp" not in created.facts["requestObject"]["metadata"], "null is missing"


def _first(log: Iterable[Event], ending: str) -> Event:
    return next(e for e in log if e.source.endswith(ending))


def test_audit_ids_that_two_files_share_are_found(data: Path, tmp_path: Path) -> None:
    ids = {'"{.auditID} {stem(file)}"': ".auditID"}
    errors = [d for d in changed("k8s-audit", data, tmp_path, ids) if d.severity == "error"]
    assert {d.code.slug for d in errors} == {"duplicate-id"}
    assert {Path(d.span.file).name for d in errors} == {
        "anonymous_creates_namespace_foo.json",
        "some-user_creates_namespace_foo.json",
        "create_nginx_pod_no_secctx_1st_container_privileged_2nd_container.json",
        "create_nginx_pod_privileged_2nd_container.json",
    }


def test_a_json_that_is_no_event_is_an_error_unless_skipped(data: Path, tmp_path: Path) -> None:
    rule = {'skip when .kind != "Event" because "one file is JSON, but no audit event"': ""}
    found = changed("k8s-audit", data, tmp_path, rule)
    assert {Path(d.span.file).name for d in found if d.severity == "error"} == {"fal_01_003.json"}


def test_the_trackers_clock_is_put_right(found: Readings) -> None:
    world = found["beads"][""].loaded.world
    last = {e.field("issue"): e.at for e in world.log.of_type("closed")}
    closed = {a.id: a.versions[-1].attributes.get("closed") for a in world.corpus}
    gaps = [
        abs(last[i] - parsed)
        for i, text in closed.items()
        if i in last and isinstance(parsed := parse_instant(text, None), int)
    ]
    assert (len(gaps), sum(1 for gap in gaps if gap <= 2_000_000)) == (236, 235)


def test_json_inside_texts_is_read_and_plain_text_kept(found: Readings) -> None:
    log = found["beads"][""].loaded.world.log
    first = log.get("1")
    assert first is not None
    assert first.extra["new"]["assignee"] == "beads/polecats/obsidian"
    assert first.field("status") == "hooked"
    assert first.extra["old"]["priority"] == 1
    assert all(isinstance(e.field("reason"), str) for e in log.of_type("closed")[:50])


def test_gaps_in_ids_twins_and_issues_created_twice(found: Readings) -> None:
    log = found["beads"][""].loaded.world.log
    tracked = [e for e in log if e.source.endswith("events.jsonl")]
    numbers = [int(e.id) for e in tracked]
    assert max(numbers) - len(numbers) == 619
    alike = {(e.at, e.type, e.actors, str(e.artifacts), str(e.extra)) for e in tracked}
    assert len(tracked) - len(alike) == 22, "equal in everything but the id, and all kept"
    created = [e.field("issue") for e in log.of_type("created")]
    assert sum(1 for issue in set(created) if created.count(issue) > 1) == 10


def test_events_of_the_projects_own_tests_are_kept_or_skipped(data: Path, tmp_path: Path) -> None:
    change = {"  ordered   = true": '  ordered   = true\n  skip when .actor == "test"'}
    loaded = read(copied("beads", data / FOLDERS["beads"], tmp_path, change)).loaded
    assert (len(loaded.world.log.of_actor("test")), loaded.report.passed_over) == (0, 222)


def test_dates_of_two_forms_and_an_end_that_is_none(found: Readings) -> None:
    access = found["enterprisebench"][""].loaded.world.access
    left = access.actor("emp_0566")
    stays = access.actor("emp_0431")
    assert left is not None
    assert stays is not None
    assert [format_instant(s.end or 0) for s in left.stints] == ["2018-08-18T00:00:00Z"]
    assert [(format_instant(s.start or 0), s.end) for s in stays.stints] == [
        ("2012-01-03T00:00:00Z", None)
    ]
    assert sum(1 for a in access.actors for s in a.stints if s.end is not None) == 309
    assert len(access.roles) == 8


def test_dates_without_any_zone_are_an_error(data: Path, tmp_path: Path) -> None:
    found = changed("enterprisebench", data, tmp_path, {'timezone "UTC"\n': ""})
    naive = [d for d in found if d.code.slug == "bad-time"]
    assert any(
        "it_tickets.json" in d.span.file and "names no time zone" in d.message for d in naive
    )


def test_texts_of_some_chats_come_as_versions(found: Readings) -> None:
    chats = found["enterprisebench"][""].loaded.world.corpus.of_subsystem("chats")
    assert (len(chats), sum(1 for c in chats if c.versions[-1].text)) == (1000, 400)


def test_roles_come_from_data_and_numbers_are_not_ids(found: Readings) -> None:
    loaded = found["k8s-enhancements"][""].loaded
    assert len(loaded.world.access.roles) == 84
    assert {r.name for r in loaded.program.roles} == {r.name for r in loaded.world.access.roles}
    added = loaded.world.log.of_type("kep_file_added")
    numbers = [e.field("number") for e in added]
    assert (numbers.count(0), numbers.count(2133)) == (4, 2)
    assert len({e.artifact_ids for e in added}) == 655
    assert sum(1 for e in loaded.world.log if e.field("merged") is not None) == 3451
