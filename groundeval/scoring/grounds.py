"""What a trace is judged on: the gates of a contract, or the flags that somebody recorded."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from groundeval.index.coverage import names_key
from groundeval.scoring.path import Breach, results_of
from groundeval.world.artifacts import HANDBOOK

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from groundeval.functions import Place
    from groundeval.scoring.model import ViolationKind
    from groundeval.traces.model import Step

Closing = tuple[str, str | None]
"""A gate that closes something, and the rule that decided as `file:line`, where one did."""


class Ground(Protocol):
    """Everything about one question that does not depend on the trace at hand."""

    @property
    def handbook(self) -> AbstractSet[str]:
        """The ids of the reference documents, which count for nothing."""
        ...

    @property
    def recorded(self) -> bool:
        """Whether breaks are the record's, and not recomputed."""
        ...

    @property
    def approximate(self) -> bool:
        """Whether coverage of searches is decided without the corpus."""
        ...

    def is_handbook_step(self, step: Step) -> bool:
        """Whether the step looked into the handbook alone."""
        ...

    def breaches(self, step: Step) -> tuple[Breach, ...]:
        """What a call breaks; empty for one that breaks nothing."""
        ...

    def closing(self, artifact: str) -> tuple[Closing, ...]:
        """The enforced gates that close an artifact."""
        ...

    def visible(self, artifact: str) -> bool | None:
        """Whether every gate of the contract lets it be read; None without a contract."""
        ...

    def searched(self, step: Step, place: Place) -> bool:
        """Whether a search that broke nothing covers a place that is searched."""
        ...

    def is_known(self, artifact: str) -> bool:
        """Whether the corpus has the artifact; False without a corpus."""
        ...


class RecordedGround:
    """The flags in the trace, for traces without corpus and policy (`--recorded-flags`).

    `enforced` are the gates that count (None: all that were recorded). Nothing but the record
    tells what is closed, so a citation breaks no gate; it may still be ungrounded.
    """

    handbook: AbstractSet[str] = frozenset()
    approximate = True
    recorded = True

    def __init__(self, enforced: AbstractSet[str] | None) -> None:
        self._enforced = enforced

    def is_handbook_step(self, step: Step) -> bool:
        return step.subsystem == HANDBOOK and not step.breaks and not step.refused

    def breaches(self, step: Step) -> tuple[Breach, ...]:
        gates = step.breaks
        if gates is None:
            gates = tuple(dict.fromkeys(r.gate for r in step.refused))
        if not gates:
            return ()
        rules = {refusal.gate: refusal.rule for refusal in step.refused}
        kept = [g for g in dict.fromkeys(gates) if self._enforced is None or g in self._enforced]
        kind = kind_of_breach(step)
        target = target_of(step)
        return tuple(Breach(kind, gate, target, rules.get(gate)) for gate in kept)

    def closing(self, artifact: str) -> tuple[Closing, ...]:
        del artifact
        return ()

    def visible(self, artifact: str) -> bool | None:
        del artifact
        return None

    def searched(self, step: Step, place: Place) -> bool:
        return names_place(step.query, step.subsystem, place)

    def is_known(self, artifact: str) -> bool:
        del artifact
        return False


def kind_of_breach(step: Step) -> ViolationKind:
    """Whether a call that broke a gate got something for it."""
    return "exposure" if results_of(step) else "attempt"


def target_of(step: Step) -> str:
    """What a call asked for: its artifact, else its subsystem, else its query."""
    return step.artifact or step.subsystem or step.query or ""


def names_place(query: str | None, subsystem: str | None, place: Place) -> bool:
    """The part of the coverage test that needs no index: right subsystem, short, names a key."""
    if query is None or place.fetch is not None:
        return False
    if subsystem is not None and subsystem not in place.subsystems:
        return False
    return names_key(query, place)
