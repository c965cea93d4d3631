"""Adding up the results of one group: exact, in any order, in memory that results do not fill."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

import msgspec

from groundeval.scoring.blocks import adjusted
from groundeval.scoring.bootstrap import FEW, flat, wilson
from groundeval.scoring.summary import Epochs, Group, Interval

if TYPE_CHECKING:
    from groundeval.scoring.bootstrap import Resampler, Sums
    from groundeval.scoring.model import Result, Violation

_SCALE: Final = 1 << 60
_UNCOUNTED: Final = frozenset({"agent_error", "unobserved"})
_BANDS: Final = ((0.05, "high"), (0.15, "moderate"))
_SETTLED: Final = 9
_NO_GATE: Final = "none"
(
    _QUESTIONS,
    _ANSWER,
    _TRAJECTORY,
    _COMBINED,
    _S_ADJ,
    _CORRECT,
    _SOUND,
    _RIGHT,
    _INVALID,
    _A,
    _B,
) = range(11)


def counts(result: Result) -> bool:
    """Whether a result stands in denominators."""
    return result.outcome not in _UNCOUNTED


def band_of(v: float) -> str:
    """Perfect (v is 0), high (below 0.05), moderate (below 0.15), low: semantics, section 9."""
    settled = round(v, _SETTLED)
    if settled == 0:
        return "perfect"
    return next((name for bound, name in _BANDS if settled < bound), "low")


class Summand(msgspec.Struct, frozen=True):
    """What one result adds to each of its groups, worked out once; numbers in 2**-60.

    `attempted` tells agents, modes and gating apart: what they share a question in are epochs.
    `violations` says how many there are of each gate and kind.
    """

    question: str
    attempted: str
    outcome: str
    counted: bool
    means: tuple[int, int, int, int]
    correct: bool
    sound: bool
    a: int
    b: int
    band: str
    violations: Mapping[tuple[str, str], int]

    @classmethod
    def of(cls, result: Result) -> Summand:
        """The summand of a result."""
        a, b = result.rate or (0.0, 0.0)
        return cls(
            question=result.question,
            attempted=f"{result.agent}\0{result.mode}\0{result.gated}",
            outcome=result.outcome,
            counted=counts(result),
            means=_scores(result),
            correct=result.correct is True,
            sound=result.sound is True,
            a=_fixed(a),
            b=_fixed(b),
            band=band_of(result.v or 0.0),
            violations=_counted(result.violations),
        )


@dataclass(slots=True)
class _Question:
    """Sums over the results of one question, as whole numbers of 2**-60."""

    n: int = 0
    means: list[int] = field(default_factory=lambda: [0] * 4)
    correct: int = 0
    sound: int = 0
    invalid: int = 0
    a: int = 0
    b: int = 0

    def sums(self) -> Sums:
        """What a group adds up: first what weighs every question the same, then plain counts."""
        n = self.n
        means = (total // n for total in self.means)
        shares = (self.correct * _SCALE // n, self.sound * _SCALE // n)
        return [1, *means, *shares, self.correct, self.invalid, self.a, self.b]


@dataclass(slots=True)
class _Attempts:
    """One agent's results on one question, in one mode."""

    n: int = 0
    valid: int = 0
    total: int = 0
    squares: int = 0


@dataclass(slots=True)
class Tally:
    """The running totals of one group of results."""

    _questions: dict[str, _Question] = field(default_factory=dict)
    _attempts: dict[tuple[str, str], _Attempts] = field(default_factory=dict)
    _outcomes: Counter[str] = field(default_factory=Counter)
    _bands: Counter[str] = field(default_factory=Counter)
    _violations: dict[tuple[str, str], int] = field(default_factory=dict)

    def add(self, summand: Summand) -> None:
        """Count one result; the order of calls does not matter."""
        self._outcomes[summand.outcome] += 1
        if not summand.counted:
            return
        self._add_scores(summand)
        self._bands[summand.band] += 1
        known = self._violations
        for violation, number in summand.violations.items():
            known[violation] = known.get(violation, 0) + number

    def group(self, resampler: Resampler) -> Group:
        """The totals so far."""
        by_question = {name: question.sums() for name, question in self._questions.items()}
        totals = [sum(column) for column in zip(*by_question.values(), strict=True)] or [0] * 11
        figures = _figures(totals)
        v = figures["v"]
        return Group(
            n=sum(question.n for question in self._questions.values()),
            questions=totals[_QUESTIONS],
            rate=(totals[_A] / _SCALE, totals[_B] / _SCALE) if by_question else None,
            band=None if v is None else band_of(v),
            bands=_sorted(self._bands),
            outcomes=_sorted(self._outcomes),
            violations=_by_gate(self._violations),
            intervals=_with_width(resampler.intervals(by_question, _figures), figures, by_question),
            epochs=self._epochs(),
            **figures,
        )

    def _add_scores(self, summand: Summand) -> None:
        question = self._questions.get(summand.question)
        if question is None:
            question = self._questions[summand.question] = _Question()
        question.n += 1
        means = question.means
        for index, value in enumerate(summand.means):
            means[index] += value
        question.correct += summand.correct
        question.sound += summand.sound
        question.invalid += summand.correct and not summand.sound
        question.a += summand.a
        question.b += summand.b
        key = (summand.question, summand.attempted)
        attempts = self._attempts.get(key)
        if attempts is None:
            attempts = self._attempts[key] = _Attempts()
        s_adj = summand.means[3]
        attempts.n += 1
        attempts.valid += summand.outcome == "valid"
        attempts.total += s_adj
        attempts.squares += s_adj * s_adj

    def _epochs(self) -> Epochs | None:
        """How attempts at the same question differ; None where nothing was attempted twice."""
        attempts = [self._attempts[key] for key in sorted(self._attempts)]
        most = max((a.n for a in attempts), default=0)
        if most < 2:
            return None
        means = spreads = 0.0
        for a in attempts:
            mean = a.total / (a.n * _SCALE)
            means += mean
            spreads += math.sqrt(max(0, a.n * a.squares - a.total**2)) / (a.n * _SCALE)
        passing = {str(k): _pass_all(attempts, k) for k in range(1, most + 1)}
        n = len(attempts)
        return Epochs(k=most, mean=means / n, spread=spreads / n, pass_all=passing)


def _counted(violations: Sequence[Violation]) -> dict[tuple[str, str], int]:
    """How many violations there are of each gate and kind."""
    found: dict[tuple[str, str], int] = {}
    for violation in violations:
        key = (violation.gate or _NO_GATE, violation.kind)
        found[key] = found.get(key, 0) + 1
    return found


def _by_gate(violations: Mapping[tuple[str, str], int]) -> dict[str, dict[str, int]]:
    """The numbers by gate and kind, both sorted."""
    found: dict[str, dict[str, int]] = {}
    for gate, kind in sorted(violations):
        found.setdefault(gate, {})[kind] = violations[gate, kind]
    return found


def _scores(result: Result) -> tuple[int, int, int, int]:
    answer = result.answer.score if result.answer is not None else 0.0
    trajectory = result.trajectory.score if result.trajectory is not None else 0.0
    combined, s_adj = result.combined or 0.0, result.s_adj or 0.0
    return _fixed(answer), _fixed(trajectory), _fixed(combined), _fixed(s_adj)


def _figures(totals: Sums) -> dict[str, float | None]:
    """The figures of a group, from the totals of its questions."""
    questions = totals[_QUESTIONS]
    if questions == 0:
        return dict.fromkeys(_NAMES)
    weight = questions * _SCALE
    combined = totals[_COMBINED] / weight
    v = min(totals[_A] / totals[_B], 1.0) if totals[_B] else 0.0
    return {
        "answer": totals[_ANSWER] / weight,
        "trajectory": totals[_TRAJECTORY] / weight,
        "combined": combined,
        "v": v,
        "s_adj": adjusted(combined, v),
        "s_adj_mean": totals[_S_ADJ] / weight,
        "correct": totals[_CORRECT] / weight,
        "sound": totals[_SOUND] / weight,
        "state_invalid_rate": totals[_INVALID] / totals[_RIGHT] if totals[_RIGHT] else None,
    }


def _with_width(
    intervals: dict[str, Interval | None],
    figures: Mapping[str, float | None],
    by_question: Mapping[str, Sums],
) -> dict[str, Interval | None]:
    """The intervals, without any that claims to know better than its questions can.

    Where resampling finds no spread, as where all questions agree, a share has Wilson's interval,
    and any other figure of few questions none.
    """
    right = sum(sums[_RIGHT] > 0 for sums in by_question.values())
    counted = {"correct": len(by_question), "sound": len(by_question), "state_invalid_rate": right}
    for name, n in counted.items():
        share = figures[name]
        if share is not None and flat(intervals.get(name)):
            intervals[name] = wilson(share, n)
    if len(by_question) < FEW:
        return {name: None if flat(ends) else ends for name, ends in intervals.items()}
    return intervals


_NAMES: Final = (
    "answer", "trajectory", "combined", "v", "s_adj", "s_adj_mean", "correct", "sound",
    "state_invalid_rate",
)  # fmt: skip


def _fixed(value: float) -> int:
    """A number as a multiple of 2**-60: sums of these are the same in any order."""
    return int(value * _SCALE)


def _pass_all(attempts: list[_Attempts], k: int) -> float:
    """The mean of C(valid, k) ÷ C(n, k) over those attempted at least k times."""
    enough = [a for a in attempts if a.n >= k]
    total = 0.0
    for a in enough:
        total += math.comb(a.valid, k) / math.comb(a.n, k)
    return total / len(enough)


def _sorted(counted: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counted.items()))
