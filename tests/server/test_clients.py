"""The server as real MCP clients see it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import anyio
import httpx2
import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult, TextContent
from mcp_types.version import HANDSHAKE_PROTOCOL_VERSIONS, MODERN_PROTOCOL_VERSIONS

from groundeval.questions.model import Question, visible_part
from groundeval.runs.agent import Budget, Mode, Task
from groundeval.runs.tools import Tools
from groundeval.server.gateway import HttpGateway
from groundeval.traces.model import Trace
from groundeval.traces.reader import read_traces
from tests.runs.desks import big_desk, compiled_in, desk
from tests.server.clients import GENERATIONS, over_http, over_stdio

QUESTION = desk().drawn.questions[0]
YES: dict[str, Any] = {"exists": True, "evidence_artifacts": []}
NO: dict[str, Any] = {"exists": False, "evidence_artifacts": []}


def task(question: Question = QUESTION) -> tuple[Task, Tools]:
    tools = Tools(desk().contract, question)
    return Task(visible_part(question), Mode.TOOL, 1, tools, (), Budget()), tools


@pytest.fixture(scope="module")
def gateway() -> Iterator[HttpGateway]:
    with HttpGateway() as opened:
        yield opened


def content(result: CallToolResult) -> Any:
    """The structured content, which is the same as the text's JSON."""
    assert not result.is_error, result
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert json.loads(block.text) == result.structured_content
    return result.structured_content


def refusal(result: CallToolResult) -> str:
    assert result.is_error
    (block,) = result.content
    assert isinstance(block, TextContent)
    assert result.structured_content is None
    return block.text


@pytest.mark.parametrize("mode", GENERATIONS)
def test_a_question_is_answered_over_http(gateway: HttpGateway, mode: str) -> None:
    at_hand, tools = task()

    async def play() -> dict[str, Any] | None:
        with gateway.admit(at_hand) as admitted:
            async with over_http(admitted.address, mode) as client:
                assert (client.protocol_version in MODERN_PROTOCOL_VERSIONS) == (mode != "legacy")
                listed = await client.list_tools()
                assert {t.name for t in listed.tools} == {
                    "search", "fetch", "question", "submit_answer",
                }  # fmt: skip
                asked = content(await client.call_tool("question", {}))
                assert asked["text"] == QUESTION.text
                assert "truth" not in asked
                hits = content(await client.call_tool("search", {"query": asked["keys"][0]}))
                first = hits["results"][0]["id"]
                opened = content(await client.call_tool("fetch", {"id": first}))
                assert opened["id"] == first
                said = refusal(await client.call_tool("fetch", {"id": "W-404"}))
                assert said == "not available"
                assert "is missing" in refusal(await client.call_tool("submit_answer", {}))
                done = await client.call_tool("submit_answer", YES)
                assert content(done) == {"accepted": True}
                assert "has ended" in refusal(await client.call_tool("fetch", {"id": first}))
            return admitted.submitted

    assert anyio.run(play) == YES
    assert [step.tool for step in tools.steps] == ["search", "fetch", "fetch"]


def test_a_token_opens_one_question_and_only_while_it_is_admitted(gateway: HttpGateway) -> None:
    (first, _), (second, tools) = task(), task(desk().drawn.questions[1])

    async def play() -> None:
        with gateway.admit(first) as one:
            with gateway.admit(second) as two:
                async with over_http(two.address) as client:
                    asked = content(await client.call_tool("question", {}))
                    assert asked["id"] == desk().drawn.questions[1].id
                assert one.address.token != two.address.token
            with pytest.raises((MCPError, ExceptionGroup)):
                async with over_http(two.address) as client:
                    await client.call_tool("fetch", {"id": "T-0"})

    anyio.run(play)
    assert tools.steps == ()


def test_an_unknown_tool_is_an_error_of_the_protocol(gateway: HttpGateway) -> None:
    at_hand, _ = task()

    async def play() -> None:
        with gateway.admit(at_hand) as admitted:
            async with over_http(admitted.address, "legacy") as client:
                with pytest.raises(MCPError, match="no such tool"):
                    await client.call_tool("truth", {})

    anyio.run(play)


@pytest.mark.parametrize("version", HANDSHAKE_PROTOCOL_VERSIONS)
def test_every_revision_of_the_handshake_is_spoken(gateway: HttpGateway, version: str) -> None:
    """As old clients speak it: the SDK's own always offers the newest."""
    at_hand, tools = task()
    headers = {"Accept": "application/json, text/event-stream"}
    hello = {"protocolVersion": version, "capabilities": {}, "clientInfo": {"name": "o", "version": "1"}}  # fmt: skip

    def message(method: str, params: object, **more: object) -> dict[str, Any]:
        return {"jsonrpc": "2.0", "method": method, "params": params, **more}

    with gateway.admit(at_hand) as admitted:
        bearer = {"Authorization": f"Bearer {admitted.address.token}"}
        with httpx2.Client(headers={**headers, **bearer}) as http:
            url = admitted.address.url
            greeted = http.post(url, json=message("initialize", hello, id=1))
            assert greeted.json()["result"]["protocolVersion"] == version
            more = {"Mcp-Session-Id": greeted.headers["mcp-session-id"]}
            if version >= "2025-06-18":
                more["MCP-Protocol-Version"] = version
            http.post(url, json=message("notifications/initialized", {}), headers=more)
            call = {"name": "fetch", "arguments": {"id": "T-0"}}
            fetched = http.post(url, json=message("tools/call", call, id=2), headers=more)
            (block,) = fetched.json()["result"]["content"]
            assert json.loads(block["text"])["id"] == "T-0"
            assert http.delete(url, headers=more).status_code == 200
            assert http.post(url, json=message("ping", {}, id=3), headers=more).status_code == 404
    assert [step.artifact for step in tools.steps] == ["T-0"]


def test_an_unknown_tool_is_recorded(gateway: HttpGateway) -> None:
    at_hand, tools = task()

    async def play() -> None:
        with gateway.admit(at_hand) as admitted:
            async with over_http(admitted.address) as client:
                with pytest.raises(MCPError, match="no such tool"):
                    await client.call_tool("truth", {"id": "T-0"})

    anyio.run(play)
    assert [step.arguments for step in tools.steps] == [
        {"tool": "truth", "arguments": {"id": "T-0"}}
    ]


@pytest.mark.parametrize("mode", GENERATIONS)
def test_a_question_is_answered_over_stdio(tmp_path: Path, mode: str) -> None:
    project = big_desk(tmp_path / "desk", 4)
    question = compiled_in(project).drawn.questions[0]
    out = tmp_path / "out"

    async def play() -> None:
        async with over_stdio(project, question.id, out, mode) as client:
            assert (client.protocol_version in MODERN_PROTOCOL_VERSIONS) == (mode != "legacy")
            asked = content(await client.call_tool("question", {}))
            assert asked["id"] == question.id
            await client.call_tool("fetch", {"id": asked["keys"][0]})
            await client.call_tool("submit_answer", NO)

    anyio.run(play)
    (trace,) = read_traces([out / "traces.jsonl"])
    assert isinstance(trace, Trace)
    assert (trace.agent, trace.question, trace.answer) == ("mcp", question.id, NO)
    assert [step.artifact for step in trace.steps] == [question.keys[0]]


def test_a_client_that_leaves_without_an_answer_is_an_error_of_the_agent(tmp_path: Path) -> None:
    project = big_desk(tmp_path / "desk", 4)
    question = compiled_in(project).drawn.questions[0]
    out = tmp_path / "out"

    async def play() -> None:
        async with over_stdio(project, question.id, out, "legacy") as client:
            await client.call_tool("fetch", {"id": question.keys[0]})

    anyio.run(play)
    anyio.run(play)
    traces = [t for t in read_traces([out / "traces.jsonl"]) if isinstance(t, Trace)]
    assert [(t.epoch, t.error) for t in traces] == [
        (1, "no answer was submitted"),
        (2, "no answer was submitted"),
    ]
