"""From links to the causal graph."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from groundeval.graph.queries import Adjacency, CausalGraph, order
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
    events = {edge.cause.id: edge.cause for edge in listed}
    events.update({edge.effect.id: edge.effect for edge in listed})
    ordered = sorted(events.values(), key=order)
    place = {event.id: n for n, event in enumerate(ordered)}
    listed.sort(key=lambda e: (place[e.cause.id], place[e.effect.id], e.spec))
    found = Adjacency({event.id: event for event in ordered})
    for edge in listed:
        cause, effect = edge.cause.id, edge.effect.id
        if place[cause] >= place[effect]:
            raise ValueError(f"{edge.spec} links {cause} to what is no later event")
        link = {"necessity": edge.necessity, "gap": edge.gap, "evidence": edge.evidence}
        found.link(cause, effect, edge.spec, link)
    return CausalGraph(found)
