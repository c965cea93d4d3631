"""Tools that reach no further than a task's budget."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping
from typing import Final

from groundeval.runs.agent import Budget, BudgetSpent, Noting, Toolbox
from groundeval.runs.replies import FetchReply, SearchReply

_MOST_NOTES: Final = 1000


class Budgeted:
    """The tools of one attempt, called from any thread, one call at a time.

    `BudgetSpent` is raised beyond the budget's steps and seconds, and by every call after
    `close`. Tokens are counted by those who see them: agents that ask a model themselves.
    """

    def __init__(
        self, tools: Toolbox, budget: Budget, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._tools = tools
        self._budget = budget
        self._clock = clock
        self._began = clock()
        self._calls = 0
        self._notes = 0
        self._closed = False
        self._turn = threading.Lock()

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        """As of the tools."""
        with self._turn:
            self._spend()
            return self._tools.search(query, subsystem, limit)

    def fetch(self, artifact_id: object) -> FetchReply:
        """As of the tools."""
        with self._turn:
            self._spend()
            return self._tools.fetch(artifact_id)

    def note(self, tool: str, arguments: Mapping[str, object]) -> None:
        """As of tools that record refused calls; of others, nothing. It costs no step.

        The first thousand of an attempt are recorded.
        """
        tools: object = self._tools
        with self._turn:
            if isinstance(tools, Noting) and not self._closed and self._notes < _MOST_NOTES:
                self._notes += 1
                tools.note(tool, arguments)

    def close(self) -> None:
        """Let no call through any more; waits for the one under way."""
        with self._turn:
            self._closed = True

    def _spend(self) -> None:
        budget = self._budget
        if self._closed:
            raise BudgetSpent("this attempt has ended")
        if budget.seconds is not None and self._clock() - self._began > budget.seconds:
            raise BudgetSpent(f"out of time: {budget.seconds:g} s")
        if budget.steps is not None and self._calls >= budget.steps:
            raise BudgetSpent(f"out of steps: {budget.steps}")
        self._calls += 1
