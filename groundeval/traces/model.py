"""A trace: one attempt of an agent at one question, as it was recorded."""

from __future__ import annotations

from typing import Any

import msgspec

SCHEMA = "groundeval.trace/1"


class Refusal(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """Why a call was refused: the gate, and the rule as `file:line` where one decided."""

    gate: str
    rule: str | None = None


class Step(msgspec.Struct, frozen=True, eq=False, omit_defaults=True, kw_only=True):
    """One call. `tool` is search, fetch, given (context mode) or other.

    `results` are the ids that came back; `text` says whether their text came back too (None: the
    recorder does not say, and then a fetch with results gave it). `breaks`
    are gates that somebody else's recorder saw broken: compared, never trusted. `suppressed` are
    hits that a runtime withheld.
    """

    n: int
    tool: str
    query: str | None = None
    subsystem: str | None = None
    artifact: str | None = None
    limit: int | None = None
    results: tuple[str, ...] = ()
    text: bool | None = None
    refused: tuple[Refusal, ...] = ()
    breaks: tuple[str, ...] | None = None
    suppressed: tuple[str, ...] = ()
    arguments: dict[str, Any] | None = None
    latency_ms: float | None = None


class Recorder(msgspec.Struct, frozen=True, omit_defaults=True):
    """Who recorded the trace, for which contract, and the hash over the chain of its steps.

    `backend` names what ranked the searches, where that was not the contract's own index.
    """

    runtime: str = ""
    contract: str = ""
    chain: str = ""
    backend: str = ""


class Trace(msgspec.Struct, frozen=True, eq=False, omit_defaults=True, kw_only=True):
    """One attempt at one question: a line of `traces.jsonl`."""

    schema: str = SCHEMA
    question: str
    agent: str = ""
    agent_version: str | None = None
    model: str | None = None
    settings: dict[str, Any] | None = None
    prompt: str | None = None
    mode: str = "tool"
    gated: bool = True
    epoch: int = 1
    started: str | None = None
    steps: tuple[Step, ...] = ()
    answer: dict[str, Any] | None = None
    cited: tuple[str, ...] = ()
    usage: dict[str, Any] | None = None
    error: str | None = None
    fidelity: dict[str, str] | None = None
    recorder: Recorder | None = None
