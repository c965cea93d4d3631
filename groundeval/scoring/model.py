"""What scoring one trace yields."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

SCHEMA = "groundeval.result/1"

Outcome = Literal[
    "agent_error", "unobserved", "malformed", "abstained",
    "valid", "state_invalid", "wrong_sound", "wrong",
]  # fmt: skip
ViolationKind = Literal["attempt", "exposure", "use", "ungrounded", "unproven"]


class Violation(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """One violation.

    The step's number (None for a citation or place), the gate (None for ungrounded and unproven),
    what it was about, and the rule that closed it as `file:line`.
    """

    step: int | None
    gate: str | None
    kind: ViolationKind
    target: str
    rule: str | None = None


class ScoreDetail(msgspec.Struct, frozen=True):
    """A block's score and every component's value, each in 0…1."""

    score: float
    components: dict[str, float]


class Result(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A line of `results.jsonl`. Scores are None where nothing was scored (the first two outcomes).

    `rate` is [A, B] with v = A ÷ B (0 when B is 0); `s_adj` = combined·(1 - v)².
    """

    schema: str = SCHEMA
    question: str
    track: str
    agent: str
    epoch: int
    answer: ScoreDetail | None
    trajectory: ScoreDetail | None
    combined: float | None
    v: float | None
    rate: tuple[float, float] | None
    s_adj: float | None
    outcome: Outcome
    correct: bool | None
    sound: bool | None
    mode: str = "tool"
    gated: bool = True
    actor: str | None = None
    role: str | None = None
    spec: str | None = None
    stratum: str | None = None
    difficulty: str | None = None
    pair: str | None = None
    marks: tuple[str, ...] = ()
    fidelity: dict[str, str] | None = None
    violations: tuple[Violation, ...] = ()
    because: tuple[str, ...] = ()
    contract: str | None = None
    trace: str | None = None


JsonObject = dict[str, Any]
