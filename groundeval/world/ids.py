"""Which texts may serve as ids, and how findings show them."""

from __future__ import annotations

import json
import re
from typing import Final

LONGEST_ID: Final = 1000
_SHOWN: Final = 60
_FORBIDDEN: Final = re.compile(
    "[\x00-\x1f\x7f-\x9f\u200b\u200e\u200f\u2028-\u202e\u2060\u2066-\u2069\ufeff]"
)


def id_fault(text: str) -> str | None:
    """What is wrong with a text as an id, to follow the field's name; None when it may serve.

    Refused are: nothing but space; control characters, line ends and bidirectional controls, with
    which two different ids look the same; and more than 1,000 characters.
    """
    if text.isascii() and text.isprintable() and 0 < len(text) <= LONGEST_ID:
        return None if text[0] != " " or text.strip() else "is empty"
    if not text.strip():
        return "is empty"
    if len(text) > LONGEST_ID:
        return f"is longer than {LONGEST_ID:,} characters"
    found = _FORBIDDEN.search(text)
    if found is None:
        return None
    return f"holds the invisible character U+{ord(found.group()):04X}"


def escaped(text: str, marks: str) -> str:
    """The text with a backslash before each of `marks` and before each backslash.

    So it can stand in front of one of them in a joined id, and no other parts give the same id.
    """
    if text.isalnum():
        return text
    for mark in marks:
        if mark in text:
            break
    else:
        if "\\" not in text:
            return text
    return "".join(f"\\{c}" if c == "\\" or c in marks else c for c in text)


def shown(value: object) -> str:
    """A value as messages print it: one line, in backticks, cut when long."""
    if value is True or value is False:
        return "`true`" if value else "`false`"
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    if len(text) <= _SHOWN and text.isprintable():
        return f"`{text}`"
    text = "".join(c if c.isprintable() else f"\\u{ord(c):04x}" for c in text[: _SHOWN + 1])
    return f"`{text[:_SHOWN]}…`" if len(text) > _SHOWN else f"`{text}`"


def kind_of(value: object) -> str:
    """The JSON word for a value's kind."""
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case str():
            return "a text"
        case list() | tuple():
            return "a list"
        case _:
            return "an object"
