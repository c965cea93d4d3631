"""Links and silences that match nothing in the log: the commonest way to be wrong in silence."""

from __future__ import annotations

from collections.abc import Iterator

from groundeval.contracts.contract import Report
from groundeval.diagnostics import Diagnostic, codes
from groundeval.ir.program import Link, Program, Silence
from groundeval.world.world import World


def unmatched(program: Program, world: World, report: Report) -> Iterator[Diagnostic]:
    """A warning for each spec without a link or a case, though the log has events to match.

    Where it has none of a type, nothing speaks against the spec: a log may be a part.
    """
    for link in program.links:
        sides = (link.cause.event_type, link.effect.event_type)
        if not report.links[link.name] and all(map(world.log.of_type, sides)):
            yield _link(link, world)
    for silence in program.silences:
        cases = any(report.silences[silence.name].values()) or report.unplaced[silence.name]
        if not cases and world.log.of_type(silence.trigger.event_type):
            yield _silence(silence, world)


def _link(link: Link, world: World) -> Diagnostic:
    cause, effect = link.cause.event_type, link.effect.event_type
    counts = f"{_counted(world, cause)} and {_counted(world, effect)}"
    return Diagnostic(
        codes.MATCHES_NOTHING,
        f"link `{link.name}` links no pair of events: the log has {counts}",
        link.span,
        label="matches nothing",
        help="look at its `where`s, its `join` and its window: no pair satisfies all of them",
    )


def _silence(silence: Silence, world: World) -> Diagnostic:
    return Diagnostic(
        codes.MATCHES_NOTHING,
        f"silence `{silence.name}` has no case: of {_counted(world, silence.trigger.event_type)} "
        "none can trigger it",
        silence.span,
        label="matches nothing",
        help="look at the `where` of its trigger: no event satisfies it",
    )


def _counted(world: World, event_type: str) -> str:
    """`3 events of type X`."""
    count = len(world.log.of_type(event_type))
    return f"{count} event{'' if count == 1 else 's'} of type `{event_type}`"
