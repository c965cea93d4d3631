"""Observation periods: from when to when an event of a type would have been seen."""

from __future__ import annotations

from groundeval.ir.program import Program
from groundeval.world.world import World


def observed_period(program: Program, world: World, event_type: str) -> tuple[int, int] | None:
    """The first and the last instant at which an event of this type would have been recorded.

    It is the period of the sources that supply the type, unless the contract says
    `observed from A until B`: that is half-open, so its last instant is the one before B. None
    where nothing was observed at all.
    """
    if program.observed is not None:
        start, end = program.observed
        return start, end - 1
    return world.log.period(event_type)
