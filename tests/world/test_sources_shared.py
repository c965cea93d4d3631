"""The real inputs load through `source` blocks as they are; the blocks are written as lambdas."""

from __future__ import annotations

import os
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from groundeval.world.assembly import Parts, build_world
from groundeval.world.files import DataFile
from groundeval.world.records import RawRecord, read_records
from groundeval.world.sources import LoadedSource, SourceKind, SourceSpec, load_source
from groundeval.world.time import format_instant, parse_instant, to_datetime

SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", Path(__file__).parents[2].parent / "shared"))
DATA = SHARED / "data"
pytestmark = pytest.mark.skipif(not DATA.is_dir(), reason="GROUNDEVAL_SHARED: no data folder there")
UTC = ZoneInfo("UTC")


def source(kind: SourceKind, pattern: str, folder: str = ".", **rest: object) -> LoadedSource:
    spec = SourceSpec(kind=kind, pattern=pattern, **rest)  # type: ignore[arg-type]
    loaded = load_source(spec, DATA / folder)
    assert loaded.diagnostics == ()
    assert loaded.value is not None
    return loaded.value


def audit_actor(r: RawRecord) -> object:
    return (r.get("impersonatedUser") or r["user"])["username"]


def audit_object(r: RawRecord) -> object:
    o = r.get("objectRef")
    return f"{o.get('namespace', '')}/{o['resource']}/{o.get('name', '')}" if o else None


AUDIT = {
    "id": lambda r: r["auditID"],
    "at": lambda r: r.get("requestReceivedTimestamp") or r.get("timestamp"),
    "type": lambda r: f"{r['verb']} {r.get('objectRef', {}).get('resource', r['requestURI'])}",
    "actors": lambda r: [audit_actor(r)],
    "artifacts": lambda r: {"object": audit_object(r)},
    "facts": lambda r: r,
}


def no_event(r: RawRecord) -> bool:
    return bool(r["kind"] != "Event")


def test_audit_log() -> None:
    loaded = source("events", "audit2rbac-demo.log", "k8s-audit-rbac", fields=AUDIT)
    events = loaded.parts.events
    assert len(events) == 37
    assert {a for e in events for a in e.actors} == {
        "bob",
        "alice",
        "system:serviceaccount:ns1:sa1",
    }
    bob = [e for e in events if e.actors == ("bob",) and e.type == "list pods"]
    codes = [
        (format_instant(e.at), e.facts["responseStatus"]["code"])
        for e in sorted(bob, key=lambda e: e.at)
    ]
    assert ("2017-09-11T19:55:05Z", 403) in codes
    assert ("2017-09-11T19:58:37Z", 200) in codes
    assert format_instant(max(e.at for e in events)) == "2017-09-11T20:29:04Z"


def test_falco_documents() -> None:
    files = sorted((DATA / "k8s-audit-rbac" / "falco").glob("*.json"))
    counts = {f.name: len(list(read_records(DataFile.of(f)))) for f in files}
    assert len(files) == 47
    assert sum(counts.values()) == 52
    assert max(counts.values()) == 6
    assert counts["fal_01_003.json"] == 1


def test_falco_events_share_ids_that_a_template_tells_apart() -> None:
    spec = SourceSpec("events", "falco/*.json", AUDIT, [no_event])
    read = load_source(spec, DATA / "k8s-audit-rbac").value
    assert read is not None
    assert (len(read.parts.events), read.passed_over) == (51, 1)
    assert len({e.id for e in read.parts.events}) == 49
    built = build_world(read.parts)
    assert built.value is None
    assert {d.code.slug for d in built.diagnostics if d.severity == "error"} == {"duplicate-id"}

    distinct = {**AUDIT, "id": lambda r: f"{r['auditID']} {audit_actor(r)} {audit_object(r)}"}
    told_apart = source(
        "events", "falco/*.json", "k8s-audit-rbac", fields=distinct, skip=[no_event]
    )
    created = {
        e.artifacts["object"] for e in told_apart.parts.events if e.type.startswith("create ")
    }
    assert len(told_apart.parts.events) == 51
    assert len(created) >= 16


def test_rbac_yaml() -> None:
    folder = DATA / "k8s-audit-rbac" / "rbac"
    kinds: dict[str, int] = {}
    for path in sorted(folder.glob("*.yaml")):
        for item in read_records(DataFile.of(path)):
            assert isinstance(item, tuple)
            for document in item[1].get("items", [item[1]]):
                kinds[document["kind"]] = kinds.get(document["kind"], 0) + 1
    assert kinds["ClusterRole"] == 60


BEADS = {
    "id": lambda r: r["id"],
    # The log prints Z but holds Pacific time: a computed instant is an aware datetime.
    "at": lambda r: to_datetime(parse_instant(r["created_at"], None) + 8 * 3600 * 10**6),  # type: ignore[operator]
    "type": lambda r: r["event_type"],
    "actors": lambda r: r["actor"],
    "artifacts": lambda r: {"issue": r["issue_id"]},
    "facts": lambda r: {"new": r["new_value"], "old": r["old_value"]},
}


def test_beads_tracker() -> None:
    loaded = source("events", "events.jsonl", "beads-tracker", fields=BEADS, ordered=True)
    issues = source(
        "artifacts",
        "issues.jsonl",
        "beads-tracker",
        fields={
            "id": lambda r: r["id"],
            "subsystem": lambda r: "tracker",
            "created": lambda r: r["created_at"],
            "title": lambda r: r.get("title"),
            "text": lambda r: r.get("description"),
        },
    )
    built = build_world(loaded.parts + issues.parts)
    assert built.value is not None
    report = built.value.report
    assert (report.events, report.artifacts) == (2123, 298)
    log = built.value.world.log
    assert len(log.of_actor("test")) == 222
    assert len(log.of_type("reopened")) == 8
    reopened = [e for e in log.of_artifact("bd-m7sy") if e.type == "reopened"]
    assert [format_instant(e.at) for e in reopened] == ["2026-03-03T18:23:50Z"]
    assert log.get("1") is not None, "a number as id becomes its decimal text"
    assert [e.rank for e in loaded.parts.events] == list(range(2123))
    assert report.undeclared.count == 54


def test_enterprisebench_csv_and_json() -> None:
    sales = source(
        "events",
        "sales.csv",
        "enterprisebench",
        zone=UTC,
        fields={
            "id": lambda r: f"sale-{r['sales_record_id']}",
            "at": lambda r: r["Date_of_Purchase"],
            "type": lambda r: "sale",
            "artifacts": lambda r: {"product": r["product_id"]},
            "facts": lambda r: {"customer": r["customer_id"]},
        },
    ).parts.events
    chats = source(
        "events",
        "support_chats_index.csv",
        "enterprisebench",
        zone=UTC,
        fields={
            "id": lambda r: r["chat_id"],
            "at": lambda r: r["interaction_date"],
            "type": lambda r: "chat",
            "actors": lambda r: r["emp_id"],
            "artifacts": lambda r: {"product": r["product_id"]},
            "facts": lambda r: {"customer": r["customer_id"]},
        },
    ).parts.events
    tickets = source(
        "artifacts",
        "it_tickets.json",
        "enterprisebench",
        zone=UTC,
        fields={
            "id": lambda r: r["id"],
            "subsystem": lambda r: "it",
            "created": lambda r: r["assigned_date"],
            "text": lambda r: r["Issue"],
            "participants": lambda r: [r["raised_by_emp_id"], r["emp_id"]],
        },
    ).parts.artifacts
    assert (len(sales), len(chats), len(tickets)) == (13510, 1000, 163)
    assert format_instant(min(t.created or 0 for t in tickets)) == "2012-03-19T00:00:00Z"

    def key(e: object) -> tuple[object, object]:
        return e.facts["customer"], e.artifacts["product"]  # type: ignore[attr-defined]

    sold = {key(e) for e in sales}
    assert (len(sold), len(sold & {key(c) for c in chats})) == (12659, 950)
    first: dict[object, int] = {}
    for e in sorted(sales, key=lambda e: e.at):
        first.setdefault(key(e), e.at)
    assert len([c for c in chats if first.get(key(c), c.at + 1) <= c.at]) == 745


def test_enterprisebench_stints() -> None:
    def iso(text: str) -> str | None:
        return None if text == "Present" else "-".join(reversed(text.split("-")))

    people = source(
        "actors",
        "employees.jsonl",
        "enterprisebench",
        fields={
            "id": lambda r: r["emp_id"],
            "name": lambda r: r["Name"],
            "level": lambda r: r["Level"],
        },
    )
    stints = source(
        "stints",
        "employees.jsonl",
        "enterprisebench",
        zone=UTC,
        fields={
            "actor": lambda r: r["emp_id"],
            "role": lambda r: r["category"],
            "from": lambda r: iso(r["DOJ"]),
            "until": lambda r: iso(r["DOL"]),
        },
    )
    assert (len(people.parts.actors), len(stints.parts.stints)) == (1260, 1260)
    assert sum(1 for s in stints.parts.stints if s.end is not None) == 309
    assert people.parts.actors[0].attributes["name"] == "Raj Patel"


def test_k8s_enhancements() -> None:
    events = source(
        "events",
        "events.jsonl",
        "k8s-enhancements",
        fields={
            "id": lambda r: r["id"],
            "at": lambda r: r["ts"],
            "type": lambda r: r["type"],
            "actors": lambda r: r["actor"],
            "artifacts": lambda r: {"kep": f"KEP-{r['kep']}"},
            "facts": lambda r: r["facts"],
            "merged_at": lambda r: r.get("merged_at"),
        },
    ).parts.events
    ordered = sorted(events, key=lambda e: (e.at, e.id))
    assert len(events) == 3876
    assert len({a for e in events for a in e.actors}) <= 338
    assert sum(1 for e in events if e.field("merged_at") is not None) == 3451
    assert format_instant(ordered[0].at) == "2019-04-20T16:29:47Z"
    assert format_instant(ordered[-1].at) == "2026-06-17T21:30:32Z"

    stints = source(
        "stints",
        "role_membership.jsonl",
        "k8s-enhancements",
        fields={
            "actor": lambda r: r["actor"],
            "role": lambda r: r["role"],
            "from": lambda r: r["since"],
            "until": lambda r: r["until"],
        },
    ).parts.stints
    leads = [s for s in stints if s.actor == "p0046" and s.role == "sig-node-leads"]
    assert len(stints) == 511
    assert [(format_instant(s.start or 0), s.end is None) for s in leads] == [
        ("2018-12-09T18:19:07Z", False),
        ("2023-11-24T13:32:00Z", True),
    ]


def test_parts_add_up() -> None:
    assert Parts() + Parts(observed=(0, 1)) == Parts(observed=(0, 1))
