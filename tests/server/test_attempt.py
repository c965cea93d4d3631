"""One attempt as it is served: what its tools answer, and when it ends."""

from __future__ import annotations

import json
import threading
from typing import Any

import pytest

from groundeval.questions.model import visible_part
from groundeval.runs.fitting import faults_of
from groundeval.runs.terms import MOST_TRIES, NOT_AVAILABLE
from groundeval.runs.tools import Tools
from groundeval.server.attempt import (
    ENDED,
    Attempt,
    Declined,
    Given,
    Keeping,
)
from tests.runs.desks import desk

QUESTION = desk().drawn.questions[0]
YES: dict[str, Any] = {"exists": True, "evidence_artifacts": []}
NO: dict[str, Any] = {"exists": False, "evidence_artifacts": []}
KEY = QUESTION.keys[0]


class Kept:
    """What becomes of an attempt."""

    def __init__(self) -> None:
        self.tools = Tools(desk().contract, QUESTION)
        self.ends: list[tuple[dict[str, Any] | None, str | None]] = []
        visible = visible_part(QUESTION)
        keeping = Keeping(lambda answer, error: self.ends.append((answer, error)), self.tools.note)
        self.attempt = Attempt(visible, self.tools, faults_of(visible), keeping)


def test_looking_up_is_recorded_and_comes_in_the_shape_that_clients_expect() -> None:
    kept = Kept()
    found = kept.attempt.call("search", {"query": KEY})
    assert isinstance(found, Given)
    (first, *_) = found.content["results"]
    assert {"id", "title", "url", "text"} <= set(first)
    assert first["id"] == KEY
    opened = kept.attempt.call("fetch", {"id": KEY})
    assert isinstance(opened, Given)
    assert set(opened.content) == {"id", "title", "text", "url", "metadata"}
    assert [(s.tool, s.artifact or s.query) for s in kept.tools.steps] == [
        ("search", KEY),
        ("fetch", KEY),
    ]


@pytest.mark.parametrize(
    "name", ["W-404", "", "../T-0", "/etc/passwd", "T-0\0", "file:///T-0", None, 7]
)
def test_what_is_not_there_is_not_available(name: object) -> None:
    assert Kept().attempt.call("fetch", {"id": name}) == Declined(NOT_AVAILABLE)
    assert Kept().attempt.call("search", {"query": "x", "subsystem": "nowhere"}) == Declined(
        NOT_AVAILABLE
    )


@pytest.mark.parametrize("tool", ["search", "fetch", "question"])
def test_nobody_looks_with_other_eyes(tool: str) -> None:
    kept = Kept()
    said = kept.attempt.call(tool, {"actor": "root", "as_of": "9999-01-01T00:00:00Z"})
    assert isinstance(said, Declined)
    assert "has no argument `actor` (and 1 more that it has not)" in said.text
    assert [step.tool for step in kept.tools.steps] == ["other"]


def test_an_answer_that_fits_ends_the_attempt() -> None:
    kept = Kept()
    assert kept.attempt.call("submit_answer", NO) == Given({"accepted": True})
    assert kept.ends == [(NO, None)]
    assert kept.attempt.call("fetch", {"id": KEY}) == Declined(ENDED)
    kept.attempt.end()
    assert len(kept.ends) == 1
    assert kept.tools.steps == ()


def test_an_answer_that_does_not_fit_may_be_sent_again_a_few_times() -> None:
    kept = Kept()
    said = [kept.attempt.call("submit_answer", {"exists": "maybe"}) for _ in range(MOST_TRIES)]
    assert isinstance(said[0], Declined)
    assert "`exists` is not true or false but a text" in said[0].text
    assert "4 more tries" in said[0].text
    assert isinstance(said[-1], Declined)
    assert "No tries are left" in said[-1].text
    assert kept.ends == [({"exists": "maybe"}, None)], "scored as malformed, not lost"


@pytest.mark.parametrize(
    "value",
    ["\ud800", float("nan"), float("inf"), [[]] * 600_000, json.loads("[" * 70 + "]" * 70)],
    ids=["surrogate", "nan", "infinity", "long", "deep"],
)
def test_an_answer_that_no_trace_can_hold_is_none(value: object) -> None:
    kept = Kept()
    said = kept.attempt.call("submit_answer", {**NO, "reasoning": value})
    assert isinstance(said, Declined)
    assert "cannot be recorded" in said.text
    assert kept.attempt.submitted is None
    kept.attempt.end()
    assert kept.ends == [(None, "no answer was submitted")]


def test_an_answer_is_accepted_only_once_it_is_kept() -> None:
    disk = [OSError(28, "No space left on device")] * (MOST_TRIES + 1)
    ends = []

    def record(answer: dict[str, Any] | None, _error: str | None) -> None:
        if disk:
            raise disk.pop()
        ends.append(answer)

    attempt = Attempt(
        visible_part(QUESTION), None, faults_of(visible_part(QUESTION)), Keeping(record)
    )
    while disk:
        with pytest.raises(OSError, match="No space"):
            attempt.call("submit_answer", NO)
        assert not attempt.over
    assert attempt.call("submit_answer", NO) == Given({"accepted": True})
    assert ends == [NO]


def test_a_call_to_no_tool_is_noted() -> None:
    kept = Kept()
    kept.attempt.note("tru\ud800th", {"id": "T-0"})
    assert [step.tool for step in kept.tools.steps] == ["other"]
    assert kept.tools.steps[0].arguments == {"tool": "tru?th", "arguments": {"id": "T-0"}}
    assert kept.attempt.used
    kept.attempt.end()
    kept.attempt.note("truth", {})
    assert len(kept.tools.steps) == 1


def test_an_attempt_that_nobody_used_leaves_no_trace() -> None:
    kept = Kept()
    kept.attempt.call("question", {})
    kept.attempt.end()
    assert kept.ends == []
    assert kept.attempt.over


def test_calls_come_one_after_the_other() -> None:
    kept = Kept()
    threads = [
        threading.Thread(
            target=lambda: [kept.attempt.call("fetch", {"id": KEY}) for _ in range(50)]
        )
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [step.n for step in kept.tools.steps] == list(range(1, 201))
