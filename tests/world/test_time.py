from __future__ import annotations

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.world.time import (
    DAY,
    EARLIEST,
    HOUR,
    LATEST,
    MINUTE,
    TimeFault,
    format_date,
    format_duration,
    format_instant,
    parse_duration,
    parse_instant,
    to_datetime,
)

TEN = 1773309600 * 10**6  # 2026-03-12T10:00:00Z
BERLIN = ZoneInfo("Europe/Berlin")


@pytest.mark.parametrize(
    "value",
    [
        "2026-03-12T10:00:00Z",
        "2026-03-12t10:00:00z",
        "2026-03-12 10:00:00Z",
        "2026-03-12T10:00Z",
        "20260312T100000Z",
        "20260312T1000Z",
        "2026-03-12T12:00:00+02:00",
        "2026-03-12T12:00:00+0200",
        "2026-03-12T12:00:00+02",
        "2026-03-12 12:00:00 +02:00",
        "2026-03-12T10:00:00 UTC",
        "2026-03-12T09:59:60Z",
        "2026-03-12T10:00:00.0000009Z",
        "2026-03-12T10:00:00,000Z",
        " 2026-03-12T10:00:00Z ",
        1773309600,
        1773309600.0,
        1773309600000,
        "1773309600",
        "1773309600000",
        "1773309600.0",
        datetime(2026, 3, 12, 10, tzinfo=UTC),
        datetime(2026, 3, 12, 12, tzinfo=timezone(timedelta(hours=2))),
    ],
)
def test_one_instant_in_many_spellings(value: object) -> None:
    assert parse_instant(value, None) == TEN
    assert parse_instant(value, BERLIN) == TEN


@pytest.mark.parametrize(
    ("value", "fault"),
    [
        ("2026-03-12T10:00:00", TimeFault.NAIVE),
        ("2026-03-12", TimeFault.NAIVE),
        (datetime(2026, 3, 12), TimeFault.NAIVE),  # noqa: DTZ001
        (date(2026, 3, 12), TimeFault.NAIVE),
        ("", TimeFault.UNREADABLE),
        ("yesterday", TimeFault.UNREADABLE),
        ("2026-02-30T10:00:00Z", TimeFault.UNREADABLE),
        ("2026-13-01T10:00:00Z", TimeFault.UNREADABLE),
        ("2026-03-12T25:00:00Z", TimeFault.UNREADABLE),
        ("2026-03-12T24:00:01Z", TimeFault.UNREADABLE),
        ("2026-03-12T10:60:00Z", TimeFault.UNREADABLE),
        ("2026-03-12T10:00:61Z", TimeFault.UNREADABLE),
        ("2026-W11-4T10:00:00Z", TimeFault.UNREADABLE),
        ("2026-03-12T10:00:00+24:00", TimeFault.UNREADABLE),
        ("2026-03-12T1:00:000Z", TimeFault.UNREADABLE),
        ("٢٠٢٦-03-12T10:00:00Z", TimeFault.UNREADABLE),
        ("12-03-2026", TimeFault.UNREADABLE),
        ("12345", TimeFault.UNREADABLE),
        (True, TimeFault.UNREADABLE),
        (None, TimeFault.UNREADABLE),
        ([], TimeFault.UNREADABLE),
        (float("nan"), TimeFault.UNREADABLE),
        (float("inf"), TimeFault.UNREADABLE),
        ("0000-01-01T00:00:00Z", TimeFault.RANGE),
        ("10000-01-01T00:00:00Z", TimeFault.RANGE),
        ("-0044-03-15T00:00:00Z", TimeFault.RANGE),
        ("0001-01-01T00:00:00+01:00", TimeFault.RANGE),
        ("9999-12-31T23:59:59-01:00", TimeFault.RANGE),
        ("9999-12-31T24:00:00Z", TimeFault.RANGE),
        (1773309600 * 10**6, TimeFault.RANGE),
        (10**400, TimeFault.RANGE),
        (1e300, TimeFault.RANGE),
    ],
)
def test_what_is_no_instant_says_why(value: object, fault: TimeFault) -> None:
    assert parse_instant(value, None) is fault


def test_zones_apply_to_naive_times_only() -> None:
    assert parse_instant("2026-03-12T11:00:00", BERLIN) == TEN
    assert parse_instant("2026-03-12", BERLIN) == TEN - 11 * HOUR
    assert parse_instant(date(2026, 7, 1), BERLIN) == parse_instant("2026-06-30T22:00:00Z", None)


def test_clock_changes_take_the_first_reading() -> None:
    # 02:30 occurs twice when clocks go back: the first, still at +02:00, is meant.
    assert parse_instant("2026-10-25T02:30:00", BERLIN) == parse_instant(
        "2026-10-25T00:30:00Z", None
    )
    # 02:30 does not exist when clocks go forward: the offset before the gap, +01:00, holds.
    assert parse_instant("2026-03-29T02:30:00", BERLIN) == parse_instant(
        "2026-03-29T01:30:00Z", None
    )


def test_fractions_are_cut_not_rounded() -> None:
    assert parse_instant("2026-03-12T09:59:59.9999999Z", None) == TEN - 1
    assert parse_instant("1969-12-31T23:59:59.9999999Z", None) == -1
    assert parse_instant("2026-03-12T10:00:00.1Z", None) == TEN + 100_000
    assert parse_instant("1773309600.1234567", None) == TEN + 123_456
    assert parse_instant(1773309600.123456, None) == TEN + 123_456, (
        "a float is its shortest decimal"
    )


def test_the_threshold_between_seconds_and_milliseconds() -> None:
    assert parse_instant(10**11 - 1, None) == (10**11 - 1) * 10**6
    assert parse_instant(10**11, None) == 10**14
    assert parse_instant(-(10**11), None) == -(10**14)


def test_bounds() -> None:
    assert format_instant(EARLIEST) == "0001-01-01T00:00:00Z"
    assert format_instant(LATEST) == "9999-12-31T23:59:59.999999Z"


def test_format() -> None:
    assert format_instant(TEN) == "2026-03-12T10:00:00Z"
    assert format_instant(TEN + 5) == "2026-03-12T10:00:00.000005Z"
    assert format_instant(-1) == "1969-12-31T23:59:59.999999Z"
    assert format_date(TEN) == "2026-03-12"
    assert format_date(-1) == "1969-12-31"


@given(st.integers(EARLIEST, LATEST))
def test_formatted_instants_are_read_back(instant: int) -> None:
    text = format_instant(instant)
    assert parse_instant(text, None) == instant
    assert parse_instant(to_datetime(instant), None) == instant
    assert parse_instant(datetime.fromisoformat(text), None) == instant


@given(st.integers(EARLIEST, LATEST), st.integers(EARLIEST, LATEST))
def test_texts_sort_as_instants_do_within_whole_seconds(a: int, b: int) -> None:
    a, b = a - a % 10**6, b - b % 10**6
    assert (format_instant(a) < format_instant(b)) == (a < b)


@given(st.text() | st.integers() | st.floats())
def test_no_value_raises(value: object) -> None:
    for zone in (None, BERLIN, ZoneInfo("UTC")):
        read = parse_instant(value, zone)
        assert isinstance(read, TimeFault) or EARLIEST <= read <= LATEST


@pytest.mark.parametrize(
    ("text", "micros"),
    [
        ("7d", 7 * DAY),
        ("36h", 36 * HOUR),
        ("1h30m", 90 * MINUTE),
        ("2w", 14 * DAY),
        ("500ms", 500_000),
        ("3us", 3),
        ("0s", 0),
        ("-1h", -HOUR),
    ],
)
def test_durations(text: str, micros: int) -> None:
    assert parse_duration(text) == micros


@pytest.mark.parametrize(
    "text", ["", "-", "h", "1", "1.5h", "30m1h", "1h1h", "1 h", "1y", "٣h", "9" * 200 + "d"]
)
def test_what_is_no_duration(text: str) -> None:
    assert parse_duration(text) is None


@given(st.integers(-(LATEST - EARLIEST), LATEST - EARLIEST))
def test_formatted_durations_are_read_back(micros: int) -> None:
    assert parse_duration(format_duration(micros)) == micros


def test_duration_text() -> None:
    assert format_duration(90 * MINUTE) == "1h30m"
    assert format_duration(14 * DAY) == "14d"
    assert format_duration(0) == "0s"
