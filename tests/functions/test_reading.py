"""Functions that read what a text holds."""

from __future__ import annotations

from typing import Any

import pytest

from groundeval.functions import FUNCTIONS
from groundeval.world.time import DAY, HOUR, format_instant

HOST: Any = None


def instant(*arguments: Any, zone: str = "") -> str | None:
    found = FUNCTIONS[f"instant/{len(arguments) + 1}"].call(HOST, *arguments, zone)
    return None if found is None else format_instant(found)


def test_instants_follow_the_zone_rules_of_logs() -> None:
    assert instant("2026-03-05T10:00:00+02:00") == "2026-03-05T08:00:00Z"
    assert instant("2026-03-05T10:00:00") is None, "no zone: never guessed"
    assert instant("2026-03-05T10:00:00", zone="America/Los_Angeles") == "2026-03-05T18:00:00Z"
    assert instant(1_500_000_000) == instant(1_500_000_000_000) == "2017-07-14T02:40:00Z"
    unread: tuple[object, ...] = ("soon", True, ["2026-03-05"], {}, float("nan"))
    assert [instant(x) for x in unread] == [None] * 5


@pytest.mark.parametrize(
    ("text", "form", "expected"),
    [
        ("03-01-2012", "DD-MM-YYYY", "2012-01-03T00:00:00Z"),
        ("3/1/2012", "DD/MM/YYYY", "2012-01-03T00:00:00Z"),
        ("11/Sep/2017:19:55:05 -0730", "DD/MMM/YYYY:hh:mm:ss ZZ", "2017-09-12T03:25:05Z"),
        ("05 dec 2020 07:08", "DD MMM YYYY hh:mm", "2020-12-05T07:08:00Z"),
        ("2020.12.05T07:08:09,25", "YYYY.MM.DDThh:mm:ss", "2020-12-05T07:08:09.250000Z"),
        ("31-02-2012", "DD-MM-YYYY", None),
        ("01-Foo-2012", "DD-MMM-YYYY", None),
        ("Present", "DD-MM-YYYY", None),
        ("03-01-2012 ", "DD-MM-YYYY", "2012-01-03T00:00:00Z"),
        ("03-01-12", "DD-MM-YYYY", None),
        ("03x01x2012", "DD.MM.YYYY", None),
    ],
)
def test_instants_in_other_forms(text: str, form: str, expected: str | None) -> None:
    assert instant(text, form, zone="UTC") == expected


def test_dates_in_other_forms_are_midnight_in_their_zone() -> None:
    assert instant("03-07-2012", "DD-MM-YYYY", zone="Europe/Berlin") == "2012-07-02T22:00:00Z"
    assert instant("03-07-2012", "DD-MM-YYYY") is None
    assert DAY == 24 * HOUR


def test_json_is_read_strictly() -> None:
    json = FUNCTIONS["json/1"].call
    assert json(HOST, '{"a": [1, null]}') == {"a": [1, None]}
    assert [json(HOST, text) for text in ("", "open", "null", '{"a":', "NaN", "[" * 99)] == [
        None
    ] * 6
    assert json(HOST, "\ud800") is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        ("v1.9", "v1.21", -1),
        ("1.21", "v1.21.0", 0),
        ("2", "1.99.99", 1),
        ("0.0", "0", 0),
        ("TBD", "v1.0", None),
        ("v1.2-beta", "v1.2", None),
        ("1.", "1", None),
    ],
)
def test_versions(a: str, b: str, expected: int | None) -> None:
    compare = FUNCTIONS["compare_versions/2"].call
    assert compare(HOST, a, b) == expected
    assert compare(HOST, b, a) == (None if expected is None else -expected)
