"""What an actor can reach as of an instant, and when that changes."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Final

from groundeval.contracts.sight import is_there
from groundeval.engine.gates_compiled import CompiledGates
from groundeval.world.artifacts import HANDBOOK, Artifact
from groundeval.world.events import Event
from groundeval.world.time import EARLIEST
from groundeval.world.world import World

MOST_REMEMBERED: Final = 1 << 17
"""How many decisions are remembered before all are forgotten."""
_LOOKED_AT: Final = 32
"""How many events and versions of one artifact, the nearest in time, may hide an edge."""


class Reach:
    """The gates over one world, with the handbook left out of them.

    What is neither in the corpus nor in the handbook is closed to everybody.
    """

    def __init__(
        self,
        world: World,
        gates: CompiledGates,
        subsystems: Sequence[str],
        handbook: frozenset[str],
    ) -> None:
        self._world = world
        self._gates = gates
        self._subsystems = sorted({*subsystems, *world.corpus.subsystems()} - {HANDBOOK})
        self._handbook = handbook
        self._seen: dict[tuple[str | None, str, int], bool] = {}
        self._open: dict[tuple[str | None, int], frozenset[str]] = {}
        self._by_age: dict[str, tuple[Sequence[int], Sequence[str]]] = {}

    def visible(self, actor: str | None, artifact: str, at: int) -> bool:
        """Whether every gate permits the read of what is there to be read at that instant."""
        if artifact in self._handbook:
            return True
        key = (actor, artifact, at)
        known = self._seen.get(key)
        if known is None:
            if len(self._seen) >= MOST_REMEMBERED:
                self._seen.clear()
            there = is_there(self._world.corpus, artifact, at)
            known = self._seen[key] = there and self._gates.visible(actor, artifact, at)
        return known

    def opens(self, gate: str, actor: str | None, artifact: str, at: int) -> bool:
        """Whether this one gate permits the read."""
        if artifact in self._handbook:
            return True
        if artifact not in self._world.corpus:
            return False
        return self._gates.read(gate, actor, artifact, at).permitted

    def closed_by_other_than(self, gate: str, actor: str | None, artifact: str, at: int) -> bool:
        """Whether some gate other than `gate` closes the read of an artifact of the corpus."""
        if artifact in self._handbook or artifact not in self._world.corpus:
            return False
        return any(name != gate for name, _ in self._gates.closing(actor, artifact, at))

    def subsystems_open(self, actor: str | None, at: int) -> frozenset[str]:
        """The subsystems that every gate lets `actor` search and that hold something visible."""
        key = (actor, at)
        known = self._open.get(key)
        if known is None:
            if len(self._open) >= MOST_REMEMBERED:
                self._open.clear()
            known = self._open[key] = frozenset(
                name for name in self._subsystems if self._is_open(actor, name, at)
            )
        return known

    def edges(self, actor: str, event: Event) -> tuple[int, ...]:
        """The log's instants on either side of each change in what `actor` could know of `event`.

        A change is the event itself, an artifact of it that is created, deleted or becomes
        visible or invisible to the actor, and a role that the actor takes up or leaves.
        """
        log = self._world.log.instants()
        changes = {event.at, *self._role_changes(actor)}
        for artifact_id in event.artifact_ids:
            artifact = self._world.corpus.get(artifact_id)
            if artifact is not None:
                changes.update(t for t in (artifact.created, artifact.deleted) if t is not None)
                changes.update(self._turns(actor, artifact, event.at))
        sides = (side for change in changes for side in _either_side(log, change))
        return tuple(sorted(set(sides)))

    def _turns(self, actor: str, artifact: Artifact, near: int) -> Iterator[int]:
        """When a new version of the artifact or an event about it changes its visibility."""
        happened = {e.at for e in self._world.events_of(artifact.id, None)}
        happened.update(version.start for version in artifact.versions[1:])
        log = self._world.log.instants()
        for instant in sorted(happened, key=lambda t: (abs(t - near), t))[:_LOOKED_AT]:
            seen = {self.visible(actor, artifact.id, t) for t in _either_side(log, instant)}
            if len(seen) > 1:
                yield instant

    def _role_changes(self, actor: str) -> Iterator[int]:
        known = self._world.access.actor(actor)
        for stint in known.stints if known is not None else ():
            yield from (t for t in (stint.start, stint.end) if t is not None)

    def _is_open(self, actor: str | None, subsystem: str, at: int) -> bool:
        if not self._gates.search_allowed(actor, subsystem, at):
            return False
        created, artifacts = self._oldest_first(subsystem)
        there = islice(artifacts, bisect_right(created, at))
        return any(self.visible(actor, artifact, at) for artifact in there)

    def _oldest_first(self, subsystem: str) -> tuple[Sequence[int], Sequence[str]]:
        """When the subsystem's artifacts were created, and their ids, undated ones first.

        At most instants one of the oldest can be read.
        """
        known = self._by_age.get(subsystem)
        if known is None:
            inside = self._world.corpus.of_subsystem(subsystem)
            dated = sorted((EARLIEST if a.created is None else a.created, a.id) for a in inside)
            known = ([at for at, _ in dated], [artifact_id for _, artifact_id in dated])
            self._by_age[subsystem] = known
        return known


def _either_side(log: Sequence[int], change: int) -> tuple[int, ...]:
    """The last instant of the log before a change and the first one from it on."""
    index = bisect_left(log, change)
    return tuple(log[max(0, index - 1) : index + 1])
