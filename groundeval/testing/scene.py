"""The small world that a test describes: what is given, and what follows from it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from groundeval.contracts.builder import Contract, build
from groundeval.diagnostics import Diagnostic
from groundeval.ir.program import GivenItem, Program, Test
from groundeval.loading import declared_parts
from groundeval.world.access import Actor, Stint
from groundeval.world.artifacts import Artifact, Version
from groundeval.world.assembly import Parts, build_world
from groundeval.world.events import Event
from groundeval.world.time import LATEST, parse_instant

SEED = 1


@dataclass(frozen=True, slots=True)
class Scene:
    """The contract over a test's world; `faults` says what in it contradicts itself."""

    contract: Contract | None
    faults: tuple[Diagnostic, ...]


def scene(test: Test, program: Program) -> Scene:
    """The world of one test under `program`, or under the contract that the test names.

    Artifacts that given events name and nobody gives exist from the event on, in the subsystem that
    their kind is called after. Without `observed` the log counts as complete.
    """
    rules = program if test.program is None else test.program
    given = test.given
    events = [_event(item) for item in given if item.kind == "event"]
    artifacts = {a.id: a for a in (_artifact(item) for item in given if item.kind == "artifact")}
    for event in events:
        for kind, ids in event.artifacts.items():
            for name in ids:
                artifacts.setdefault(name, _implied(name, kind, event.at))
    added = tuple(_actor(item) for item in given if item.kind == "actor")
    known = {a.id for a in added}
    actors = (*(a for a in rules.actors if a.id not in known), *added)
    rules = replace(rules, actors=tuple(sorted(actors, key=lambda a: a.id)))
    first = min((e.at for e in events), default=0)
    parts = Parts(
        events=events,
        artifacts=tuple(artifacts.values()),
        observed=rules.observed or (first, LATEST),
    )
    rules = replace(rules, observed=parts.observed)
    world = build_world(parts + declared_parts(rules))
    if world.value is None:
        return Scene(None, world.diagnostics)
    return Scene(build(rules, world.value.world, seed=SEED).value, ())


def _event(item: GivenItem) -> Event:
    values = dict(item.values)
    return Event(
        id=item.name or "",
        type=str(values.pop("type", "")),
        at=int(values.pop("at", 0)),
        actors=_texts(values.pop("actors", ())),
        artifacts={k: _texts(v) for k, v in _mapping(values.pop("artifacts", {})).items()},
        facts=_mapping(values.pop("facts", {})),
        extra=values,
        source="test",
        line=item.span.line,
    )


def _artifact(item: GivenItem) -> Artifact:
    """The artifact; `versions: [{ from: …  text: … }]` are what it became later."""
    values = dict(item.values)
    created, deleted = values.pop("created", None), values.pop("deleted", None)
    subsystem = str(values.pop("subsystem", ""))
    participants = _texts(values.pop("participants", ()))
    later = [_mapping(v) for v in values.pop("versions", ()) if isinstance(v, Mapping)]
    first = _version(values, created if created is not None else 0)
    rest = (_version(v, instant(v.pop("from", None)) or first.start) for v in later)
    return Artifact(
        id=item.name or "",
        subsystem=subsystem,
        created=created,
        deleted=deleted,
        participants=participants,
        versions=tuple(sorted((first, *rest), key=lambda v: v.start)),
        source="test",
        line=item.span.line,
    )


def _version(values: dict[str, Any], start: int) -> Version:
    return Version(
        start=start,
        title=str(values.pop("title", "")),
        text=str(values.pop("text", "")),
        labels=_texts(values.pop("labels", ())),
        attributes=values,
    )


def _implied(name: str, kind: str, at: int) -> Artifact:
    return Artifact(id=name, subsystem=kind, created=at, versions=(Version(start=at),))


def _actor(item: GivenItem) -> Actor:
    values = dict(item.values)
    roles = _texts(values.pop("roles", values.pop("role", ())))
    start, end = values.pop("from", None), values.pop("until", None)
    return Actor(item.name or "", tuple(Stint(role, start, end) for role in roles), values)


def _texts(value: Any) -> tuple[str, ...]:
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, Iterable) else ()


def _mapping(value: Any) -> dict[str, Any]:
    return dict(value) if isinstance(value, Mapping) else {}


def instant(value: Any) -> int | None:
    """A given instant in microseconds, whether it was written as a time or as a text."""
    found = value if isinstance(value, int) else parse_instant(value, None)
    return found if isinstance(found, int) else None
