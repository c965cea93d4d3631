"""Responses, OpenAI's later API: a conversation is a list of items."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Final

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


class _Item(msgspec.Struct):
    type: str = ""
    call_id: str | None = None
    name: str | None = None
    arguments: str | Json | None = None
    content: str | list[Json] | None = None


class _InputDetails(msgspec.Struct):
    cached_tokens: int | None = None


class _OutputDetails(msgspec.Struct):
    reasoning_tokens: int | None = None


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    input_tokens_details: _InputDetails | None = None
    output_tokens_details: _OutputDetails | None = None


class _Incomplete(msgspec.Struct):
    reason: str | None = None


class _Response(msgspec.Struct):
    output: list[_Item]
    status: str | None = None
    incomplete_details: _Incomplete | None = None
    model: str | None = None
    usage: _Usage | None = None


_FINAL: Final = frozenset({"response.completed", "response.incomplete", "response.failed"})


@dataclass(frozen=True, slots=True)
class Responses:
    """The dialect of `POST /responses`. Every request holds the whole conversation."""

    settings: EndpointSettings
    path: str = "/responses"

    def body(self, told: Told, history: list[Json]) -> Json:
        """As of any dialect."""
        chosen = self.settings
        parts: Json = {
            "model": chosen.model,
            "instructions": told.system,
            "input": [{"role": "user", "content": told.user}, *map(self._sendable, history)],
            "tools": [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": tool.schema,
                    # Else every field would have to be required, and answers have optional ones.
                    "strict": False,
                }
                for tool in told.tools
            ]
            or None,
            "text": None
            if told.form is None
            else {
                "format": {
                    "type": "json_schema",
                    "name": "answer",
                    "schema": told.form,
                    "strict": False,
                }
            },
            "temperature": chosen.temperature,
            "max_output_tokens": chosen.max_output_tokens,
            "stream": chosen.stream or None,
        }
        body = set_parts(parts, chosen.extra_body)
        body["input"] = [item for item in body["input"] if item]
        return body

    def turn(self, response: Json, taken: Collection[str]) -> Turn | Fault:
        """As of any dialect."""
        try:
            read = msgspec.convert(response, _Response)
        except msgspec.ValidationError as fault:
            return Fault(f"the endpoint's response does not fit: {fault}", again=True)
        if read.status in {"failed", "cancelled"}:
            return Fault(f"the endpoint's response has the status `{read.status}`")
        ids = Ids(taken)
        calls = tuple(
            Call(ids.own(item.call_id), item.name or "", *arguments_of(item.arguments))
            for item in read.output
            if item.type == "function_call"
        )
        stop, refusal = _stop(read)
        return Turn(
            text="".join(_parts(read, "output_text", "text")),
            calls=calls,
            stop=stop,
            echo=_echo(response["output"], calls),
            refusal=refusal,
            usage=_usage(read.usage or _Usage()),
            model=read.model,
        )

    def results(self, results: tuple[Result, ...]) -> list[Json]:
        """As of any dialect: an item each."""
        return [
            {"type": "function_call_output", "call_id": result.call, "output": result.text}
            for result in results
        ]

    def remark(self, text: str) -> Json:
        """As of any dialect."""
        return {"role": "user", "content": text}

    def merged(self, events: list[Json]) -> Json | Fault:
        """As of any dialect: the response in the last event, or the items that came before it.

        An error that came instead is handed on as it is.
        """
        items: list[Json] = []
        for event in events:
            kind = event.get("type")
            if kind == "error":
                return event
            if kind == "response.output_item.done":
                items.append(event.get("item") or {})
            if kind in _FINAL:
                response: Json = event.get("response") or {}
                return response if response.get("output") else {**response, "output": items}
        return CUT_OFF

    def _sendable(self, item: Json) -> Json:
        """An item as the next request may hold it; {} for none.

        Where the endpoint stores nothing, it knows no item by its id, and a reasoning can be
        sent back only if it came encrypted.
        """
        if self.settings.extra_body.get("store") is not False:
            return item
        if item.get("type") == "reasoning" and not item.get("encrypted_content"):
            return {}
        return {name: value for name, value in item.items() if name != "id"}


def _stop(read: _Response) -> tuple[Stop, str]:
    refusal = "".join(_parts(read, "refusal", "refusal"))
    if refusal:
        return Stop.REFUSED, refusal
    reason = read.incomplete_details.reason if read.incomplete_details else None
    if reason == "content_filter":
        return Stop.REFUSED, "content filter"
    return (Stop.LENGTH if read.status == "incomplete" else Stop.DONE), ""


def _parts(read: _Response, kind: str, field: str) -> list[str]:
    """The texts of one kind in the messages of a response."""
    return [
        part[field]
        for item in read.output
        if item.type == "message" and isinstance(item.content, list)
        for part in item.content
        if part.get("type") == kind and isinstance(part.get(field), str)
    ]


def _echo(output: list[Json], calls: tuple[Call, ...]) -> tuple[Json, ...]:
    left = iter(calls)
    return tuple(
        item if item.get("type") != "function_call" else _echoed_call(item, next(left))
        for item in output
    )


def _echoed_call(item: Json, call: Call) -> Json:
    kept = {name: value for name, value in item.items() if value is not None}
    return {**kept, "call_id": call.id, "name": call.name, "arguments": echoed_arguments(call)}


def _usage(counted: _Usage) -> Usage:
    before = counted.input_tokens_details or _InputDetails()
    after = counted.output_tokens_details or _OutputDetails()
    return Usage(
        input=counted.input_tokens or 0,
        output=counted.output_tokens or 0,
        cached=before.cached_tokens or 0,
        reasoning=after.reasoning_tokens or 0,
    )
