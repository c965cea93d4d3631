"""The trace at hand, as the functions of rules see it."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING, Any

from groundeval.world.world import World

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundeval.functions import Host, Place
    from groundeval.scoring.grounds import Ground
    from groundeval.scoring.path import Path
    from groundeval.traces.model import Step

_NO_WORLD = World()


class TraceHost:
    """A host for score expressions: the trace's part of `functions.Host`, and the rest of `base`.

    `sought` says whether any place was asked about: only then do uncovered places count as
    unproven, since a track may need them for some answers and not for others.
    """

    __slots__ = ("_base", "_covered", "_fetched", "_ground", "_next", "_path", "sought")

    def __init__(self, path: Path, ground: Ground, base: Host | None) -> None:
        self._path = path
        self._ground = ground
        self._base = base
        self._fetched: set[str] | None = None
        self._covered: dict[str, bool] = {}
        self._next: dict[Step, Step] | None = None
        self.sought = False

    def __getattr__(self, name: str) -> Any:
        """What is not about the trace: the contract's host answers; without one it is our bug."""
        return getattr(self._base, name)

    @property
    def world(self) -> World:
        return _NO_WORLD if self._base is None else self._base.world

    def visible_now(self, artifact: str) -> bool | None:
        return self._ground.visible(artifact)

    def breaks(self, step: Step, gate: str | None) -> bool:
        broken = self._path.breaches.get(step)
        if broken is None:
            return False
        return gate is None or any(breach.gate == gate for breach in broken)

    def covered(self, place: Place) -> bool:
        """Whether some look that broke nothing covers the place."""
        self.sought = True
        known = self._covered.get(place.id)
        if known is None:
            known = self._covered[place.id] = self._is_covered(place)
        return known

    def covers(self, step: Step, place: Place) -> bool:
        if step in self._path.breaches:
            return False
        if place.fetch is not None:
            return place.fetch in _fetched(step)
        return step.tool != "fetch" and self._ground.searched(step, place)

    def recovered(self, step: Step) -> bool:
        """Whether the call right after `step` brought something back."""
        if self._next is None:
            calls = self._path.calls
            self._next = dict(pairwise(calls))
        after = self._next.get(step)
        return after is not None and bool(after.results)

    def _is_covered(self, place: Place) -> bool:
        if place.fetch is not None:
            if self._fetched is None:
                self._fetched = _all_fetched(self._path.looks)
            return place.fetch in self._fetched
        searched = self._ground.searched
        for step in self._path.looks:  # noqa: SIM110 - a generator takes longer than the looks
            if step.tool != "fetch" and searched(step, place):
                return True
        return False


def _all_fetched(looks: Sequence[Step]) -> set[str]:
    found: set[str] = set()
    for step in looks:
        if step.tool != "search":
            found.update(_fetched(step))
    return found


def _fetched(step: Step) -> tuple[str, ...]:
    """What the step looked at itself: an allowed fetch counts whatever it returned."""
    if step.tool == "fetch":
        return (step.artifact,) if step.artifact is not None else step.results
    return step.results if step.tool == "given" else ()
