"""From links to the causal graph."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundeval.graph.queries import CausalGraph, empty_network, order
from groundeval.world.events import Event


class CausalEdge(msgspec.Struct, frozen=True, gc=False):
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
    listed = list(edges)
    if not listed:
        return CausalGraph()
    events = {event.id: event for edge in listed for event in (edge.cause, edge.effect)}
    network = empty_network()
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
