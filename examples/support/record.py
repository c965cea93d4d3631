"""Plays the scripted agents on every question of the support desk and records what they did.

`python -m examples.support.record` writes `traces.jsonl` beside this file. No clock is read, so
equal rules, data and agents give equal bytes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

import msgspec

from groundeval import api
from groundeval.questions.model import visible_part
from groundeval.runs.tools import Tools
from groundeval.scripted import PLAYERS, Player
from groundeval.traces.model import Trace
from groundeval.world.canonical import canonical_json

HERE = Path(__file__).parent
TRACES = HERE / "traces.jsonl"

RECORDED = ("careful", "guessing", "hasty", "overciting", "peeking", "prying")
AGENTS: Mapping[str, Player] = {name: PLAYERS[name] for name in RECORDED}
"""The agents that are recorded, by the names they have there."""


def play(compiled: api.Compiled, agents: Mapping[str, Player]) -> Iterator[Trace]:
    """A trace for each agent and question, in that order. The agents see the visible part only."""
    for name, agent in agents.items():
        for question in compiled.drawn.questions:
            tools = Tools(compiled.contract, question)
            answer = agent(visible_part(question), tools)
            yield msgspec.structs.replace(tools.finish(answer), agent=name)


def recorded(project: Path = HERE) -> bytes:
    """The traces of all agents on all questions of a project, a line each."""
    opened = api.open_project(project)
    assert opened.value is not None, opened.diagnostics
    compiled = api.compile_project(opened.value)
    assert compiled.value is not None, compiled.diagnostics
    traces = play(compiled.value, AGENTS)
    return b"".join(canonical_json(msgspec.to_builtins(trace)) + b"\n" for trace in traces)


if __name__ == "__main__":
    TRACES.write_bytes(recorded())
    print(f"{TRACES.name}: {TRACES.stat().st_size:,} bytes")
