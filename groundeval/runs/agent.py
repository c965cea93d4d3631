"""What an agent is to a run: it is handed a task, and hands back a reply."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Protocol, runtime_checkable

import msgspec

from groundeval.runs.replies import FetchReply, SearchReply

Visible = Mapping[str, Any]
"""A question as `questions.jsonl` holds it: nothing of its truth."""


class Mode(StrEnum):
    """How an agent meets a question: with tools, with a packed context, or with neither."""

    TOOL = "tool"
    CONTEXT = "context"
    ZERO_SHOT = "zero-shot"


class Toolbox(Protocol):
    """The two tools. Whatever is handed in is recorded; what does not fit is answered, not raised.

    `BudgetSpent` is raised by a call beyond the task's budget; that call reaches nothing and is
    not recorded.
    """

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply: ...

    def fetch(self, artifact_id: object) -> FetchReply: ...


@runtime_checkable
class Noting(Protocol):
    """A toolbox that also records calls which never reached a tool, as they came."""

    def note(self, tool: str, arguments: Mapping[str, object]) -> None: ...


class BudgetSpent(Exception):  # noqa: N818 - not a mistake: the agent may answer from what it has
    """A call beyond what the task's budget allows; its text says which part of it is spent."""


@dataclass(frozen=True, slots=True)
class Budget:
    """What one attempt may use; None for no bound. `tokens` counts input and output together."""

    steps: int | None = None
    seconds: float | None = None
    tokens: int | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One attempt at one question, as an agent gets it.

    `tools` is None outside tool mode; `given` holds the documents of context mode.
    """

    question: Visible
    mode: Mode
    epoch: int
    tools: Toolbox | None
    given: tuple[FetchReply, ...]
    budget: Budget


class Reply(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """What an agent hands back; none of it is trusted beyond being its answer.

    `answer` is the structured answer, `inferred` whether it was read from free text, `usage`
    counts by name (`input_tokens`, `output_tokens`, …), `prompt` a hash of what a model was told
    first. An `error` makes the attempt an error of the agent, never a wrong answer.
    """

    answer: dict[str, Any] | None = None
    cited: tuple[str, ...] = ()
    inferred: bool = False
    usage: dict[str, int] | None = None
    model: str | None = None
    prompt: str | None = None
    error: str | None = None


class Identity(msgspec.Struct, frozen=True, omit_defaults=True, kw_only=True):
    """Who answers. Two attempts under equal identities may stand in for one another.

    `settings` holds whatever changes what the agent does; secrets are not among them.
    """

    name: str
    version: str | None = None
    model: str | None = None
    settings: dict[str, Any] = msgspec.field(default_factory=dict)


class Agent(Protocol):
    """Something that answers questions. Attempts may run on several threads at once.

    `attempt` returns every failure of the agent as `Reply.error`; what it raises is a bug of ours.
    """

    @property
    def identity(self) -> Identity: ...

    def attempt(self, task: Task) -> Reply: ...

    def close(self) -> None:
        """Let go of processes and connections. No attempt follows."""
        ...


@dataclass(frozen=True, slots=True)
class Address:
    """Where an attempt's tools are served over MCP, and the bearer token that opens them."""

    url: str
    token: str


class Admission(Protocol):
    """One attempt's tools while they are served."""

    @property
    def address(self) -> Address: ...

    @property
    def submitted(self) -> dict[str, Any] | None:
        """The answer that came through `submit_answer`; None while there is none."""
        ...


class Gateway(Protocol):
    """Serves the tools of tasks over MCP, each behind an address of its own."""

    def admit(self, task: Task) -> AbstractContextManager[Admission]: ...
