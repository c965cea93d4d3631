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
    `scores`, and of the result `outcome`, `v`, `s_adj`, `combined`, `correct` and `sound`, which
    hide a definition of the same name. Numbers are as rules compare them; where nothing was
    scored, those of the result are None.
    """

    result: Result
    env: Mapping[str, Any]
    host: Host


def examined(track: Track, result: Result, host: Host, inputs: Sequence[Any]) -> Examined:
    """The result of a trace of `track` with its names; `inputs` are the values of INPUTS."""
    own = _own(result)
    env: dict[str, Any] = {**dict(zip(INPUTS, inputs, strict=True)), **own}
    for definition in track.definitions:
        env[definition.name] = evaluate(definition.value, env, host)
    shown = {name: _settled(value) for name, value in {**env, **own}.items()}
    return Examined(result, shown, host)


def _own(result: Result) -> dict[str, Any]:
    """What a result says, by name."""
    scores = {
        "answer": _score(result.answer),
        "trajectory": _score(result.trajectory),
        "combined": _settled(result.combined),
    }
    names = ("outcome", "correct", "sound", "v", "s_adj", "combined")
    own = {name: _settled(getattr(result, name)) for name in names}
    return {**own, "violation_rate": own["v"], "scores": scores}


def _score(detail: ScoreDetail | None) -> Any:
    return None if detail is None else _settled(detail.score)


def _settled(value: Any) -> Any:
    """A value with its numbers as rules compare them."""
    if isinstance(value, float):
        return settled(value)
    return {k: _settled(v) for k, v in value.items()} if isinstance(value, dict) else value
