from __future__ import annotations

from groundeval.world.access import RoleDefinition
from groundeval.world.artifact_records import VersionRecord
from groundeval.world.artifacts import Artifact, Version
from groundeval.world.assembly import (
    ActorRecord,
    BuiltWorld,
    Named,
    Parts,
    StintRecord,
    build_world,
)
from groundeval.world.events import Event
from groundeval.world.findings import Place

HERE = Place("data.jsonl", 3)
ROLES = (RoleDefinition("lead", frozenset({"lead"})), RoleDefinition("sales", frozenset({"sales"})))
ANA = ActorRecord("ana", ("lead",), {"team": "red"}, HERE)


def event(
    event_id: str,
    *,
    at: int = 0,
    actors: tuple[str, ...] = ("ana",),
    docs: tuple[str, ...] = (),
    line: int = 1,
) -> Event:
    return Event(
        id=event_id,
        type="t",
        at=at,
        actors=actors,
        artifacts={"doc": docs},
        source="e.jsonl",
        line=line,
    )


def artifact(artifact_id: str, created: int | None = 0) -> Artifact:
    return Artifact(
        id=artifact_id,
        subsystem="wiki",
        created=created,
        versions=(Version(start=created or 0, text="one"),),
    )


def version(artifact_id: str, start: int, text: str = "two") -> VersionRecord:
    return VersionRecord(artifact_id, start, None, text, None, {}, HERE)


def built(parts: Parts) -> BuiltWorld:
    checked = build_world(parts)
    assert checked.value is not None, [d.message for d in checked.diagnostics]
    return checked.value


def slugs(parts: Parts) -> list[str]:
    checked = build_world(parts)
    assert checked.value is None
    return [d.code.slug for d in checked.diagnostics if d.severity == "error"]


def test_a_world() -> None:
    parts = Parts(
        events=[event("b", docs=("D1", "D2")), event("a")],
        artifacts=[artifact("D1"), artifact("D3", None)],
        versions=[version("D1", 9), version("D1", 5, "mid")],
        actors=[ANA, ActorRecord("bob", (), {}, HERE)],
        stints=[
            StintRecord("bob", "sales", None, 10, HERE),
            StintRecord("bob", "lead", 10, None, HERE),
        ],
        roles=ROLES,
        observed=(0, 100),
    )
    result = built(parts)
    world = result.world
    assert [e.id for e in world.log] == ["a", "b"]
    assert world.log.period() == (0, 100)
    assert [world.artifact_field("D1", "text", t) for t in (0, 5, 9)] == ["one", "mid", "two"]
    assert world.access.role_at("bob", 9).names == ("sales",)
    assert world.access.role_at("bob", 10).names == ("lead",)
    assert world.access.role_at("ana", -5).names == ("lead",)
    assert world.actor_field("ana", "team") == "red"
    report = result.report
    assert (report.events, report.artifacts, report.actors) == (2, 2, 2)
    assert report.missing == Named(1, ("D2",))
    assert report.unnamed == Named(1, ("D3",))
    assert report.undated == Named(1, ("D3",))
    assert report.undeclared == Named()


def test_warnings_name_a_few() -> None:
    events = [event(f"e{n}", actors=(f"p{n}",), docs=("D9",)) for n in range(7)]
    checked = build_world(
        Parts(events=events, artifacts=[artifact("D1", None)]), contract="desk.gev"
    )
    assert checked.ok
    assert [(d.code.slug, d.span.file, d.message) for d in checked.diagnostics] == [
        (
            "undeclared-actor",
            "desk.gev",
            "7 actors of events nowhere declared: `p0`, `p1`, `p2`, `p3`, `p4` and 2 more",
        ),
        ("missing-artifact", "desk.gev", "1 artifact named by events, but not in the corpus: `D9`"),
        ("undated-artifact", "desk.gev", "1 artifact without a creation time: `D1`"),
    ]


def test_a_log_without_a_corpus_misses_nothing() -> None:
    assert (
        build_world(Parts(events=[event("e", docs=("D9",))], actors=[ANA], roles=ROLES)).diagnostics
        == ()
    )


def test_contradictions_are_errors() -> None:
    assert slugs(Parts(events=[event("a"), event("a", line=2)])) == ["duplicate-id"]
    one, other = (Parts(events=[event("a", line=n)], settled=True) for n in (1, 2))
    assert slugs(Parts() + one + other) == ["duplicate-id"]
    assert (Parts() + one + Parts(actors=[ANA])).settled
    assert slugs(Parts(events=[event("a"), event("a", at=1, line=2)])) == ["duplicate-id"] * 2
    assert slugs(Parts(artifacts=[artifact("D"), artifact("D")])) == ["duplicate-id"]
    assert slugs(Parts(versions=[version("D", 1)])) == ["unknown-versioned"]
    assert slugs(Parts(artifacts=[artifact("D", 5)], versions=[version("D", 1)])) == ["bad-period"]
    assert slugs(Parts(artifacts=[artifact("D")], versions=[version("D", 1), version("D", 1)])) == [
        "duplicate-id"
    ]


def test_an_actor_twice() -> None:
    other = ActorRecord("ana", (), {}, Place("people.csv", 9))
    checked = build_world(Parts(actors=[other, ANA], roles=ROLES))
    assert [(d.message, d.span.file) for d in checked.diagnostics] == [
        ("actor `ana` is also at data.jsonl:3", "people.csv")
    ]


def test_stints_name_declared_actors_and_roles() -> None:
    stints = [StintRecord("eve", "boss", None, None, HERE), StintRecord("ana", "sales", 5, 5, HERE)]
    found = slugs(Parts(actors=[ANA], roles=ROLES, stints=stints))
    assert sorted(found) == ["bad-period", "unknown-stint-actor", "unknown-stint-role"]
    assert slugs(Parts(actors=[ActorRecord("x", ("boss",), {}, HERE)])) == ["unknown-stint-role"]


def test_parts_in_any_order_give_the_same_world() -> None:
    events = [event(f"e{n}", at=n % 3, docs=("D1",)) for n in range(9)]
    artifacts = [artifact(f"D{n}") for n in range(4)]
    forward = built(Parts(events=events, artifacts=artifacts))
    backward = built(Parts(events=events[::-1], artifacts=artifacts[::-1]))
    assert [e.id for e in forward.world.log] == [e.id for e in backward.world.log]
    assert forward.report == backward.report
