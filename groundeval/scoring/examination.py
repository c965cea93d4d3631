"""One scored trace with the values of every name, for tests in contracts and for explanations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundeval.engine.evaluator import evaluate
from groundeval.scoring.blocks import settled
from groundeval.scoring.stages import INPUTS

if TYPE_CHECKING:
    from groundeval.functions import Host
    from groundeval.ir.program import Track
    from groundeval.scoring.model import Result, ScoreDetail


@dataclass(frozen=True, slots=True)
class Examined:
    """A result, and the names and the host with which expressions about it are evaluated.

    `env` has the inputs of score expressions, the track's definitions, `violation_rate` and
    `scores`, and of the result `outcome`, `v`, `s_adj`, `combined`, `correct` and `sound`. Where
    nothing was scored, the numbers are None.
    """

    result: Result
    env: Mapping[str, Any]
    host: Host


def examined(track: Track, result: Result, host: Host, inputs: Sequence[Any]) -> Examined:
    """The result of a trace of `track` with its names; `inputs` are the values of INPUTS."""
    env: dict[str, Any] = dict(zip(INPUTS, inputs, strict=True))
    for name in ("outcome", "correct", "sound"):
        env[name] = getattr(result, name)
    for name in ("v", "s_adj", "combined"):
        env[name] = _settled(getattr(result, name))
    env["violation_rate"] = env["v"]
    env["scores"] = {
        "answer": _score(result.answer),
        "trajectory": _score(result.trajectory),
        "combined": env["combined"],
    }
    for definition in track.definitions:
        env[definition.name] = evaluate(definition.value, env, host)
    return Examined(result, env, host)


def _score(detail: ScoreDetail | None) -> float | None:
    return None if detail is None else _settled(detail.score)


def _settled(value: float | None) -> float | None:
    return None if value is None else settled(value)
