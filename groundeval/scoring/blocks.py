"""Score blocks, rate and verdicts of a track, evaluated on one trace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from groundeval.scoring.model import ScoreDetail
from groundeval.scoring.stages import Stages, stages_of

if TYPE_CHECKING:
    from groundeval.diagnostics import Span
    from groundeval.functions import Host
    from groundeval.ir.expressions import Expr
    from groundeval.ir.program import Score, Track

THRESHOLD_DIGITS: Final = 9
"""Scores are rounded so before a rule compares them, so that 0.2 + 0.2 + 0.4 reaches 0.8."""


@dataclass(frozen=True, slots=True)
class Loss:
    """What a component cost: its value, and the weight that it would have earned."""

    block: str
    component: str
    value: float
    weight: float


@dataclass(frozen=True, slots=True)
class Block:
    """A score block that was used: its detail, the first requirement that failed, its losses."""

    detail: ScoreDetail
    failed: Span | None
    losses: tuple[Loss, ...]


@dataclass(frozen=True, slots=True)
class Evaluated:
    """Everything that a track's expressions say about one trace."""

    rate: tuple[float, float]
    v: float
    answer: Block
    trajectory: Block
    combined: float
    s_adj: float
    correct: bool
    sound: bool


@dataclass(frozen=True, slots=True)
class _Layout:
    """Where a score block's outputs stand: `when` (None: always), requirements, components."""

    score: Score
    when: int | None
    requires: range
    components: range


class TrackProgram:
    """A track's expressions, ready to be evaluated on any number of traces."""

    def __init__(self, track: Track, *, compiled: bool) -> None:
        outputs: list[Expr] = []
        self._layouts = [_lay_out(score, outputs) for score in track.scores]
        self._width = len(outputs)
        self._weights = dict(track.weights)
        self._stages: Stages = stages_of(track, outputs, compiled=compiled)

    def fires(self, host: Host, inputs: Sequence[Any], step: Any) -> bool:
        """Whether `violation when` fires on a call or citation: when it is true or unknown."""
        return self._stages.violation(host, *inputs, step)[0] is not False

    def evaluate(self, host: Host, inputs: Sequence[Any], broken: int) -> Evaluated:
        """Rate, scores and verdicts, where `broken` distinct calls and citations are."""
        a, b, *handed = self._stages.rate(host, *inputs, broken)
        rate, v = _quotient(a, b)
        known = (*inputs, *handed)
        values = self._stages.scores(host, *known, settled(v))
        answer = self._block("answer", values)
        trajectory = self._block("trajectory", values)
        combined = (
            self._weights.get("answer", 0.0) * answer.detail.score
            + self._weights.get("trajectory", 0.0) * trajectory.detail.score
        )
        scores = _record(answer, trajectory, combined)
        again = values[self._width :]
        correct, sound = self._stages.verdicts(host, *known, *again, settled(v), scores)
        return Evaluated(
            rate=rate,
            v=v,
            answer=answer,
            trajectory=trajectory,
            combined=combined,
            s_adj=adjusted(combined, v),
            correct=correct is True,
            sound=sound is True,
        )

    def _block(self, name: str, values: Sequence[Any]) -> Block:
        for layout in self._layouts:
            if layout.score.name == name and (layout.when is None or values[layout.when] is True):
                return _scored(layout, values)
        return _NOTHING


_NOTHING: Final = Block(ScoreDetail(score=0.0, components={}), None, ())
"""A track whose blocks of this name are all guarded, where no guard holds."""


def settled(value: float) -> float:
    """A number as rules compare it."""
    return round(value, THRESHOLD_DIGITS)


def _record(answer: Block, trajectory: Block, combined: float) -> dict[str, float]:
    return {
        "answer": settled(answer.detail.score),
        "trajectory": settled(trajectory.detail.score),
        "combined": settled(combined),
    }


def adjusted(combined: float, v: float) -> float:
    """S_adj = combined times the square of 1 - v: semantics, section 9 (the preprint's formula)."""
    return combined * (1.0 - v) ** 2


def _lay_out(score: Score, outputs: list[Expr]) -> _Layout:
    when = None
    if score.when is not None:
        when = len(outputs)
        outputs.append(score.when)
    first = len(outputs)
    outputs.extend(score.requires)
    middle = len(outputs)
    outputs.extend(component.value for component in score.components)
    return _Layout(score, when, range(first, middle), range(middle, len(outputs)))


def _scored(layout: _Layout, values: Sequence[Any]) -> Block:
    """The block's score: 0 when a requirement is not true, else its components by weight.

    Every component's value is kept, also where a requirement failed.
    """
    components: dict[str, float] = {}
    losses: list[Loss] = []
    total = 0.0
    for component, index in zip(layout.score.components, layout.components, strict=True):
        value = components[component.name] = _clamped(values[index])
        total += component.weight * value
        if value < 1.0:
            losses.append(Loss(layout.score.name, component.name, value, component.weight))
    failed = next(_failed(layout, values), None)
    score = 0.0 if failed is not None else min(total, 1.0)
    if layout.score.round is not None:
        score = round(score, layout.score.round)
    return Block(ScoreDetail(score=score, components=components), failed, tuple(losses))


def _failed(layout: _Layout, values: Sequence[Any]) -> Iterator[Span]:
    for condition, index in zip(layout.score.requires, layout.requires, strict=True):
        if values[index] is not True:
            yield condition.span


def _clamped(value: Any) -> float:
    """A component's value in 0…1: true counts 1, false and missing 0."""
    if value is True:
        return 1.0
    if not value:
        return 0.0
    return min(max(float(value), 0.0), 1.0)


def _quotient(a: float | None, b: float | None) -> tuple[tuple[float, float], float]:
    """A and B, and v = A ÷ B in 0…1; 0 when B is 0.

    A rate that is missing is the worst there is, as a rule that forbids fires on unknown.
    """
    if a is None or b is None:
        return (1.0, 1.0), 1.0
    rate = (float(a), float(b))
    return rate, min(max(rate[0] / rate[1], 0.0), 1.0) if rate[1] else 0.0
