"""Which attempts a run makes, and under what conditions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import msgspec

from groundeval.questions.model import Question
from groundeval.runs.agent import Budget, Identity, Mode
from groundeval.traces.model import Trace
from groundeval.world.canonical import digest

RUN: Final = "run"
"""Where a trace's `settings` hold what a run adds to those of the agent."""
_KEY: Final = "key"


@dataclass(frozen=True, slots=True)
class Conditions:
    """What all attempts of a run have in common besides the agent.

    `contract` is the contract's hash, `backend` the name of another search than our own,
    `context_tokens` the size of a context in context mode, `seal` what the seal's key makes of a
    chain without steps: so traces under two keys are told apart, and no key is shown.
    """

    contract: str
    mode: Mode = Mode.TOOL
    gated: bool = True
    budget: Budget = field(default_factory=Budget)
    backend: str | None = None
    context_tokens: int | None = None
    seal: str | None = None

    def key(self, identity: Identity) -> str:
        """A hash over these conditions and who answers: attempts under one key are alike."""
        return digest(
            {
                "agent": msgspec.to_builtins(identity),
                "contract": self.contract,
                "mode": self.mode.value,
                "gated": self.gated,
                "seal": self.seal,
                **self.told,
            }
        )

    @property
    def told(self) -> dict[str, Any]:
        """Those conditions that a trace has no field of its own for, as its settings show them."""
        found: dict[str, Any] = {
            "steps": self.budget.steps,
            "seconds": self.budget.seconds,
            "tokens": self.budget.tokens,
            "backend": self.backend,
            "context_tokens": self.context_tokens,
        }
        return {name: value for name, value in found.items() if value is not None}


class Mark(NamedTuple):
    """What tells the attempts of a folder apart; `key` is "" for what no run has made."""

    question: str
    agent: str
    mode: str
    gated: bool
    epoch: int
    key: str


def mark_of(trace: Trace) -> Mark:
    """The mark of a trace, from the trace alone."""
    run = (trace.settings or {}).get(RUN)
    key = run.get(_KEY) if isinstance(run, dict) else None
    return Mark(
        trace.question, trace.agent, trace.mode, trace.gated, trace.epoch,
        key if isinstance(key, str) else "",
    )  # fmt: skip


class Attempt(NamedTuple):
    """One question, and for the how manieth time it is asked (from 1)."""

    question: Question
    epoch: int


@dataclass(frozen=True, slots=True)
class Plan:
    """The questions, each asked `epochs` times of one agent under the same conditions."""

    questions: Sequence[Question]
    identity: Identity
    conditions: Conditions
    epochs: int = 1

    @property
    def size(self) -> int:
        """How many attempts there are in all."""
        return len(self.questions) * self.epochs

    def due(self, made: Mapping[Mark, bool], *, retry_errors: bool = False) -> list[Attempt]:
        """The attempts that are still to be made, one epoch after the other.

        `made` says of each attempt that there is whether the agent failed; those that failed are
        due again with `retry_errors` alone.
        """
        key = self.conditions.key(self.identity)
        wanted = {None, True} if retry_errors else {None}
        return [a for a in self._attempts() if made.get(self._mark(a, key)) in wanted]

    def strangers(self, made: Mapping[Mark, bool]) -> list[Mark]:
        """Attempts of an agent of this name, mode and gating that were made in another way."""
        key = self.conditions.key(self.identity)
        return [mark for mark in made if self._is_ours(mark) and mark.key != key]

    def replaces(self, mark: Mark) -> bool:
        """Whether an attempt makes room for a plan that begins anew.

        Those of its own questions do, and whatever it could not stand beside.
        """
        if not self._is_ours(mark):
            return False
        asked = {question.id for question in self.questions}
        return mark.question in asked or mark.key != self.conditions.key(self.identity)

    def settings(self, **more: Any) -> dict[str, Any]:
        """The `settings` of the plan's traces: the agent's, and under `run` those of the run.

        `more` is what the run tells of a single attempt besides.
        """
        key = self.conditions.key(self.identity)
        run = {_KEY: key, **self.conditions.told, **more}
        return {**self.identity.settings, RUN: run}

    def _is_ours(self, mark: Mark) -> bool:
        """Whether an attempt is of an agent of this name, in this mode and gating."""
        ours = (self.identity.name, self.conditions.mode.value, self.conditions.gated)
        return (mark.agent, mark.mode, mark.gated) == ours

    def _attempts(self) -> Iterator[Attempt]:
        for epoch in range(1, self.epochs + 1):
            for question in self.questions:
                yield Attempt(question, epoch)

    def _mark(self, attempt: Attempt, key: str) -> Mark:
        mode = self.conditions.mode.value
        return Mark(
            attempt.question.id, self.identity.name, mode, self.conditions.gated, attempt.epoch, key
        )
