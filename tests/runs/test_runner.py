"""One attempt, from the task that an agent gets to the trace that is kept."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundeval.contracts.contract import Contract
from groundeval.questions.model import visible_part
from groundeval.runs.agent import Budget, BudgetSpent, Mode, Reply, Task
from groundeval.runs.context import packed
from groundeval.runs.plan import Attempt, Conditions, Plan, mark_of
from groundeval.runs.runner import Runner
from groundeval.traces.chain import chain
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace, read_trace
from groundeval.world.findings import Place
from groundeval.world.json_text import decode_json
from tests.runs.desks import Playing, big_desk, compiled_in, desk, looking

QUESTION = 0


def contract() -> Contract:
    return desk().contract


def runner(
    does: Callable[[Task], Reply] = looking, seal_key: bytes | None = None, **changed: Any
) -> Runner:
    conditions = replace(Conditions(contract().digest), **changed)
    agent = Playing(does, settings={"temperature": 0}, model="m")
    plan = Plan(desk().drawn.questions, agent.identity, conditions)
    return Runner(contract(), agent, plan, seal_key)


def attempt(does: Callable[[Task], Reply] = looking, epoch: int = 1, **changed: Any) -> Trace:
    question = desk().drawn.questions[QUESTION]
    trace = runner(does, **changed).trace_of(Attempt(question, epoch))
    record = decode_json(encode_trace(trace))
    assert isinstance(record, dict), record
    read = read_trace(record, Place("t", 1))
    assert isinstance(read, Trace), read
    assert encode_trace(read) == encode_trace(trace), "what is written is what is read"
    return trace


def test_a_trace_has_everything_that_was_done_and_said() -> None:
    def agent(task: Task) -> Reply:
        assert task.tools is not None
        task.tools.fetch("T-1")
        return Reply(
            answer={"exists": False},
            cited=("T-1",),
            usage={"input_tokens": 3},
            prompt="sha256:p",
            inferred=True,
        )

    trace = attempt(agent, epoch=3, gated=False)
    assert (trace.agent, trace.model, trace.mode, trace.gated, trace.epoch) == (
        "playing", "m", "tool", False, 3,
    )  # fmt: skip
    assert [(s.tool, s.artifact, s.results) for s in trace.steps] == [("fetch", "T-1", ("T-1",))]
    assert (trace.answer, trace.cited) == ({"exists": False}, ("T-1",))
    assert (trace.usage, trace.prompt, trace.error) == ({"input_tokens": 3}, "sha256:p", None)
    assert trace.fidelity == {"answer": "inferred"}
    assert trace.settings is not None
    assert trace.settings["temperature"] == 0
    assert trace.started is not None
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z", trace.started)
    assert trace.steps[0].latency_ms is not None
    assert trace.recorder is not None
    assert trace.recorder.contract == contract().digest
    assert trace.recorder.chain == chain(trace.steps)


def test_a_sealed_trace_has_an_hmac_in_its_chain() -> None:
    made = runner(seal_key=b"k", seal=chain((), b"k"))
    trace = made.trace_of(Attempt(desk().drawn.questions[QUESTION], 1))
    assert trace.recorder is not None
    assert trace.recorder.chain == chain(trace.steps, b"k")


def test_the_model_that_answered_stands_in_the_trace_and_not_in_its_key() -> None:
    plain = attempt()
    served = attempt(lambda task: msgspec.structs.replace(looking(task), model="m-2026"))
    assert (plain.model, served.model) == ("m", "m-2026")
    assert mark_of(plain) == mark_of(served)
    assert plain.settings is not None
    assert served.settings is not None
    assert "model" not in plain.settings["run"]
    assert served.settings["run"]["model"] == "m", "what was asked for is not lost"


@pytest.mark.parametrize("mode", Mode)
def test_a_task_has_what_its_mode_gives_and_nothing_else(mode: Mode) -> None:
    seen: list[Task] = []

    def agent(task: Task) -> Reply:
        seen.append(task)
        return Reply(answer={"exists": True})

    size = 20_000 if mode is Mode.CONTEXT else None
    trace = attempt(agent, mode=mode, budget=Budget(steps=5), context_tokens=size)
    (task,) = seen
    question = desk().drawn.questions[QUESTION]
    assert task.question == visible_part(question)
    assert (task.mode, task.epoch, task.budget) == (mode, 1, Budget(steps=5))
    assert (task.tools is not None) == (mode is Mode.TOOL)
    expected = packed(contract(), question, tokens=20_000) if mode is Mode.CONTEXT else None
    assert task.given == (expected.given if expected else ())
    given = [step for step in trace.steps if step.tool == "given"]
    assert len(given) == len(trace.steps) == (len(expected.handed) if expected else 0)
    assert {i for s in given for i in s.results} == {d.id for d in task.given}
    assert trace.mode == mode.value


def test_the_settings_of_a_context_say_its_size_and_what_had_no_room() -> None:
    whole = attempt(mode=Mode.CONTEXT, context_tokens=20_000).settings
    tiny = attempt(mode=Mode.CONTEXT, context_tokens=1).settings
    assert whole is not None
    assert tiny is not None
    assert (whole["run"]["context_tokens"], whole["run"]["left_out"]) == (20_000, 0)
    assert tiny["run"]["left_out"] > 0


def test_an_ungated_context_is_packed_without_gates(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[bool] = []

    def packing(*arguments: Any, gated: bool, **named: Any) -> Any:
        asked.append(gated)
        return packed(*arguments, gated=gated, **named)

    monkeypatch.setattr("groundeval.runs.runner.packed", packing)
    attempt(mode=Mode.CONTEXT, gated=False)
    attempt(mode=Mode.CONTEXT)
    assert asked == [False, True]


def test_an_agent_may_answer_once_its_budget_is_spent() -> None:
    def agent(task: Task) -> Reply:
        assert task.tools is not None
        spent = []
        for _ in range(4):
            try:
                task.tools.search("solution")
            except BudgetSpent as told:
                spent.append(str(told))
        return Reply(answer={"exists": False, "reasoning": "; ".join(spent)})

    trace = attempt(agent, budget=Budget(steps=2))
    assert trace.answer == {"exists": False, "reasoning": "out of steps: 2; out of steps: 2"}
    assert len(trace.steps) == 2


def test_what_an_agent_calls_after_its_end_is_no_part_of_the_trace() -> None:
    late = threading.Event()
    refused = threading.Event()

    def agent(task: Task) -> Reply:
        def linger() -> None:
            late.wait(10)
            assert task.tools is not None
            with pytest.raises(BudgetSpent):
                task.tools.fetch("T-1")
            refused.set()

        threading.Thread(target=linger, daemon=True).start()
        return Reply(error="out of time: 30 s")

    trace = attempt(agent)
    late.set()
    assert refused.wait(10)
    assert (trace.steps, trace.error) == ((), "out of time: 30 s")


def test_an_error_keeps_the_steps_and_the_usage() -> None:
    def agent(task: Task) -> Reply:
        looking(task)
        return Reply(error="the model refused", usage={"input_tokens": 4})

    trace = attempt(agent)
    assert (trace.error, trace.answer, trace.usage) == (
        "the model refused",
        None,
        {"input_tokens": 4},
    )
    assert len(trace.steps) == 2


def _deep() -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _ in range(80):
        found = {"a": found}
    return found


def _endless() -> dict[str, Any]:
    found: dict[str, Any] = {}
    found["a"] = found
    return found


UNHELD: dict[str, Any] = {
    "nan": Reply(answer={"exists": float("nan")}),
    "infinite": Reply(answer={"exists": float("inf")}),
    "lone surrogate": Reply(answer={"exists": "\ud800"}),
    "object": Reply(answer={"exists": object()}),
    "long": Reply(answer={"exists": "x" * (1 << 20)}),
    "key": Reply(answer={("a", 1): True}),  # type: ignore[dict-item]
    "deep": Reply(answer=_deep()),
    "endless": Reply(answer=_endless()),
    "no object": Reply(answer="yes"),  # type: ignore[arg-type]
    "cited": Reply(answer={}, cited=(1,)),  # type: ignore[arg-type]
    "usage": Reply(answer={}, usage={"tokens": "many"}),  # type: ignore[dict-item]
    "error": Reply(error="\ud800"),
}


@pytest.mark.parametrize("name", UNHELD)
def test_a_reply_that_no_trace_can_hold_is_an_error(name: str) -> None:
    trace = attempt(lambda _: UNHELD[name])
    assert trace.answer is None
    assert trace.error is not None
    assert trace.error.startswith("the reply cannot be recorded: ")
    assert len(trace.error) < 300


def test_what_json_has_other_kinds_for_is_recorded_as_those() -> None:
    held = {"a": (1, 2.123456789), "b": frozenset("ba"), "e\u0301": None}
    trace = attempt(lambda _: Reply(answer=held, usage={}))
    assert json.loads(encode_trace(trace))["answer"] == {
        "a": [1, 2.123456789], "b": ["a", "b"], "\u00e9": None,
    }  # fmt: skip


def test_a_record_that_no_reader_takes_is_an_error_without_steps(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("groundeval.runs.runner.LONGEST_LINE", 2_000)

    def agent(task: Task) -> Reply:
        for _ in range(50):
            looking(task)
        return Reply(answer={"exists": True})

    trace = attempt(agent)
    assert trace.steps == ()
    assert trace.answer is None
    assert trace.error is not None
    assert "longer than" in trace.error
    assert trace.recorder is not None
    assert trace.recorder.chain == chain(())


def test_what_an_agent_raises_is_a_bug_of_ours_and_is_raised() -> None:
    def agent(_: Task) -> Reply:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        attempt(agent)


def test_what_searches_need_is_built_before_any_attempt(tmp_path: Path) -> None:
    compiled = compiled_in(big_desk(tmp_path, 4))
    plan = Plan(compiled.drawn.questions, Playing().identity, Conditions("c"))
    Runner(compiled.contract, Playing(), plan).prepare()
    assert set(compiled.contract.index._segments) == {"handbook", "tickets", "wiki"}
