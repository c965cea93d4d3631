"""An adversarial client: whatever it calls, closed is like nonexistent, and no closed byte shows."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import anyio
import httpx2
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp.shared.exceptions import MCPError
from mcp.types import CallToolResult

from groundeval import api
from groundeval.questions.model import visible_part
from groundeval.runs.agent import Address, Budget, Mode, Task
from groundeval.runs.tools import Tools
from groundeval.server.attempt import Attempt
from groundeval.server.gateway import HttpGateway
from groundeval.server.protocol import served, tool_result
from tests.server.calls import crafted
from tests.server.clients import GENERATIONS
from tests.server.vault import CANARY, SECRET, attempt, bare, canaries, closed, question, vault

UNSENDABLE = "what no client can send"
TOOLS = ("search", "fetch", "question", "submit_answer")


async def looked(client: Client, tool: str, arguments: dict[str, Any]) -> CallToolResult | str:
    try:
        return await client.call_tool(tool, arguments)
    except MCPError as fault:
        return str(fault)
    except (UnicodeEncodeError, ValueError):
        return UNSENDABLE


def twin(bare_one: Attempt, tool: str, arguments: dict[str, Any]) -> CallToolResult | str:
    """What the same call brings in the world that never had what is closed."""
    if tool not in TOOLS:
        bare_one.note(tool, arguments)
        return "there is no such tool"
    return tool_result(bare_one.call(tool, arguments))


def said(result: CallToolResult | str) -> object:
    """All of a result that depends on the call."""
    if isinstance(result, str):
        return result
    structured = json.dumps(result.structured_content)
    return result.is_error, [b.model_dump() for b in result.content], structured


def written(result: CallToolResult | str) -> str:
    return result if isinstance(result, str) else result.model_dump_json()


def unsaid(arguments: dict[str, Any]) -> list[str]:
    """The canaries that the caller has not just said itself."""
    sent = json.dumps(arguments, default=str)
    return [word for word in canaries() if word not in sent]


def ids(world: api.Compiled) -> set[str]:
    return {artifact.id for artifact in world.contract.world.corpus}


def test_the_worlds_are_what_they_are_meant_to_be() -> None:
    visible = ids(vault()) - set(closed())
    assert len(closed()) > 30
    assert len(visible) > 10
    assert ids(bare()) == visible
    asked = visible_part(question())
    assert SECRET not in json.dumps(asked, default=str)
    assert len(canaries()) > 40
    assert {CANARY, SECRET} < set(canaries())


def test_ten_thousand_calls_see_no_closed_byte() -> None:
    """Each is made in both worlds, one after the other: the replies are the same to the byte."""
    rng = Random(11)
    (here, tools), (there, _) = attempt(vault()), attempt(bare())
    calls = [crafted(rng) for _ in range(10_000)]

    async def play() -> int:
        unsendable = 0
        async with Client(served(here)) as client:
            for tool, arguments in calls:
                result = await looked(client, tool, arguments)
                if result == UNSENDABLE:
                    unsendable += 1
                    continue
                assert said(result) == said(twin(there, tool, arguments)), (tool, arguments)
                text = written(result)
                assert not any(word in text for word in unsaid(arguments)), (tool, arguments)
        return unsendable

    assert anyio.run(play) < 1000
    given = {name for step in tools.steps for name in step.results}
    assert given.isdisjoint(closed())
    assert given, "something was found"
    assert any(step.refused for step in tools.steps), "the trace knows what the client may not"
    assert any(step.suppressed for step in tools.steps)
    assert {step.tool for step in tools.steps} == {"search", "fetch", "other"}


def test_closed_future_and_nonexistent_are_the_same_to_the_byte() -> None:
    here, _ = attempt(vault())

    async def play() -> list[object]:
        async with Client(served(here)) as client:
            ids = [*closed(), "V-1", "X-0"]
            fetched = [await client.call_tool("fetch", {"id": name}) for name in ids]
            where = ["vault", "nowhere"]
            searched = [
                await client.call_tool("search", {"query": "outage", "subsystem": s}) for s in where
            ]
            return [said(result) for result in fetched + searched]

    first, *others = anyio.run(play)
    assert all(other == first for other in others)


def task() -> tuple[Task, Tools]:
    tools = Tools(vault().contract, question())
    return Task(visible_part(question()), Mode.TOOL, 1, tools, (), Budget()), tools


class Wire:
    """An HTTP client that keeps every byte of what it is told."""

    def __init__(self, address: Address) -> None:
        self.heard = bytearray()
        self.address = address
        self.client = httpx2.AsyncClient(
            headers={"Authorization": f"Bearer {address.token}"},
            event_hooks={"response": [self._hear]},
        )

    async def _hear(self, response: httpx2.Response) -> None:
        self.heard += str(response.headers).encode() + await response.aread()

    def nothing_closed(self, sent: object) -> None:
        text = json.dumps(sent, default=str)
        for word in canaries():
            assert word in text or word.encode() not in self.heard, sent
        self.heard.clear()


@pytest.mark.parametrize("mode", GENERATIONS)
def test_some_hundred_calls_over_http(mode: str) -> None:
    rng = Random(12)
    at_hand, tools = task()
    there, _ = attempt(bare())

    async def play() -> None:
        with HttpGateway() as gateway, gateway.admit(at_hand) as admitted:
            wire = Wire(admitted.address)
            transport = streamable_http_client(admitted.address.url, http_client=wire.client)
            async with wire.client, Client(transport, mode=mode) as client:
                await client.list_tools()
                wire.nothing_closed("")
                for _ in range(300):
                    tool, arguments = crafted(rng)
                    if "\\ud800" in json.dumps([tool, arguments]):
                        continue  # which no client can send
                    result = await looked(client, tool, arguments)
                    assert said(result) == said(twin(there, tool, arguments)), (tool, arguments)
                    wire.nothing_closed(arguments)

    anyio.run(play)
    assert {x for s in tools.steps for x in s.results}.isdisjoint(closed())


METHODS = [
    "resources/list", "resources/read", "resources/templates/list", "prompts/list", "prompts/get",
    "completion/complete", "logging/setLevel", "tools/list", "ping", "server/discover", "initialize",
    "tasks/list", "roots/list", "truth", "", "notifications/cancelled",
]  # fmt: skip


def _frame(rng: Random) -> object:
    """A body that is no proper call."""
    uri = rng.choice(["file:///etc/passwd", "groundeval://artifact/V-0", "file:///../desk.gev"])
    kinds: list[Any] = [
        {"uri": uri},
        {"name": "fetch", "arguments": "V-0"},
        {"name": ["fetch"], "arguments": {"id": "V-0"}},
        {"ref": {"type": "ref/resource", "uri": uri}},
        [],
        None,
        "V-0",
    ]
    params = rng.choice(kinds)
    whole = {"jsonrpc": "2.0", "id": rng.choice([1, "a", None, 2**70, {}, -0.5]),
             "method": rng.choice(METHODS), "params": params}  # fmt: skip
    del_ = rng.choice(["", "jsonrpc", "id", "method", "params"])
    broken = {key: value for key, value in whole.items() if key != del_}
    return rng.choice([whole, broken, [whole, whole], params, "x" * 10])


def test_bodies_that_are_no_calls_open_nothing() -> None:
    rng = Random(13)
    at_hand, tools = task()

    async def play() -> set[int]:
        statuses = set()
        with HttpGateway() as gateway, gateway.admit(at_hand) as admitted:
            wire = Wire(admitted.address)
            async with wire.client as http:
                for _ in range(300):
                    body = _frame(rng)
                    version = rng.choice(["2026-07-28", "2025-06-18", "1999-01-01", "../V-0"])
                    headers = {
                        "Accept": "application/json, text/event-stream",
                        "MCP-Protocol-Version": version,
                        "Mcp-Session-Id": rng.choice(["0" * 32, "../../V-0", "a"]),
                    }
                    answer = await http.post(admitted.address.url, json=body, headers=headers)
                    statuses.add(answer.status_code)
                    wire.nothing_closed([body, headers])
        return statuses

    statuses = anyio.run(play)
    assert 500 not in statuses
    assert all(not step.results for step in tools.steps)


def test_what_is_closed_changes_no_rank_and_no_count() -> None:
    """The same searches in the world that never had the closed documents."""
    rng = Random(5)
    words = ["outage", "review", "shared", "words", "T-3", "T-9", CANARY]
    queries = [" ".join(rng.sample(words, 3)) for _ in range(200)]
    here, there = (Tools(world.contract, question()) for world in (vault(), bare()))
    assert [here.search(q) for q in queries] == [there.search(q) for q in queries]
