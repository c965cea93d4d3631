"""A question with its truth, and the part of it that an agent may see."""

from __future__ import annotations

from typing import Any

import msgspec

SCHEMA = "groundeval.question/1"


class PlaceRecord(msgspec.Struct, frozen=True, omit_defaults=True):
    """A place as a document holds it: `{"fetch": ID}` or `{"search": […], "for": …, "keys": …}`."""

    fetch: str | None = None
    search: tuple[str, ...] = ()
    text: str | None = msgspec.field(name="for", default=None)
    keys: tuple[tuple[str, ...], ...] = ()
    ghost: str | None = None


class Question(msgspec.Struct, frozen=True, eq=False, omit_defaults=True, kw_only=True):
    """One question. Times are ISO 8601 in UTC, `truth` is plain JSON (sets as sorted lists).

    What an agent may see: schema, id, track, text, actor, role, as_of, instructions,
    answer_schema, keys, vocabulary, contract (see `visible_part`). `about` are the ids it was
    drawn from, `pair` the id of its sibling, `difficulty` is computed from gates crossed, hops,
    distractors and places.
    """

    schema: str = SCHEMA
    id: str
    track: str
    text: str = ""
    actor: str | None = None
    role: str | None = None
    as_of: str | None = None
    instructions: str = ""
    answer_schema: dict[str, Any] | None = None
    keys: tuple[str, ...] = ()
    vocabulary: dict[str, tuple[str, ...]] | None = None
    contract: str | None = None
    truth: dict[str, Any] | None = None
    about: tuple[str, ...] = ()
    stratum: str | None = None
    difficulty: str | None = None
    spec: str | None = None
    pair: str | None = None
    places: tuple[PlaceRecord, ...] = ()


_VISIBLE = (
    "schema", "id", "track", "text", "actor", "role", "as_of", "instructions", "answer_schema",
    "keys", "vocabulary", "contract",
)  # fmt: skip


def visible_part(question: Question) -> dict[str, Any]:
    """What stands in `questions.jsonl`: nothing of the truth, nor of how it was drawn."""
    return {name: getattr(question, name) for name in _VISIBLE}
