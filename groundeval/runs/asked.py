"""Arguments of tools as agents send them, and as they can be used and recorded."""

from __future__ import annotations

import unicodedata
from typing import Any, Final

from groundeval.world.ids import LONGEST_ID

LONGEST_QUERY: Final = 1000
"""Characters of a query that are read."""
_LARGEST: Final = 2**53


def usable_query(query: object) -> str:
    """The query that is searched for: text in NFC, its first 1,000 characters; "" for no text."""
    return _usable(query, LONGEST_QUERY) if isinstance(query, str) else ""


def usable_id(value: object) -> str:
    """An id to look for: NFC, without blanks around it, at most 1,000 characters; "" for no text.

    A longer one is cut with a `…`, which makes it an id that nothing has.
    """
    if not isinstance(value, str):
        return ""
    text = value.strip()
    return _usable(text, LONGEST_ID - 1) + ("…" if len(text) > LONGEST_ID else "")


def usable_subsystem(value: object) -> str | None:
    """The subsystem a search is confined to; None for none, a blank text or no text."""
    return usable_id(value) or None


def usable_limit(value: object) -> int | None:
    """A whole number, given as such or in digits; None for anything else. It is capped later."""
    if isinstance(value, str) and len(value) <= 15 and value.strip().isdecimal():
        return int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return max(-_LARGEST, min(value, _LARGEST))


def raw_arguments(**given: tuple[object, object]) -> dict[str, Any] | None:
    """The arguments as they came, of those (came, used) that were used otherwise; None for none."""
    changed = {name: _plain(came) for name, (came, used) in given.items() if came != used}
    return changed or None


def _plain(value: object) -> Any:
    """A value that any trace can hold: short, and within what JSON numbers carry."""
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, int) and abs(value) <= _LARGEST:
        return value
    text = value if isinstance(value, str) else f"{type(value).__name__}"
    return _usable(text, LONGEST_QUERY) + ("…" if len(text) > LONGEST_QUERY else "")


def _usable(text: str, longest: int) -> str:
    """NFC, cut, and with lone surrogates (which no UTF-8 file can hold) replaced."""
    cut = text[: longest + 1] if len(text) <= longest + 1 else text[:longest]
    cut = cut.encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", cut)
