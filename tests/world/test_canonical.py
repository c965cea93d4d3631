from __future__ import annotations

import hashlib
import json
import math
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.world.canonical import (
    are_flat,
    blake,
    blake_after,
    canonical_json,
    digest,
    digest_records,
    flat_json,
    number_text,
)
from groundeval.world.events import Event

NUMBERS = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
JSON = st.recursive(
    st.none() | st.booleans() | NUMBERS | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner) | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner)
    ),
    max_leaves=20,
)


def test_the_spelling() -> None:
    value = {"b": [1.0, -0.0, 0.1234567, 1e-9, 2.5], "a": {"z": None, "y": True}, "é": '\u2028\n"/'}
    assert canonical_json(value) == (
        '{"a":{"y":true,"z":null},"b":[1,0,0.123457,0,2.5],"é":"\u2028\\n\\"/"}'.encode()
    )


def test_large_integers_stay_exact() -> None:
    assert canonical_json([2**70, -(2**63), 2**63]) == f"[{2**70},{-(2**63)},{2**63}]".encode()


def test_keys_sort_by_code_point() -> None:
    assert canonical_json({"\U00010000": 1, "\uffff": 2, "Z": 3, "a": 4}) == (
        '{"Z":3,"a":4,"\uffff":2,"\U00010000":1}'.encode()
    )


def test_sets_mappings_and_structs() -> None:
    assert canonical_json(frozenset({"b", "a", 3})) == b'["a","b",3]'
    assert canonical_json(MappingProxyType({"a": (1, 2)})) == b'{"a":[1,2]}'
    event = Event(id="e", type="t", at=1, facts={"x": 0.5})
    assert json.loads(canonical_json(event))["facts"] == {"x": 0.5}


@pytest.mark.parametrize("value", [math.nan, math.inf, {"a": [-math.inf]}])
def test_no_spelling_for_nan(value: object) -> None:
    with pytest.raises(ValueError, match="no canonical spelling"):
        canonical_json(value)


@pytest.mark.parametrize("value", [{1: 2}, object(), b"x"])
def test_what_json_cannot_hold(value: object) -> None:
    with pytest.raises(TypeError, match="no canonical JSON"):
        canonical_json(value)


@given(JSON)
def test_it_is_json_and_a_fixed_point(value: object) -> None:
    data = canonical_json(value)
    again = json.loads(data)
    assert canonical_json(again) == data


@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), JSON), st.randoms())
def test_key_order_does_not_show(value: dict[str, object], random: object) -> None:
    items = list(value.items())
    random.shuffle(items)  # type: ignore[attr-defined]
    assert digest(dict(items)) == digest(value)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_numbers_have_at_most_six_decimals(value: float) -> None:
    text = number_text(value)
    assert len(text.partition(".")[2]) <= 6
    assert not text.endswith((".", "-0")) or text == "-0"[1:]
    assert math.isclose(float(text), value, abs_tol=5.1e-7)


def test_digest_is_sha256() -> None:
    assert digest({}) == "sha256:" + hashlib.sha256(b"{}").hexdigest()


@given(st.lists(JSON, max_size=6), st.randoms())
def test_the_order_of_records_does_not_show(records: list[object], random: object) -> None:
    before = digest_records(records)
    random.shuffle(records)  # type: ignore[attr-defined]
    assert digest_records(records) == before
    assert digest_records([*records, {"one": "more"}]) != before


def test_draws_are_fixed_for_ever() -> None:
    assert blake(42, "a", 3)[:8].hex() == "8eaf33065cb32050"
    assert len(blake(0)) == 32


def test_pieces_are_not_confused() -> None:
    draws = [
        blake(1, "a", "b"),
        blake(1, "ab"),
        blake(1, "a", b"b"),
        blake("1", "a", "b"),
        blake(1, "", "ab"),
        blake(1, "1"),
        blake(1, 1),
    ]
    assert len(set(draws)) == len(draws)


FLAT = st.dictionaries(st.text(), st.none() | st.booleans() | st.text() | st.integers())


@given(FLAT, FLAT)
def test_flat_records_are_written_the_same(
    facts: dict[str, object], extra: dict[str, object]
) -> None:
    record = {"actors": ("a", "b"), "artifacts": {"k": ("x",)}, "at": 1, "e": extra, "facts": facts}
    assert are_flat((facts, extra))
    assert flat_json(record) == canonical_json(record)


@pytest.mark.parametrize("value", [{"a": 1.0}, {"a": []}, {1: "a"}, MappingProxyType({"a": "b"})])
def test_what_is_not_flat(value: dict[str, object]) -> None:
    assert not are_flat([value])
    assert not are_flat([{}, {"a": "b"}, value])


@given(st.lists(st.text() | st.integers()), st.lists(st.text()))
def test_draws_after_a_beginning_are_the_same_draws(
    parts: list[str | int], lasts: list[str]
) -> None:
    found = list(blake_after(7, *parts)(lasts))
    assert found == [blake(7, *parts, last) for last in lasts]


def test_a_long_text_is_framed_as_a_short_one() -> None:
    lasts = ["a" * size for size in (0, 255, 256, 70_000)]
    assert list(blake_after(7)(lasts)) == [blake(7, last) for last in lasts]
