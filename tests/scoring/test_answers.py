"""Answers against the fields that a track declares: hostile, partial, and right ones."""

from __future__ import annotations

from typing import Any

import pytest

from groundeval.questions.model import Question
from groundeval.scoring.answers import AnswerReader
from tests.scoring.desk import own_track

TRACK = own_track(
    """answer {
      verdict: bool
      note: text?
      amount: number?
      day: time?
      main: artifact?
      kind: one of ["alpha one", "beta"]
      found: set<artifact>
      why: text ignored
    }
    score answer { "a" 1 of answer.verdict == truth.verdict }
    score trajectory { "t" 1 of true }
    weights answer 0.5, trajectory 0.5
    correct when answer.verdict == truth.verdict"""
)
READER = AnswerReader(TRACK)
GOOD: dict[str, Any] = {"verdict": True, "kind": "beta"}


def read(raw: Any, schema: dict[str, Any] | None = None) -> Any:
    question = Question(id="q", track="own", answer_schema=schema)
    return READER.read(raw, READER.choices(question))


def faults(raw: Any) -> dict[str, str]:
    return {fault.field: fault.reason for fault in read(raw).faults}


def test_a_good_answer() -> None:
    answer = read({**GOOD, "found": ["b", "a", "b"], "main": "m", "day": "2026-03-01T00:00:00Z"})
    assert answer.faults == ()
    assert answer.values["found"] == frozenset({"a", "b"})
    assert answer.values["day"] == 1_772_323_200_000_000
    assert answer.values["note"] is None
    assert "why" not in answer.values
    assert answer.cited == frozenset({"a", "b", "m"})


@pytest.mark.parametrize("raw", [None, {}, {"verdict": None}, [], "yes"])
def test_nothing_lacks_every_required_field(raw: Any) -> None:
    assert faults(raw) == {"verdict": "is missing", "kind": "is missing"}
    assert read(raw).values["found"] == frozenset()


@pytest.mark.parametrize(
    ("field", "value", "reason"),
    [
        ("verdict", 1, "is not true or false but `1`"),
        ("verdict", "true", "is not true or false but `true`"),
        ("note", 3, "is not a text but `3`"),
        ("amount", True, "is not a number but `true`"),
        ("amount", float("nan"), "is too large, or no number at all"),
        ("amount", float("inf"), "is too large, or no number at all"),
        ("day", "2026-03-01T00:00:00", "names no time zone"),
        ("day", ["2026"], "is not an instant but a list"),
        ("main", ["x"], "is not the id of an artifact but a list"),
        ("kind", "gamma", "is none of the choices: `gamma`"),
        ("found", "a", "is not a list but a text"),
        ("found", ["a", 1], "holds something that is not the id of an artifact but `1`"),
        ("found", [["a"]], "holds something that is not the id of an artifact but a list"),
        ("found", {"a": 1}, "is not a list but an object"),
    ],
)
def test_a_field_of_another_type_is_at_fault_and_missing(
    field: str, value: Any, reason: str
) -> None:
    answer = read({**GOOD, field: value})
    assert [(f.field, f.reason) for f in answer.faults] == [(field, reason)]
    assert answer.values[field] is None
    assert answer.raw[field] is value
    assert answer.cited == frozenset()


def test_choices_compare_as_labels_do_and_the_schema_comes_first() -> None:
    assert faults({**GOOD, "kind": " Alpha-One "}) == {}
    schema = {"properties": {"kind": {"enum": ["delta"]}}}
    assert read({**GOOD, "kind": "delta"}, schema).faults == ()
    assert read({**GOOD, "kind": "beta"}, schema).faults != ()
    odd: list[dict[str, Any]] = [{"properties": []}, {"properties": {"kind": {"enum": "beta"}}}, {}]
    for broken in odd:
        assert read({**GOOD, "kind": "beta"}, broken).faults == ()


def test_texts_are_compared_in_nfc() -> None:
    assert read({**GOOD, "found": ["cafe\u0301"]}).values["found"] == frozenset({"caf\u00e9"})


def test_an_abstention_is_no_hedge() -> None:
    answer = read({**GOOD, "abstain": True, "found": ["a"]})
    assert answer.abstained
    assert answer.faults == ()
    assert answer.values["verdict"] is None
    assert answer.raw == {}
    assert answer.cited == frozenset()
    assert not read({**GOOD, "abstain": False}).abstained
    assert faults({**GOOD, "abstain": "yes"}) == {"abstain": "is not true or false but a text"}


def test_hostile_answers_are_harmless() -> None:
    nested: Any = "x"
    for _ in range(100_000):
        nested = [nested]
    assert faults({**GOOD, "found": nested, "note": nested, "unknown": nested}).keys() == {
        "found",
        "note",
    }
    many = read({**GOOD, "found": [f"id{n}" for n in range(1_000_000)]})
    assert len(many.values["found"]) == 1_000_000
    odd = read({**GOOD, "found": ["a\x00b", "", "\ud800"]})
    assert odd.values["found"] == frozenset({"a\x00b", "", "\ud800"})
    assert faults({**GOOD, "amount": 10**400}) == {"amount": "is too large, or no number at all"}
