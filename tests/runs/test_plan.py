"""Which attempts a run makes, and which of those that are there count as its own."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import msgspec
import pytest

from groundeval.runs.agent import Budget, Identity, Mode
from groundeval.runs.plan import Conditions, Plan, mark_of
from groundeval.runs.runner import Runner
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace, read_trace
from groundeval.world.findings import Place
from groundeval.world.json_text import decode_json
from tests.runs.desks import Playing, desk

CONDITIONS = Conditions(contract="sha256:1")
IDENTITY = Identity(name="a", version="1", model="m", settings={"temperature": 0})


def plan(epochs: int = 2, **changed: Any) -> Plan:
    questions = desk().drawn.questions[:3]
    return Plan(questions, IDENTITY, replace(CONDITIONS, **changed), epochs)


@pytest.mark.parametrize(
    "other",
    [
        replace(CONDITIONS, contract="sha256:2"),
        replace(CONDITIONS, mode=Mode.CONTEXT),
        replace(CONDITIONS, gated=False),
        replace(CONDITIONS, budget=Budget(steps=3)),
        replace(CONDITIONS, budget=Budget(seconds=3)),
        replace(CONDITIONS, budget=Budget(tokens=3)),
        replace(CONDITIONS, backend="sqlite"),
        replace(CONDITIONS, context_tokens=3),
        replace(CONDITIONS, seal="hmac-sha256:1"),
    ],
)
def test_every_condition_makes_another_key(other: Conditions) -> None:
    assert other.key(IDENTITY) != CONDITIONS.key(IDENTITY)


@pytest.mark.parametrize(
    "changed",
    [{"name": "b"}, {"version": "2"}, {"model": "n"}, {"settings": {"temperature": 1}}],
)
def test_everything_about_an_agent_makes_another_key(changed: dict[str, Any]) -> None:
    other = msgspec.structs.replace(IDENTITY, **changed)
    assert CONDITIONS.key(other) != CONDITIONS.key(IDENTITY)


def test_all_questions_come_once_before_any_comes_twice() -> None:
    ids = [q.id for q in plan().questions]
    due = plan().due({})
    assert [(a.question.id, a.epoch) for a in due] == [(q, e) for e in (1, 2) for q in ids]
    assert plan().size == len(due) == 6


def test_a_trace_tells_by_itself_which_attempt_it_was() -> None:
    compiled = desk()
    agent = Playing(model="m")
    conditions = Conditions(compiled.contract.digest, budget=Budget(steps=9, seconds=1.5))
    ours = Plan(compiled.drawn.questions[:2], agent.identity, conditions)
    attempts = ours.due({})
    trace = Runner(compiled.contract, agent, ours).trace_of(attempts[0])
    record = decode_json(encode_trace(trace))
    assert isinstance(record, dict), record
    read = read_trace(record, Place("t", 1))
    assert isinstance(read, type(trace))
    assert [a.question.id for a in ours.due({mark_of(read): False})] == [attempts[1].question.id]
    assert read.settings is not None
    assert read.settings["run"] | {"key": ""} == {"key": "", "steps": 9, "seconds": 1.5}


def test_errors_are_due_again_only_where_that_is_asked_for() -> None:
    ours = plan(epochs=1)
    key = ours.conditions.key(IDENTITY)
    first, second, third = (ours._mark(a, key) for a in ours.due({}))
    made = {first: True, second: False}
    assert [a.question.id for a in ours.due(made)] == [third.question]
    again = ours.due(made, retry_errors=True)
    assert [a.question.id for a in again] == [first.question, third.question]


def test_strangers_are_of_the_same_name_mode_and_gating_under_another_key() -> None:
    ours = plan(epochs=1)
    key = ours.conditions.key(IDENTITY)
    mine = ours._mark(ours.due({})[0], key)
    assert ours.strangers({mine: False}) == []
    other = mine._replace(key="sha256:other")
    served = mine._replace(key="")
    elsewhere = [
        mine._replace(key="", **c) for c in ({"agent": "b"}, {"mode": "context"}, {"gated": False})
    ]
    assert ours.strangers(dict.fromkeys([mine, other, served, *elsewhere], False)) == [
        other,
        served,
    ]


def test_a_plan_that_begins_anew_takes_out_its_own_questions_and_what_it_cannot_stand_beside() -> (
    None
):
    whole = plan(epochs=2)
    first = Plan(whole.questions[:1], IDENTITY, CONDITIONS)
    key = CONDITIONS.key(IDENTITY)
    mine, other = (whole._mark(attempt, key) for attempt in whole.due({})[:2])
    assert first.replaces(mine)
    assert first.replaces(mine._replace(epoch=2))
    assert not first.replaces(other), "it was not asked for"
    assert first.replaces(other._replace(key="sha256:other"))
    for change in ({"agent": "b"}, {"mode": "context"}, {"gated": False}):
        assert not first.replaces(mine._replace(**change))


@pytest.mark.parametrize("settings", [None, {}, {"run": None}, {"run": {"key": 3}}, {"run": "x"}])
def test_traces_that_no_run_made_have_no_key(settings: Any) -> None:
    assert mark_of(Trace(question="q", settings=settings)).key == ""
