"""What the causal graph answers, and that it is the graph that answers."""

from __future__ import annotations

from itertools import chain, combinations, pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.graph.builder import CausalEdge, build_graph
from groundeval.graph.queries import CausalGraph
from groundeval.world.events import Event


def event(number: int) -> Event:
    return Event(id=f"e{number:04}", type="t", at=number)


def edge(spec: str, cause: Event, effect: Event, necessity: str = "necessary") -> CausalEdge:
    return CausalEdge(spec, necessity, cause, effect, (frozenset({f"{cause.id}-doc"}),))


A, B, C, D = (event(n) for n in range(4))


class TestPrevented:
    def test_a_single_necessary_cause_is_decisive(self) -> None:
        graph = build_graph([edge("l", A, B)])
        assert graph.prevented(B, A)
        assert not graph.prevented(A, B)

    def test_a_group_needs_only_one_of_its_causes(self) -> None:
        graph = build_graph([edge("l", A, C), edge("l", B, C)])
        assert not graph.prevented(C, A)
        assert not graph.prevented(C, B)

    def test_each_makes_every_cause_a_group(self) -> None:
        graph = build_graph([edge("l", A, C, "each"), edge("l", B, C, "each")])
        assert graph.prevented(C, A)
        assert graph.prevented(C, B)

    def test_two_necessary_groups_are_both_needed(self) -> None:
        graph = build_graph([edge("l", A, C), edge("m", B, C)])
        assert graph.prevented(C, A)
        assert graph.prevented(C, B)

    def test_sufficient_groups_stand_in_for_each_other(self) -> None:
        graph = build_graph([edge("l", A, C, "sufficient"), edge("m", B, C, "sufficient")])
        assert not graph.prevented(C, A)

    def test_a_lone_sufficient_cause_is_decisive(self) -> None:
        assert build_graph([edge("l", A, C, "sufficient")]).prevented(C, A)

    def test_contributing_is_never_decisive(self) -> None:
        assert not build_graph([edge("l", A, C, "contributing")]).prevented(C, A)

    def test_what_is_prevented_takes_its_effects_along(self) -> None:
        graph = build_graph([edge("l", A, B), edge("m", B, C), edge("n", A, C, "contributing")])
        assert graph.prevented(C, A)

    def test_two_causes_with_one_root_fall_together(self) -> None:
        edges = [edge("l", A, B), edge("l", A, C), edge("m", B, D), edge("m", C, D)]
        graph = build_graph(edges)
        assert graph.prevented(D, A)
        assert not graph.prevented(D, B)

    def test_removing_an_edge_of_the_networkx_graph_changes_the_truth(self) -> None:
        graph = build_graph([edge("l", A, C), edge("l", B, C)])
        graph.network.remove_edge(B.id, C.id, key="l")
        assert graph.prevented(C, A)

    def test_strangers_prevent_nothing(self) -> None:
        graph = build_graph([edge("l", A, B)])
        assert not graph.prevented(B, C)
        assert not graph.prevented(C, A)

    def test_long_chains_and_wide_fans(self) -> None:
        events = [event(n) for n in range(9000)]
        graph = build_graph(edge("l", x, y) for x, y in pairwise(events))
        assert graph.prevented(events[-1], events[0])
        assert graph.has_path(events[0], events[-1])
        fan = build_graph(edge("l", x, events[-1]) for x in events[:-1])
        assert not any(fan.prevented(events[-1], x) for x in events[:-1:50])


def happens(edges: list[CausalEdge], events: list[Event], removed: Event) -> set[str]:
    """The equation of semantics, section 5, written down as it stands there."""
    happening: set[str] = set()
    for e in events:
        groups: dict[object, list[str]] = {}
        sufficient: list[str] = []
        for link in edges:
            if link.effect is not e:
                continue
            if link.necessity == "sufficient":
                sufficient.append(link.cause.id)
            elif link.necessity != "contributing":
                key = (link.spec, link.cause.id if link.necessity == "each" else "")
                groups.setdefault(key, []).append(link.cause.id)
        kept = all(any(c in happening for c in group) for group in groups.values())
        fed = not sufficient or any(c in happening for c in sufficient)
        if e is not removed and kept and fed:
            happening.add(e.id)
    return happening


SPECS = {"l": "necessary", "m": "necessary", "n": "each", "s": "sufficient", "z": "contributing"}
SPECS |= {"t": "sufficient"}


@st.composite
def graphs(draw: st.DrawFn) -> tuple[list[Event], list[CausalEdge]]:
    events = [event(n) for n in range(draw(st.integers(2, 7)))]
    pairs = list(combinations(events, 2))
    chosen = draw(
        st.sets(st.tuples(st.sampled_from(pairs), st.sampled_from(sorted(SPECS))), max_size=14)
    )
    ordered = sorted(chosen, key=lambda c: (c[0][0].id, c[0][1].id, c[1]))
    return events, [edge(spec, *pair, SPECS[spec]) for pair, spec in ordered]


@given(graphs())
def test_prevented_is_the_equation(drawn: tuple[list[Event], list[CausalEdge]]) -> None:
    events, edges = drawn
    graph = build_graph(edges)
    for removed, effect in combinations(events, 2):
        if removed in graph and effect in graph:
            expected = effect.id not in happens(edges, events, removed)
            assert graph.prevented(effect, removed) == expected


class TestPaths:
    graph = build_graph(
        [edge("l", A, B), edge("m", B, D), edge("l", A, C), edge("m", C, D), edge("n", A, D)]
    )

    def test_paths_end_in_the_effect_shorter_ones_first(self) -> None:
        assert self.graph.paths(D, 3) == ((A, D), (B, D), (C, D), (A, B, D), (A, C, D))

    def test_paths_are_at_most_so_long(self) -> None:
        assert self.graph.paths(D, 1) == ((A, D), (B, D), (C, D))
        assert self.graph.paths(D, 0) == ()
        assert self.graph.paths(A, 3) == ()

    def test_neighbourhoods(self) -> None:
        assert self.graph.ancestors(D) == (A, B, C)
        assert self.graph.descendants(A) == (B, C, D)
        assert self.graph.causes(D) == (A, B, C)
        assert self.graph.effects(B) == (D,)

    def test_has_path_goes_forward_only(self) -> None:
        assert self.graph.has_path(A, D)
        assert not self.graph.has_path(D, A)
        assert not self.graph.has_path(B, C)

    def test_parallel_links_are_one_path(self) -> None:
        graph = build_graph([edge("l", A, B), edge("m", A, B)])
        assert graph.paths(B, 2) == ((A, B),)
        assert graph.network.number_of_edges() == 2


def test_paths_are_bounded_in_number() -> None:
    layers = [[event(10 * n + i) for i in range(10)] for n in range(5)]
    pairs = chain.from_iterable(
        ((x, y) for x in upper for y in lower) for upper, lower in pairwise(layers)
    )
    graph = build_graph(edge("l", x, y) for x, y in pairs)
    assert len(graph.paths(layers[-1][0], 4)) == 10_000


class TestBuilder:
    def test_an_edge_back_in_time_is_our_mistake(self) -> None:
        with pytest.raises(ValueError, match="no later event"):
            build_graph([edge("l", B, A)])

    def test_equal_instants_need_a_rank(self) -> None:
        first = Event(id="z", type="t", at=5, rank=1)
        second = Event(id="a", type="t", at=5, rank=2)
        graph = build_graph([edge("l", first, second)])
        assert graph.prevented(second, first)
        with pytest.raises(ValueError, match="no later event"):
            build_graph([edge("l", second, first)])

    def test_the_order_of_edges_does_not_show(self) -> None:
        edges = [edge("l", A, B), edge("m", A, B), edge("l", B, C)]
        one, other = build_graph(edges), build_graph(reversed(edges))
        assert _listing(one) == _listing(other)


def _listing(graph: CausalGraph) -> list[object]:
    network = graph.network
    return [list(network.nodes), [(u, v, k) for u, v, k in network.edges(keys=True)]]


@given(graphs())
def test_the_only_cause_prevents_whatever_it_decides(
    drawn: tuple[list[Event], list[CausalEdge]],
) -> None:
    _, edges = drawn
    graph = build_graph(edges)
    for one in edges:
        causes = {e.cause.id for e in edges if e.effect is one.effect}
        assert graph.has_one_cause(one.effect) == (len(causes) == 1)
        if len(causes) == 1 and one.necessity != "contributing":
            assert graph.prevented(one.effect, one.cause)
