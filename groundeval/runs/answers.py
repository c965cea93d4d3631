"""Answers in the texts that agents print or say."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Final

import msgspec

from groundeval.runs.agent import Reply

_LONGEST: Final = 1 << 20
"""Characters at the end of a text that are searched for an answer."""
_MOST_OPENINGS: Final = 10_000
_REPLY_FIELDS: Final = frozenset({"answer", "cited", "usage", "model"})


def answer_in(text: str) -> dict[str, Any] | None:
    """The last JSON object that stands in a text on its own, not inside another; None for none."""
    found = None
    for found in _objects(text[-_LONGEST:]):  # noqa: B007 - the last one counts
        pass
    return found


def reply_of(found: dict[str, Any]) -> Reply:
    """An object as an agent's reply: the answer itself, or `{answer, cited?, usage?, model?}`.

    The latter is known by an `answer` that is an object or null, and no other fields than these;
    where its fields do not fit, the reply is an error that names the first.
    """
    wrapped = found.keys() <= _REPLY_FIELDS and "answer" in found
    if not wrapped or not isinstance(found["answer"], dict | None):
        return Reply(answer=found)
    try:
        return msgspec.convert(found, Reply)
    except msgspec.ValidationError as fault:
        return Reply(error=f"the reply does not fit: {fault}")


def _objects(text: str) -> Iterator[dict[str, Any]]:
    decoder = json.JSONDecoder(parse_constant=_no_json)
    at = 0
    for _ in range(_MOST_OPENINGS):
        at = text.find("{", at)
        if at < 0:
            return
        try:
            found, at = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            at += 1
            continue
        yield found


def _no_json(name: str) -> Any:
    """`NaN` and infinities, which Python would take: no trace can hold them."""
    raise ValueError(name)
