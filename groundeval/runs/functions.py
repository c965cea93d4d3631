"""The tools as plain functions, which is how agent frameworks take them."""

from __future__ import annotations

from collections.abc import Callable

import msgspec

from groundeval.runs.agent import BudgetSpent, Toolbox
from groundeval.runs.terms import NOT_AVAILABLE

Function = Callable[..., str]


def tool_functions(tools: Toolbox) -> tuple[Function, Function]:
    """`search` and `fetch` over these tools; both give JSON text.

    Their names, annotations and docstrings are what frameworks tell a model of them. What is
    closed or not there comes back as the words `not available`, and a call beyond the budget as
    what part of it is spent.
    """

    def search(query: str, subsystem: str | None = None, limit: int | None = None) -> str:
        """The documents that fit a query best, as of the question's instant, as JSON.

        Args:
            query: words and ids to look for
            subsystem: search this subsystem only; all open ones when left out
            limit: at most so many results; 10 when left out, never over 20
        """
        try:
            found = tools.search(query, subsystem, limit)
        except BudgetSpent as spent:
            return str(spent)
        return _json(found.hits) if found.available else NOT_AVAILABLE

    def fetch(id: str) -> str:  # noqa: A002 - the name that models are told
        """The whole text of a document by its id, and what the log holds about it, as JSON.

        Args:
            id: the id of a document
        """
        try:
            got = tools.fetch(id)
        except BudgetSpent as spent:
            return str(spent)
        return _json(got) if got.available else NOT_AVAILABLE

    return search, fetch


def _json(value: object) -> str:
    return msgspec.json.encode(value).decode()
