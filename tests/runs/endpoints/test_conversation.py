"""Conversations with a model over real HTTP: tools, answers, budgets, modes."""

from __future__ import annotations

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from queue import Queue
from threading import Thread
from typing import Any

import msgspec
import pytest

from groundeval import api
from groundeval.questions.model import visible_part
from groundeval.runs.agent import Budget, Mode
from groundeval.runs.budget import Budgeted
from groundeval.runs.endpoints.settings import AnswerBy, Api
from groundeval.runs.replies import FetchReply, SearchHit, SearchReply
from groundeval.runs.tools import Tools
from groundeval.scoring.stream import Scorers, score_traces
from groundeval.scripted import careful
from tests.runs.endpoints.attempts import (
    ANSWER,
    APIS,
    KEY,
    SCHEMA,
    Shelf,
    Solved,
    agent_on,
    attempt,
    calls,
    desk,
    means,
    submits,
    task,
)
from tests.runs.endpoints.stub import scripted
from tests.runs.endpoints.wire import Heard, Said

EACH = pytest.mark.parametrize("of", APIS)
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


class Mind:
    """A model that is a careful agent: its calls go over the wire, and so do their results."""

    def __init__(self, question: Any) -> None:
        self._said: Queue[Said] = Queue()
        self._heard: Queue[str] = Queue()
        self._number = 0
        self._thread = Thread(target=self._think, args=(question,), daemon=True)

    def __call__(self, heard: Heard) -> Said:
        if heard.number == 0:
            self._thread.start()
        else:
            ((call, text),) = heard.results
            assert call == f"call-{self._number}"
            self._heard.put(text)
        return self._said.get(timeout=30)

    def _think(self, question: Any) -> None:
        self._said.put(self._call("submit_answer", careful(question, self)))  # type: ignore[arg-type]

    def _call(self, name: str, arguments: Any) -> Said:
        self._number += 1
        written = json.dumps(arguments, ensure_ascii=bool(self._number % 2))
        return Said(calls=((f"call-{self._number}", name, written),))

    def _got(self, name: str, arguments: Any) -> str:
        self._said.put(self._call(name, arguments))
        return self._heard.get(timeout=30)

    def search(self, query: str = "", subsystem: str | None = None, limit: int = 10) -> SearchReply:
        given = {"query": query, "limit": limit, "subsystem": subsystem}
        text = self._got("search", {name: v for name, v in given.items() if v is not None})
        if text == "not available":
            return SearchReply(available=False)
        return SearchReply(True, msgspec.json.decode(text, type=tuple[SearchHit, ...]))

    def fetch(self, artifact_id: str) -> FetchReply:
        text = self._got("fetch", {"id": artifact_id})
        if text == "not available":
            return FetchReply(artifact_id, available=False)
        return msgspec.json.decode(text, type=FetchReply)


@STREAMS
@EACH
def test_a_model_that_looks_carefully_is_valid(of: Api, stream: bool) -> None:
    scoring = api.scoring_of(desk())
    for question in desk().drawn.questions[::13]:
        solved = Solved(question)
        held = attempt(Mind(solved.task.question), of, solved.task, stream=stream)
        assert held.reply.error is None
        trace = solved.tools.finish(held.reply.answer, held.reply.cited, held.reply.error)
        assert trace.steps
        scorers = Scorers(scoring.tracks, scoring.contract, recorded_flags=False)
        (result,) = score_traces([trace], scoring.questions, scorers, source="t")
        assert result.outcome == "valid", (question.id, result)  # type: ignore[union-attr]


@STREAMS
@EACH
def test_parallel_calls_are_carried_out_in_order(of: Api, stream: bool) -> None:
    shelf = Shelf()
    asked = [("search", {"query": "ä “é”", "limit": 3}), ("fetch", {"id": "W-1"}),
             ("fetch", {"id": "no"}), ("search", {"query": "x", "subsystem": "hr"})]  # fmt: skip
    held = attempt(scripted(calls(*asked), submits()), of, task(shelf), stream=stream)
    assert held.reply.answer == ANSWER
    assert shelf.calls == [
        ("search", ("ä “é”", None, 3)), ("fetch", "W-1"), ("fetch", "no"),
        ("search", ("x", "hr", None)),
    ]  # fmt: skip
    told = held.server.asked[1]
    assert [call for call, _ in told.results] == [call for call, _, _ in told.calls]
    texts = [text for _, text in told.results]
    assert texts[0] == "[]"
    assert json.loads(texts[1])["text"] == "seen"
    assert texts[2:] == ["not available", "not available"]


@STREAMS
@EACH
def test_calls_without_ids_and_with_the_same_get_their_own(of: Api, stream: bool) -> None:
    twice = Said(
        calls=(
            (None, "fetch", '{"id": "a"}'),
            ("", "fetch", '{"id": "b"}'),
            ("same", "fetch", '{"id": "c"}'),
            ("same", "fetch", '{"id": "d"}'),
        )
    )
    shelf = Shelf()
    held = attempt(scripted(twice, twice, submits()), of, task(shelf), stream=stream)
    assert held.reply.answer == ANSWER
    assert [wanted for _, wanted in shelf.calls] == ["a", "b", "c", "d"] * 2
    known = [call for call, _, _ in held.server.asked[2].calls]
    assert len(set(known)) == 8
    assert all(known)
    assert [call for call, _ in held.server.asked[2].results] == known[4:]


@STREAMS
@EACH
@pytest.mark.parametrize("written", ['{"query": "cut o', "[1]", "nonsense", '{"query": NaN}'])
def test_malformed_arguments_are_told_and_noted(of: Api, stream: bool, written: str) -> None:
    shelf = Shelf()
    held = attempt(scripted(calls(("search", written)), submits()), of, task(shelf), stream=stream)
    assert held.reply.answer == ANSWER
    assert shelf.calls == []
    ((tool, raw),) = shelf.noted
    assert tool == "search"
    assert json.dumps(raw["raw"])[1:5] == json.dumps(written)[1:5]
    told = held.server.asked[1]
    ((_, text),) = told.results
    assert text.startswith("the arguments of `search` are no JSON object: ")
    assert json.loads(told.calls[0][2]) == {}  # what servers could not read stays out


@EACH
@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("delete", {"id": "W-1"}), "there is no tool `delete`"),
        (
            ("fetch", {"id": "W-1", "actor": "boss"}),
            "`fetch` has no argument `actor`; it takes: id",
        ),
        (
            ("search", {"as_of": "2030"}),
            "`search` has no argument `as_of`; it takes: query, subsystem, limit",
        ),
    ],
)
def test_what_no_tool_takes_is_refused_and_noted(of: Api, call: tuple[str, Any], said: str) -> None:
    shelf = Shelf()
    held = attempt(scripted(calls(call), submits()), of, task(shelf))
    assert shelf.calls == []
    assert shelf.noted == [(call[0], call[1])]
    assert held.server.asked[1].results[0][1] == said


@EACH
def test_an_answer_that_does_not_fit_may_be_sent_again(of: Api) -> None:
    wrong = submits({"exists": "yes", "extra": 1})
    held = attempt(scripted(wrong, submits()), of, task())
    assert held.reply.answer == ANSWER
    ((_, text),) = held.server.asked[1].results
    assert "`exists` is not true or false but a text" in text
    assert "`extra` is no field of the answer" in text
    assert "tries left: 4" in text


@EACH
def test_the_last_of_five_tries_counts(of: Api) -> None:
    held = attempt(scripted(submits({"exists": 1})), of, task())
    assert held.reply.answer == {"exists": 1}
    assert held.reply.error is None
    assert len(held.server.asked) == 5


@EACH
def test_what_stands_behind_a_final_answer_is_not_carried_out(of: Api) -> None:
    shelf = Shelf()
    turn = Said(calls=(*submits().calls, ("z", "fetch", '{"id": "W-1"}')))
    held = attempt(scripted(turn), of, task(shelf))
    assert held.reply.answer == ANSWER
    assert shelf.calls == []
    assert len(held.server.asked) == 1


@STREAMS
@EACH
def test_free_text_is_no_answer_unless_asked_for(of: Api, stream: bool) -> None:
    said = Said(text=f"I think: {json.dumps(ANSWER)} — that is all.")
    held = attempt(scripted(said), of, task(), stream=stream)
    assert held.reply.answer is None
    assert held.reply.error is not None
    assert held.reply.error.startswith("the model ended without a call of `submit_answer`: I think")
    assert held.server.asked[1].remarks == (
        "You have not handed in an answer yet. Call `submit_answer` with it now.",
    )
    inferred = attempt(scripted(said), of, task(), stream=stream, infer=True).reply
    assert (inferred.answer, inferred.inferred, inferred.error) == (ANSWER, True, None)


@EACH
def test_a_reminder_is_enough(of: Api) -> None:
    held = attempt(scripted(Said(text="Done."), submits()), of, task())
    assert (held.reply.answer, held.reply.inferred) == (ANSWER, False)


@STREAMS
@EACH
def test_the_answer_as_final_text(of: Api, stream: bool) -> None:
    shelf = Shelf()
    model = scripted(
        calls(("fetch", {"id": "W-1"})),
        Said(text="Here it is"),
        Said(text='{"exists": 3}'),
        Said(text=json.dumps(ANSWER)),
    )
    held = attempt(model, of, task(shelf), stream=stream, answer_by=AnswerBy.JSON)
    assert (held.reply.answer, held.reply.inferred, held.reply.error) == (ANSWER, False, None)
    assert shelf.calls == [("fetch", "W-1")]
    body = held.server.bodies[0]
    way = {
        Api.CHAT: ("response_format", "json_schema"),
        Api.RESPONSES: ("text", "format"),
        Api.MESSAGES: ("output_config", "format"),
    }[of]
    assert body[way[0]][way[1]]["schema"] == SCHEMA
    assert "submit_answer" not in json.dumps(body)
    assert len(held.server.asked[3].remarks) == 2


@EACH
def test_a_final_text_that_is_no_object_is_named(of: Api) -> None:
    held = attempt(scripted(Said(text="Yes.")), of, task(), answer_by=AnswerBy.JSON)
    assert held.reply.error == "the model's final text is no JSON object: Yes."


@pytest.mark.parametrize("mode", [Mode.CONTEXT, Mode.ZERO_SHOT])
@EACH
def test_without_tools_there_is_only_the_answer(of: Api, mode: Mode) -> None:
    given = (FetchReply("W-1", available=True, title="T", text="what was seen"),)
    asked = task(mode=mode, given=given if mode is Mode.CONTEXT else ())
    held = attempt(scripted(calls(("fetch", {"id": "W-1"})), submits()), of, asked)
    assert held.reply.answer == ANSWER
    assert held.server.asked[1].results[0][1] == "there is no tool `fetch`"
    told = json.dumps(held.server.bodies[0])
    assert ("what was seen" in told) == (mode is Mode.CONTEXT)
    tools = held.server.bodies[0]["tools"]
    assert [tool.get("name") or tool["function"]["name"] for tool in tools] == ["submit_answer"]


@EACH
def test_a_budget_of_steps_leaves_two_turns(of: Api) -> None:
    more: Callable[[Heard], Said] = lambda heard: calls(("fetch", {"id": f"d{heard.number}"}))  # noqa: E731
    shelf = Shelf(steps=2)
    held = attempt(more, of, task(shelf, budget=Budget(steps=2)))
    assert [wanted for _, wanted in shelf.calls] == ["d0", "d1"]
    assert held.reply.error == "out of steps: 2"
    assert len(held.server.asked) == 5
    assert held.server.asked[3].results[0][1] == "out of steps: 2: hand in your answer now"
    wise = attempt(
        lambda heard: submits() if heard.number == 3 else more(heard), of, task(Shelf(steps=2))
    )
    assert wise.reply.answer == ANSWER


@STREAMS
@EACH
def test_a_budget_of_tokens_leaves_one_turn(of: Api, stream: bool) -> None:
    more = calls(("fetch", {"id": "W-1"}))
    shelf = Shelf()
    asked = task(shelf, budget=Budget(tokens=200))  # 110 a turn
    held = attempt(scripted(more), of, asked, stream=stream)
    assert held.reply.error == "out of tokens: 200"
    assert len(shelf.calls) == 1
    assert held.reply.usage == {"input_tokens": 300, "output_tokens": 30, "requests": 3}
    assert held.server.asked[2].results[0][1] == "out of tokens: 200: hand in your answer now"
    wise = attempt(scripted(more, more, submits()), of, asked, stream=stream)
    assert wise.reply.answer == ANSWER


@EACH
def test_turns_are_bounded(of: Api) -> None:
    held = attempt(scripted(calls(("fetch", {"id": "x"}))), of, task(), turns=7)
    assert held.reply.error == "out of turns: 7"
    assert len(held.server.asked) == 7


@STREAMS
@EACH
def test_what_a_reply_tells(of: Api, stream: bool) -> None:
    model = scripted(calls(("search", {"query": "q"})), submits())
    first = attempt(model, of, task(), stream=stream)
    again = attempt(model, of, task(), stream=stream)
    assert first.reply == again.reply
    assert first.reply.model == "stub-1"
    assert first.reply.usage == {"input_tokens": 200, "output_tokens": 20, "requests": 2}
    assert first.reply.prompt is not None
    assert first.reply.prompt.startswith("sha256:")
    other = attempt(model, of, task(), stream=stream, instructions="You are another.")
    assert other.reply.prompt != first.reply.prompt
    assert KEY in " ".join(first.server.asked[0].headers.values())
    assert KEY not in msgspec.json.encode([first.reply, first.identity]).decode()


@EACH
def test_parameters_go_through(of: Api) -> None:
    seed: dict[str, Any] = {"seed": 7} if of is Api.CHAT else {}
    held = attempt(
        scripted(submits()), of, task(), temperature=0.0, max_output_tokens=99,
        extra_body={"metadata": {"a": 1}, "unheard_of": [1]}, instructions="Be brief.", **seed,
    )  # fmt: skip
    body = held.server.bodies[0]
    assert body["temperature"] == 0.0
    assert body["unheard_of"] == [1]
    assert body["max_output_tokens" if of is Api.RESPONSES else "max_tokens"] == 99
    assert body.get("seed") == seed.get("seed")
    assert "Be brief." in json.dumps(body)
    assert held.identity.settings["temperature"] == 0.0
    without = attempt(scripted(submits()), of, task())
    assert "temperature" not in without.server.bodies[0]
    assert "temperature" not in without.identity.settings


def test_null_takes_a_parameter_out() -> None:
    held = attempt(
        scripted(submits()), Api.CHAT, task(), stream=True, extra_body={"stream_options": None}
    )
    assert held.reply.answer == ANSWER
    assert "stream_options" not in held.server.bodies[0]


@EACH
def test_nothing_but_the_visible_question_is_told(of: Api) -> None:
    for question in desk().drawn.questions[::9]:
        canary = msgspec.structs.replace(
            question, truth={"x": "CANARY-1"}, about=("CANARY-2",), pair="CANARY-3"
        )
        held = attempt(scripted(submits()), of, Solved(canary).task, turns=1)
        (first,) = held.server.bodies
        told = json.dumps(first, ensure_ascii=False)
        assert json.dumps(question.text, ensure_ascii=False)[1:-1] in told
        assert "CANARY" not in told
        seen = json.dumps(visible_part(question), ensure_ascii=False)
        for hidden in (*question.about, question.pair):
            assert hidden is None or hidden in seen or hidden not in told


@EACH
def test_attempts_on_many_threads_do_not_mix(of: Api) -> None:
    def model(heard: Heard) -> Said:
        told = json.dumps(heard.body)
        wanted = told[told.index("number ") + 7 :][:2]
        if not heard.results:
            return calls(("fetch", {"id": f"D-{wanted}"}))
        assert json.loads(heard.calls[-1][2]) == {"id": f"D-{wanted}"}
        return submits({"exists": True, "reasoning": wanted})

    with agent_on(model, of, means()) as (agent, server):

        def asked(number: int) -> tuple[Any, Any]:
            shelf = Shelf()
            question = {**task().question, "text": f"Was number {number} seen?"}
            reply = agent.attempt(task(shelf, question=question))
            return reply.answer, shelf.calls

        with ThreadPoolExecutor(8) as pool:
            found = list(pool.map(asked, range(10, 50)))
    assert found == [
        ({"exists": True, "reasoning": str(number)}, [("fetch", f"D-{number}")])
        for number in range(10, 50)
    ]
    assert len(server.asked) == 80


@EACH
def test_calls_that_reached_no_tool_stand_in_the_trace(of: Api) -> None:
    question = desk().drawn.questions[0]
    tools = Tools(desk().contract, question)
    asked = replace(task(), question=visible_part(question), tools=Budgeted(tools, Budget()))
    turn = calls(("search", '{"query": "ab'), ("fetch", {"id": "x", "actor": "boss"}), ("rm", {}))
    attempt(scripted(turn, submits({"abstain": True})), of, asked)
    trace = tools.finish(None)
    assert [step.tool for step in trace.steps] == ["other"] * 3
    assert [step.arguments for step in trace.steps] == [
        {"tool": "search", "arguments": {"raw": '{"query": "ab'}},
        {"tool": "fetch", "arguments": {"actor": "boss", "id": "x"}},
        {"tool": "rm", "arguments": {}},
    ]
