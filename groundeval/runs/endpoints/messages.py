"""Messages, Anthropic's API: a turn is a list of blocks."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from groundeval.runs.endpoints.settings import EndpointSettings, set_parts
from groundeval.runs.endpoints.turns import (
    CUT_OFF,
    Call,
    Fault,
    Ids,
    Json,
    Result,
    Stop,
    Told,
    Turn,
    Usage,
    arguments_of,
)

_OUTPUT_TOKENS: Final = 4096
"""The API needs a bound: this one where the settings have none."""


class _Block(msgspec.Struct):
    type: str = ""
    text: str | None = None
    id: str | None = None
    name: str | None = None
    input: Any = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Details(msgspec.Struct):
    explanation: str | None = None
    category: str | None = None


class _Message(msgspec.Struct):
    content: list[_Block]
    stop_reason: str | None = None
    stop_details: _Details | None = None
    model: str | None = None
    usage: _Usage | None = None


_STOPS: Final = {
    "max_tokens": Stop.LENGTH,
    "model_context_window_exceeded": Stop.LENGTH,
    "refusal": Stop.REFUSED,
}


@dataclass(frozen=True, slots=True)
class Messages:
    """The dialect of `POST /v1/messages`."""

    settings: EndpointSettings
    path: str = "/v1/messages"

    def body(self, told: Told, history: list[Json]) -> Json:
        """As of any dialect."""
        chosen = self.settings
        parts: Json = {
            "model": chosen.model,
            "max_tokens": chosen.max_output_tokens or _OUTPUT_TOKENS,
            "system": told.system,
            "messages": [{"role": "user", "content": told.user}, *history],
            "tools": [
                {"name": tool.name, "description": tool.description, "input_schema": tool.schema}
                for tool in told.tools
            ]
            or None,
            "output_config": None
            if told.form is None
            else {"format": {"type": "json_schema", "schema": told.form}},
            "temperature": chosen.temperature,
            "stream": chosen.stream or None,
        }
        return set_parts(parts, chosen.extra_body)

    def turn(self, response: Json, taken: Collection[str]) -> Turn | Fault:
        """As of any dialect."""
        try:
            read = msgspec.convert(response, _Message)
        except msgspec.ValidationError as fault:
            return Fault(f"the endpoint's response does not fit: {fault}", again=True)
        ids = Ids(taken)
        calls = tuple(
            Call(ids.own(block.id), block.name or "", *_input(block.input))
            for block in read.content
            if block.type == "tool_use"
        )
        text = "".join(block.text or "" for block in read.content if block.type == "text")
        return Turn(
            text=text,
            calls=calls,
            stop=_STOPS.get(read.stop_reason or "", Stop.DONE),
            echo=_echo(response["content"], calls),
            refusal=_refusal(read, text),
            usage=_usage(read.usage or _Usage()),
            model=read.model,
        )

    def results(self, results: tuple[Result, ...]) -> list[Json]:
        """As of any dialect: all in one message."""
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": result.call,
                "content": result.text,
                **({"is_error": True} if result.failed else {}),
            }
            for result in results
        ]
        return [{"role": "user", "content": blocks}]

    def remark(self, text: str) -> Json:
        """As of any dialect."""
        return {"role": "user", "content": text}

    def merged(self, events: list[Json]) -> Json | Fault:
        """As of any dialect. A stream without `message_stop` was cut off."""
        message: Json = {}
        blocks: dict[int, Json] = {}
        for event in events:
            match event.get("type"):
                case "message_start":
                    message = dict(event.get("message") or {})
                case "content_block_start":
                    blocks[event.get("index", 0)] = dict(event.get("content_block") or {})
                case "content_block_delta":
                    block = blocks.setdefault(event.get("index", 0), {})
                    _take_delta(block, event.get("delta") or {})
                case "message_delta":
                    message |= event.get("delta") or {}
                    message["usage"] = {
                        **(message.get("usage") or {}),
                        **_given(event.get("usage") or {}),
                    }
                case "message_stop":
                    return {**message, "content": [_closed(blocks[at]) for at in sorted(blocks)]}
        return CUT_OFF


_PIECES: Final = {
    "text_delta": "text",
    "thinking_delta": "thinking",
    "signature_delta": "signature",
    "input_json_delta": "partial_json",
}


def _take_delta(block: Json, delta: Json) -> None:
    field = _PIECES.get(delta.get("type", ""))
    if field is not None:
        block[field] = f"{block.get(field) or ''}{delta.get(field) or ''}"


def _closed(block: Json) -> Json:
    """A block whose streamed input is read: an object, or the text where it is none."""
    written = block.pop("partial_json", "")
    if block.get("type") == "tool_use" and written:
        found, raw = arguments_of(written)
        block["input"] = raw if found is None else found
    return block


def _given(counts: Json) -> Json:
    return {name: count for name, count in counts.items() if count is not None}


def _input(value: Any) -> tuple[Json | None, str]:
    if value is None or isinstance(value, str | dict):
        return arguments_of(value)
    return None, msgspec.json.encode(value).decode()


def _echo(content: list[Json], calls: tuple[Call, ...]) -> tuple[Json, ...]:
    """The turn as a message; none where it is empty, which the API would not take back."""
    left = iter(calls)
    blocks = [
        _echoed_call(block, next(left)) if block.get("type") == "tool_use" else block
        for block in content
        if block.get("type") != "text" or block.get("text")
    ]
    return ({"role": "assistant", "content": blocks},) if blocks else ()


def _echoed_call(block: Json, call: Call) -> Json:
    return {**block, "id": call.id, "name": call.name, "input": call.arguments or {}}


def _refusal(read: _Message, text: str) -> str:
    details = read.stop_details or _Details()
    return details.explanation or details.category or text or "no reason given"


def _usage(counted: _Usage) -> Usage:
    cached = counted.cache_read_input_tokens or 0
    fresh = (counted.input_tokens or 0) + (counted.cache_creation_input_tokens or 0)
    return Usage(input=fresh + cached, output=counted.output_tokens or 0, cached=cached)
