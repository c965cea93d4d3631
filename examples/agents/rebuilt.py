"""A small contract of an agent's own: the rules it read, over the events it saw."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import replace

from groundeval.contracts.builder import Contract, build
from groundeval.loading import data_facts
from groundeval.runs.replies import FetchReply, ReportedEvent
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.semantics.symbols import DataFacts
from groundeval.world.artifacts import Artifact, Version
from groundeval.world.assembly import Parts, build_world
from groundeval.world.events import Event
from groundeval.world.time import EARLIEST, parse_instant
from groundeval.world.world import World

_FILE = "seen.gev"
_READ = re.compile(r"\.(?:(\w+)|`([^`]+)`)")
_DECLARED = re.compile(r"^event `([^`]+)`", re.MULTILINE)


def rebuilt(
    rules: str, events: Iterable[ReportedEvent], opened: Mapping[str, FetchReply]
) -> Contract:
    """The contract of these rules over what was seen.

    Raises ValueError where the handbook's wording is not understood: that is a mistake of the
    handbook, or of its reader.
    """
    parts = Parts(
        events=[_event(e) for e in events], artifacts=[_artifact(r) for r in opened.values()]
    )
    world = build_world(parts)
    if world.value is None:
        raise ValueError(world.diagnostics[0].message)
    seen = world.value.world
    program = analyse(_FILE, MemoryFiles({_FILE: rules}), data=_fields(rules, seen))
    if program.value is None:
        raise ValueError(f"{program.diagnostics[0].message} in:\n{rules}")
    contract = build(program.value, seen, seed=0).value
    assert contract is not None
    return contract


def _fields(rules: str, seen: World) -> DataFacts:
    """What names there may be: a field that the rules read need not be in what was seen."""
    read = frozenset(bare or quoted for bare, quoted in _READ.findall(rules))
    types = frozenset(_DECLARED.findall(rules)) | set(seen.log.types())
    return replace(data_facts(seen), event_fields=dict.fromkeys(types, read))


def instant(text: str) -> int:
    """An instant that a reply gave, in microseconds."""
    found = parse_instant(text, None)
    if not isinstance(found, int):
        raise TypeError(f"`{text}` is no instant")
    return found


def _event(told: ReportedEvent) -> Event:
    return Event(
        id=told.id,
        type=told.type,
        at=instant(told.at),
        actors=told.actors,
        artifacts=dict(told.artifacts),
        facts=dict(told.facts),
    )


def _artifact(reply: FetchReply) -> Artifact:
    created = None if reply.created is None else instant(reply.created)
    start = EARLIEST if created is None else created
    version = Version(start=start, title=reply.title, text=reply.text)
    return Artifact(id=reply.id, subsystem=reply.subsystem, created=created, versions=(version,))
