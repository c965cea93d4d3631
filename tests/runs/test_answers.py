"""Answers in the texts that agents print."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.runs.answers import answer_in, reply_of

PLAIN = st.recursive(
    st.none() | st.booleans() | st.integers(-99, 99) | st.text(max_size=8),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3)
    ),
    max_leaves=8,
)
OBJECTS = st.dictionaries(st.text(max_size=5), PLAIN, max_size=4)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('{"exists": true}', {"exists": True}),
        ('thinking {"exists": false}\nno: {"exists": true} .', {"exists": True}),
        ('{"outer": {"exists": true}} {broken', {"outer": {"exists": True}}),
        ('```json\n{"a": [1, {"b": 2}]}\n```', {"a": [1, {"b": 2}]}),
        ('{"a": NaN} ', None),
        ('{"a": NaN} {"a": 1}', {"a": 1}),
        ("[1, 2]", None),
        ("", None),
        ("{" * 50_000, None),
        ('{"a":' * 20_000, None),
        ('{"é": "ü"}', {"é": "ü"}),
    ],
)
def test_the_last_object_counts(text: str, found: dict[str, Any] | None) -> None:
    assert answer_in(text) == found


@given(OBJECTS, st.text(alphabet=st.characters(exclude_characters="{"), max_size=20))
def test_any_object_is_found_behind_other_text(value: dict[str, Any], before: str) -> None:
    assert answer_in(before + json.dumps(value) + "\n") == value


@given(OBJECTS)
def test_a_reply_is_never_refused_with_a_traceback(value: dict[str, Any]) -> None:
    reply = reply_of(value)
    assert reply.error is None or reply.error.startswith("the reply does not fit")


def test_an_answer_may_stand_alone_or_with_what_belongs_to_it() -> None:
    assert reply_of({"exists": True}).answer == {"exists": True}
    whole = reply_of({"answer": {"exists": True}, "cited": ["a"], "usage": {"input_tokens": 3}})
    assert (whole.answer, whole.cited, whole.usage) == (
        {"exists": True},
        ("a",),
        {"input_tokens": 3},
    )
    # An answer's own field of that name is not the wrapping.
    assert reply_of({"answer": "yes"}).answer == {"answer": "yes"}
    assert reply_of({"answer": {}, "other": 1}).answer == {"answer": {}, "other": 1}
    assert reply_of({"answer": None}).answer is None


def test_a_wrapping_that_does_not_fit_names_the_field() -> None:
    error = reply_of({"answer": {"exists": True}, "cited": "a"}).error
    assert error is not None
    assert "$.cited" in error
