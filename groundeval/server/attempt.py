"""One attempt as it is served: a question, the tools for it, and the answer. Knows no transport."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from groundeval.runs.agent import BudgetSpent, Reply
from groundeval.runs.asked import usable_id
from groundeval.runs.recording import recordable
from groundeval.runs.terms import MOST_TRIES, NOT_AVAILABLE, SUBMIT, misnamed
from groundeval.server.shapes import fetch_result, search_result

if TYPE_CHECKING:
    from groundeval.runs.agent import Toolbox, Visible

ENDED: Final = "this attempt has ended: the answer was given, or its time is over"


@dataclass(frozen=True, slots=True)
class Given:
    """What a call brought back."""

    content: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Declined:
    """Why a call brought nothing back, in words for the agent."""

    text: str


Outcome = Given | Declined
Faults = Callable[[Mapping[str, Any]], Sequence[str]]
"""What is wrong with an answer, a text a field; empty where it fits the question's schema."""
Note = Callable[[str, Mapping[str, Any]], None]
Record = Callable[[dict[str, Any] | None, str | None], None]
"""Keeps the attempt: its answer if any, and why there is none."""


def unnoted(_tool: str, _arguments: Mapping[str, Any]) -> None:
    """Takes a refused call down nowhere."""


def unrecorded(_answer: dict[str, Any] | None, _error: str | None) -> None:
    """Keeps an attempt nowhere."""


@dataclass(frozen=True, slots=True)
class Keeping:
    """What becomes of an attempt: `record` is called once at its end, `note` for refused calls."""

    record: Record = unrecorded
    note: Note = unnoted


class Attempt:
    """The tools of one question, called from any thread, one call at a time.

    An answer that fits the question's schema ends the attempt; one that does not may be sent
    again, `MOST_TRIES` times in all. `tools` is None where the question alone is served.
    """

    def __init__(
        self,
        question: Visible,
        tools: Toolbox | None,
        faults: Faults,
        keeping: Keeping | None = None,
    ) -> None:
        self.question = question
        self.has_tools = tools is not None
        self.client: str | None = None
        """What the client calls itself, as it came with the calls."""
        self._tools = tools
        self._faults = faults
        self._keeping = keeping or Keeping()
        self._turn = threading.Lock()
        self._tries = 0
        self._calls = 0
        self._answer: dict[str, Any] | None = None
        self._over = False
        self._last = time.monotonic()

    @property
    def submitted(self) -> dict[str, Any] | None:
        """The last answer that was submitted; None while there is none."""
        return self._answer

    @property
    def over(self) -> bool:
        """Whether it takes no more calls."""
        return self._over

    @property
    def used(self) -> bool:
        """Whether anything was looked up or answered."""
        return self._calls > 0

    @property
    def idle(self) -> float:
        """Seconds since the last call, or since it was opened."""
        return time.monotonic() - self._last

    def call(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        """What a tool answers. The caller knows that there is such a tool.

        Raises OSError where an answer could not be kept; it may be submitted again then.
        """
        with self._turn:
            self._last = time.monotonic()
            if self._over:
                return Declined(ENDED)
            if tool == SUBMIT:
                return self._submit(dict(arguments))
            wrong = misnamed(tool, arguments)
            if wrong is not None:
                self._calls += 1
                self._keeping.note(tool, arguments)
                return Declined(wrong)
            if tool == "question":
                return Given(dict(self.question))
            return self._look_up(tool, arguments)

    def note(self, tool: str, arguments: Mapping[str, Any]) -> None:
        """Take down a call to a tool that there is not."""
        with self._turn:
            self._last = time.monotonic()
            if not self._over:
                self._calls += 1
                self._keeping.note(usable_id(tool), arguments)

    def end(self, error: str = "no answer was submitted") -> None:
        """Take no more calls. Waits for the one under way; what was used is recorded, once."""
        with self._turn:
            if self._over:
                return
            if self.used:
                self._keeping.record(self._answer, None if self._answer is not None else error)
            self._over = True

    def _look_up(self, tool: str, arguments: Mapping[str, Any]) -> Outcome:
        tools = self._tools
        assert tools is not None, tool
        self._calls += 1
        try:
            if tool == "search":
                found = tools.search(**arguments)
                return Given(search_result(found)) if found.available else Declined(NOT_AVAILABLE)
            got = tools.fetch(arguments.get("id"))
            return Given(fetch_result(got)) if got.available else Declined(NOT_AVAILABLE)
        except BudgetSpent as spent:
            return Declined(str(spent))

    def _submit(self, answer: dict[str, Any]) -> Outcome:
        self._calls += 1
        self._tries += 1
        plain = recordable(Reply(answer=answer))
        if plain.answer is None:
            faults: Sequence[str] = [plain.error or "it is no answer"]
        else:
            self._answer = plain.answer
            faults = self._faults(plain.answer)
        left = MOST_TRIES - self._tries
        if not faults or left <= 0:
            self._close()
        if not faults:
            return Given({"accepted": True})
        more = {0: "No tries are left", 1: "There is room for 1 more try"}
        room = more.get(max(0, left), f"There is room for {left} more tries")
        return Declined(f"the answer does not fit: {'; '.join(faults)}. {room}")

    def _close(self) -> None:
        """Recorded first: an answer is accepted only once it is kept."""
        error = None if self._answer is not None else "no answer was submitted"
        self._keeping.record(self._answer, error)
        self._over = True
