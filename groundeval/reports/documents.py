"""Documents that hold a whole compilation, as their JSON Schemas and readers see them."""

from __future__ import annotations

from typing import Any

import msgspec

from groundeval.questions.causes import Cause
from groundeval.questions.model import Question

_GRAPH = "groundeval.graph/1"


class ShortStratum(msgspec.Struct, frozen=True):
    """A stratum that gave fewer questions than its share asks for.

    Of its `candidates`, `unmatched` had no partner with the other answer.
    """

    track: str
    stratum: str
    wanted: int
    drawn: int
    candidates: int
    unmatched: int


class LookedAt(msgspec.Struct, frozen=True):
    """What a track that falls short looked at, and how much of it was left out, by cause."""

    looked_at: int
    left_out: dict[Cause, int]


class CompileReport(msgspec.Struct, frozen=True, kw_only=True):
    """`compile.json`: what a compilation counted.

    `links` counts linked pairs per spec, `silences` cases per spec and status, `questions` per
    track and stratum; `looked` says, for each track that falls short, where its candidates went.
    Events that name an artifact which the corpus lacks (`missing_artifacts`)
    are `incomplete_events` and not asked about; `unplaced` counts the triggers per silence whose
    places lack a value, `unshown` the linked pairs whose evidence is never complete, and
    `too_many_ways` those among them whose effect has too many other causes. `skipped` counts bad
    records that were left out, as asked.
    """

    schema: str = "groundeval.compile/1"
    events: int
    artifacts: int
    skipped: int
    links: dict[str, int]
    silences: dict[str, dict[str, int]]
    questions: dict[str, dict[str, int]]
    shortfalls: list[ShortStratum]
    looked: dict[str, LookedAt]
    missing_artifacts: list[str]
    incomplete_events: list[str]
    unplaced: dict[str, int]
    unshown: int
    too_many_ways: int
    hashes: dict[str, str]


class RunReport(msgspec.Struct, frozen=True, kw_only=True):
    """What a run did: of `questions` asked `epochs` times, `before` were attempted already.

    `made` counts the attempts made now, `left` those that are still due, `errors` those among
    all that are there in which the agent failed. `traces` is the file that holds them.
    """

    schema: str = "groundeval.run/1"
    contract: str
    agent: str
    mode: str
    gated: bool
    questions: int
    epochs: int
    before: int
    made: int
    left: int
    errors: int
    interrupted: bool
    traces: str


class GraphNode(msgspec.Struct, frozen=True):
    """An event of the causal graph; `at` is ISO 8601 in UTC."""

    id: str
    type: str
    at: str


class GraphEdge(msgspec.Struct, frozen=True):
    """A linked pair: `key` is the link's name, `gap` in microseconds.

    `evidence` is a list of alternatives, each a list of artifact ids.
    """

    source: str
    target: str
    key: str
    necessity: str
    gap: int
    evidence: list[list[str]]


class Graph(msgspec.Struct, frozen=True, kw_only=True):
    """The causal graph as node-link data: `graph.json`, and `graph` in a contract."""

    schema: str = _GRAPH
    contract: str = ""
    directed: bool
    multigraph: bool
    graph: dict[str, Any]
    nodes: list[GraphNode]
    edges: list[GraphEdge]


class Page(msgspec.Struct, frozen=True):
    """A reference document that agents may open: a page of the handbook."""

    id: str
    title: str
    text: str


class ContractFile(msgspec.Struct, frozen=True, kw_only=True):
    """`contract.json`: rules, graph, questions with their truths, and the inputs' hashes.

    `rules` is the program in its versioned JSON form.
    """

    schema: str
    domain: str
    title: str
    seed: int
    rules: dict[str, Any]
    graph: Graph
    questions: list[Question]
    handbook: list[Page]
    inputs: dict[str, Any]
    hashes: dict[str, str]
