"""Sessions: one question in this process, with its tools, its answer and its trace."""

from __future__ import annotations

import ast
import asyncio
import inspect
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, get_type_hints

import msgspec
import pytest

import groundeval
from groundeval import AnswerError, OpenContract, ProjectError, Reply, Session, SessionEnded
from groundeval.api import compile_project, open_project, prepare_scoring, score_files
from groundeval.questions.model import Question
from groundeval.runs.agent import BudgetSpent
from groundeval.runs.session import NO_ANSWER, Attempt, ToolSession
from groundeval.scoring.model import Result
from groundeval.traces.chain import chain
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace, read_traces
from tests.runs.test_tools import DESK

ROOT = Path(__file__).resolve().parents[2]
SUPPORT = ROOT / "examples" / "support"
SCHEMA = {
    "type": "object",
    "properties": {
        "known": {"type": "boolean"},
        "found": {"type": "array", "items": {"type": "string"}},
        "abstain": {"type": "boolean"},
    },
    "required": ["known"],
    "additionalProperties": False,
}
ASKED = Question(
    id="q-1", track="t", text="Was it known?", actor="zoë", as_of="2026-03-09T00:00:00Z",
    answer_schema=SCHEMA, truth={"known": "the secret"}, stratum="secret",
)  # fmt: skip


def session(**named: Any) -> ToolSession:
    return ToolSession(DESK, ASKED, Attempt(**named))


@pytest.fixture(scope="module")
def support() -> Iterator[OpenContract]:
    with OpenContract(SUPPORT) as held:
        yield held


def first(support: OpenContract) -> str:
    return next(name for name, asked in support.questions.items() if asked["keys"])


# --- the tools


def test_calls_answer_as_the_gated_tools_do_and_are_recorded() -> None:
    with session() as asked:
        assert [hit.id for hit in asked.search("outage").hits] == ["W-1"]
        assert asked.fetch("W-1").text == "the outage of ESC-42"
        assert not asked.fetch("C-1").available
        assert not asked.search("outage", "crm").available
        trace = asked.answer({"known": True})
    assert [step.tool for step in trace.steps] == ["search", "fetch", "fetch", "search"]
    assert trace.steps[0].suppressed == ("C-1", "W-2")
    assert all(step.latency_ms is not None for step in trace.steps)
    assert trace.recorder is not None
    assert trace.recorder.chain == chain(trace.steps)


def test_the_question_is_its_visible_part_and_a_copy() -> None:
    asked = session()
    assert "the secret" not in json.dumps(asked.question)
    assert asked.question["text"] == "Was it known?"
    asked.question["answer_schema"]["properties"].clear()
    with pytest.raises(AnswerError):
        asked.answer({"known": "yes"})


@pytest.mark.parametrize("odd", [None, 7, "../x", "\x00", "\ud800", ["W-1"], "x" * 5000])
def test_odd_arguments_are_answered_not_raised(odd: Any) -> None:
    asked = session()
    assert asked.search(odd, odd, odd).hits == ()
    assert not asked.fetch(odd).available
    msgspec.json.encode(asked.trace)


def test_parallel_calls_take_turns() -> None:
    asked = session()
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: asked.fetch(f"X-{n}"), range(200)))
    assert [step.n for step in asked.trace.steps] == list(range(1, 201))


# --- the answer


def test_what_does_not_fit_names_its_fields_and_may_be_said_again() -> None:
    with session() as asked:
        with pytest.raises(AnswerError) as raised:
            asked.answer({"known": "yes", "found": [1], "more": 1})
        assert raised.value.faults == (
            "`known` is not true or false but a text",
            "`found` holds something that is not text but a number",
            "`more` is no field of the answer",
        )
        assert str(raised.value).startswith("the answer to q-1 does not fit: `known` is not")
        assert asked.fetch("W-1").available
        trace = asked.answer({"known": False})
    assert trace.answer == {"known": False}
    assert trace.error is None


def test_the_last_answer_stands_where_none_fitted() -> None:
    with pytest.raises(AnswerError), session() as asked:
        asked.answer({"known": "yes"})
    assert asked.trace.answer == {"known": "yes"}
    assert asked.trace.error is None


def test_an_answer_is_kept_as_a_file_of_traces_will_have_it(tmp_path: Path) -> None:
    asked = session()
    asked.answer({"known": True, "found": ("W-1", "W-2")})
    assert asked.trace.answer == {"known": True, "found": ["W-1", "W-2"]}
    asked.append_to(tmp_path / "t.jsonl")
    (read,) = read_traces([tmp_path / "t.jsonl"])
    assert isinstance(read, Trace)
    assert encode_trace(read) == encode_trace(asked.trace)


@pytest.mark.parametrize(
    "answer",
    [{"known": float("nan")}, {"known": object()}, {"known": "\ud800"}, {"known": 1 << 80}, {}],
)
def test_what_no_trace_can_hold_does_not_fit(answer: dict[str, Any]) -> None:
    with pytest.raises(AnswerError):
        session().answer(answer)


def test_a_reply_carries_what_an_agent_says_of_itself() -> None:
    reply = Reply(
        answer={"known": True}, cited=("W-1",), usage={"input_tokens": 7}, model="m-1",
        inferred=True,
    )  # fmt: skip
    trace = session(agent="mine", epoch=3).answer(reply)
    assert (trace.agent, trace.epoch, trace.mode, trace.gated) == ("mine", 3, "tool", True)
    assert (trace.cited, trace.usage, trace.model) == (("W-1",), {"input_tokens": 7}, "m-1")
    assert trace.fidelity == {"answer": "inferred"}
    assert trace.started is not None
    gave_up = session().answer(Reply(error="out of ideas"))
    assert (gave_up.answer, gave_up.error) == (None, "out of ideas")
    with pytest.raises(AnswerError, match="there is no answer in it"):
        session().answer(Reply())


def test_nothing_comes_after_the_end() -> None:
    asked = session()
    asked.answer({"known": True})
    for call in (
        lambda: asked.search("x"), lambda: asked.fetch("W-1"), lambda: asked.answer({"known": True}),
    ):  # fmt: skip
        with pytest.raises(SessionEnded, match="q-1"):
            call()
    with session() as left:
        left.fetch("W-1")
    with pytest.raises(SessionEnded):
        left.fetch("W-1")
    assert (left.trace.answer, left.trace.error) == (None, NO_ANSWER)


def test_an_exception_becomes_the_traces_error_and_goes_on() -> None:
    with pytest.raises(KeyError), session() as asked:
        raise KeyError("lost")
    assert asked.trace.error == "KeyError: 'lost'"
    answered = session()
    answered.answer({"known": True})
    with pytest.raises(RuntimeError), answered:
        raise RuntimeError
    assert answered.trace.error is None
    assert answered.trace.answer == {"known": True}


# --- async, and functions for frameworks


def test_async_calls_are_the_same_calls() -> None:
    async def attempt() -> ToolSession:
        async with session() as asked:
            found = await asyncio.gather(asked.asearch("outage", limit=1), asked.afetch("W-1"))
            assert found[0].hits[0].id == found[1].id == "W-1"
            await asked.aanswer({"known": True})
        return asked

    trace = asyncio.run(attempt()).trace
    assert sorted(step.tool for step in trace.steps) == ["fetch", "search"]
    assert trace.answer == {"known": True}


def test_functions_say_what_models_are_told() -> None:
    search, fetch = session().functions()
    assert (search.__name__, fetch.__name__) == ("search", "fetch")
    assert get_type_hints(search) == {
        "query": str, "subsystem": str | None, "limit": int | None, "return": str,
    }  # fmt: skip
    assert [*inspect.signature(fetch).parameters] == ["id"]
    for function in (search, fetch):
        doc = inspect.getdoc(function) or ""
        for name in inspect.signature(function).parameters:
            assert f"    {name}: " in doc


def test_functions_give_json_and_one_text_for_all_that_is_closed() -> None:
    asked = session()
    search, fetch = asked.functions()
    assert [hit["id"] for hit in json.loads(search("outage"))] == ["W-1"]
    assert json.loads(fetch("W-1"))["text"] == "the outage of ESC-42"
    closed = {fetch("C-1"), fetch("W-2"), fetch("X-1"), search("x", "crm"), search("x", "none")}
    assert closed == {"not available"}
    assert len(asked.trace.steps) == 7


def test_a_spent_budget_is_told_and_not_raised() -> None:
    class Spent:
        def search(self, query: object = "", subsystem: object = None, limit: object = None) -> Any:
            raise BudgetSpent("the budget of 3 steps is spent")

        def fetch(self, artifact_id: object) -> Any:
            raise BudgetSpent("the budget of 3 steps is spent")

    search, fetch = groundeval.tool_functions(Spent())
    assert search("x") == fetch("x") == "the budget of 3 steps is spent"


# --- over a project


def test_a_session_over_a_project_scores_as_the_command_does(
    support: OpenContract, tmp_path: Path
) -> None:
    for name in list(support.questions)[:6]:
        with support.session(name, agent="mine") as asked:
            for key in asked.question["keys"]:
                asked.fetch(key)
            with pytest.raises(AnswerError):
                asked.answer({"no-such-field": 1})
        asked.append_to(tmp_path / "traces.jsonl")
        own = asked.score()
        assert own.question == name
        assert own.outcome == "malformed"
    project = open_project(SUPPORT).value
    assert project is not None
    scoring = prepare_scoring(project).value
    assert scoring is not None
    found = list(score_files(scoring, [tmp_path / "traces.jsonl"]))
    results = [item for item in found if isinstance(item, Result)]
    assert [len(results), len(found)] == [6, 7], "the field that no track asks for is warned of"
    assert msgspec.to_builtins(results[-1]) == msgspec.to_builtins(own)


def test_a_session_takes_a_path_a_contract_or_what_was_compiled(support: OpenContract) -> None:
    name = first(support)
    project = open_project(SUPPORT).value
    assert project is not None
    compiled = compile_project(project).value
    assert compiled is not None
    made = [Session(SUPPORT, name), Session(support, name), OpenContract(compiled).session(name)]
    assert len({json.dumps(s.question, sort_keys=True) for s in made}) == 1


def test_questions_hold_no_truth(support: OpenContract) -> None:
    assert len(support.questions) > 20
    for asked in support.questions.values():
        assert not {"truth", "places", "stratum", "pair", "about"} & asked.keys()


def test_another_backend_serves_a_session() -> None:
    with OpenContract(SUPPORT, backend="sqlite") as held, held.session(first(held)) as asked:
        key = asked.question["keys"][0]
        assert asked.search(key).hits
        recorder = asked.trace.recorder
    assert recorder is not None
    assert recorder.backend == "sqlite"


def test_mistakes_of_callers_are_named(support: OpenContract, tmp_path: Path) -> None:
    with pytest.raises(groundeval.UnknownQuestion, match=f"did you mean `{first(support)}`"):
        support.session(first(support)[:-1])
    with pytest.raises(LookupError, match="there are "):
        support.session("?")
    with pytest.raises(ProjectError, match="GEV870"):
        OpenContract(SUPPORT, backend="sqlit")
    with pytest.raises(ProjectError, match=r"groundeval\.yaml"):
        Session(tmp_path, "q")
    (tmp_path / "groundeval.yaml").write_text("contract: a.gev\n")
    (tmp_path / "a.gev").write_text("gev 1\ndomain\n")
    with pytest.raises(ProjectError) as raised:
        Session(tmp_path / "groundeval.yaml", "q")
    assert raised.value.findings[0].span.file == str(tmp_path / "a.gev")
    assert "2 | domain" in str(raised.value)


# --- the package's face


def test_public_names_are_there_and_cost_nothing_before_they_are_asked_for() -> None:
    for name in groundeval.__all__:
        assert getattr(groundeval, name) is not None
        assert name in dir(groundeval)
    typed = (ROOT / "groundeval" / "__init__.pyi").read_text(encoding="utf-8")
    assert ast.literal_eval(typed.partition("__all__ = ")[2]) == sorted(groundeval.__all__)
    with pytest.raises(AttributeError, match="no attribute `session_`"):
        getattr(groundeval, "session_")  # noqa: B009 - a type checker would know better
    script = (
        "import sys, groundeval\n"
        "loaded = [m for m in sys.modules if m.startswith('groundeval.')]\n"
        "assert not loaded, loaded\n"
        "assert not {'msgspec', 'pydantic', 'asyncio'} & set(sys.modules)\n"
        "groundeval.Reply(answer={})\n"
        "assert 'groundeval.api' not in sys.modules\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr
