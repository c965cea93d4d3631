"""Score blocks, rate and verdicts of a track, evaluated on one trace."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from groundeval.scoring.model import ScoreDetail
from groundeval.scoring.reasons import failure, loss
from groundeval.scoring.stages import Stages, stages_of

if TYPE_CHECKING:
    from groundeval.functions import Host
    from groundeval.ir.expressions import Expr
    from groundeval.ir.program import Score, Track

THRESHOLD_DIGITS: Final = 9
"""Scores are rounded so before a rule compares them, so that 0.2 + 0.2 + 0.4 reaches 0.8."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a score block's values stand among all: `when` is None where it always holds.

    `requires` has each requirement's place, and what is said when it fails.
    """

    when: int | None
    requires: tuple[tuple[int, str], ...]
    components: tuple[Component, ...]
    round: int | None


class Component(NamedTuple):
    """A component's place, name and weight, and what is said when all of it is lost."""

    place: int
    name: str
    weight: float
    loss: str


class Block(msgspec.Struct, frozen=True):
    """A score block that was used: its detail, its layout, and which requirement failed, in words.

    `whole` says that none did, and that no component has less than its whole value.
    """

    detail: ScoreDetail
    layout: Layout
    failed: str | None
    whole: bool


class Evaluated(msgspec.Struct, frozen=True):
    """Everything that a track's expressions say about one trace."""

    rate: tuple[float, float]
    v: float
    answer: Block
    trajectory: Block
    combined: float
    s_adj: float
    correct: bool
    sound: bool


class TrackProgram:
    """A track's expressions, ready to be evaluated on any number of traces."""

    def __init__(self, track: Track, *, compiled: bool) -> None:
        outputs: list[Expr] = []
        blocks = [(score.name, _lay_out(score, outputs)) for score in track.scores]
        self._answer = tuple(layout for name, layout in blocks if name == "answer")
        self._trajectory = tuple(layout for name, layout in blocks if name == "trajectory")
        self._width = len(outputs)
        weights = dict(track.weights)
        self._weights = weights.get("answer", 0.0), weights.get("trajectory", 0.0)
        self._stages: Stages = stages_of(track, outputs, compiled=compiled)

    def fires(self, host: Host, inputs: Sequence[Any], step: Any) -> bool:
        """Whether `violation when` fires on a call or citation: when it is true or unknown."""
        return self._stages.violation(host, *inputs, step)[0] is not False

    def evaluate(
        self, host: Host, inputs: Sequence[Any], broken: int, *, answered: bool = True
    ) -> Evaluated:
        """Rate, scores and verdicts, where `broken` distinct calls and citations are.

        Who has not `answered` has no answer to score: it is 0 whatever the track's blocks say of
        an empty one.
        """
        stages = self._stages
        a, b, *handed = stages.rate(host, *inputs, broken)
        rate, v = _quotient(a, b)
        known = (*inputs, *handed, settled(v))
        values = stages.scores(host, *known)
        answer = _scored(self._answer, values) if answered else _NOTHING
        trajectory = _scored(self._trajectory, values)
        first, second = self._weights
        combined = first * answer.detail.score + second * trajectory.detail.score
        if stages.verdicts is None:
            correct, sound = values[self._width :]
        else:
            scores = _record(answer, trajectory, combined)
            correct, sound = stages.verdicts(host, *known, *values[self._width :], scores)
        s_adj = adjusted(combined, v)
        return Evaluated(
            rate, v, answer, trajectory, combined, s_adj, correct is True, sound is True
        )


def settled(value: float) -> float:
    """A number as rules compare it."""
    return value if value in _SETTLED else round(value, THRESHOLD_DIGITS)


_SETTLED: Final = (0.0, 1.0)
"""What most numbers are: rounding a float takes longer than a look."""


def _record(answer: Block, trajectory: Block, combined: float) -> dict[str, float]:
    return {
        "answer": settled(answer.detail.score),
        "trajectory": settled(trajectory.detail.score),
        "combined": settled(combined),
    }


def adjusted(combined: float, v: float) -> float:
    """S_adj = combined times the square of 1 - v: semantics, section 9 (the preprint's formula)."""
    return combined * (1.0 - v) ** 2


def _lay_out(score: Score, outputs: list[Expr]) -> Layout:
    """The block's layout; its expressions are added to `outputs`."""

    def place(expression: Expr) -> int:
        outputs.append(expression)
        return len(outputs) - 1

    return Layout(
        when=None if score.when is None else place(score.when),
        requires=tuple((place(c), failure(score.name, c)) for c in score.requires),
        components=tuple(
            Component(place(c.value), c.name, c.weight, loss(score.name, c.name, c.weight, 0.0))
            for c in score.components
        ),
        round=score.round,
    )


def _scored(layouts: Sequence[Layout], values: Sequence[Any]) -> Block:
    """The first block whose guard holds, scored; where none does, a block of 0."""
    for layout in layouts:
        if layout.when is None or values[layout.when] is True:
            return _block(layout, values)
    return _NOTHING


_NOTHING: Final = Block(ScoreDetail(0.0, {}), Layout(None, (), (), None), None, whole=True)
"""An abstention's answer, or a track whose blocks of this name are guarded, where none holds."""


def _block(layout: Layout, values: Sequence[Any]) -> Block:
    """The block's score: 0 when a requirement is not true, else its components by weight.

    Every component's value is kept, also where a requirement failed.
    """
    components: dict[str, float] = {}
    total, whole = 0.0, True
    for index, name, weight, _ in layout.components:
        value = values[index]
        value = 1.0 if value is True else _clamped(value) if value else 0.0
        components[name] = value
        total += weight * value
        if value < 1.0:
            whole = False
    failed: str | None = None
    for index, words in layout.requires:
        if values[index] is not True:
            failed = words
            break
    score = 0.0 if failed is not None else min(total, 1.0)
    if layout.round is not None:
        score = round(score, layout.round)
    return Block(ScoreDetail(score, components), layout, failed, whole and failed is None)


def _clamped(value: float) -> float:
    """A component's number in 0…1; true counts 1, false and missing 0."""
    if 0.0 <= value <= 1.0:
        return float(value)
    return min(max(float(value), 0.0), 1.0)


def _quotient(a: float | None, b: float | None) -> tuple[tuple[float, float], float]:
    """A and B, and v = A ÷ B in 0…1; 0 when B is 0.

    A rate that is missing is the worst there is, as a rule that forbids fires on unknown.
    """
    if a is None or b is None:
        return (1.0, 1.0), 1.0
    rate = (float(a), float(b))
    return rate, min(max(rate[0] / rate[1], 0.0), 1.0) if rate[1] else 0.0
