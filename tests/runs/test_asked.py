"""Arguments as agents send them."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.runs.asked import (
    raw_arguments,
    usable_id,
    usable_limit,
    usable_query,
    usable_subsystem,
)
from groundeval.world.ids import LONGEST_ID


@pytest.mark.parametrize(
    ("given_value", "used"),
    [(3, 3), ("3", 3), (" 7 ", 7), (-1, -1), (2.0, None), ("x", None), (None, None), (False, None)],
)
def test_limits(given_value: object, used: int | None) -> None:
    assert usable_limit(given_value) == used


def test_texts_are_normalised_and_cut() -> None:
    assert usable_id("  e\u0301-1\n") == "é-1"
    assert usable_query("e\u0301 ") == "é "
    assert usable_id("\ud800") == "?"
    assert usable_subsystem(" ") is None
    assert usable_subsystem(["wiki"]) is None
    assert usable_id(7) == ""
    exact, longer = "x" * LONGEST_ID, "x" * (LONGEST_ID + 1)
    assert usable_id(exact) == exact
    assert usable_id(longer).endswith("…")


def test_only_what_was_changed_is_kept() -> None:
    assert raw_arguments(query=("a", "a"), limit=(None, None)) is None
    assert raw_arguments(query=("a", "b"), limit=({"x": 1}, None)) == {
        "query": "a",
        "limit": "dict",
    }


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


@given(json_values)
def test_whatever_comes_can_be_recorded(value: object) -> None:
    used = [usable_query(value), usable_id(value), usable_subsystem(value), usable_limit(value)]
    kept = raw_arguments(value=(value, object()))
    assert kept is not None
    assert len(msgspec.json.encode([used, kept])) < 30_000
