"""What an agent does with the two tools, and what it has seen so far."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from groundeval.contracts.contract import Contract
from groundeval.index.tokens import distinct_words
from groundeval.runs.agent import Toolbox
from groundeval.runs.replies import FetchReply, ReportedEvent, SearchHit
from groundeval.world.artifacts import HANDBOOK

MOST_WORDS = 16
"""A search with more different words proves nothing: the handbook says so."""

Answer = dict[str, Any]
Rebuild = Callable[[str, Iterable[ReportedEvent], Mapping[str, FetchReply]], Contract]
"""Makes a contract of rules as text, of events and of documents: see `groundeval.scripted`."""


class Desk:
    """The tools of one question. It opens only what a search of its own has shown."""

    def __init__(self, tools: Toolbox, rebuild: Rebuild) -> None:
        self._tools = tools
        self._rebuild = rebuild
        self._found: dict[str, SearchHit] = {}
        self._looked_for: set[tuple[str, str | None]] = set()
        self._read: dict[str, FetchReply] = {}

    @property
    def opened(self) -> dict[str, FetchReply]:
        """The documents that were opened, by id, the handbook's not among them."""
        return {i: reply for i, reply in self._read.items() if not i.startswith(f"{HANDBOOK}/")}

    @property
    def events(self) -> tuple[ReportedEvent, ...]:
        """Every event that the opened documents told of, once, in log order.

        Each names all of its artifacts that are open, whichever document told of it.
        """
        told = {e.id: e for reply in self._read.values() for e in reply.events}
        return tuple(sorted(told.values(), key=lambda e: (e.at, e.id)))

    def under(self, rules: str) -> Contract:
        """A contract of the agent's own: these rules over all that it has seen so far."""
        return self._rebuild(rules, self.events, self.opened)

    def look(self, query: str, subsystem: str | None = None, limit: int = 10) -> list[SearchHit]:
        """The hits of one search; the same search is not made twice."""
        reply = self._tools.search(query, subsystem, limit)
        self._looked_for.add((query, subsystem))
        self._found.update((hit.id, hit) for hit in reply.hits)
        return list(reply.hits)

    def look_for(self, label: str, key: str, subsystem: str | None = None) -> list[SearchHit]:
        """A search that would have found a record called `label` about `key`."""
        words = [*distinct_words(key), *distinct_words(label)]
        query = f"{label} {key}" if len(set(words)) <= MOST_WORDS else key
        return [] if (query, subsystem) in self._looked_for else self.look(query, subsystem, 20)

    def read(self, document: str) -> FetchReply | None:
        """The document, once a search has shown that it is there to be opened; else None."""
        if document in self._read:
            return self._read[document]
        subsystem = HANDBOOK if document.startswith(f"{HANDBOOK}/") else None
        if document not in self._found and (document, subsystem) not in self._looked_for:
            self.look(document, subsystem, 5)
        if document not in self._found:
            return None
        reply = self._tools.fetch(document)
        if not reply.available:
            return None
        self._read[document] = reply
        return reply

    def read_all(self, documents: Iterable[str]) -> None:
        """Open each of the documents that can be found."""
        for document in documents:
            self.read(document)
