"""Whether answers fit, said field by field."""

from __future__ import annotations

from typing import Any

import pytest

from groundeval.runs.fitting import answer_faults, faults_of

SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "exists": {"type": "boolean"},
        "kind": {"type": "string", "enum": ["a", "b"]},
        "count": {"type": "integer"},
        "share": {"type": "number"},
        "ids": {"type": "array", "items": {"type": "string"}, "uniqueItems": True},
        "abstain": {"type": "boolean"},
    },
    "required": ["exists"],
    "additionalProperties": False,
}


@pytest.mark.parametrize(
    "answer",
    [
        {"exists": True},
        {"exists": False, "kind": "b", "count": 0, "share": 1, "ids": ["x", "y"]},
        {"exists": True, "share": 0.5, "kind": None, "ids": []},
        {"abstain": True},
        {"abstain": True, "exists": "whatever"},
    ],
)
def test_what_fits(answer: dict[str, Any]) -> None:
    assert answer_faults(SCHEMA, answer) == []


@pytest.mark.parametrize(
    ("answer", "fault"),
    [
        ({}, "`exists` is missing"),
        ({"abstain": False}, "`exists` is missing"),
        ({"exists": None}, "`exists` is missing"),
        ({"exists": "true"}, "`exists` is not true or false but a text"),
        ({"exists": 1}, "`exists` is not true or false but a number"),
        ({"exists": True, "kind": "c"}, "`kind` is none of the choices: a, b"),
        ({"exists": True, "count": True}, "`count` is not a whole number but a boolean"),
        ({"exists": True, "count": 1.5}, "`count` is not a whole number but a number"),
        ({"exists": True, "ids": "x"}, "`ids` is not a list but a text"),
        ({"exists": True, "ids": ["x", 1]}, "`ids` holds something that is not text but a number"),
        ({"exists": True, "ids": ["x", "x"]}, "`ids` holds something twice"),
        ({"exists": True, "more": 1}, "`more` is no field of the answer"),
    ],
)
def test_what_does_not_fit_is_named(answer: dict[str, Any], fault: str) -> None:
    assert answer_faults(SCHEMA, answer) == [fault]


def test_faults_come_in_one_order() -> None:
    answer = {"zz": 1, "aa": 2, "mm": 3, "kind": "c"}
    names = [text.split("`")[1] for text in answer_faults(SCHEMA, answer)]
    assert names == ["exists", "kind", "aa", "mm", "zz"]


def test_a_question_without_a_schema_takes_any_answer() -> None:
    assert list(faults_of({})({"anything": 1})) == []
    assert list(faults_of({"answer_schema": None})({})) == []
    assert list(faults_of({"answer_schema": SCHEMA})({})) == ["`exists` is missing"]
