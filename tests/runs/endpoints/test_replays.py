"""Responses that real endpoints once gave, served again: every call, token and text is read."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundeval.runs.endpoints.settings import Api
from tests.runs.endpoints.attempts import ROOT, Shelf, attempt, task
from tests.runs.endpoints.stub import replies
from tests.runs.endpoints.wire import api_of

SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared")) / "traces"
FOLDERS = {
    "openai_chat": Api.CHAT,
    "openai_responses": Api.RESPONSES,
    "anthropic_messages": Api.MESSAGES,
}
TAPES = [
    (api, path) for name, api in FOLDERS.items() for path in sorted((SHARED / name).glob("*.yaml"))
]

Json = dict[str, Any]


def recorded(path: Path, api: Api) -> list[Json]:
    """The responses of the tape that came from this API; its other requests are set-up."""
    tape = yaml.safe_load(path.read_text(encoding="utf-8"))
    return [
        turn["response"]["parsed_body"]
        for turn in tape["interactions"]
        if turn["request"]["uri"].partition("?")[0].endswith(f"/{ENDINGS[api]}")
    ]


ENDINGS = {Api.CHAT: "chat/completions", Api.RESPONSES: "responses", Api.MESSAGES: "messages"}


def called(body: Json) -> list[tuple[str, Any]]:
    """The calls that the client had to carry out."""
    if "choices" in body:
        made = [call["function"] for call in body["choices"][0]["message"].get("tool_calls") or ()]
        return [(call["name"], json.loads(call["arguments"])) for call in made]
    items: list[Json] = body["output"] if "output" in body else body["content"]
    return [
        (item["name"], item["input"] if "input" in item else json.loads(item["arguments"]))
        for item in items
        if item["type"] in {"function_call", "tool_use"}
    ]


def used(body: Json) -> tuple[int, int]:
    usage = body["usage"]
    if "prompt_tokens" in usage:
        return usage["prompt_tokens"], usage["completion_tokens"]
    cached = ("cache_creation_input_tokens", "cache_read_input_tokens")
    before = usage["input_tokens"] + sum(usage.get(name) or 0 for name in cached)
    return before, usage["output_tokens"]


def echoed(api: Api, body: Json) -> list[Any]:
    """What stands behind the question in a request."""
    return body["input"][1:] if api is Api.RESPONSES else body["messages"][1:]  # type: ignore[no-any-return]


@pytest.mark.skipif(not TAPES, reason="GROUNDEVAL_SHARED: no traces/openai_chat and its like")
@pytest.mark.parametrize(("api", "path"), TAPES, ids=lambda part: getattr(part, "stem", part))
def test_recorded_responses_are_read(api: Api, path: Path) -> None:
    bodies = recorded(path, api)
    assert bodies
    shelf = Shelf()
    held = attempt(replies(bodies), api, task(shelf), turns=len(bodies))
    assert len(held.server.asked) == len(bodies)
    assert all(api_of(heard.path) == api.value for heard in held.server.asked)
    assert shelf.noted == [call for body in bodies for call in called(body)]
    assert held.reply.usage is not None
    total = [sum(counts) for counts in zip(*map(used, bodies), strict=True)]
    assert [held.reply.usage["input_tokens"], held.reply.usage["output_tokens"]] == total
    assert held.reply.model == bodies[-1]["model"]
    assert held.reply.error is not None
    assert held.reply.error.startswith(("the model ended without a call", "out of turns"))


@pytest.mark.skipif(not TAPES, reason="GROUNDEVAL_SHARED: no traces/anthropic_messages")
@pytest.mark.parametrize(("api", "path"), TAPES, ids=lambda part: getattr(part, "stem", part))
def test_recorded_turns_are_sent_back_whole(api: Api, path: Path) -> None:
    """Thoughts, signatures and items of tools that the endpoint ran itself included."""
    first = recorded(path, api)[0]
    held = attempt(replies([first]), api, task(), turns=2)
    history = echoed(api, held.server.bodies[-1])
    if api is Api.MESSAGES:
        assert history[0] == {"role": "assistant", "content": first["content"]}
    elif api is Api.RESPONSES:
        assert history[: len(first["output"])] == first["output"]
    else:
        came = {k: v for k, v in first["choices"][0]["message"].items() if v is not None}
        sent = dict(history[1])
        for call in sent.get("tool_calls", ()):
            assert call["id"]
        ids = [call.pop("id") for call in [*came["tool_calls"], *sent["tool_calls"]]]
        assert len(ids) == 2
        assert sent.pop("content") is None
        assert {**sent, "content": None} == {**came, "content": None}
