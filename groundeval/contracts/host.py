"""The contract as functions of rules see it: `functions.Host` with no trace at hand."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from groundeval.contracts.access import Reach
from groundeval.contracts.event_words import EventWords
from groundeval.contracts.places import event_place
from groundeval.contracts.silences import instants_of
from groundeval.engine.gates_compiled import CompiledGates
from groundeval.functions.host import Key, Place
from groundeval.graph.builder import build_graph
from groundeval.graph.queries import CausalGraph
from groundeval.ir.program import Program
from groundeval.traces.model import Step
from groundeval.world.artifacts import Artifact
from groundeval.world.events import Event
from groundeval.world.world import World


class ContractHost:
    """Answers what rules ask of gates, graph and silences; of a trace there is nothing.

    A host for scoring holds one of these and answers the trace's part itself.
    """

    def __init__(
        self,
        program: Program,
        world: World,
        handbook: Mapping[str, Artifact] | None = None,
        graph: CausalGraph | None = None,
    ) -> None:
        self._program = program
        self._world = world
        self._handbook = frozenset(handbook or ())
        self.words = EventWords(program, world.corpus)
        self._graph = graph

    @property
    def world(self) -> World:
        return self._world

    @cached_property
    def gates(self) -> CompiledGates:
        """The program's gates over this world."""
        return CompiledGates(self._program.gates, self._world, self)

    @cached_property
    def reach(self) -> Reach:
        return Reach(self._world, self.gates, self._program.subsystems, self._handbook)

    # --- the contract's words

    def label(self, event: Event) -> str:
        return self.words.label(event.type)

    def keys(self, event: Event) -> tuple[Key, ...]:
        return self.words.keys(event)

    # --- gates

    def visible(self, actor: str | None, artifact: str, at: int) -> bool:
        return self.reach.visible(actor, artifact, at)

    def opens(self, gate: str, actor: str | None, artifact: str, at: int) -> bool:
        return self.reach.opens(gate, actor, artifact, at)

    def closed_by_other_than(self, gate: str, actor: str | None, artifact: str, at: int) -> bool:
        return self.reach.closed_by_other_than(gate, actor, artifact, at)

    def subsystems_open(self, actor: str | None, at: int) -> frozenset[str]:
        return self.reach.subsystems_open(actor, at)

    # --- the causal graph, silences, places

    def ghost(self, event: Event, subsystems: frozenset[str]) -> Place:
        return event_place(event, self.words.type_of(event), sorted(subsystems), self)

    def prevented(self, effect: Event, without: Event) -> bool:
        return self._causes.prevented(effect, without)

    def paths(self, effect: Event, longest: int) -> tuple[tuple[Event, ...], ...]:
        return self._causes.paths(effect, longest)

    def recorded_by(self, silence: Any, at: int) -> bool:
        return bool(silence.recorded_by(at))

    def edges(self, actor: str, event: Event) -> tuple[int, ...]:
        return self.reach.edges(actor, event)

    def instants(self, silence: Any) -> tuple[int, ...]:
        return instants_of(silence, self._world.log.instants())

    @cached_property
    def _causes(self) -> CausalGraph:
        """The causal graph; while links are being matched there is none yet."""
        return build_graph(()) if self._graph is None else self._graph

    # --- the trace at hand: none

    def visible_now(self, artifact: str) -> bool:
        del artifact
        return False

    def breaks(self, step: Step, gate: str | None) -> bool:
        del step, gate
        return False

    def covers(self, step: Step, place: Any) -> bool:
        del step, place
        return False

    def covered(self, place: Any) -> bool:
        del place
        return False

    def recovered(self, step: Step) -> bool:
        del step
        return False
