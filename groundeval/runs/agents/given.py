"""The two tools over documents that were handed over, for scripted agents in the other modes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from groundeval.index.tokens import distinct_words
from groundeval.runs.replies import FetchReply, SearchHit, SearchReply
from groundeval.world.artifacts import HANDBOOK


class GivenDocuments:
    """Finds and opens nothing but what was given; nothing at all where that is nothing."""

    def __init__(self, given: Sequence[Any]) -> None:
        replies = msgspec.convert(list(given), list[FetchReply])
        self._given = {reply.id: reply for reply in replies}

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        """The documents that share most words with the query, ties by id."""
        words = set(distinct_words(str(query)))
        found = [
            (-len(words & set(distinct_words(f"{r.id} {r.title} {r.text}"))), r.id)
            for r in self._given.values()
            if r.subsystem == subsystem or (subsystem is None and r.subsystem != HANDBOOK)
        ]
        most = limit if isinstance(limit, int) else 10
        best = [self._given[name] for score, name in sorted(found)[:most] if score]
        return SearchReply(
            True,
            tuple(SearchHit(r.id, r.title, r.subsystem, r.created, None, r.text) for r in best),
        )

    def fetch(self, artifact_id: object) -> FetchReply:
        """The document, if it was given."""
        name = str(artifact_id)
        return self._given.get(name) or FetchReply(name, available=False)
