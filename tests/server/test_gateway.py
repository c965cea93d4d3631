"""The tools of a run's tasks, as a command finds them behind the address that it is given."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

import anyio
import pytest
from mcp.types import TextContent

from groundeval.questions.model import visible_part
from groundeval.runs.agent import Budget, Gateway, Mode, Task
from groundeval.runs.budget import Budgeted
from groundeval.runs.command import Command, CommandAgent
from groundeval.runs.tools import Tools
from groundeval.server.gateway import HttpGateway
from tests.runs.desks import desk
from tests.server.clients import over_http

QUESTIONS = desk().drawn.questions
NO = {"exists": False, "evidence_artifacts": []}
SCRIPT = """
import asyncio, os, sys
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    token, url = os.environ["GROUNDEVAL_MCP_TOKEN"], os.environ["GROUNDEVAL_MCP_URL"]
    async with httpx2.AsyncClient(headers={"Authorization": "Bearer " + token}) as http:
        async with Client(streamable_http_client(url, http_client=http)) as client:
            asked = (await client.call_tool("question", {})).structured_content
            await client.call_tool("fetch", {"id": asked["keys"][0]})
            await client.call_tool("search", {"query": "x", "actor": "bob"})
            answer = {"exists": False, "evidence_artifacts": []}
            print((await client.call_tool("submit_answer", answer)).structured_content)

asyncio.run(main())
"""


def task(number: int = 0, budget: Budget | None = None) -> tuple[Task, Tools]:
    tools = Tools(desk().contract, QUESTIONS[number])
    limit = budget or Budget(seconds=60)
    visible = visible_part(QUESTIONS[number])
    return Task(visible, Mode.TOOL, 1, Budgeted(tools, limit), (), limit), tools


def test_commands_work_with_their_own_tools_at_the_same_time() -> None:
    tasks = [task(number) for number in range(4)]
    with HttpGateway() as opened:
        gateway: Gateway = opened
        agent = CommandAgent(Command("mine", (sys.executable, "-c", SCRIPT)), gateway)
        with ThreadPoolExecutor(2) as pool:
            replies = list(pool.map(agent.attempt, [at_hand for at_hand, _ in tasks]))
        agent.close()
    assert [(reply.answer, reply.error) for reply in replies] == [(NO, None)] * 4
    for number, (_, tools) in enumerate(tasks):
        assert [(s.tool, s.artifact) for s in tools.steps] == [
            ("fetch", QUESTIONS[number].keys[0]),
            ("other", None),  # nobody looks with other eyes, and that he tried is recorded
        ]


def test_a_budget_that_is_spent_is_told() -> None:
    at_hand, tools = task(budget=Budget(steps=1))

    async def play() -> list[str]:
        said = []
        with HttpGateway() as gateway, gateway.admit(at_hand) as admitted:
            async with over_http(admitted.address) as client:
                for _ in range(2):
                    result = await client.call_tool("fetch", {"id": "T-0"})
                    (block,) = result.content
                    assert isinstance(block, TextContent)
                    said.append(block.text)
                assert not (await client.call_tool("submit_answer", NO)).is_error
            assert admitted.submitted == NO
        return said

    assert anyio.run(play)[1] == "out of steps: 1"
    assert len(tools.steps) == 1


def test_nothing_is_recorded_after_the_end() -> None:
    at_hand, tools = task()
    with HttpGateway() as gateway, gateway.admit(at_hand) as admitted:
        attempt = admitted.attempt
    attempt.call("fetch", {"id": "T-0"})
    attempt.note("truth", {})
    assert tools.steps == ()
    assert admitted.submitted is None


def test_a_gateway_is_for_this_machine_alone() -> None:
    with HttpGateway() as gateway, gateway.admit(task()[0]) as admitted:
        assert admitted.address.url.startswith("http://127.0.0.1:")
        assert len(admitted.address.token) > 40


def test_an_answer_that_is_lost_on_our_side_is_a_bug_that_is_told_to_nobody_outside(
    caplog: pytest.LogCaptureFixture,
) -> None:
    class Broken:
        def search(
            self, query: object = "", subsystem: object = None, limit: object = None
        ) -> None:
            raise RuntimeError("zanzibar")

        def fetch(self, artifact_id: object) -> None:
            raise RuntimeError("zanzibar")

    broken = Task({"id": "q"}, Mode.TOOL, 1, Broken(), (), Budget())  # type: ignore[arg-type]

    async def play() -> str:
        with HttpGateway() as gateway, gateway.admit(broken) as admitted:
            async with over_http(admitted.address) as client:
                with pytest.raises(Exception) as caught:  # noqa: PT011 - what matters is the text
                    await client.call_tool("fetch", {"id": "x"})
                return str(caught.value)

    assert anyio.run(play) == "the server failed"
    assert "zanzibar" in caplog.text
