"""The same questions answered in two ways, side by side."""

from __future__ import annotations

import itertools
from typing import Any

import pytest

from groundeval.scoring.model import Result, ScoreDetail
from groundeval.scoring.summary import Contrast
from groundeval.scoring.totals import summarise


def result(question: str, score: float, **changed: Any) -> Result:
    whole: dict[str, Any] = {
        "question": question, "track": "t", "agent": "a", "epoch": 1,
        "answer": ScoreDetail(score, {}), "trajectory": ScoreDetail(1.0, {}),
        "combined": score, "v": 0.0, "rate": (0.0, 1.0), "s_adj": score, "outcome": "valid",
        "correct": score == 1.0, "sound": True, **changed,
    }  # fmt: skip
    return Result(**whole)


def contrasts(*results: Result) -> list[Contrast]:
    found = [
        summarise(order).contrasts for order in itertools.islice(itertools.permutations(results), 9)
    ]
    assert all(f == found[0] for f in found), "the order of results shows"
    return found[0]


def test_looking_beside_not_looking_over_the_questions_that_both_answered() -> None:
    (found,) = contrasts(
        result("q1", 1.0),
        result("q2", 1.0),
        result("q3", 0.0),  # never asked without tools
        result("q1", 0.25, mode="zero-shot"),
        result("q2", 0.75, mode="zero-shot"),
        result("q4", 1.0, mode="zero-shot"),
    )
    assert (found.first, found.second, found.questions) == ("tool", "zero-shot", 2)
    answer = found.figures["answer"]
    assert (answer.first, answer.second, answer.difference) == (1.0, 0.5, 0.5)
    assert set(found.figures) == {"answer", "correct"}
    assert answer.interval == (0.25, 0.75)


def test_gates_beside_none_by_every_figure() -> None:
    (found,) = contrasts(
        result("q1", 1.0),
        result("q1", 0.5, gated=False, sound=False),
        result("q2", 1.0),
        result("q2", 1.0, gated=False),
    )
    assert (found.first, found.second) == ("tool, gated", "tool, ungated")
    figures = {name: figure.difference for name, figure in found.figures.items()}
    assert figures == {"answer": 0.25, "correct": 0.5, "sound": 0.5, "s_adj": 0.25}


def test_epochs_weigh_a_question_no_more() -> None:
    (found,) = contrasts(
        result("q1", 1.0), result("q1", 0.0, epoch=2), result("q2", 1.0),
        result("q1", 0.0, mode="zero-shot"), result("q2", 0.0, mode="zero-shot"),
    )  # fmt: skip
    assert found.figures["answer"].first == 0.75


def test_each_agent_and_track_by_itself() -> None:
    found = contrasts(
        *(result("q1", 1.0, agent=a, track=t) for a in "ab" for t in ("s", "t")),
        *(result("q1", 0.0, agent=a, track="t", mode="zero-shot") for a in "ab"),
    )
    assert [(c.agent, c.track) for c in found] == [("a", "t"), ("b", "t")]
    assert all(c.figures["answer"].interval is None for c in found), "one question has no spread"


@pytest.mark.parametrize(("questions", "settled"), [(2, False), (5, False), (6, True)])
def test_the_same_gap_on_a_few_questions_may_be_chance(questions: int, settled: bool) -> None:
    (found,) = contrasts(
        *(result(f"q{i}", 1.0) for i in range(questions)),
        *(result(f"q{i}", 0.0, mode="zero-shot") for i in range(questions)),
    )
    assert found.figures["answer"].difference == 1
    assert found.figures["answer"].interval == ((1.0, 1.0) if settled else None)


@pytest.mark.parametrize("outcome", ["agent_error", "unobserved"])
def test_what_is_in_no_denominator_is_in_no_contrast(outcome: str) -> None:
    assert contrasts(result("q1", 1.0), result("q1", 0.0, mode="zero-shot", outcome=outcome)) == []


def test_nothing_shared_is_no_contrast() -> None:
    assert contrasts(result("q1", 1.0), result("q2", 0.0, mode="zero-shot")) == []
    assert contrasts(result("q1", 1.0), result("q1", 1.0, mode="context")) == []
    assert contrasts(result("q1", 1.0), result("q1", 1.0, mode="context", gated=False)) == []


def test_three_ways_are_set_side_by_side_where_that_says_something() -> None:
    found = contrasts(
        result("q1", 1.0), result("q1", 1.0, gated=False), result("q1", 0.5, mode="context"),
        result("q1", 0.0, mode="zero-shot"),
    )  # fmt: skip
    assert [(c.first, c.second) for c in found] == [
        ("context", "zero-shot"),
        ("tool", "zero-shot"),
        ("tool, gated", "tool, ungated"),
    ]
