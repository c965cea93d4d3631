"""What the tools and the gates made of the same questions: two ways of answering, side by side."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Final

from groundeval.scoring.bootstrap import FEW, flat
from groundeval.scoring.summary import Contrast, Difference, Interval
from groundeval.scoring.tally import Summand

if TYPE_CHECKING:
    from groundeval.scoring.bootstrap import Resampler, Sums
    from groundeval.scoring.model import Result

_BLIND: Final = "zero-shot"
_SCALE: Final = 1 << 60
_FIGURES: Final = ("answer", "correct", "sound", "s_adj")
_OF_BLIND: Final = ("answer", "correct")
"""Without a path there is nothing else to set side by side."""
_Way = tuple[str, bool]
"""The mode, and whether the gates withheld anything."""


class Contrasts:
    """Adds results up by agent, track and way of answering; any order gives the same contrasts."""

    def __init__(self) -> None:
        self._cells: dict[tuple[str, str], dict[_Way, dict[str, list[int]]]] = {}

    def add(self, result: Result, summand: Summand) -> None:
        """Count one result; those in no denominator are left out."""
        if not summand.counted:
            return
        ways = self._cells.setdefault((result.agent, result.track), {})
        sums = ways.setdefault((result.mode, result.gated), {}).setdefault(
            result.question, [0, 0, 0, 0, 0]
        )
        sums[0] += 1
        sums[1] += summand.means[0]
        sums[2] += summand.correct
        sums[3] += summand.sound
        sums[4] += summand.means[3]

    def contrasts(self, resampler: Resampler) -> list[Contrast]:
        """Every contrast that there is, by agent and track."""
        return [
            contrast
            for (agent, track), ways in sorted(self._cells.items())
            for first, second in _pairs(ways)
            for contrast in _contrast(agent, track, ways, (first, second), resampler)
        ]


def _pairs(ways: Mapping[_Way, object]) -> Iterator[tuple[_Way, _Way]]:
    """Each way of looking beside none, then each gated way beside the same without gates."""
    blind = [way for way in sorted(ways) if way[0] == _BLIND]
    looking = [way for way in sorted(ways) if way[0] != _BLIND]
    for way in blind[-1:]:  # without tools, gates withhold nothing
        yield from ((other, way) for other in looking if other[1])
    yield from (((mode, True), (mode, False)) for mode, gated in looking
                if gated and (mode, False) in ways)  # fmt: skip


def _contrast(
    agent: str,
    track: str,
    ways: Mapping[_Way, Mapping[str, Sums]],
    sides: tuple[_Way, _Way],
    resampler: Resampler,
) -> Iterator[Contrast]:
    """The two over the questions that both answered; nothing where there are none."""
    first, second = (ways[side] for side in sides)
    shared = sorted(first.keys() & second.keys())
    if not shared:
        return
    names = _OF_BLIND if sides[1][0] == _BLIND else _FIGURES
    sums = {q: [1, *_means(first[q]), *_means(second[q])] for q in shared}
    totals = [sum(column) for column in zip(*sums.values(), strict=True)]
    intervals = resampler.intervals(sums, _differences)
    width = len(_FIGURES)
    yield Contrast(
        agent=agent,
        track=track,
        first=_named(sides[0], sides),
        second=_named(sides[1], sides),
        questions=len(shared),
        figures={
            name: Difference(
                first=_mean(totals, 1 + i),
                second=_mean(totals, 1 + width + i),
                difference=_mean(totals, 1 + i) - _mean(totals, 1 + width + i),
                interval=_settled(intervals.get(name), len(shared)),
            )
            for i, name in enumerate(_FIGURES)
            if name in names
        },
    )


def _settled(interval: Interval | None, questions: int) -> Interval | None:
    """The interval; none where few questions all differ by the same, which chance does often."""
    return None if questions < FEW and flat(interval) else interval


def _named(way: _Way, sides: tuple[_Way, _Way]) -> str:
    """The side's name: its mode, or where only the gates differ, its mode and which it is."""
    mode, gated = way
    if sides[0][0] != sides[1][0]:
        return mode
    return f"{mode}, {'gated' if gated else 'ungated'}"


def _means(sums: Sums) -> list[int]:
    """One question's figures, averaged over its attempts, in 2**-60."""
    n, answer, correct, sound, s_adj = sums
    return [answer // n, correct * _SCALE // n, sound * _SCALE // n, s_adj // n]


def _mean(totals: Sums, index: int) -> float:
    return totals[index] / (totals[0] * _SCALE)


def _differences(totals: Sums) -> dict[str, float | None]:
    width = len(_FIGURES)
    return {
        name: _mean(totals, 1 + i) - _mean(totals, 1 + width + i) for i, name in enumerate(_FIGURES)
    }
