"""Calls beyond the budget reach nothing and are not recorded; paces are kept."""

from __future__ import annotations

import threading
from collections.abc import Callable

import pytest

from groundeval.runs.agent import Budget, BudgetSpent
from groundeval.runs.budget import Budgeted
from groundeval.runs.pace import Pace
from groundeval.runs.tools import Tools
from tests.runs.desks import desk


class Hours:
    """A clock that stands until it is moved."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


def budgeted(budget: Budget, clock: Callable[[], float] | None = None) -> tuple[Tools, Budgeted]:
    tools = Tools(desk().contract, desk().drawn.questions[0])
    return tools, Budgeted(tools, budget, clock or Hours())


def test_calls_beyond_the_steps_reach_nothing() -> None:
    tools, within = budgeted(Budget(steps=2))
    assert within.fetch("T-1").available
    within.search("solution", "wiki")
    for call in (lambda: within.fetch("T-1"), lambda: within.search("x")):
        with pytest.raises(BudgetSpent, match="out of steps: 2"):
            call()
    assert [step.tool for step in tools.steps] == ["fetch", "search"]


def test_no_step_may_be_allowed_at_all() -> None:
    tools, within = budgeted(Budget(steps=0))
    with pytest.raises(BudgetSpent):
        within.search()
    assert tools.steps == ()


def test_calls_beyond_the_seconds_reach_nothing() -> None:
    clock = Hours()
    tools, within = budgeted(Budget(seconds=2.5), clock)
    clock.now += 2.5
    within.search("x")
    clock.now += 0.1
    with pytest.raises(BudgetSpent, match=r"out of time: 2\.5 s"):
        within.search("x")
    assert len(tools.steps) == 1


def test_nothing_is_let_through_once_the_attempt_is_over() -> None:
    tools, within = budgeted(Budget())
    within.close()
    with pytest.raises(BudgetSpent, match="has ended"):
        within.fetch("T-1")
    assert tools.steps == ()


def test_refused_calls_are_noted_while_the_attempt_lasts_and_cost_no_step() -> None:
    tools, within = budgeted(Budget(steps=1))
    within.note("delete", {"id": "T-1"})
    assert within.fetch("T-1").available
    for _ in range(1_100):
        within.note("search", {"as_of": "2030"})
    assert [step.tool for step in tools.steps[:3]] == ["other", "fetch", "other"]
    assert len(tools.steps) == 1_001
    tools, within = budgeted(Budget())
    within.close()
    within.note("search", {})
    assert tools.steps == ()


def test_calls_of_many_threads_are_counted_and_numbered_one_by_one() -> None:
    tools, within = budgeted(Budget(steps=60))
    refused: list[str] = []

    def call() -> None:
        for _ in range(20):
            try:
                within.search("solution T-1", "wiki")
            except BudgetSpent as spent:
                refused.append(str(spent))

    threads = [threading.Thread(target=call) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [step.n for step in tools.steps] == list(range(1, 61))
    assert refused == ["out of steps: 60"] * 20


class Waiting(threading.Event):
    """An event that notes how long it was waited for, and lets the clock jump that far."""

    def __init__(self, clock: Hours) -> None:
        super().__init__()
        self.clock = clock
        self.waited: list[float] = []

    def wait(self, timeout: float | None = None) -> bool:
        assert timeout is not None
        self.waited.append(round(timeout, 6))
        self.clock.now += timeout
        return self.is_set()


def test_attempts_begin_evenly_and_time_that_went_by_is_not_saved_up() -> None:
    clock = Hours()
    pace, stop = Pace(30, clock=clock), Waiting(clock)
    assert [pace.wait(stop) for _ in range(3)] == [True] * 3
    assert stop.waited == [2.0, 2.0]
    clock.now += 60
    assert [pace.wait(stop) for _ in range(2)] == [True] * 2
    assert stop.waited == [2.0, 2.0, 2.0]


def test_without_a_pace_nothing_waits_and_a_stop_ends_the_waiting() -> None:
    clock = Hours()
    stop = Waiting(clock)
    assert Pace(clock=clock).wait(stop)
    pace = Pace(1, clock=clock)
    assert pace.wait(stop)
    stop.set()
    assert not pace.wait(stop)
    assert not Pace(clock=clock).wait(stop)
