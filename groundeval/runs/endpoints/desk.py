"""Carries out the calls of a model: on the gated tools, and to hand in its answer."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from groundeval.runs.agent import BudgetSpent, Noting, Reply, Task, Toolbox
from groundeval.runs.endpoints.turns import Call, Json, Result, excerpt
from groundeval.runs.fitting import answer_faults
from groundeval.runs.recording import recordable
from groundeval.runs.terms import ARGUMENTS, MOST_TRIES, NOT_AVAILABLE, SUBMIT, misnamed


class Desk:
    """The calls of one attempt, carried out one after the other.

    `answer` is what was handed in last, `done` says that it is final: it fits the question's
    schema, or the tries are over. `closed` is why nothing more is looked up, once that is so.
    """

    def __init__(self, task: Task) -> None:
        self.answer: Json | None = None
        self.done = False
        self.closed: str | None = None
        self.spent: str | None = None
        """What a call beyond the budget was told."""
        schema = task.question.get("answer_schema")
        self._schema: Json = schema if isinstance(schema, dict) else {}
        self._tools = task.tools
        self._tries = 0

    def carry_out(self, call: Call, *, submitting: bool = True) -> Result:
        """What the call brought back; what is wrong with it is told to the model, and recorded."""
        if call.name == SUBMIT and submitting:
            if call.arguments is None:
                return self._refuse(call, _malformed(call))
            return self._result(call, self.hand_in(call.arguments), "accepted")
        tools = self._tools
        if call.name not in ARGUMENTS or tools is None:
            return self._refuse(call, f"there is no tool `{excerpt(call.name)}`")
        if call.arguments is None:
            return self._refuse(call, _malformed(call))
        wrong = misnamed(call.name, call.arguments)
        if wrong is not None:
            return self._refuse(call, wrong)
        if self.closed is not None:
            return Result(call.id, self.closed, failed=True)
        return self._look_up(tools, call, call.arguments)

    def hand_in(self, answer: Json) -> str | None:
        """Take an answer; what does not fit, in words for the model, or None where all does."""
        self._tries += 1
        kept = recordable(Reply(answer=answer))
        if kept.answer is None:
            faults: Sequence[str] = [kept.error or "it is no answer"]
        else:
            self.answer = kept.answer
            faults = answer_faults(self._schema, kept.answer)
        left = MOST_TRIES - self._tries
        self.done = not faults or not left
        if not faults:
            return None
        tries = "no try is left" if not left else f"tries left: {left}"
        return f"the answer does not fit: {'; '.join(faults)} ({tries})"

    def infer(self, answer: Json) -> bool:
        """Take an answer that was read from free text; False where it cannot be kept."""
        kept = recordable(Reply(answer=answer)).answer
        if kept is None:
            return False
        self.answer, self.done = kept, True
        return True

    def _result(self, call: Call, fault: str | None, text: str) -> Result:
        return Result(call.id, text if fault is None else fault, failed=fault is not None)

    def _refuse(self, call: Call, reason: str) -> Result:
        tools: object = self._tools
        if isinstance(tools, Noting):
            came = {"raw": call.raw} if call.arguments is None else call.arguments
            tools.note(excerpt(call.name), came)
        return Result(call.id, reason, failed=True)

    def _look_up(self, tools: Toolbox, call: Call, arguments: Json) -> Result:
        try:
            if call.name == "search":
                found = tools.search(**arguments)
                return _reply(call, found.available, found.hits)
            got = tools.fetch(arguments.get("id"))
            return _reply(call, got.available, got)
        except BudgetSpent as spent:
            self.spent = str(spent)
            return Result(call.id, f"{spent}: hand in your answer now", failed=True)


def _reply(call: Call, available: bool, content: object) -> Result:
    if not available:
        return Result(call.id, NOT_AVAILABLE, failed=True)
    return Result(call.id, msgspec.json.encode(content).decode())


def _malformed(call: Call) -> str:
    return f"the arguments of `{call.name}` are no JSON object: {excerpt(call.raw)}"
