"""The conversation with a model, from the question to its answer, the same for every API."""

from __future__ import annotations

from typing import Final

from groundeval.runs.agent import Reply, Task
from groundeval.runs.answers import answer_in
from groundeval.runs.endpoints.desk import Desk
from groundeval.runs.endpoints.prompt import prompt_digest, told
from groundeval.runs.endpoints.sending import Deadline, Sender
from groundeval.runs.endpoints.settings import AnswerBy, EndpointSettings
from groundeval.runs.endpoints.turns import (
    Dialect,
    Fault,
    Json,
    Stop,
    Turn,
    Usage,
    excerpt,
    object_in,
)
from groundeval.runs.terms import SUBMIT

_REMINDERS: Final = 1
_REMINDER: Final = f"You have not handed in an answer yet. Call `{SUBMIT}` with it now."
_NO_OBJECT: Final = "That is not one JSON object. Write your answer as one, and nothing else."
_GRACE: Final = 2
"""Turns that are left to answer in, once a call went beyond the budget."""


class Conversation:
    """One attempt: turns of the model, and what its calls brought back, until there is an answer.

    A budget of tokens that is spent leaves one more turn, in which nothing can be looked up; one
    of steps leaves two. An answer that was handed in and does not fit counts where no other came,
    unless it was the endpoint that failed, or the time.
    """

    def __init__(
        self,
        settings: EndpointSettings,
        dialect: Dialect,
        sender: Sender,
        task: Task,
        deadline: Deadline,
    ) -> None:
        self._settings = settings
        self._dialect = dialect
        self._sender = sender
        self._task = task
        self._deadline = deadline
        self._told = told(settings, task)
        self._desk = Desk(task)
        self._history: list[Json] = []
        self._ids: set[str] = set()
        self._counts: dict[str, int] = {}
        self._model: str | None = None
        self._reminders = 0
        self._inferred = False
        self._failed = False
        self._left = settings.turns
        self._why_over = Fault(f"out of turns: {settings.turns}")

    def held(self) -> Reply:
        """The conversation's outcome."""
        ended: Fault | None = None
        while ended is None and not self._desk.done:
            ended = self._take_turn()
        answer = None if self._failed else self._desk.answer
        error = None if answer is not None or ended is None else self._sender.scrubbed(ended.text)
        return Reply(
            answer=answer,
            inferred=self._inferred,
            usage=self._counts or None,
            model=self._model,
            prompt=prompt_digest(self._told),
            error=error,
        )

    def _take_turn(self) -> Fault | None:
        """Let the model say something, and see to it; a fault where nothing can come of it."""
        if self._left <= 0:
            return self._why_over
        self._left -= 1
        body = self._dialect.body(self._told, self._history)
        response = self._sender.send(body, self._task.epoch, self._deadline)
        turn = response if isinstance(response, Fault) else self._dialect.turn(response, self._ids)
        if isinstance(turn, Fault):
            self._failed = True
            return turn
        self._count(turn.usage)
        self._model = turn.model or self._model
        self._history += turn.echo
        self._ids |= {call.id for call in turn.calls}
        return self._see_to(turn)

    def _see_to(self, turn: Turn) -> Fault | None:
        if turn.stop is Stop.REFUSED:
            return Fault(f"refused: {excerpt(turn.refusal)}")
        cut = any(call.arguments is None for call in turn.calls) or not turn.calls
        if turn.stop is Stop.LENGTH and cut:
            return Fault("the model's turn was cut off: it reached the limit of output tokens")
        if not turn.calls:
            return self._read_text(turn.text)
        self._carry_out(turn)
        return None

    def _carry_out(self, turn: Turn) -> None:
        """The calls in their order; what stands behind an answer that is final is not looked at."""
        submitting = self._settings.answer_by is AnswerBy.TOOL
        results = []
        for call in turn.calls:
            results.append(self._desk.carry_out(call, submitting=submitting))
            if self._desk.done:
                return
        self._history += self._dialect.results(tuple(results))
        if self._desk.spent is not None and self._desk.closed is None:
            self._close(Fault(self._desk.spent), _GRACE)

    def _read_text(self, text: str) -> Fault | None:
        """A turn without calls: the answer itself, or what has to be asked for once more."""
        by_text = self._settings.answer_by is AnswerBy.JSON
        found = object_in(text) if by_text else None
        if found is not None:
            fault = self._desk.hand_in(found)
            if fault is not None:
                self._ask(fault)
            return None
        found = answer_in(text) if self._settings.infer else None
        if found is not None and self._desk.infer(found):
            self._inferred = True
            return None
        if self._reminders < _REMINDERS:
            self._reminders += 1
            self._ask(_NO_OBJECT if by_text else _REMINDER)
            return None
        said = f": {excerpt(text)}" if text.strip() else ""
        if by_text:
            return Fault(f"the model's final text is no JSON object{said}")
        return Fault(f"the model ended without a call of `{SUBMIT}`{said}")

    def _ask(self, text: str) -> None:
        self._history.append(self._dialect.remark(text))

    def _close(self, why: Fault, turns: int) -> None:
        """Leave the model so many turns to answer in."""
        self._desk.closed = f"{why.text}: hand in your answer now"
        self._why_over = why
        self._left = min(self._left, turns)

    def _count(self, usage: Usage) -> None:
        counted = {
            "input_tokens": usage.input,
            "output_tokens": usage.output,
            "cached_tokens": usage.cached,
            "reasoning_tokens": usage.reasoning,
            "requests": 1,
        }
        for name, count in counted.items():
            if count or name in {"input_tokens", "output_tokens"}:
                self._counts[name] = self._counts.get(name, 0) + count
        most = self._task.budget.tokens
        used = self._counts["input_tokens"] + self._counts["output_tokens"]
        if most is not None and used >= most and self._desk.closed is None:
            self._close(Fault(f"out of tokens: {most}"), 1)
