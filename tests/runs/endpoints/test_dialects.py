"""The dialects by themselves: streams say what whole responses say, and odd servers are read."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.runs.endpoints.chat import Chat
from groundeval.runs.endpoints.messages import Messages
from groundeval.runs.endpoints.responses import Responses
from groundeval.runs.endpoints.settings import Api, EndpointSettings
from groundeval.runs.endpoints.turns import (
    CUT_OFF,
    Dialect,
    Fault,
    Ids,
    Result,
    Stop,
    Told,
    Turn,
    excerpt,
    object_in,
)
from tests.runs.endpoints import wire
from tests.runs.endpoints.attempts import APIS
from tests.runs.endpoints.wire import Said


def dialect(of: Api, **more: Any) -> Dialect:
    chosen = EndpointSettings(name="a", api=of, model="m", base_url="http://h/v1", **more)
    kinds: dict[Api, type[Chat | Responses | Messages]] = {
        Api.CHAT: Chat, Api.RESPONSES: Responses, Api.MESSAGES: Messages,
    }  # fmt: skip
    return kinds[of](chosen)


def data(of: Api, said: Said) -> list[dict[str, Any]]:
    return [event for _, event in wire.events(of.value, said) if isinstance(event, dict)]


TEXT = st.text(max_size=12)
OBJECTS = st.dictionaries(TEXT, TEXT | st.integers(-9, 9) | st.none(), max_size=3)
WRITTEN = OBJECTS.map(json.dumps) | TEXT.map(lambda text: "{" + text)
SAID = st.builds(
    Said,
    text=TEXT,
    calls=st.lists(
        st.tuples(st.none() | st.sampled_from(["a", "b", ""]), st.just("search"), WRITTEN),
        max_size=3,
    ).map(tuple),
    stop=st.sampled_from(["done", "length"]),
    usage=st.tuples(st.integers(0, 99), st.integers(0, 99)),
)


@pytest.mark.parametrize("of", APIS)
@given(said=SAID)
@settings(max_examples=60, deadline=None)
def test_a_stream_says_what_the_whole_response_says(of: Api, said: Said) -> None:
    speaking = dialect(of)
    merged = speaking.merged(data(of, said))
    assert not isinstance(merged, Fault)
    streamed = speaking.turn(merged, ())
    assert isinstance(streamed, Turn)
    whole = speaking.turn(wire.response(of.value, said), ())
    assert isinstance(whole, Turn)
    for turn in (streamed, whole):
        assert turn.text == said.text
        assert [call.name for call in turn.calls] == ["search"] * len(said.calls)
        assert [call.arguments for call in turn.calls] == [object_in(w) for _, _, w in said.calls]
        assert len({call.id for call in turn.calls}) == len(said.calls)
        assert (turn.usage.input, turn.usage.output) == said.usage
        assert turn.stop is (Stop.LENGTH if said.stop == "length" else Stop.DONE)
    assert [c.id for c in streamed.calls] == [c.id for c in whole.calls]


@pytest.mark.parametrize("of", APIS)
def test_any_part_of_a_stream_is_cut_off(of: Api) -> None:
    events = data(of, Said(text="abc", calls=(("x", "search", '{"query": "y"}'),)))
    whole = dialect(of).merged(events)
    ends = [n for n in range(len(events)) if dialect(of).merged(events[:n]) != CUT_OFF]
    # Chat names the reason of its end one event before the tokens are counted.
    assert ends == ([len(events) - 1] if of is Api.CHAT else [])
    assert not isinstance(whole, Fault)


def chat_chunks(*calls: dict[str, Any]) -> Turn:
    events: list[dict[str, Any]] = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [call]}}]} for call in calls
    ]
    events.append({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
    merged = dialect(Api.CHAT).merged(events)
    assert not isinstance(merged, Fault)
    turn = dialect(Api.CHAT).turn(merged, ())
    assert isinstance(turn, Turn)
    return turn


def test_servers_that_count_no_calls_and_repeat_names() -> None:
    turn = chat_chunks(
        {"id": "a", "function": {"name": "fetch", "arguments": '{"id":'}},
        {"id": "a", "function": {"name": "fetch", "arguments": ' "W-1"}'}},
        {"id": "b", "function": {"name": "search", "arguments": ""}},
        {"function": {"arguments": "{}"}},
    )
    assert [(c.id, c.name, c.arguments) for c in turn.calls] == [
        ("a", "fetch", {"id": "W-1"}),
        ("b", "search", {}),
    ]


def test_arguments_that_come_as_an_object() -> None:
    call = {"id": "a", "function": {"name": "fetch", "arguments": {"id": "W-1"}}}
    response = {"choices": [{"message": {"content": None, "tool_calls": [call]}}]}
    turn = dialect(Api.CHAT).turn(response, ())
    assert isinstance(turn, Turn)
    assert turn.calls[0].arguments == {"id": "W-1"}
    assert turn.echo[0]["tool_calls"][0]["function"]["arguments"] == '{"id": "W-1"}'


def test_other_choices_and_fields_of_a_stream() -> None:
    def chunk(index: int, **delta: Any) -> dict[str, Any]:
        return {"choices": [{"index": index, "delta": delta, "finish_reason": "stop"}]}

    events = [chunk(1, content="no"), chunk(0, content="ye", reasoning_content="be"),
              chunk(0, content="s", reasoning_content="cause", extra={"a": 1})]  # fmt: skip
    merged = dialect(Api.CHAT).merged(events)
    assert not isinstance(merged, Fault)
    turn = dialect(Api.CHAT).turn(merged, ())
    assert isinstance(turn, Turn)
    assert turn.text == "yes"
    assert turn.echo[0]["reasoning_content"] == "because"
    assert turn.echo[0]["extra"] == {"a": 1}


def test_thoughts_of_a_stream_are_sent_back() -> None:
    def event(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": kind, "index": 0, **fields}

    events = [
        event("message_start", message={"usage": {"input_tokens": 5, "cache_read_input_tokens": 7}}),
        event("content_block_start", content_block={"type": "thinking", "thinking": ""}),
        event("content_block_delta", delta={"type": "thinking_delta", "thinking": "hm"}),
        event("content_block_delta", delta={"type": "thinking_delta", "thinking": "m"}),
        event("content_block_delta", delta={"type": "signature_delta", "signature": "S"}),
        event("message_delta", delta={"stop_reason": "end_turn"}, usage={"output_tokens": 3}),
        event("message_stop"),
    ]  # fmt: skip
    merged = dialect(Api.MESSAGES).merged(events)
    assert not isinstance(merged, Fault)
    turn = dialect(Api.MESSAGES).turn(merged, ())
    assert isinstance(turn, Turn)
    thought = {"type": "thinking", "thinking": "hmm", "signature": "S"}
    assert turn.echo == ({"role": "assistant", "content": [thought]},)
    assert (turn.usage.input, turn.usage.output, turn.usage.cached) == (12, 3, 7)


@pytest.mark.parametrize("store", [True, False])
def test_what_an_endpoint_does_not_store_is_not_named_by_id(store: bool) -> None:
    speaking = dialect(Api.RESPONSES, extra_body={"store": store})
    output = [
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "reasoning", "id": "rs_2", "summary": [], "encrypted_content": "E"},
        {"type": "function_call", "id": "fc_1", "call_id": "c", "name": "fetch", "arguments": "{}"},
    ]
    turn = speaking.turn({"output": output}, ())
    assert isinstance(turn, Turn)
    history = [*turn.echo, *speaking.results((Result("c", "x"),))]
    sent = speaking.body(Told("s", "u", ()), history)["input"][1:]
    assert [item.get("id") for item in sent] == (
        ["rs_1", "rs_2", "fc_1", None] if store else [None, None, None]
    )
    assert [item["type"] for item in sent][-2:] == ["function_call", "function_call_output"]


def test_an_empty_turn_is_not_sent_back_where_it_may_not_be() -> None:
    turn = dialect(Api.MESSAGES).turn({"content": [{"type": "text", "text": ""}]}, ())
    assert isinstance(turn, Turn)
    assert turn.echo == ()
    said = dialect(Api.CHAT).turn({"choices": [{"message": {}}]}, ())
    assert isinstance(said, Turn)
    assert said.echo == ({"role": "assistant", "content": ""},)


@given(st.lists(st.none() | st.sampled_from(["", "a", "call_1", "call_2", "call_2x"]), max_size=9))
def test_every_call_has_an_id_of_its_own(came: list[str | None]) -> None:
    ids = Ids({"call_2"})
    own = [ids.own(name) for name in came]
    assert len(set(own)) == len(own)
    assert all(own)
    assert "call_2" not in own
    again = Ids({"call_2"})
    assert own == [again.own(name) for name in came]


@given(st.text())
def test_excerpts_are_one_short_printable_line(text: str) -> None:
    shown = excerpt(text)
    assert shown.isprintable()
    assert len(shown) <= 201


def test_the_bound_of_a_turn_has_the_name_that_the_server_knows() -> None:
    own = EndpointSettings(name="a", api=Api.CHAT, model="m", max_output_tokens=9)
    assert Chat(own).body(Told("s", "u", ()), [])["max_completion_tokens"] == 9
    other = dialect(Api.CHAT, max_output_tokens=9)
    assert other.body(Told("s", "u", ()), [])["max_tokens"] == 9
    assert dialect(Api.MESSAGES).body(Told("s", "u", ()), [])["max_tokens"] == 4096
    assert "max_output_tokens" not in dialect(Api.RESPONSES).body(Told("s", "u", ()), [])
