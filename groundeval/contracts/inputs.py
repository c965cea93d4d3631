"""What a contract was made of, as hashes that no order of lines or files shows in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain, islice
from operator import attrgetter
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from groundeval.contracts.periods import observed_period
from groundeval.ir.program import Program
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact
from groundeval.world.canonical import (
    are_flat,
    canonical_json,
    digest,
    digest_written,
    flat_json,
    json_lines,
)
from groundeval.world.events import Event
from groundeval.world.world import World


@dataclass(frozen=True, slots=True)
class InputHashes:
    """One hash for each input, `sha256:` and hex digits; `periods` are the observation periods."""

    rules: str
    events: str
    artifacts: str
    access: str
    periods: str

    def as_object(self) -> dict[str, str]:
        """The hashes by the names under which documents hold them."""
        return {
            "rules": self.rules,
            "events": self.events,
            "artifacts": self.artifacts,
            "access": self.access,
            "periods": self.periods,
        }


def hash_inputs(program: Program, rules: Any, world: World) -> InputHashes:
    """The hashes of canonical, sorted records; `rules` is the program as its codec writes it."""
    return InputHashes(
        rules=digest(rules),
        events=digest_written(events_json(world.log)),
        artifacts=digest_written(map(artifact_json, world.corpus)),
        access=digest(access_record(world.access)),
        periods=digest(
            {
                s.name: observed_period(program, world, s.expected.event_type)
                for s in program.silences
            }
        ),
    )


def event_record(event: Event) -> dict[str, Any]:
    """Everything that an event means; where it stood only where its source is ordered."""
    record = {
        "id": event.id,
        "type": event.type,
        "at": event.at,
        "actors": event.actors,
        "artifacts": event.artifacts,
        "facts": event.facts,
        "extra": event.extra,
    }
    return record if event.rank is None else {**record, "rank": event.rank}


class _Written(msgspec.Struct, gc=False):
    """`event_record` with its fields in the order of their names, which costs no sorting."""

    actors: tuple[str, ...]
    artifacts: Mapping[str, tuple[str, ...]]
    at: int
    extra: Mapping[str, Any]
    facts: Mapping[str, Any]
    id: str
    rank: int | UnsetType
    type: str


_BATCH: Final = 1 << 9
_facts = attrgetter("facts")
_extra = attrgetter("extra")


def events_json(events: Iterable[Event]) -> Iterator[bytes]:
    """The canonical JSON of each event's record, in no particular order."""
    rest = iter(events)
    while batch := list(islice(rest, _BATCH)):
        plain = batch
        if not are_flat(chain(map(_facts, batch), map(_extra, batch))):
            plain = [event for event in batch if are_flat((event.facts, event.extra))]
            told_apart = set(plain)
            nested = (event for event in batch if event not in told_apart)
            yield from (canonical_json(event_record(event)) for event in nested)
        written = [
            _Written(
                e.actors, e.artifacts, e.at, e.extra, e.facts, e.id,
                UNSET if e.rank is None else e.rank, e.type,
            )
            for e in plain
        ]  # fmt: skip
        try:
            yield from json_lines(written)
        except OverflowError:  # an integer somewhere that the encoder has no room for
            yield from (canonical_json(msgspec.to_builtins(record)) for record in written)


def artifact_json(artifact: Artifact) -> bytes:
    """The canonical JSON of `artifact_record`."""
    flat = are_flat(version.attributes for version in artifact.versions)
    return (flat_json if flat else canonical_json)(artifact_record(artifact))


def artifact_record(artifact: Artifact) -> dict[str, Any]:
    """Everything that an artifact means, with its versions."""
    return {
        "id": artifact.id,
        "subsystem": artifact.subsystem,
        "created": artifact.created,
        "deleted": artifact.deleted,
        "participants": artifact.participants,
        "versions": [
            {
                "start": version.start,
                "title": version.title,
                "text": version.text,
                "labels": version.labels,
                "attributes": version.attributes,
            }
            for version in artifact.versions
        ],
    }


def access_record(access: Access) -> dict[str, Any]:
    """Actors with their stints, and roles with their lists."""
    return {"actors": list(_actors(access)), "roles": list(_roles(access))}


def _actors(access: Access) -> Iterator[Mapping[str, Any]]:
    for actor in access.actors:
        stints = [[s.role, s.start, s.end] for s in actor.stints]
        yield {"id": actor.id, "stints": stints, "attributes": actor.attributes}


def _roles(access: Access) -> Iterator[Mapping[str, Any]]:
    for role in access.roles:
        yield {"name": role.name, "includes": role.includes, "lists": role.lists}
