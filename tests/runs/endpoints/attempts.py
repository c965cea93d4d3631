"""Attempts at a question of a small contract, over the stub."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from threading import Event as Flag
from typing import Any

from groundeval import api
from groundeval.questions.model import Question, visible_part
from groundeval.runs.agent import Agent, Budget, BudgetSpent, Identity, Mode, Reply, Task
from groundeval.runs.endpoints.agent import Means, endpoint_agent
from groundeval.runs.endpoints.sending import Clock
from groundeval.runs.endpoints.settings import Api, EndpointSettings
from groundeval.runs.replies import FetchReply, SearchReply
from groundeval.runs.tools import Tools
from tests.runs.endpoints.stub import Model, Stub, stub
from tests.runs.endpoints.wire import Said

ROOT = Path(__file__).parents[3]
APIS = [Api.CHAT, Api.RESPONSES, Api.MESSAGES]
KEY = "sk-test-0123456789-canary"
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {
        "exists": {"type": "boolean"},
        "abstain": {"type": "boolean"},
        "reasoning": {"type": "string"},
    },
    "required": ["exists"],
    "additionalProperties": False,
}
ANSWER = {"exists": True, "reasoning": "“seen” in W-1"}


@cache
def desk() -> api.Compiled:
    project = api.open_project(ROOT / "examples" / "support").value
    assert project is not None
    compiled = api.compile_project(project).value
    assert compiled is not None
    return compiled


class FakeClock(Clock):
    """Time that passes only by waiting; what was waited is kept."""

    def __init__(self) -> None:
        self.waited: list[float] = []

    def now(self) -> float:
        return 1000.0 + sum(self.waited)

    def wait(self, seconds: float, stopped: Flag) -> None:
        self.waited.append(seconds)


class Shelf:
    """A toolbox of one document, which keeps what it was asked, in order."""

    def __init__(self, steps: int | None = None) -> None:
        self.calls: list[tuple[str, Any]] = []
        self.noted: list[tuple[str, dict[str, object]]] = []
        self._steps = steps

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        self._count("search", (query, subsystem, limit))
        return SearchReply(available=subsystem != "hr")

    def fetch(self, artifact_id: object) -> FetchReply:
        self._count("fetch", artifact_id)
        known = artifact_id == "W-1"
        return FetchReply(str(artifact_id), known, text="seen" if known else "")

    def note(self, tool: str, arguments: Mapping[str, object]) -> None:
        self.noted.append((tool, dict(arguments)))

    def _count(self, tool: str, arguments: Any) -> None:
        if self._steps is not None and len(self.calls) >= self._steps:
            raise BudgetSpent(f"out of steps: {self._steps}")
        self.calls.append((tool, arguments))


def task(tools: Shelf | None = None, mode: Mode = Mode.TOOL, **more: Any) -> Task:
    question = {
        "id": "q-1",
        "track": "looking",
        "text": "Was it seen?",
        "instructions": "Answer from what you look up.",
        "answer_schema": SCHEMA,
        "keys": ("W-1",),
        "vocabulary": {},
        "as_of": "2026-03-01T00:00:00Z",
    }
    shelf = (tools or Shelf()) if mode is Mode.TOOL else None
    whole = Task(question, mode, epoch=1, tools=shelf, given=(), budget=Budget())
    return replace(whole, **more)


def settings(of: Api, url: str, **more: Any) -> EndpointSettings:
    base = url if of is Api.MESSAGES else f"{url}/v1"
    given = {"name": "model", "model": "stub", "key_env": "STUB_KEY", **more}
    return EndpointSettings(api=of, base_url=base, **given)


@dataclass
class Held:
    """An attempt that is over: what came back, what the endpoint was asked, what was waited."""

    reply: Reply
    server: Stub
    clock: FakeClock
    identity: Identity


def means(clock: Clock | None = None, **more: Any) -> Means:
    environment = {"STUB_KEY": KEY}
    return Means(clock=clock or FakeClock(), environment=environment, **more)


@contextmanager
def agent_on(model: Model, of: Api, given: Means, **more: Any) -> Iterator[tuple[Agent, Stub]]:
    with stub(model) as server:
        agent = endpoint_agent(settings(of, server.url, **more), given).value
        assert agent is not None
        try:
            yield agent, server
        finally:
            agent.close()


def attempt(model: Model, of: Api, asked: Task, given: Means | None = None, **more: Any) -> Held:
    clock = FakeClock()
    used = given or means(clock)
    with agent_on(model, of, used, **more) as (agent, server):
        return Held(agent.attempt(asked), server, clock, agent.identity)


def submits(answer: Any = ANSWER, call_id: str | None = "c-9") -> Said:
    return Said(calls=((call_id, "submit_answer", json.dumps(answer)),))


def calls(*named: tuple[str, Any]) -> Said:
    """A turn of calls, with ids of their own."""
    return Said(
        calls=tuple(
            (f"c-{number}-{name}", name, given if isinstance(given, str) else json.dumps(given))
            for number, (name, given) in enumerate(named)
        )
    )


@dataclass
class Solved:
    """A question of the example, put to a model over the wire, and its scored trace."""

    question: Question
    tools: Tools = field(init=False)

    def __post_init__(self) -> None:
        self.tools = Tools(desk().contract, self.question)

    @property
    def task(self) -> Task:
        visible = visible_part(self.question)
        return Task(visible, Mode.TOOL, epoch=1, tools=self.tools, given=(), budget=Budget())
