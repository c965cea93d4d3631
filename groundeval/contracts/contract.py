"""The contract: rules that have met their data, and everything derived from the two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from groundeval.contracts.host import ContractHost
from groundeval.contracts.inputs import InputHashes, hash_inputs
from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.contracts.pairing import Pairing
from groundeval.contracts.pairs import near_miss_pair
from groundeval.contracts.sight import enforced_gates
from groundeval.engine.gates_compiled import Closed, CompiledGates
from groundeval.graph.near_misses import Surroundings, near_misses
from groundeval.graph.queries import CausalGraph
from groundeval.index.postings import Index
from groundeval.ir.codec import encode
from groundeval.ir.program import Program
from groundeval.world.artifacts import HANDBOOK, Artifact
from groundeval.world.canonical import digest
from groundeval.world.events import Event
from groundeval.world.world import World

SCHEMA: Final = "groundeval.contract/1"
NEAR_MISSES: Final = 1_200
"""How many near misses a contract holds for questions to be drawn from."""


@dataclass(frozen=True, slots=True)
class Report:
    """What building found, in numbers.

    `links` counts linked pairs per spec, `silences` cases per spec and status. Events that name
    an artifact which the corpus lacks (`missing_artifacts`) are `incomplete_events` (their ids)
    and not asked about. `unplaced` counts the triggers per silence whose places lack a value,
    `unshown` the linked pairs whose evidence is never complete, and `too_many_ways` those among
    them whose effect has too many other causes.
    """

    events: int
    artifacts: int
    links: Mapping[str, int]
    silences: Mapping[str, Mapping[str, int]]
    missing_artifacts: tuple[str, ...]
    incomplete_events: frozenset[str]
    unplaced: Mapping[str, int]
    unshown: int
    too_many_ways: int


@dataclass(frozen=True, eq=False)
class Contract:
    """One domain's rules with its log, corpus and access, as questions and scoring use them.

    `pairings` are how the links were matched, `handbook` the reference documents by id. Index,
    near misses and hashes are worked out when they are first asked for.
    """

    program: Program
    world: World
    seed: int
    host: ContractHost
    graph: CausalGraph
    pairings: Sequence[Pairing]
    links: tuple[CausalPair, ...]
    silences: tuple[SilenceCase, ...]
    handbook: Mapping[str, Artifact]
    report: Report

    @property
    def gates(self) -> CompiledGates:
        return self.host.gates

    @cached_property
    def index(self) -> Index:
        """The search index over corpus and handbook."""
        return Index(self.world.corpus, tuple(self.handbook.values()))

    @cached_property
    def subsystems(self) -> frozenset[str]:
        """Every subsystem there is, declared or in the corpus, without the handbook."""
        return frozenset({*self.program.subsystems, *self.world.corpus.subsystems()} - {HANDBOOK})

    @cached_property
    def near_misses(self) -> tuple[CausalPair, ...]:
        """Pairs that look causal and are not, at most NEAR_MISSES."""
        return self.draw_near_misses(NEAR_MISSES)

    @cached_property
    def rules(self) -> Any:
        """The program as documents hold it."""
        return encode(self.program)

    @cached_property
    def hashes(self) -> InputHashes:
        """The hashes of the inputs."""
        return hash_inputs(self.program, self.rules, self.world)

    @cached_property
    def digest(self) -> str:
        """The contract's hash: over the hashes of its inputs and the seed."""
        return digest({"schema": SCHEMA, "seed": self.seed, **self.hashes.as_object()})

    def draw_near_misses(self, budget: int) -> tuple[CausalPair, ...]:
        """At most `budget` near misses by the contract's seed: semantics, section 5."""
        around = Surroundings(
            rules=self.pairings,
            graph=self.graph,
            gaps=lambda spec: self._gaps.get(spec, ()),
            usable=self._usable,
            keys=self.host.words.key_values,
            subsystems=self._subsystems_of,
        )
        drawn = near_misses(around, seed=self.seed, budget=budget)
        return tuple(near_miss_pair(miss, self.world.corpus) for miss in drawn)

    def closing(
        self, actor: str | None, artifact_id: str, as_of: int | None, gates: Sequence[str]
    ) -> tuple[Closed, ...]:
        """Those of `gates` that close an artifact, each with its rule; none close the handbook."""
        if artifact_id in self.handbook:
            return ()
        return self.gates.closing(actor, artifact_id, as_of, gates)

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str],
    ) -> tuple[Closed, ...]:
        """Those of `gates` that do not permit a search; none close the handbook."""
        if subsystem == HANDBOOK:
            return ()
        return self.gates.closing_search(actor, subsystem, query, as_of, gates)

    def label(self, event: Event) -> str:
        """The label of the event's type."""
        return self.host.label(event)

    def enforced(self, track_id: str, actor: str | None) -> tuple[str, ...]:
        """The gates that a track's question enforces, in the order of their names."""
        return enforced_gates(self.program, track_id, actor)

    def _usable(self, event: Event) -> bool:
        return event.id not in self.report.incomplete_events and any(event.artifacts.values())

    def _subsystems_of(self, event: Event) -> frozenset[str]:
        found = (self.world.corpus.get(artifact_id) for artifact_id in event.artifact_ids)
        return frozenset(artifact.subsystem for artifact in found if artifact is not None)

    @cached_property
    def _gaps(self) -> Mapping[str, Sequence[int]]:
        """The gaps of the real links of each spec, ascending."""
        gaps: dict[str, list[int]] = {}
        for _, _, spec, link in self.graph.links():
            gaps.setdefault(spec, []).append(link["gap"])
        return {spec: sorted(found) for spec, found in gaps.items()}
