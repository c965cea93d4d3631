"""Chat completions, as OpenAI and most servers of models speak them."""

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
    echoed_arguments,
)


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: str | Json | None = None


class _ToolCall(msgspec.Struct):
    id: str | None = None
    function: _Function = msgspec.field(default_factory=_Function)


class _Message(msgspec.Struct):
    content: str | list[Json] | None = None
    refusal: str | None = None
    tool_calls: list[_ToolCall] | None = None


class _Choice(msgspec.Struct):
    message: _Message
    finish_reason: str | None = None


class _InputDetails(msgspec.Struct):
    cached_tokens: int | None = None


class _OutputDetails(msgspec.Struct):
    reasoning_tokens: int | None = None


class _Usage(msgspec.Struct):
    prompt_tokens: int | None = None
    completion_tokens: int | None = None
    prompt_tokens_details: _InputDetails | None = None
    completion_tokens_details: _OutputDetails | None = None


class _Completion(msgspec.Struct):
    choices: list[_Choice]
    model: str | None = None
    usage: _Usage | None = None


_STOPS: Final = {"length": Stop.LENGTH, "content_filter": Stop.REFUSED}


@dataclass(frozen=True, slots=True)
class Chat:
    """The dialect of `POST /chat/completions`."""

    settings: EndpointSettings
    path: str = "/chat/completions"

    def body(self, told: Told, history: list[Json]) -> Json:
        """As of any dialect."""
        chosen = self.settings
        # Servers other than OpenAI's know the older name; OpenAI's newer models only the newer.
        longest = "max_completion_tokens" if chosen.official else "max_tokens"
        opening = [
            {"role": "system", "content": told.system},
            {"role": "user", "content": told.user},
        ]
        parts: Json = {
            "model": chosen.model,
            "messages": [*opening, *history],
            "tools": [
                {
                    "type": "function",
                    "function": {
                        "name": tool.name,
                        "description": tool.description,
                        "parameters": tool.schema,
                    },
                }
                for tool in told.tools
            ]
            or None,
            "response_format": None
            if told.form is None
            else {"type": "json_schema", "json_schema": {"name": "answer", "schema": told.form}},
            "temperature": chosen.temperature,
            "seed": chosen.seed,
            longest: chosen.max_output_tokens,
            "stream": chosen.stream or None,
            "stream_options": {"include_usage": True} if chosen.stream else None,
        }
        return set_parts(parts, chosen.extra_body)

    def turn(self, response: Json, taken: Collection[str]) -> Turn | Fault:
        """As of any dialect; of several choices, the first."""
        try:
            read = msgspec.convert(response, _Completion)
        except msgspec.ValidationError as fault:
            return Fault(f"the endpoint's response does not fit: {fault}", again=True)
        if not read.choices:
            return Fault("the endpoint's response holds no choice", again=True)
        choice = read.choices[0]
        message = choice.message
        calls = _calls(message, Ids(taken))
        stop = _STOPS.get(choice.finish_reason or "", Stop.DONE)
        return Turn(
            text=_text(message.content),
            calls=calls,
            stop=Stop.REFUSED if message.refusal else stop,
            echo=(_echo(response["choices"][0]["message"], calls),),
            refusal=message.refusal or _text(message.content) or "content filter",
            usage=_usage(read.usage or _Usage()),
            model=read.model,
        )

    def results(self, results: tuple[Result, ...]) -> list[Json]:
        """As of any dialect: a message each."""
        return [
            {"role": "tool", "tool_call_id": result.call, "content": result.text}
            for result in results
        ]

    def remark(self, text: str) -> Json:
        """As of any dialect."""
        return {"role": "user", "content": text}

    def merged(self, events: list[Json]) -> Json | Fault:
        """As of any dialect. A stream that names no reason for its end was cut off."""
        return _Merging().merged(events)


def _calls(message: _Message, ids: Ids) -> tuple[Call, ...]:
    return tuple(
        Call(ids.own(call.id), call.function.name or "", *arguments_of(call.function.arguments))
        for call in message.tool_calls or ()
    )


def _echo(message: Json, calls: tuple[Call, ...]) -> Json:
    """The message as it came, fields that we do not know included: some servers need theirs."""
    kept = {name: value for name, value in message.items() if value is not None}
    kept.pop("tool_calls", None)
    kept |= {"role": "assistant", "content": message.get("content")}
    if calls:
        kept["tool_calls"] = [
            {
                **came,
                "id": call.id,
                "type": "function",
                "function": {"name": call.name, "arguments": echoed_arguments(call)},
            }
            for came, call in zip(message["tool_calls"], calls, strict=True)
        ]
    elif kept["content"] is None:
        kept["content"] = ""
    return kept


def _text(content: str | list[Json] | None) -> str:
    if isinstance(content, list):
        texts = (part.get("text") for part in content)
        return "".join(text for text in texts if isinstance(text, str))
    return content or ""


def _usage(counted: _Usage) -> Usage:
    before = counted.prompt_tokens_details or _InputDetails()
    after = counted.completion_tokens_details or _OutputDetails()
    return Usage(
        input=counted.prompt_tokens or 0,
        output=counted.completion_tokens or 0,
        cached=before.cached_tokens or 0,
        reasoning=after.reasoning_tokens or 0,
    )


class _Merging:
    """A completion while its chunks come in."""

    def __init__(self) -> None:
        self._whole: Json = {}
        self._message: Json = {"role": "assistant", "content": None}
        self._calls: dict[int, Json] = {}
        self._last = 0
        self._reason: str | None = None

    def merged(self, events: list[Json]) -> Json | Fault:
        for event in events:
            self._take(event)
        if self._reason is None:
            return CUT_OFF
        if self._calls:
            self._message["tool_calls"] = [self._calls[at] for at in sorted(self._calls)]
        choice = {"index": 0, "message": self._message, "finish_reason": self._reason}
        return {**self._whole, "object": "chat.completion", "choices": [choice]}

    def _take(self, event: Json) -> None:
        for name in ("id", "model", "usage"):
            if event.get(name) is not None:
                self._whole[name] = event[name]
        for choice in _objects(event.get("choices")):
            if choice.get("index", 0) != 0:
                continue
            self._reason = choice.get("finish_reason") or self._reason
            self._take_delta(choice.get("delta") or {})

    def _take_delta(self, delta: Json) -> None:
        for call in _objects(delta.get("tool_calls")):
            self._take_call(call)
        for name, value in delta.items():
            if name in {"tool_calls", "role"} or value is None:
                continue
            before = self._message.get(name)
            joined = isinstance(before, str) and isinstance(value, str)
            self._message[name] = before + value if joined else value

    def _take_call(self, part: Json) -> None:
        """A piece of a call. Servers that count none of them begin each with an id."""
        at = part.get("index")
        if not isinstance(at, int):
            known = self._calls.get(self._last, {}).get("id")
            begun = bool(part.get("id")) and part["id"] != known
            at = len(self._calls) if begun else self._last
        self._last = at
        call = self._calls.setdefault(at, {"function": {"name": "", "arguments": ""}})
        function = part.get("function")
        for name, value in part.items():
            if name not in {"index", "function"} and value:
                call[name] = value
        if isinstance(function, dict):
            call["function"]["name"] = call["function"]["name"] or function.get("name") or ""
            call["function"]["arguments"] += function.get("arguments") or ""


def _objects(value: Any) -> list[Json]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
