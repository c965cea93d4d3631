"""One attempt after the other: hands tasks to an agent, and makes traces of what it did."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from groundeval.questions.model import Question, visible_part
from groundeval.runs.agent import Agent, Mode, Reply, Task
from groundeval.runs.budget import Budgeted
from groundeval.runs.context import DEFAULT_TOKENS, packed
from groundeval.runs.recording import recordable
from groundeval.runs.tools import GatedView, Tools
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace
from groundeval.world.artifacts import HANDBOOK
from groundeval.world.files import LONGEST_LINE

if TYPE_CHECKING:
    from groundeval.runs.backend import Searcher
    from groundeval.runs.plan import Attempt, Plan
    from groundeval.runs.replies import FetchReply

_TOO_LONG: Final = f"the record of the attempt is longer than {LONGEST_LINE:,} bytes"


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


@dataclass(frozen=True, slots=True)
class Runner:
    """Makes the attempts of a plan, on any thread.

    `view` is the contract; with a `seal_key` the chains of traces are HMACs. `backend`
    ranks in the place of the contract's index. `now` gives the instant at which an attempt
    starts, in ISO 8601, `clock` seconds for how long things take.
    """

    view: GatedView
    agent: Agent
    plan: Plan
    seal_key: bytes | None = None
    backend: Searcher | None = None
    now: Callable[[], str] = _now
    clock: Callable[[], float] = time.perf_counter

    def prepare(self) -> None:
        """Build what searches need: that shall count against nobody's seconds, nor be done twice.

        Threads may make attempts without it, and then each builds its own.
        """
        if self.plan.conditions.mode is not Mode.ZERO_SHOT:
            for question in self.plan.questions[:1]:
                tools = Tools(self.view, question, gated=False, backend=self.backend)
                for subsystem in (None, HANDBOOK):
                    tools.search("anything", subsystem)

    def trace_of(self, attempt: Attempt) -> Trace:
        """Let the agent answer a question; its failure is a trace with an `error`.

        The agent gets what everybody may see of the question, and what its mode gives.
        """
        question, epoch = attempt
        started = self.now()
        tools = self._tools(question)
        given, told = self._context(tools, question)
        reply = recordable(self._reply(question, epoch, tools, given))
        trace = self._recorded(tools, reply, epoch, **told)
        if len(encode_trace(trace)) > LONGEST_LINE:
            failed = Reply(error=_TOO_LONG, usage=reply.usage)
            trace = self._recorded(self._tools(question), failed, epoch, **told)
        return msgspec.structs.replace(trace, started=started)

    def _tools(self, question: Question) -> Tools:
        gated = self.plan.conditions.gated
        return Tools(self.view, question, gated=gated, clock=self.clock, backend=self.backend)

    def _context(
        self, tools: Tools, question: Question
    ) -> tuple[tuple[FetchReply, ...], dict[str, Any]]:
        """What context mode hands over, recorded, and what the settings tell of it."""
        conditions = self.plan.conditions
        if conditions.mode is not Mode.CONTEXT:
            return (), {}
        size = conditions.context_tokens or DEFAULT_TOKENS
        context = packed(self.view, question, gated=conditions.gated, tokens=size)
        for handed in context.handed:
            tools.give(handed.results, handed.query, handed.subsystem)
        return context.given, {"left_out": context.left_out}

    def _reply(
        self, question: Question, epoch: int, tools: Tools, given: tuple[FetchReply, ...]
    ) -> Reply:
        conditions = self.plan.conditions
        budget, mode = conditions.budget, conditions.mode
        within = Budgeted(tools, budget, self.clock)
        reached = within if mode is Mode.TOOL else None
        task = Task(visible_part(question), mode, epoch, reached, given, budget)
        try:
            return self.agent.attempt(task)
        finally:
            within.close()  # what an agent that ran out of time still calls is no part of it

    def _recorded(self, tools: Tools, reply: Reply, epoch: int, **told: Any) -> Trace:
        identity, conditions = self.plan.identity, self.plan.conditions
        if reply.model and identity.model and reply.model != identity.model:
            told["model"] = identity.model  # what was asked for; the trace names what answered
        trace = tools.finish(reply.answer, reply.cited, reply.error, self.seal_key)
        return msgspec.structs.replace(
            trace,
            agent=identity.name,
            agent_version=identity.version,
            model=reply.model or identity.model,
            settings=self.plan.settings(**told),
            prompt=reply.prompt,
            mode=conditions.mode.value,
            epoch=epoch,
            usage=reply.usage,
            fidelity={"answer": "inferred"} if reply.inferred else None,
        )
