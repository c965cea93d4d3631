"""Which calls and citations count as violations, and how results list them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from groundeval.scoring.model import Violation
from groundeval.scoring.path import CITED, Breach, identity

if TYPE_CHECKING:
    from groundeval.functions import Host, Place
    from groundeval.scoring.blocks import TrackProgram
    from groundeval.scoring.path import Path
    from groundeval.traces.model import Step


def broken_steps(path: Path) -> list[Step]:
    """The calls and citations that break something, each distinct one once, in their order."""
    if not path.breaches:
        return []
    return distinct(path.breaches)


def firing_steps(
    program: TrackProgram, host: Host, inputs: Sequence[Any], path: Path
) -> list[Step]:
    """The distinct calls and citations on which the track's `violation when` fires.

    Of calls that ask for the same thing, the first on which it fires stands for all.
    """
    steps = (*path.calls, *path.citations)
    return distinct(step for step in steps if program.fires(host, inputs, step))


def distinct(steps: Iterable[Step]) -> list[Step]:
    """The steps in their order, without those that ask for what an earlier one asked for."""
    kept: dict[tuple[str, str | None, str | None, str | None], Step] = {}
    for step in steps:
        kept.setdefault(identity(step), step)
    return list(kept.values())


def listed(steps: Sequence[Step], path: Path, unproven: Iterable[Place]) -> tuple[Violation, ...]:
    """The violations of a result: by step, citations after calls, unproven places last.

    Each gate that one step breaks is a violation of its own. What fires without a breach (a track
    may call anything a violation) stands with no gate.
    """
    if not steps and not unproven:
        return ()
    found: dict[Violation, None] = {}
    for step in steps:
        number = None if step.tool == CITED else step.n
        for b in path.breaches.get(step) or (_without_gate(step),):
            found[Violation(number, b.gate, b.kind, b.target, b.rule)] = None
    places = (Violation(None, None, "unproven", place_name(place)) for place in unproven)
    return (*found, *places)


def place_name(place: Place) -> str:
    """A place as results name it: its artifact, or the text that a search has to find."""
    return place.fetch if place.fetch is not None else place.text or place.id


def _without_gate(step: Step) -> Breach:
    target = step.artifact or step.subsystem or step.query or ""
    return Breach("use" if step.tool == CITED else "attempt", None, target)
