"""Functions that read what a text holds: a time, JSON, a version."""

from __future__ import annotations

import re
from typing import Any, Final
from zoneinfo import ZoneInfo

from groundeval.functions.host import Host
from groundeval.functions.registry import function
from groundeval.world.json_text import TextFault, decode_json
from groundeval.world.time import parse_instant
from groundeval.world.time_forms import TimeForm, time_form

_VERSION: Final = re.compile(r"[vV]?(\d{1,18}(?:\.\d{1,18})*)", re.ASCII)


@function("instant(value: any, zone: text) -> time?", zoned=True)
def instant(_: Host, value: Any, zone: str) -> int | None:
    """The instant that a text or a number stands for; missing where it is none.

    Read is what a log's own times are read from: ISO 8601 with or without an offset, dates, seconds
    and milliseconds since 1970. A time without an offset is in the zone of the source or, elsewhere
    and where the source names none, of the contract; without any zone it is missing.

    `at = instant(.created_at) + 8h` moves a log whose clock was wrong.

    Example: `instant("2026-03-05T10:00:00+02:00") == instant("2026-03-05T08:00:00Z")`.
    """
    if not isinstance(value, str | int | float):
        return None
    found = parse_instant(value, _zone(zone))
    return found if isinstance(found, int) else None


@function("instant(text: text, form: text, zone: text) -> time?", zoned=True)
def instant_in_form(_: Host, text: Any, form: Any, zone: str) -> int | None:
    """The instant that a text in another form than ISO 8601 stands for; missing where it is none.

    `form` is written in place: YYYY, MM or MMM (`Sep`), DD, and if there is a time of day hh, mm,
    ss and ZZ (an offset); everything between them stands for itself. A text that does not fit the
    form, such as `Present`, is missing. Zones are as for `instant` of one argument.

    Example: `instant("03-01-2012", "DD-MM-YYYY") == instant("2012-01-03")`.

    Example: `instant("11/Sep/2017:21:55:05 +0200", "DD/MMM/YYYY:hh:mm:ss ZZ") ==
    instant("2017-09-11T19:55:05Z")`.
    """
    if not isinstance(text, str) or not isinstance(form, str):
        return None
    understood = time_form(form)
    iso = understood.iso(text) if isinstance(understood, TimeForm) else None
    found = None if iso is None else parse_instant(iso, _zone(zone))
    return found if isinstance(found, int) else None


@function("json(text: text) -> json?")
def json(_: Host, text: Any) -> Any:
    """The value of the JSON that a text holds; missing where it is not JSON, or `null`.

    Trackers that keep whole records in one field are read so: `json(.new_value).status`. Where the
    text may be plain as well, `json(.new_value) ?? .new_value` has either.

    Example: `json("[1, 2]") == [1, 2] and json("open") == missing`.
    """
    if not isinstance(text, str):
        return None
    value = decode_json(text.encode("utf-8", "surrogatepass"))
    return None if isinstance(value, TextFault) else value


@function("compare_versions(a: text, b: text) -> number?")
def compare_versions(_: Host, a: Any, b: Any) -> int | None:
    """-1, 0 or 1 as version `a` is before, the same as or after `b`, number by number.

    A version is numbers with dots between them, with or without a `v` in front; `1.2` is `1.2.0`.
    Missing where one of the two is no such text (`v1.2-beta`, `1.x`).

    Example: `compare_versions("v1.21", "v1.9") == 1 and compare_versions("1.2", "v1.2.0") == 0`.
    """
    first, second = _numbers(a), _numbers(b)
    if first is None or second is None:
        return None
    return (first > second) - (first < second)


def _zone(name: str) -> ZoneInfo | None:
    return ZoneInfo(name) if name else None


def _numbers(text: Any) -> tuple[int, ...] | None:
    found = _VERSION.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        return None
    numbers = [int(part) for part in found.group(1).split(".")]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return tuple(numbers)
