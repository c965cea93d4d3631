"""What the gated tools answer. Nothing in a reply tells closed from absent."""

from __future__ import annotations

from typing import Any

import msgspec


class SearchHit(msgspec.Struct, frozen=True):
    """One result: metadata as of the question's instant, and a stretch of the text.

    `created` is ISO 8601 in UTC; `type` is the artifact's own attribute of that name.
    """

    id: str
    title: str
    subsystem: str
    created: str | None
    type: str | None
    snippet: str


class SearchReply(msgspec.Struct, frozen=True):
    """The hits, best first; `available` is false for a subsystem that is closed or not there."""

    available: bool
    hits: tuple[SearchHit, ...] = ()


class ReportedEvent(msgspec.Struct, frozen=True):
    """An event of the log; `artifacts` (kind → ids) holds those that are open.

    `facts` are the event's data fields that are no artifacts, facts and other fields alike.
    """

    id: str
    type: str
    label: str
    at: str
    actors: tuple[str, ...]
    facts: dict[str, Any]
    artifacts: dict[str, tuple[str, ...]]


class FetchReply(msgspec.Struct, frozen=True):
    """The artifact's text and the log's events about it, in log order.

    `available` is false, and everything else empty, for what is closed, not there yet, or not
    there at all. `id` is the id that was asked for.
    """

    id: str
    available: bool
    title: str = ""
    subsystem: str = ""
    created: str | None = None
    text: str = ""
    events: tuple[ReportedEvent, ...] = ()
