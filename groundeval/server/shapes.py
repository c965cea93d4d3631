"""Replies of the gated tools in the JSON that MCP clients of document stores expect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import msgspec

if TYPE_CHECKING:
    from groundeval.runs.replies import FetchReply, SearchHit, SearchReply

Json = dict[str, Any]

_TEXT: Final[Json] = {"type": "string"}
_TEXT_OR_NULL: Final[Json] = {"type": ["string", "null"]}
_TEXTS: Final[Json] = {"type": "array", "items": _TEXT}


def _record(properties: Json, *optional: str) -> Json:
    """The schema of an object that has exactly these properties."""
    return {
        "type": "object",
        "properties": properties,
        "required": [name for name in properties if name not in optional],
        "additionalProperties": False,
    }


SEARCH_INPUT: Final = _record(
    {
        "query": {"type": "string", "description": "words and ids to look for"},
        "subsystem": {
            "type": "string",
            "description": "search this subsystem only; all open ones when left out",
        },
        "limit": {"type": "integer", "description": "at most so many results: 10, never over 20"},
    },
    "subsystem",
    "limit",
)
FETCH_INPUT: Final = _record({"id": {"type": "string", "description": "the id of a document"}})
NO_INPUT: Final = _record({})

SEARCH_OUTPUT: Final = _record(
    {
        "results": {
            "type": "array",
            "items": _record(
                {
                    "id": _TEXT,
                    "title": _TEXT,
                    "url": _TEXT,
                    "text": {"type": "string", "description": "the stretch that fits the query"},
                    "metadata": _record(
                        {"subsystem": _TEXT, "created": _TEXT_OR_NULL, "type": _TEXT_OR_NULL}
                    ),
                }
            ),
        }
    }
)
_EVENT: Final = _record(
    {
        "id": _TEXT,
        "type": _TEXT,
        "label": _TEXT,
        "at": _TEXT,
        "actors": _TEXTS,
        "facts": {"type": "object"},
        "artifacts": {"type": "object", "additionalProperties": _TEXTS},
    }
)
FETCH_OUTPUT: Final = _record(
    {
        "id": _TEXT,
        "title": _TEXT,
        "text": _TEXT,
        "url": _TEXT,
        "metadata": _record(
            {
                "subsystem": _TEXT,
                "created": _TEXT_OR_NULL,
                "events": {
                    "type": "array",
                    "items": _EVENT,
                    "description": "what the log holds about this document, in its order",
                },
            }
        ),
    }
)
QUESTION_OUTPUT: Final[Json] = {
    "type": "object",
    "properties": {
        "id": _TEXT,
        "text": _TEXT,
        "actor": _TEXT_OR_NULL,
        "role": _TEXT_OR_NULL,
        "as_of": _TEXT_OR_NULL,
        "instructions": _TEXT,
        "answer_schema": {"type": ["object", "null"]},
        "keys": _TEXTS,
        "vocabulary": {"type": ["object", "null"]},
    },
    "required": ["id", "text", "answer_schema"],
}
SUBMIT_OUTPUT: Final = _record({"accepted": {"type": "boolean"}})


def artifact_url(artifact_id: str) -> str:
    """A stable name for an artifact in the form of a URL, which no network resolves."""
    return f"groundeval://artifact/{quote(artifact_id, safe='')}"


def search_result(reply: SearchReply) -> Json:
    """`{"results": [{id, title, url, text, metadata}]}`, best first."""
    return {"results": [_hit(hit) for hit in reply.hits]}


def _hit(hit: SearchHit) -> Json:
    return {
        "id": hit.id,
        "title": hit.title,
        "url": artifact_url(hit.id),
        "text": hit.snippet,
        "metadata": {"subsystem": hit.subsystem, "created": hit.created, "type": hit.type},
    }


def fetch_result(reply: FetchReply) -> Json:
    """`{id, title, text, url, metadata}`, with the log's events about the document."""
    return {
        "id": reply.id,
        "title": reply.title,
        "text": reply.text,
        "url": artifact_url(reply.id),
        "metadata": {
            "subsystem": reply.subsystem,
            "created": reply.created,
            "events": [msgspec.to_builtins(event) for event in reply.events],
        },
    }
