"""Instants and durations as text and as microseconds.

An instant is an `int`: microseconds since 1970-01-01T00:00:00Z, between the years 1 and 9999.
A duration is an `int` too. Everything here is exact integer arithmetic: no floating-point
timestamps, no clock, no locale, and nothing that differs between versions of Python.
"""

from __future__ import annotations

import re
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Final, assert_never

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

SECOND: Final = 1_000_000
MINUTE: Final = 60 * SECOND
HOUR: Final = 60 * MINUTE
DAY: Final = 24 * HOUR
WEEK: Final = 7 * DAY

_EPOCH: Final = datetime(1970, 1, 1)  # noqa: DTZ001 - arithmetic on local and UTC times alike
_EPOCH_DAY: Final = date(1970, 1, 1).toordinal()
EARLIEST: Final = (1 - _EPOCH_DAY) * DAY
"""0001-01-01T00:00:00Z."""
LATEST: Final = (date.max.toordinal() + 1 - _EPOCH_DAY) * DAY - 1
"""9999-12-31T23:59:59.999999Z."""
_MILLISECONDS_FROM: Final = 10**11
"""A number this large or larger is milliseconds: as seconds it would lie in the year 5138."""

_TEXT: Final = re.compile(
    r"(\d{4}-\d\d-\d\d|\d{8})"
    r"(?:[Tt ]\s*(\d\d:\d\d(?::\d\d)?|\d{6}|\d{4})(?:[.,](\d+))?"
    r"\s*(?:([Zz]|UTC)|([+-])(\d\d):?(\d\d)?(?::?(\d\d))?)?)?",
    re.ASCII,
)
_NUMBER: Final = re.compile(r"[+-]?\d{9,18}(?:\.\d+)?", re.ASCII)
_FAR_YEAR: Final = re.compile(r"(?:[+-]\d{4,}|\d{5,})-\d\d-\d\d", re.ASCII)
_DURATION: Final = re.compile(
    r"(-)?(?:(\d+)w)?(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?(?:(\d+)ms)?(?:(\d+)us)?",
    re.ASCII,
)
_UNITS: Final = (WEEK, DAY, HOUR, MINUTE, SECOND, 1000, 1)
_WRITTEN: Final = (("d", DAY), ("h", HOUR), ("m", MINUTE), ("s", SECOND), ("ms", 1000), ("us", 1))
_LONGEST: Final = LATEST - EARLIEST


class TimeFault(StrEnum):
    """Why a value is no instant; `text` is the message that follows the value."""

    NAIVE = "naive"
    UNREADABLE = "unreadable"
    RANGE = "out of range"

    @property
    def text(self) -> str:
        match self:
            case TimeFault.NAIVE:
                return "names no time zone"
            case TimeFault.UNREADABLE:
                return "is not a time"
            case TimeFault.RANGE:
                return "lies outside the years 1 to 9999"
            case _:
                assert_never(self)


def parse_instant(value: object, zone: ZoneInfo | None) -> int | TimeFault:
    """Read an instant as microseconds since the epoch (UTC), or say why it is none.

    Read are ISO 8601 dates and times in their extended and basic forms, with `T`, `t` or a space
    between the two; `Z`, `z`, `UTC` and offsets (`+02:00`, `+0200`, `+02`); a date alone, which
    is its midnight in `zone`; numbers (and texts of at least nine digits) since the epoch, in
    milliseconds from 10^11 on and in seconds below; and `datetime` and `date` objects.

    Digits past the microsecond are cut off, never rounded, so that no instant moves into the next
    second. `:60` and `24:00` are the start of the next minute and day, as POSIX counts. A time
    without an offset is read in `zone`; where clocks go back, its first occurrence is meant, and
    where they go forward the offset before the gap holds (`fold=0` of the standard library).
    """
    if isinstance(value, str):
        if len(value) == 20 and value[19] == "Z" and value[10] == "T":
            day, clock = _day(value[:10]), _clock(value[11:19])
            if day is not None and clock is not None:
                return _in_range(day + clock)
        return _from_text(value.strip(), zone)
    if isinstance(value, bool) or value is None:
        return TimeFault.UNREADABLE
    if isinstance(value, int | float):
        return _from_number(value)
    if isinstance(value, datetime):
        return _from_datetime(value, zone)
    if isinstance(value, date):
        return _local((value.toordinal() - _EPOCH_DAY) * DAY, zone)
    return TimeFault.UNREADABLE


def format_instant(instant: int) -> str:
    """`2026-03-12T10:00:00Z`; with six digits of fraction where there is one."""
    days, rest = divmod(instant, DAY)
    seconds, fraction = divmod(rest, SECOND)
    shown = f".{fraction:06}" if fraction else ""
    return f"{_date_text(days)}T{_clock_text(seconds)}{shown}Z"


def format_date(instant: int) -> str:
    """The date of an instant in UTC, `2026-03-12`."""
    return _date_text(instant // DAY)


def parse_duration(text: str) -> int | None:
    """A duration such as `1h30m`, `2w` or `500ms` in microseconds; None for anything else.

    Units are w, d, h, m, s, ms and us, from large to small and each at most once.
    """
    found = _DURATION.fullmatch(text)
    if found is None or len(text) > 100 or not any(found.groups()[1:]):
        return None
    counts = (int(group) if group else 0 for group in found.groups()[1:])
    total = sum(count * unit for count, unit in zip(counts, _UNITS, strict=True))
    if total > _LONGEST:
        return None
    return -total if found.group(1) else total


def format_duration(micros: int) -> str:
    """A duration as `parse_duration` reads it: `1h30m`, `7d`, `0s`."""
    rest, parts = abs(micros), []
    for unit, size in _WRITTEN:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return ("-" if micros < 0 else "") + ("".join(parts) or "0s")


@lru_cache(maxsize=1 << 16)
def _day(text: str) -> int | None:
    """The midnight of a date written `2026-03-12` or `20260312`; None where there is none."""
    digits = text.replace("-", "") if len(text) == 10 and text[4] == text[7] == "-" else text
    if len(digits) != 8 or not (digits.isascii() and digits.isdigit()):
        return None
    try:
        day = date(int(digits[:4]), int(digits[4:6]), int(digits[6:]))
    except ValueError:
        return None
    return (day.toordinal() - _EPOCH_DAY) * DAY


@lru_cache(maxsize=1 << 17)
def _clock(text: str) -> int | None:
    """The microseconds into the day of `10:00:00`, `10:00`, `100000` or `1000`."""
    digits = text.replace(":", "") if ":" in text else text
    well_formed = len(digits) in (4, 6) and digits.isascii() and digits.isdigit()
    if not well_formed or (":" in text and any(len(part) != 2 for part in text.split(":"))):
        return None
    hour, minute, second = int(digits[:2]), int(digits[2:4]), int(digits[4:] or 0)
    if minute > 59 or second > 60 or hour > 24 or (hour == 24 and (minute or second)):
        return None
    return hour * HOUR + minute * MINUTE + second * SECOND


def _from_text(text: str, zone: ZoneInfo | None) -> int | TimeFault:
    found = _TEXT.fullmatch(text)
    if found is None:
        if _NUMBER.fullmatch(text):
            return _from_number(Decimal(text))
        return TimeFault.RANGE if _FAR_YEAR.match(text) else TimeFault.UNREADABLE
    day_text, clock_text, fraction, utc, sign, *offset = found.groups()
    day = _day(day_text)
    clock = 0 if clock_text is None else _clock(clock_text)
    if day is None or clock is None:
        return TimeFault.RANGE if day_text.startswith("0000") else TimeFault.UNREADABLE
    local = day + clock + (int(fraction[:6].ljust(6, "0")) if fraction else 0)
    if utc:
        return _in_range(local)
    if sign is None:
        return _local(local, zone)
    hours, minutes, seconds = (int(part or 0) for part in offset)
    if hours > 23 or minutes > 59 or seconds > 59:
        return TimeFault.UNREADABLE
    shift = hours * HOUR + minutes * MINUTE + seconds * SECOND
    return _in_range(local - shift if sign == "+" else local + shift)


def _from_number(value: float | Decimal) -> int | TimeFault:
    """Seconds or milliseconds since the epoch; a float stands for its shortest decimal."""
    if isinstance(value, int):
        return _in_range(value * (1000 if abs(value) >= _MILLISECONDS_FROM else SECOND))
    exact = value if isinstance(value, Decimal) else Decimal(repr(value))
    if not exact.is_finite():
        return TimeFault.UNREADABLE
    if abs(exact) > LATEST:
        return TimeFault.RANGE
    scale = 1000 if abs(exact) >= _MILLISECONDS_FROM else SECOND
    numerator, denominator = exact.as_integer_ratio()
    return _in_range(numerator * scale // denominator)


def _from_datetime(value: datetime, zone: ZoneInfo | None) -> int | TimeFault:
    local = (value.replace(tzinfo=None) - _EPOCH) // timedelta(microseconds=1)
    offset = value.utcoffset()
    if offset is None:
        return _local(local, zone)
    return _in_range(local - offset // timedelta(microseconds=1))


def _local(local: int, zone: ZoneInfo | None) -> int | TimeFault:
    """A wall-clock reading in `zone` as an instant."""
    if zone is None:
        return TimeFault.NAIVE
    if zone.key in ("UTC", "Etc/UTC"):
        return _in_range(local)
    if not EARLIEST <= local <= LATEST:
        return TimeFault.RANGE
    offset = (_EPOCH + timedelta(microseconds=local)).replace(tzinfo=zone).utcoffset()
    return _in_range(local - (offset or timedelta()) // timedelta(microseconds=1))


def _in_range(instant: int) -> int | TimeFault:
    return instant if EARLIEST <= instant <= LATEST else TimeFault.RANGE


@lru_cache(maxsize=1 << 12)
def _date_text(days: int) -> str:
    return date.fromordinal(days + _EPOCH_DAY).isoformat()


@lru_cache(maxsize=DAY // SECOND)
def _clock_text(seconds: int) -> str:
    minutes, second = divmod(seconds, 60)
    return f"{minutes // 60:02}:{minutes % 60:02}:{second:02}"


def to_datetime(instant: int) -> datetime:
    """The instant as an aware `datetime` in UTC, which `parse_instant` reads back exactly."""
    return (_EPOCH + timedelta(microseconds=instant)).replace(tzinfo=UTC)
