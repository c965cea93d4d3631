"""Carries out the calls of a model: on the gated tools, and to hand in its answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import msgspec

from groundeval.runs.agent import BudgetSpent, Noting, Task, Toolbox
from groundeval.runs.endpoints.prompt import MOST_TRIES, SUBMIT
from groundeval.runs.endpoints.turns import Call, Json, Result, excerpt
from groundeval.runs.fitting import answer_faults

NOT_AVAILABLE: Final = "not available"
"""What is said of everything closed, not there yet or not there at all: always this, only this."""

_TAKES: Final[Mapping[str, tuple[str, ...]]] = {
    "search": ("query", "subsystem", "limit"),
    "fetch": ("id",),
}


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
        if call.name not in _TAKES or tools is None:
            return self._refuse(call, f"there is no tool `{excerpt(call.name)}`")
        if call.arguments is None:
            return self._refuse(call, _malformed(call))
        unknown = sorted(call.arguments.keys() - set(_TAKES[call.name]))
        if unknown:
            takes = ", ".join(_TAKES[call.name])
            named = f"`{call.name}` has no argument `{excerpt(unknown[0])}`"
            return self._refuse(call, f"{named}; it takes: {takes}")
        if self.closed is not None:
            return Result(call.id, self.closed, failed=True)
        return self._look_up(tools, call, call.arguments)

    def hand_in(self, answer: Json) -> str | None:
        """Take an answer; what does not fit, in words for the model, or None where all does."""
        self._tries += 1
        faults = ["it holds a text or a number that no file of traces can"]
        if _can_be_kept(answer):
            self.answer = answer
            faults = answer_faults(self._schema, answer)
        left = MOST_TRIES - self._tries
        self.done = not faults or not left
        if not faults:
            return None
        tries = "no try is left" if not left else f"tries left: {left}"
        return f"the answer does not fit: {'; '.join(faults)} ({tries})"

    def infer(self, answer: Json) -> bool:
        """Take an answer that was read from free text; False where it cannot be kept."""
        if not _can_be_kept(answer):
            return False
        self.answer, self.done = answer, True
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


def _can_be_kept(answer: Json) -> bool:
    """Whether a line of JSON can hold it: not so lone surrogates, nor numbers without bound."""
    try:
        msgspec.json.encode(answer)
    except (OverflowError, RecursionError, UnicodeEncodeError, ValueError, TypeError):
        return False
    return True
