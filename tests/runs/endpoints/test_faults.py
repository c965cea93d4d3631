"""Endpoints that fail, over real HTTP: what is tried again, when, and what is said of it."""

from __future__ import annotations

import json
import threading
import time
from typing import Any

import msgspec
import pytest

from groundeval.runs.agent import Budget, Reply
from groundeval.runs.endpoints import transport
from groundeval.runs.endpoints.agent import endpoint_agent
from groundeval.runs.endpoints.sending import Clock
from groundeval.runs.endpoints.settings import Api
from tests.runs.endpoints.attempts import (
    ANSWER,
    APIS,
    KEY,
    Shelf,
    agent_on,
    attempt,
    calls,
    means,
    settings,
    submits,
    task,
)
from tests.runs.endpoints.stub import Model, Raw, Streamed, problem, scripted
from tests.runs.endpoints.wire import Said

EACH = pytest.mark.parametrize("of", APIS)
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@STREAMS
@EACH
@pytest.mark.parametrize(
    ("failing", "wait"),
    [
        (problem(429, "slow down", retry_after="7"), 7.0),
        (problem(429, "slow down", retry_after="0"), 0.0),
        (problem(429, "slow down", retry_after="86400"), 60.0),
        (problem(429, "slow down", retry_after="nan"), 1.0),
        (problem(429, "slow down", retry_after="-5"), 0.0),
        (problem(429, "slow down", retry_after_ms="250", retry_after="9"), 0.25),
        (problem(429, "slow down"), 1.0),
        (problem(500, "oh no"), 1.0),
        (problem(503, "busy", retry_after="3"), 3.0),
        (problem(529, "overloaded"), 1.0),
        (Raw(502, b"<html>bad gateway</html>", content_type="text/html"), 1.0),
        (Raw(200, b'{"choices": [{"mess'), 1.0),
        (Raw(200, b'{"choices": [{"mess', cut=40), 1.0),
        (Raw(200, b"", content_type="text/event-stream"), 1.0),
    ],
)
def test_what_passes_is_tried_again(of: Api, stream: bool, failing: Raw, wait: float) -> None:
    shelf = Shelf()
    model = scripted(calls(("fetch", {"id": "W-1"})), failing, submits())
    held = attempt(model, of, task(shelf), stream=stream)
    assert held.reply.error is None
    assert held.reply.answer == ANSWER
    assert held.clock.waited == [wait]
    assert len(shelf.calls) == 1
    assert held.server.bodies[1] == held.server.bodies[2]


def test_a_date_to_wait_for_is_read_by_the_endpoints_clock() -> None:
    ahead = problem(
        429,
        "later",
        retry_after="Fri, 02 Jan 2099 00:00:09 GMT",
        date="Fri, 02 Jan 2099 00:00:00 GMT",
    )
    held = attempt(scripted(ahead, submits()), Api.CHAT, task())
    assert held.reply.answer == ANSWER
    assert held.clock.waited == [9.0]
    past = problem(429, "later", retry_after="Fri, 02 Jan 1970 00:00:09 GMT")
    assert attempt(scripted(past, submits()), Api.CHAT, task()).clock.waited == [0.0]


@STREAMS
@EACH
def test_waits_double_and_tries_end(of: Api, stream: bool) -> None:
    held = attempt(scripted(problem(500, "oh no")), of, task(), stream=stream, retries=3)
    assert held.clock.waited == [1.0, 2.0, 4.0]
    assert held.reply == Reply(
        prompt=held.reply.prompt, error="the endpoint answered 500: oh no (tried 4 times)"
    )


@STREAMS
@EACH
@pytest.mark.parametrize(
    ("failing", "error"),
    [
        (problem(400, "no such parameter"), "the endpoint answered 400: no such parameter"),
        (problem(404, "no such model"), "the endpoint answered 404: no such model"),
        (
            problem(429, "you owe us", kind="insufficient_quota"),
            "the endpoint answered 429: you owe us",
        ),
        (problem(500, "for good", x_should_retry="false"), "the endpoint answered 500: for good"),
        (
            problem(401, f"wrong key: {KEY}"),
            "the endpoint answered 401: it does not accept the key",
        ),
        (
            problem(403, f"wrong key: {KEY[:12]}"),
            "the endpoint answered 403: it does not accept the key",
        ),
        (problem(400, f"Bearer {KEY} is odd"), "the endpoint answered 400: Bearer … is odd"),
    ],
)
def test_what_does_not_pass_is_not_tried_again(
    of: Api, stream: bool, failing: Raw, error: str
) -> None:
    held = attempt(scripted(failing), of, task(), stream=stream)
    assert held.reply.error == error
    assert held.clock.waited == []
    assert len(held.server.asked) == 1


def test_redirects_are_not_followed() -> None:
    away = Raw(307, b"{}", {"location": "http://127.0.0.1:9/else"})
    held = attempt(scripted(away), Api.CHAT, task())
    assert held.reply.error is not None
    assert held.reply.error.startswith("the endpoint answered 307")


@STREAMS
@EACH
@pytest.mark.parametrize("stop", ["refusal", "filter"])
def test_refusals_are_errors_of_the_agent(of: Api, stream: bool, stop: str) -> None:
    said = Said(text="I cannot help with that.", stop=stop)
    held = attempt(scripted(said), of, task(), stream=stream)
    assert held.reply.answer is None
    assert held.reply.error is not None
    assert held.reply.error.startswith("refused: ")
    if stop == "refusal":
        assert held.reply.error == "refused: I cannot help with that."
    assert len(held.server.asked) == 1
    assert held.reply.usage is not None


@STREAMS
@EACH
@pytest.mark.parametrize(
    "said",
    [
        Said(text='The answer is {"exists": tr', stop="length"),
        Said(calls=(("c", "submit_answer", '{"exists": tr'),), stop="length"),
        Said(stop="length"),
    ],
    ids=["text", "call", "nothing"],
)
def test_turns_that_were_cut_off_are_errors(of: Api, stream: bool, said: Said) -> None:
    held = attempt(scripted(said), of, task(), stream=stream, infer=True)
    assert held.reply.answer is None
    limit = "the model's turn was cut off: it reached the limit of output tokens"
    assert held.reply.error == limit


@STREAMS
@EACH
def test_whole_calls_of_a_turn_that_was_cut_off_count(of: Api, stream: bool) -> None:
    said = Said(calls=submits().calls, stop="length")
    assert attempt(scripted(said), of, task(), stream=stream).reply.answer == ANSWER


@EACH
@pytest.mark.parametrize("keep", [1, 3, 5])
def test_streams_that_were_cut_off_are_asked_for_again(of: Api, keep: int) -> None:
    said = Said(text="Let me look.", calls=calls(("fetch", {"id": "W-1"})).calls)
    shelf = Shelf()
    model = scripted(Streamed(said, keep=keep), said, submits())
    held = attempt(model, of, task(shelf), stream=True)
    assert held.reply.answer == ANSWER
    assert shelf.calls == [("fetch", "W-1")]
    assert held.clock.waited == [1.0]


@EACH
@pytest.mark.parametrize(
    "tail",
    [
        b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "full"}}\n\n',
        b'event: x\ndata: {"type": "resp',
        b"event: x\ndata: {nonsense}\n\n",
    ],
    ids=["error", "torn", "nonsense"],
)
def test_errors_in_the_middle_of_a_stream(of: Api, tail: bytes) -> None:
    said = Said(text="Let me look.")
    model = scripted(Streamed(said, keep=2, tail=tail), submits())
    held = attempt(model, of, task(), stream=True)
    assert (held.reply.answer, held.clock.waited) == (ANSWER, [1.0])


def test_an_error_event_of_responses() -> None:
    event = {"type": "error", "code": "server_error", "message": "broke", "param": None}
    tail = f"event: error\ndata: {json.dumps(event)}\n\n".encode()
    model = scripted(Streamed(Said(), keep=1, tail=tail))
    held = attempt(model, Api.RESPONSES, task(), stream=True, retries=1)
    assert held.reply.error == "the endpoint failed: broke (tried 2 times)"


def test_a_response_that_failed() -> None:
    body = {"output": [], "status": "failed", "error": {"code": "invalid", "message": "no way"}}
    held = attempt(scripted(Raw(body=json.dumps(body).encode())), Api.RESPONSES, task())
    assert held.reply.error == "the endpoint failed: no way"


@EACH
@pytest.mark.parametrize(
    "body", [b"[]", b"7", b"{}", b'{"choices": [], "output": 3, "content": {}}', b'"text"']
)
def test_responses_of_another_shape(of: Api, body: bytes) -> None:
    held = attempt(scripted(Raw(body=body)), of, task(), retries=0)
    assert held.reply.error is not None
    assert held.reply.error.startswith("the endpoint's response ")
    assert held.reply.error.endswith("(tried once)")


@EACH
def test_nobody_listens(of: Api) -> None:
    quiet = endpoint_agent(settings(of, "http://127.0.0.1:9", retries=1), means()).value
    assert quiet is not None
    error = quiet.attempt(task()).error
    assert error is not None
    assert error.startswith("the connection to the endpoint failed: ")
    assert error.endswith("(tried 2 times)")
    quiet.close()


@STREAMS
@EACH
def test_seconds_end_an_attempt_that_waits_for_the_endpoint(of: Api, stream: bool) -> None:
    slow: Raw | Streamed = Raw(body=b"{}", stall=1.5)
    if stream:  # each event comes in time, and all of them never would
        slow = Streamed(Said(text="x", calls=submits().calls), pause=0.25)
    began = time.monotonic()
    with agent_on(scripted(slow), of, means(Clock()), stream=stream) as (agent, _):
        reply = agent.attempt(task(budget=Budget(seconds=0.4)))
        took = time.monotonic() - began
    assert reply.error == "out of time: 0.4 s"
    assert took < 1.4


@EACH
def test_seconds_end_an_attempt_between_tries(of: Api) -> None:
    failing = problem(429, "slow down", retry_after="30")
    held = attempt(scripted(failing), of, task(budget=Budget(seconds=100)))
    assert held.clock.waited == [30.0, 30.0, 30.0]
    assert held.reply.error == (
        "out of time: 100 s, waiting to try again: the endpoint answered 429: slow down"
    )


@EACH
def test_a_silent_endpoint(of: Api) -> None:
    silent = Raw(body=b"{}", stall=0.6)
    held = attempt(scripted(silent, submits()), of, task(), timeout=0.3)
    assert (held.reply.answer, held.clock.waited) == (ANSWER, [1.0])
    once = attempt(scripted(silent), of, task(), timeout=0.3, retries=0)
    assert once.reply.error == "the endpoint said nothing for 0.3 s (tried once)"


@EACH
def test_an_endpoint_that_fails_later_leaves_an_error(of: Api) -> None:
    """An answer that did not fit is no wrong answer where the model could not mend it."""
    held = attempt(scripted(submits({"exists": 1}), problem(400, "broke")), of, task())
    assert (held.reply.answer, held.reply.error) == (None, "the endpoint answered 400: broke")


@EACH
def test_close_ends_waiting(of: Api) -> None:
    failing: Model = scripted(problem(429, "slow down", retry_after="50"))
    replies: list[Reply] = []
    with agent_on(failing, of, means(Clock())) as (agent, server):
        worker = threading.Thread(target=lambda: replies.append(agent.attempt(task())))
        worker.start()
        while not server.asked:
            time.sleep(0.01)
        time.sleep(0.1)
        agent.close()
        worker.join(5)
        assert not worker.is_alive()
    assert replies[0].error == "the run was stopped"


@STREAMS
@EACH
def test_the_key_is_told_to_the_endpoint_alone(of: Api, stream: bool) -> None:
    shelf = Shelf()
    model = scripted(
        Said(text=f"your key is {KEY}", stop="refusal"),
    )
    held = attempt(model, of, task(shelf), stream=stream)
    assert held.reply.error == "refused: your key is …"
    written = msgspec.json.encode([held.reply, held.identity]).decode()
    assert KEY not in written
    assert KEY not in json.dumps(held.server.bodies)
    assert any(KEY in value for value in held.server.asked[0].headers.values())


def test_no_key_of_the_environment_goes_elsewhere(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (
        "OPENAI_API_KEY", "OPENAI_ADMIN_KEY", "OPENAI_ORG_ID", "OPENAI_PROJECT_ID",
        "ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN",
    ):  # fmt: skip
        monkeypatch.setenv(name, f"leaked-{name}")
    for name in ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS"):
        monkeypatch.setenv(
            name, "X-Gate: leaked-1\nauthorization: Bearer leaked-2\nX-Api-Key: leaked-3"
        )
    for of in APIS:
        for more in ({}, {"key_env": None}):
            given: dict[str, Any] = dict(more)
            held = attempt(scripted(submits()), of, task(), stream=not more, **given)
            assert held.reply.answer == ANSWER
            told = json.dumps(held.server.asked[0].headers)
            assert "leaked" not in told
            assert (KEY in told) == (not more)


def test_what_no_json_can_hold_is_asked_for_again() -> None:
    """Half a character, as an escape in the pieces of a streamed input."""
    half = Said(calls=(("c", "fetch", '{"id": "\\ud83d"}'),))
    model = scripted(half, submits())
    held = attempt(model, Api.MESSAGES, task(), stream=True)
    assert (held.reply.answer, held.clock.waited) == (ANSWER, [1.0])
    once = attempt(scripted(half), Api.MESSAGES, task(), stream=True, retries=0)
    assert once.reply.error == "the endpoint's response holds what no JSON can (tried once)"


@pytest.mark.parametrize("of", [Api.CHAT, Api.RESPONSES])
def test_half_characters_in_arguments_reach_the_tools(of: Api) -> None:
    shelf = Shelf()
    half = Said(calls=(("c", "fetch", '{"id": "\\ud83d"}'), ("d", "fetch", '{"\\ud83d": 1}')))
    wrong = submits({"exists": True, "reasoning": "\ud83d"})
    held = attempt(scripted(half, wrong, submits()), of, task(shelf))
    assert held.reply.answer == ANSWER
    assert shelf.calls == [("fetch", "\ud83d")]
    assert "holds half a character" in held.server.asked[2].results[0][1]


def test_streams_have_an_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transport, "_MOST_EVENTS", 4)
    held = attempt(scripted(Said(text="on and on")), Api.MESSAGES, task(), stream=True)
    assert held.reply.error == "the endpoint's stream has more than 4 events"
