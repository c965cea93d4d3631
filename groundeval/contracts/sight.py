"""What someone can see at an instant under some gates: the one view of runtime and scoring."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Protocol

from groundeval.engine.gates_compiled import Closed
from groundeval.index.postings import Viewpoint
from groundeval.ir.program import Program
from groundeval.traces.model import Refusal
from groundeval.world.artifacts import HANDBOOK, Corpus
from groundeval.world.world import World


class Gated(Protocol):
    """Data behind gates. Both methods name the gates, of those given, that do not permit it."""

    @property
    def world(self) -> World: ...

    def closing(
        self, actor: str | None, artifact_id: str, as_of: int | None, gates: Sequence[str]
    ) -> tuple[Closed, ...]: ...

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str],
    ) -> tuple[Closed, ...]: ...


def is_there(corpus: Corpus, artifact_id: str, as_of: int | None) -> bool:
    """Whether the corpus has something to show of this artifact, whatever any gate says.

    Nobody sees what is not written yet or was deleted: no fetch gives it, and no search finds it.
    """
    found = corpus.get(artifact_id)
    return found is not None and found.shown_at(as_of) is not None


@dataclass(frozen=True, slots=True)
class Standing:
    """Who asks (None: nobody in particular), as of when, and which gates are enforced."""

    actor: str | None
    as_of: int | None
    gates: tuple[str, ...]


def enforced_gates(program: Program, track_id: str, actor: str | None) -> tuple[str, ...]:
    """The gates that a question of this track enforces, in their order; none without the track."""
    track = program.track(track_id)
    return () if track is None else binding_gates(program, track.enforce, actor)


def binding_gates(
    program: Program, enforced: Collection[str] | None, actor: str | None
) -> tuple[str, ...]:
    """Of the gates `enforced` (None: all there are) those that bind, in the program's order.

    Without an actor only those that need none.
    """
    return tuple(
        gate.name
        for gate in program.gates
        if (enforced is None or gate.name in enforced) and not (actor is None and gate.needs_actor)
    )


class Sight:
    """Everything that one standing may read and search; decisions are remembered."""

    def __init__(self, gated: Gated, standing: Standing) -> None:
        self._gated = gated
        self.standing = standing
        self._visible: dict[str, bool] = {}

    def closing(self, artifact_id: str) -> tuple[Refusal, ...]:
        """Why this artifact is closed, gate by gate; empty when it is open."""
        who = self.standing
        found = self._gated.closing(who.actor, artifact_id, who.as_of, who.gates)
        return tuple(Refusal(gate, None if rule is None else rule.where) for gate, rule in found)

    def closing_search(self, subsystem: str, query: str) -> tuple[Refusal, ...]:
        """Why a search in this subsystem is refused; empty when it is allowed.

        The handbook is exempt from every gate.
        """
        if subsystem == HANDBOOK:
            return ()
        who = self.standing
        found = self._gated.closing_search(who.actor, subsystem, query, who.as_of, who.gates)
        return tuple(Refusal(gate, None if rule is None else rule.where) for gate, rule in found)

    def visible(self, artifact_id: str) -> bool:
        """Whether every enforced gate permits reading this artifact."""
        known = self._visible.get(artifact_id)
        if known is None:
            who = self.standing
            closing = self._gated.closing(who.actor, artifact_id, who.as_of, who.gates)
            known = self._visible[artifact_id] = not closing
        return known

    def shows(self, artifact_id: str) -> bool:
        """Whether this artifact of the corpus is there at the instant, and open."""
        there = is_there(self._gated.world.corpus, artifact_id, self.standing.as_of)
        return there and self.visible(artifact_id)

    def viewpoint(self, query: str) -> Viewpoint:
        """How a search with this query sees the corpus; unconfined, it goes through what is open.

        The query matters since a rule on searches may read it.
        """
        return Viewpoint(
            self.standing.as_of,
            self.visible,
            lambda subsystem: not self.closing_search(subsystem, query),
            key=self.standing,
        )
