"""From links to the causal graph."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from groundeval.graph.queries import CausalGraph, order
from groundeval.world.events import Event


@dataclass(frozen=True, slots=True)
class CausalEdge:
    """One link: the spec's name, both events, and what shows it.

    `evidence` are alternatives, each a set of artifact ids that suffices.
    """

    spec: str
    necessity: str
    cause: Event
    effect: Event
    evidence: tuple[frozenset[str], ...] = ()

    @property
    def gap(self) -> int:
        """Microseconds from cause to effect."""
        return self.effect.at - self.cause.at


def build_graph(edges: Iterable[CausalEdge]) -> CausalGraph:
    """The causal graph of these links; nodes and edges are in the order of time.

    Raises ValueError where an edge does not go forward in time: matching never yields one, and
    the graph is acyclic because of it.
    """
    import networkx as nx  # noqa: PLC0415 - 150 ms that most commands need not wait for

    listed = list(edges)
    events = {event.id: event for edge in listed for event in (edge.cause, edge.effect)}
    network: nx.MultiDiGraph[str] = nx.MultiDiGraph()
    network.add_nodes_from((e.id, {"event": e}) for e in sorted(events.values(), key=order))
    for edge in sorted(listed, key=lambda e: (order(e.cause), order(e.effect), e.spec)):
        if order(edge.cause) >= order(edge.effect):
            raise ValueError(f"{edge.spec} links {edge.cause.id} to what is no later event")
        network.add_edge(
            edge.cause.id,
            edge.effect.id,
            key=edge.spec,
            necessity=edge.necessity,
            gap=edge.gap,
            evidence=edge.evidence,
        )
    return CausalGraph(network)
