"""The three wire formats, from the server's side: what a model says, as JSON and as events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Said:
    """A turn as a script has it. A call is (id, name, arguments as they are written)."""

    text: str = ""
    calls: tuple[tuple[str | None, str, str], ...] = ()
    stop: str = "done"  # done, length, refusal, filter
    model: str = "stub-1"
    usage: tuple[int, int] = (100, 10)


@dataclass(frozen=True)
class Heard:
    """A request, read the same for every API."""

    number: int
    path: str
    headers: dict[str, str]
    body: Json
    results: tuple[tuple[str, str], ...]
    """(id of the call, text) of the tool results in the last messages."""
    calls: tuple[tuple[str, str, str], ...] = field(default=())
    """(id, name, arguments) of all calls in the history."""
    remarks: tuple[str, ...] = ()
    """The user's messages after the first."""


def heard(number: int, path: str, headers: dict[str, str], body: Json) -> Heard:
    read = {"chat": _heard_chat, "responses": _heard_responses, "messages": _heard_messages}
    results, calls, remarks = read[api_of(path)](body)
    return Heard(number, path, headers, body, tuple(results), tuple(calls), tuple(remarks[1:]))


def api_of(path: str) -> str:
    for ending, api in {
        "/chat/completions": "chat",
        "/responses": "responses",
        "/messages": "messages",
    }.items():
        if path.partition("?")[0].endswith(ending):
            return api
    raise AssertionError(path)


def _heard_chat(body: Json) -> tuple[list[Any], list[Any], list[str]]:
    results: list[Any] = []
    calls: list[Any] = []
    remarks: list[str] = []
    for message in body["messages"]:
        if message["role"] == "user":
            remarks.append(message["content"])
        if message["role"] == "tool":
            results.append((message["tool_call_id"], message["content"]))
        elif message["role"] == "assistant":
            results = []
            for call in message.get("tool_calls", ()):
                function = call["function"]
                calls.append((call["id"], function["name"], function["arguments"]))
    return results, calls, remarks


def _heard_responses(body: Json) -> tuple[list[Any], list[Any], list[str]]:
    results: list[Any] = []
    calls: list[Any] = []
    remarks: list[str] = []
    for item in body["input"]:
        if item.get("type") == "function_call":
            calls.append((item["call_id"], item["name"], item["arguments"]))
            results = []
        elif item.get("type") == "function_call_output":
            results.append((item["call_id"], item["output"]))
        elif item.get("role") == "user":
            remarks.append(item["content"])
    return results, calls, remarks


def _heard_messages(body: Json) -> tuple[list[Any], list[Any], list[str]]:
    results: list[Any] = []
    calls: list[Any] = []
    remarks: list[str] = []
    for message in body["messages"]:
        content = message["content"]
        if isinstance(content, str):
            remarks.append(content)
            continue
        results = []
        for block in content:
            if block["type"] == "tool_use":
                calls.append((block["id"], block["name"], json.dumps(block["input"])))
            if block["type"] == "tool_result":
                results.append((block["tool_use_id"], block["content"]))
    return results, calls, remarks


def response(api: str, said: Said) -> Json:
    return {"chat": _chat, "responses": _responses, "messages": _messages}[api](said)


def _chat(said: Said) -> Json:
    message: Json = {"role": "assistant", "content": said.text or None}
    if said.stop == "refusal":
        message |= {"content": None, "refusal": said.text}
    if said.calls:
        message["tool_calls"] = [
            {
                **({} if call_id is None else {"id": call_id}),
                "type": "function",
                "function": {"name": name, "arguments": arguments},
            }
            for call_id, name, arguments in said.calls
        ]
    reasons = {"length": "length", "filter": "content_filter"}
    reason = reasons.get(said.stop, "tool_calls" if said.calls else "stop")
    took, gave = said.usage
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": said.model,
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": {"prompt_tokens": took, "completion_tokens": gave, "total_tokens": took + gave},
    }


def _responses(said: Said) -> Json:
    output: list[Json] = []
    if said.text:
        kind, name = ("refusal", "refusal") if said.stop == "refusal" else ("output_text", "text")
        content: list[Json] = [{"type": kind, name: said.text}]
        output.append({"id": "msg_1", "type": "message", "role": "assistant", "content": content})
    for number, (call_id, name, arguments) in enumerate(said.calls):
        output.append(
            {
                "id": f"fc_{number}",
                "type": "function_call",
                "call_id": call_id,
                "name": name,
                "arguments": arguments,
            }
        )
    reasons = {"length": "max_output_tokens", "filter": "content_filter"}
    reason = reasons.get(said.stop)
    took, gave = said.usage
    return {
        "id": "resp_1",
        "object": "response",
        "status": "incomplete" if reason else "completed",
        "incomplete_details": {"reason": reason} if reason else None,
        "error": None,
        "model": said.model,
        "output": output,
        "usage": {"input_tokens": took, "output_tokens": gave, "total_tokens": took + gave},
    }


def _messages(said: Said) -> Json:
    content: list[Json] = [{"type": "text", "text": said.text}] if said.text else []
    for call_id, name, arguments in said.calls:
        try:
            given: Any = json.loads(arguments, parse_constant=int)  # no NaN: it is no JSON
        except ValueError:
            given = arguments
        block = {"type": "tool_use", "name": name, "input": given}
        content.append(block if call_id is None else {**block, "id": call_id})
    stops = {"length": "max_tokens", "refusal": "refusal", "filter": "refusal"}
    took, gave = said.usage
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": said.model,
        "content": content,
        "stop_reason": stops.get(said.stop, "tool_use" if said.calls else "end_turn"),
        "usage": {"input_tokens": took, "output_tokens": gave},
    }


def events(api: str, said: Said) -> list[tuple[str | None, Json | str]]:
    """The stream of the same turn: (event name, data)."""
    streams = {"chat": _chat_stream, "responses": _responses_stream, "messages": _messages_stream}
    return list(streams[api](said))


def _halves(text: str) -> tuple[str, ...]:
    """A text in two parts, cut where a multi-byte character or an escape may stand."""
    middle = len(text) // 2
    return tuple(part for part in (text[:middle], text[middle:]) if part)


def _chat_stream(said: Said) -> Iterator[tuple[str | None, Json | str]]:
    whole = _chat(said)
    (choice,) = whole["choices"]

    def chunk(delta: Json, reason: str | None = None) -> tuple[None, Json]:
        choices = [{"index": 0, "delta": delta, "finish_reason": reason}]
        return None, {
            "id": "chatcmpl-1",
            "object": "chat.completion.chunk",
            "model": said.model,
            "choices": choices,
        }

    yield chunk({"role": "assistant", "content": None if said.calls else ""})
    for name in ("content", "refusal"):
        for part in _halves(choice["message"].get(name) or ""):
            yield chunk({name: part})
    for at, (call_id, name, arguments) in enumerate(said.calls):
        first = {} if call_id is None else {"id": call_id}
        function = {"name": name, "arguments": ""}
        yield chunk({"tool_calls": [{"index": at, **first, "function": function}]})
        for part in _halves(arguments):
            yield chunk({"tool_calls": [{"index": at, "function": {"arguments": part}}]})
    yield chunk({}, choice["finish_reason"])
    yield None, {"id": "chatcmpl-1", "model": said.model, "choices": [], "usage": whole["usage"]}
    yield None, "[DONE]"


def _responses_stream(said: Said) -> Iterator[tuple[str | None, Json | str]]:
    whole = _responses(said)

    def event(kind: str, **fields: Any) -> tuple[str, Json]:
        return kind, {"type": kind, "sequence_number": 0, **fields}

    yield event("response.created", response={**whole, "output": [], "status": "in_progress"})
    for at, item in enumerate(whole["output"]):
        yield event("response.output_item.added", output_index=at, item={**item, "arguments": ""})
        for part in _halves(item.get("arguments", "")):
            yield event("response.function_call_arguments.delta", output_index=at, delta=part)
        yield event("response.output_item.done", output_index=at, item=item)
    yield event(f"response.{whole['status']}", response=whole)


def _messages_stream(said: Said) -> Iterator[tuple[str | None, Json | str]]:
    whole = _messages(said)

    def event(kind: str, **fields: Any) -> tuple[str, Json]:
        return kind, {"type": kind, **fields}

    took, gave = said.usage
    begun = {**whole, "content": [], "stop_reason": None}
    begun["usage"] = {"input_tokens": took, "output_tokens": 1}
    yield event("message_start", message=begun)
    yield event("ping")
    blocks = list(whole["content"])
    for at, block in enumerate(blocks):
        if block["type"] == "text":
            yield event("content_block_start", index=at, content_block={**block, "text": ""})
            deltas: list[Json] = [
                {"type": "text_delta", "text": part} for part in _halves(block["text"])
            ]
        else:
            yield event("content_block_start", index=at, content_block={**block, "input": {}})
            _, _, arguments = said.calls[at - len(blocks) + len(said.calls)]
            deltas = [
                {"type": "input_json_delta", "partial_json": part} for part in _halves(arguments)
            ]
        for delta in deltas:
            yield event("content_block_delta", index=at, delta=delta)
        yield event("content_block_stop", index=at)
    ended: Json = {"stop_reason": whole["stop_reason"], "stop_sequence": None}
    yield event("message_delta", delta=ended, usage={"output_tokens": gave})
    yield event("message_stop")
