"""Functions on text, and how a value is shown in one."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any
from zoneinfo import ZoneInfo

from groundeval.functions.frozen import freeze
from groundeval.functions.host import Host
from groundeval.functions.registry import function
from groundeval.ir.types import JSON, Type
from groundeval.world.time import (
    EARLIEST,
    LATEST,
    format_date,
    format_duration,
    format_instant,
    parse_instant,
)

_BREAKS = re.compile(r"[\s_-]+")
_TRUTHS = {"true": True, "yes": True, "false": False, "no": False}


_LONGEST = 10**4000
"""Python refuses to write longer numbers in decimal digits."""


def fold_label(text: str) -> str:
    """A label as `same_label` compares it: trimmed, case-folded, `-` and blanks as `_`."""
    return _BREAKS.sub("_", unicodedata.normalize("NFC", text).strip().casefold())


@function("same_label(a: text, b: text) -> bool")
def same_label(_: Host, a: Any, b: Any) -> bool | None:
    """Whether two labels are the same after trimming and folding case, blanks, `-` and `_`.

    Example: `same_label("Root cause", "root_CAUSE ")`.
    """
    if not isinstance(a, str) or not isinstance(b, str):
        return None
    return a == b or fold_label(a) == fold_label(b)


@function("mentions(text: text, name: text) -> bool")
def mentions(_: Host, text: Any, name: Any) -> bool | None:
    """Whether `text` has `name` in it as a whole: in any case, and not inside a longer word.

    Example: `mentions("As TCK-4 says.", "tck-4") and not mentions("TCK-41", "TCK-4")`.
    """
    if not isinstance(text, str) or not isinstance(name, str):
        return None
    where, what = _cased(text), _cased(name)
    at = where.find(what) if what else -1
    while at >= 0:
        end = at + len(what)
        if not (_runs_on(where[:at][-1:], what[0]) or _runs_on(what[-1], where[end : end + 1])):
            return True
        at = where.find(what, at + 1)
    return False


def _cased(text: str) -> str:
    return unicodedata.normalize("NFC", text).casefold()


def _runs_on(left: str, right: str) -> bool:
    """Whether a word goes on from one character to the next."""
    return left.isalnum() and right.isalnum()


@function("as_bool(x: any) -> bool?", takes_missing=True)
def as_bool(_: Host, x: Any) -> bool | None:
    """A bool, or true/false/yes/no as text in any case; anything else (1 and 0 too) is missing.

    Example: `as_bool("Yes") == true`.
    """
    if isinstance(x, bool):
        return x
    return _TRUTHS.get(x.strip().lower()) if isinstance(x, str) else None


@function("stem(path: text) -> text")
def stem(_: Host, path: Any) -> str | None:
    """A file's name without its ending.

    Example: `stem("wiki/a.md") == "a"`.
    """
    return PurePosixPath(path).stem if isinstance(path, str) else None


@function("folder(path: text) -> text")
def folder(_: Host, path: Any) -> str | None:
    """The folder that a path lies in, `.` where it names none.

    Example: `folder("wiki/team/a.md") == "wiki/team"`.
    """
    return str(PurePosixPath(path).parent) if isinstance(path, str) else None


@function("as_time(value: any, zone: text?) -> time?", takes_missing=True, hidden=True)
def as_time(_: Host, value: Any, zone: str | None) -> int | None:
    """A data field that is declared as a time: its instant, missing where it cannot be read."""
    if value is None or isinstance(value, tuple):
        return None
    instant = parse_instant(value, ZoneInfo(zone) if zone else None)
    return instant if isinstance(instant, int) else None


def show(value: Any, shape: Type, form: str | None = None) -> str:
    """A value as a text shows it.

    Instants as ISO 8601 in UTC (`form` "date": the day), durations as `7d`, numbers without a
    trailing `.0`, collections joined by commas, records as JSON, objects by their id,
    truth values as in rules. An instant outside the years 1 to 9999 stands as its number.
    """
    if isinstance(value, tuple | frozenset | list):
        items = value if isinstance(value, tuple | list) else sorted(value, key=sort_key)
        return ", ".join(show(item, shape.item or shape, form) for item in freeze(tuple(items)))
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return _show_whole(value, shape, form)
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    if isinstance(value, Mapping):
        return _show_json(freeze(value))
    return value if isinstance(value, str) else str(getattr(value, "id", value))


def _show_whole(value: int, shape: Type, form: str | None) -> str:
    if shape.name == "time" and EARLIEST <= value <= LATEST:
        return format_date(value) if form == "date" else format_instant(value)
    if shape.name == "duration" and abs(value) <= LATEST - EARLIEST:
        return format_duration(value)
    return str(value) if abs(value) < _LONGEST else hex(value)


def _show_json(value: Any) -> str:
    """A value of a record or list inside a record."""
    if isinstance(value, Mapping):
        entries = (f"{_quoted(name)}: {_show_json(value[name])}" for name in sorted(value))
        return f"{{{', '.join(entries)}}}"
    if isinstance(value, tuple):
        return f"[{', '.join(map(_show_json, value))}]"
    if value is None:
        return "null"
    return _quoted(value) if isinstance(value, str) else show(value, JSON)


def _quoted(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def sort_key(value: Any) -> tuple[int, Any]:
    """The one order in which the items of a set are walked.

    First what is missing, then numbers, texts and ids, lists and sets, records. Objects stand by
    their id.
    """
    if value is None:
        return 0, 0
    if isinstance(value, int | float):
        return 1, value
    if isinstance(value, tuple | list):
        return 3, tuple(map(sort_key, value))
    if isinstance(value, frozenset):
        return 3, tuple(sorted(map(sort_key, value)))
    if isinstance(value, Mapping):
        return 4, tuple((name, sort_key(value[name])) for name in sorted(value))
    return 2, value if isinstance(value, str) else str(getattr(value, "id", value))
