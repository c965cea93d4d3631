"""Bootstrap intervals, clustered by question, with draws that are the same everywhere.

Sums are whole numbers, so neither the order of results nor the Python that adds them shows.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Mapping, Sequence
from operator import itemgetter
from typing import Final, cast

from groundeval.world.canonical import blake

RESAMPLES: Final = 1000
MOST_CLUSTERS: Final = 128
"""Past this many questions, clusters are groups of questions that a digest deals out."""
FEW: Final = 6
"""With fewer questions nothing is settled, even where all agree: five say the same by chance one
time in sixteen (the sign test, at one in twenty)."""
_Z: Final = 1.959963984540054
"""How many standard deviations hold 95 % of a normal distribution."""
_TAIL: Final = RESAMPLES // 40
_BITS: Final = 128
_MASK: Final = (1 << _BITS) - 1
_SEED: Final = 0

Sums = Sequence[int]
Draw = Callable[[Sequence[int]], tuple[int, ...]]
Statistics = Callable[[Sums], Mapping[str, float | None]]


class Resampler:
    """Draws clusters with replacement; the same number of clusters gets the same draws."""

    def __init__(self) -> None:
        self._draws: dict[int, list[Draw]] = {}

    def intervals(
        self, sums_by_question: Mapping[str, Sums], statistics: Statistics
    ) -> dict[str, tuple[float, float] | None]:
        """The 2.5th and 97.5th percentile of each statistic over resampled questions.

        `sums_by_question` holds each question's summands, at least 0 and below 2**100, and
        `statistics` turns their totals into figures. Empty for fewer than two questions, which
        say nothing about spread; None for a figure that most resamples do not have.
        """
        if len(sums_by_question) < 2:
            return {}
        clusters = [_pack(sums) for sums in _clusters(sums_by_question)]
        width = len(next(iter(sums_by_question.values())))
        found: dict[str, list[float]] = {}
        for draw in self._drawn(len(clusters)):
            for name, value in statistics(_unpack(sum(draw(clusters)), width)).items():
                values = found.setdefault(name, [])
                if value is not None:
                    values.append(value)
        return {name: _ends(values) for name, values in found.items()}

    def _drawn(self, clusters: int) -> list[Draw]:
        known = self._draws.get(clusters)
        if known is None:
            known = [cast("Draw", itemgetter(*_indices(clusters, i))) for i in range(RESAMPLES)]
            self._draws[clusters] = known
        return known


def _indices(clusters: int, resample: int) -> list[int]:
    """`clusters` numbers below `clusters`, from BLAKE2b in counter mode."""
    found: list[int] = []
    block = 0
    while len(found) < clusters:
        words = struct.unpack(">8I", blake(_SEED, "bootstrap", clusters, resample, block))
        found.extend(word * clusters >> 32 for word in words)
        block += 1
    return found[:clusters]


def _clusters(sums_by_question: Mapping[str, Sums]) -> list[list[int]]:
    """The questions' sums, dealt into at most MOST_CLUSTERS groups in an order by digest."""
    ordered = sorted(sums_by_question, key=lambda q: (blake(_SEED, "cluster", q), q))
    count = min(len(ordered), MOST_CLUSTERS)
    dealt = (ordered[i::count] for i in range(count))
    return [[sum(c) for c in zip(*(sums_by_question[q] for q in g), strict=True)] for g in dealt]


def _pack(sums: Sums) -> int:
    """Several sums side by side in one number, so that one addition adds them all."""
    return sum(value << (_BITS * index) for index, value in enumerate(sums))


def _unpack(packed: int, width: int) -> list[int]:
    return [packed >> (_BITS * index) & _MASK for index in range(width)]


def _ends(values: list[float]) -> tuple[float, float] | None:
    """The interval's ends; each tail leaves out a fortieth of the resamples."""
    if len(values) <= RESAMPLES // 2:
        return None
    values.sort()
    tail = len(values) * _TAIL // RESAMPLES
    return values[tail], values[-1 - tail]


def flat(interval: tuple[float, float] | None) -> bool:
    """Whether resampling found no spread, or no interval at all."""
    return interval is None or interval[0] == interval[1]


def wilson(share: float, n: int) -> tuple[float, float]:
    """The 95 % interval of a share of `n` questions, which has a width even where all agree.

    Its ends are (p + z²/2n ± z·√(p(1-p)/n + z²/4n²)) ÷ (1 + z²/n): E. B. Wilson, "Probable
    inference, the law of succession, and statistical inference", 1927.
    """
    spread = _Z * _Z / n
    middle = share + spread / 2
    half = _Z * math.sqrt(share * (1.0 - share) / n + spread / (4 * n))
    low, high = (middle - half) / (1.0 + spread), (middle + half) / (1.0 + spread)
    return (0.0 if share == 0.0 else max(low, 0.0)), (1.0 if share == 1.0 else min(high, 1.0))
