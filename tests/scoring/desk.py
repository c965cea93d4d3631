"""A small desk for tests of scoring: its contract, questions by hand, and short ways to traces."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path
from typing import Any

from groundeval.contracts.builder import Contract, build
from groundeval.ir.program import Program, Track
from groundeval.questions.model import Question
from groundeval.scoring import Result, TrackScorer
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.traces.model import Step, Trace
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.time import DAY, format_instant
from groundeval.world.world import World

START = 1_772_323_200_000_000
"""2026-03-01T00:00:00Z, day 0."""
SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", Path(__file__).parents[3] / "shared"))

HEADING = """gev 1
domain desk "A desk"
timezone "UTC"
"""
DESK = (
    HEADING
    + """use policies.horizon, policies.rbac, policies.participation
use tracks.perspective, tracks.counterfactual, tracks.silence
subsystem jira, wiki, vault
role engineer { reads: [jira, wiki]  hears: [opened, written] }
role guard inherits engineer { reads: [vault] }
actor `ann`: engineer
actor `gus`: guard
event opened "opening" { jira: artifact  found by "ticket {jira}" }
event written "writing" { jira: artifact  wiki: artifact }
link writes "Because it was opened" {
  cause c: opened  effect e: written  join c.jira == e.jira  within 9d
}
silence unwritten "Every ticket is written up" {
  after t: opened  expect r: written  join t.jira == r.jira  within 3d
  search wiki for "writing {t.jira}"  fetch t.jira
}
"""
)


def program(rules: str) -> Program:
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": rules}))
    assert checked.value is not None, checked.diagnostics
    return checked.value


@cache
def desk_program() -> Program:
    return program(DESK)


@cache
def paper_program() -> Program:
    names = ("perspective", "counterfactual", "silence")
    gates = "use policies.horizon, policies.rbac, policies.participation\n"
    return program(HEADING + gates + "".join(f"use tracks.paper.{name}\n" for name in names))


def own_track(body: str) -> Track:
    """The track that `body` describes, alone in its contract."""
    (track,) = program(f'{HEADING}track own "A track" {{\n{body}\n}}\n').tracks
    return track


def at(day: float) -> int:
    return START + int(day * DAY)


def when(day: float) -> str:
    return format_instant(at(day))


@cache
def desk() -> Contract:
    """T-1 was written up on day 2, T-2 never; V-1 lies in the vault, W-9 comes on day 20."""
    rules = desk_program()
    events = [
        Event(id="e1", type="opened", at=at(1), actors=("ann",), artifacts={"jira": ("T-1",)}),
        Event(
            id="e2",
            type="written",
            at=at(2),
            actors=("ann",),
            artifacts={"jira": ("T-1",), "wiki": ("W-1",)},
        ),
        Event(id="e3", type="opened", at=at(3), actors=("ann",), artifacts={"jira": ("T-2",)}),
        Event(id="e4", type="opened", at=at(30), actors=("ann",), artifacts={"jira": ("T-3",)}),
    ]
    artifacts = [
        artifact("T-1", "jira", 1, "ticket T-1"),
        artifact("T-2", "jira", 3, "ticket T-2"),
        artifact("T-3", "jira", 30, "ticket T-3"),
        artifact("W-1", "wiki", 2, "writing T-1"),
        artifact("W-9", "wiki", 20, "writing of something else"),
        artifact("V-1", "vault", 1, "a secret about T-1"),
    ]
    world = World(MemoryLog(events), Corpus(artifacts), Access(rules.actors, rules.roles))
    checked = build(rules, world, seed=1)
    assert checked.value is not None, checked.diagnostics
    return checked.value


def artifact(name: str, subsystem: str, day: float, text: str) -> Artifact:
    versions = (Version(start=at(day), title=name, text=text),)
    return Artifact(id=name, subsystem=subsystem, created=at(day), versions=versions)


def absent() -> Question:
    """Was T-2 written up by day 6? It was not; both places have to be looked at."""
    places = [
        {
            "search": ["wiki"],
            "for": "writing T-2",
            "keys": [["t", "2"]],
            "ghost": "writing T-2 writing",
        },
        {"fetch": "T-2"},
    ]
    truth = {"exists": False, "witness": [], "places": places}
    return Question(id="q-absent", track="silence", as_of=when(6), truth=truth, pair="q-present")


def present() -> Question:
    """Was T-1 written up by day 6? It was, in W-1."""
    truth = {"exists": True, "witness": ["T-1", "W-1"], "places": []}
    return Question(id="q-present", track="silence", as_of=when(6), truth=truth, pair="q-absent")


def knowable() -> Question:
    """Could ann have known of e2 on day 6?"""
    truth = {
        "could_actor_have_known": True,
        "blocked_subsystems": [],
        "evidence_artifacts": ["T-1", "W-1"],
        "places": [],
    }
    return Question(id="q-known", track="perspective", actor="ann", as_of=when(6), truth=truth)


def fetch(artifact: str, *, n: int = 1, found: bool = True) -> Step:
    results = (artifact,) if found else ()
    return Step(n=n, tool="fetch", artifact=artifact, results=results, text=found)


def search(query: str, subsystem: str | None = None, *results: str, n: int = 1) -> Step:
    return Step(n=n, tool="search", query=query, subsystem=subsystem, results=results)


def trace(question: Question | str, *steps: Step, **fields: Any) -> Trace:
    """A trace with its steps numbered from 1."""
    name = question if isinstance(question, str) else question.id
    numbered = tuple(
        Step(**{**{f: getattr(s, f) for f in s.__struct_fields__}, "n": n})
        for n, s in enumerate(steps, start=1)
    )
    return Trace(question=name, agent=fields.pop("agent", "someone"), steps=numbered, **fields)


@cache
def scorer(track_id: str, *, compiled: bool = True) -> TrackScorer:
    track = desk().program.track(track_id)
    assert track is not None
    return TrackScorer(track, desk(), compiled=compiled)


def scored(question: Question, *steps: Step, compiled: bool = True, **fields: Any) -> Result:
    """The result of a trace of the desk."""
    return scorer(question.track, compiled=compiled).score(
        question, trace(question, *steps, **fields)
    )
