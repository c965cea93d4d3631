"""Questions to the causal graph: ancestors, paths, and what an effect needs to happen.

All of them read the networkx graph as it is, walk without recursion, and answer in one order.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from groundeval.world.events import Event

if TYPE_CHECKING:
    import networkx as nx

    Network: TypeAlias = "nx.MultiDiGraph[str]"

Links: TypeAlias = Mapping[str, Mapping[str, Mapping[str, Mapping[str, Any]]]]
"""For each node its neighbours, and the links to each of them by their spec."""

MOST_PATHS: Final = 10_000
"""How many paths are handed out for one effect; the shortest come first."""

Order: TypeAlias = tuple[int, int, str]


def order(event: Event) -> Order:
    """Where an event stands in time: by instant, then by its place in an ordered source, then id.

    Every link goes from a smaller to a larger one, so walking in this order is topological.
    """
    return event.at, -1 if event.rank is None else event.rank, event.id


class _Neighbours(dict[str, dict[str, dict[str, Mapping[str, Any]]]]):
    """For each node its neighbours, and the links to each by spec; most nodes have none."""

    def __missing__(self, node: str) -> dict[str, dict[str, Mapping[str, Any]]]:
        return {}


class Adjacency:
    """Events and links as networkx nests them, in plain dictionaries: a tenth of what it takes.

    Nodes are in the order of `events`, and the links of each in the order in which they are added.
    """

    __slots__ = ("before", "events", "following")

    def __init__(self, events: Mapping[str, Event]) -> None:
        self.events = events
        self.following = _Neighbours()
        self.before = _Neighbours()

    def link(self, cause: str, effect: str, spec: str, data: Mapping[str, Any]) -> None:
        """Add a link between two nodes; of two of the same spec the later one counts."""
        following = self.following.setdefault(cause, {})
        links = following.get(effect)
        if links is None:
            links = following[effect] = {}
            self.before.setdefault(effect, {})[cause] = links
        links[spec] = data


class _NodeEvents(Mapping[str, Event]):
    """The events of a networkx graph's nodes, as it is at the time of asking."""

    def __init__(self, nodes: Mapping[str, Mapping[str, Any]]) -> None:
        self._nodes = nodes

    def __getitem__(self, node: str) -> Event:
        event: Event = self._nodes[node]["event"]
        return event

    def __iter__(self) -> Iterator[str]:
        return iter(self._nodes)

    def __len__(self) -> int:
        return len(self._nodes)


class CausalGraph:
    """Events as nodes (by id, the event itself in `event`), links as edges keyed by their spec.

    An edge holds `necessity`, `gap` (microseconds) and `evidence` (alternatives, each a set of
    artifact ids). Nothing is cached: a change to `network` shows in the next answer.
    """

    def __init__(self, held: Network | Adjacency | None = None) -> None:
        self._network: Network | None = None
        self._events: Mapping[str, Event]
        self._succ: Links
        self._pred: Links
        if held is None or isinstance(held, Adjacency):
            found = held or Adjacency({})
            self._events, self._succ, self._pred = found.events, found.following, found.before
        else:
            self._read(held)

    @property
    def network(self) -> Network:
        """The networkx graph itself, made when it is first asked for; from then on it counts."""
        return self._made() if self._network is None else self._network

    def _made(self) -> Network:
        network = empty_network()
        for name, event in self._events.items():
            network.add_node(name, event=event)
        for cause, effect, spec, link in self.links():
            network.add_edge(cause, effect, spec, **link)
        self._read(network)
        return network

    def _read(self, network: Any) -> None:
        # Its dictionaries themselves: its views cost more than all that is asked here.
        self._network = network
        self._events = _NodeEvents(network._node)  # noqa: SLF001
        self._succ, self._pred = network._succ, network._pred  # noqa: SLF001

    def __contains__(self, event: Event) -> bool:
        return event.id in self._events

    def event(self, event_id: str) -> Event:
        """The event of a node; KeyError for an id that is no node."""
        return self._events[event_id]

    def events(self) -> Iterator[Event]:
        """The events of all nodes, in their order."""
        return iter(self._events.values())

    def links_to(self, effect: Event) -> Mapping[str, Mapping[str, Mapping[str, Any]]]:
        """The links to an event of the graph, by the ids of its causes and by their specs."""
        return self._pred[effect.id]

    def linked(self) -> Iterator[tuple[Event, Event, Mapping[str, Mapping[str, Any]]]]:
        """Every linked pair, cause and effect, with its links by their specs."""
        events = self._events
        for cause, effects in self._succ.items():
            for effect, links in effects.items():
                yield events[cause], events[effect], links

    def links(self) -> Iterator[tuple[str, str, str, Mapping[str, Any]]]:
        """Every link: the ids of cause and effect, the spec, and what the link holds."""
        for cause, effects in self._succ.items():
            for effect, links in effects.items():
                for spec, link in links.items():
                    yield cause, effect, spec, link

    def causes(self, effect: Event) -> tuple[Event, ...]:
        """The events with a link to `effect`, in their order."""
        return self._sorted(self._pred[effect.id]) if effect in self else ()

    def effects(self, cause: Event) -> tuple[Event, ...]:
        """The events with a link from `cause`, in their order."""
        return self._sorted(self._succ[cause.id]) if cause in self else ()

    def has_one_cause(self, effect: Event) -> bool:
        """Whether a single event is linked to `effect`: if any link decides, it then prevents."""
        return effect in self and len(self._pred[effect.id]) == 1

    def ancestors(self, effect: Event) -> tuple[Event, ...]:
        """Everything with a path to `effect`, in order."""
        if effect not in self:
            return ()
        return self._sorted(_reached(effect.id, self._pred))

    def descendants(self, cause: Event) -> tuple[Event, ...]:
        """Everything with a path from `cause`, in order."""
        if cause not in self:
            return ()
        return self._sorted(_reached(cause.id, self._succ))

    def has_path(self, cause: Event, effect: Event) -> bool:
        """Whether links lead from `cause` to `effect`; only events between the two are walked."""
        if cause not in self or effect not in self or order(cause) >= order(effect):
            return False
        last = order(effect)
        seen, waiting = {cause.id}, [cause.id]
        while waiting:
            for following in self._succ[waiting.pop()]:
                if following == effect.id:
                    return True
                if following not in seen and order(self.event(following)) < last:
                    seen.add(following)
                    waiting.append(following)
        return False

    def paths(self, effect: Event, longest: int) -> tuple[tuple[Event, ...], ...]:
        """The causal paths that end in `effect`, of 1 to `longest` links, from cause to effect.

        Shorter ones first, then by their events from the effect backwards; at most MOST_PATHS.
        """
        if effect not in self:
            return ()
        found: list[tuple[Event, ...]] = []
        ending: list[tuple[Event, ...]] = [(effect,)]
        for _ in range(longest):
            ending = list(self._prolonged(ending, MOST_PATHS - len(found)))
            found += ending
            if not ending or len(found) >= MOST_PATHS:
                break
        return tuple(found)

    def prevented(self, effect: Event, without: Event) -> bool:
        """Whether `effect` does not happen under do(remove `without`).

        An event happens when every necessary group of its causes (the causes of one spec; each
        cause alone for `each`) keeps one that happens and, where it has sufficient groups, one of
        all their causes happens; contributing causes decide nothing. Semantics, section 5.
        """
        if effect not in self or without not in self:
            return False
        return effect.id in self.not_happening(without, effect)

    def not_happening(self, without: Event, until: Event) -> frozenset[str]:
        """The ids of events up to `until` that do not happen under do(remove `without`).

        Events are settled in their order, starting from the removed one, and only those that lose
        a cause are looked at.
        """
        if without not in self:
            return frozenset((without.id,))
        removed: set[str] = set()
        waiting: list[tuple[Order, str]] = [(order(without), without.id)]
        queued, last = {without.id}, order(until)
        while waiting:
            _, node = heappop(waiting)
            if node != without.id and self._happens(node, removed):
                continue
            removed.add(node)
            for following in self._succ[node]:
                place = order(self.event(following))
                if following not in queued and place <= last:
                    queued.add(following)
                    heappush(waiting, (place, following))
        return frozenset(removed)

    def _happens(self, node: str, removed: set[str]) -> bool:
        """The equation of one event, given which earlier ones do not happen.

        Only groups that lost a cause are looked at, and only until a kept cause is found.
        """
        causes = self._pred[node]
        lost: set[tuple[str, str]] = set()
        for cause in removed if len(removed) < len(causes) else list(causes):
            if cause in removed and cause in causes:
                lost.update((link["necessity"], spec) for spec, link in causes[cause].items())
        specs = {spec for necessity, spec in lost if necessity == "necessary"}
        kinds = {necessity for necessity, _ in lost}
        if "each" in kinds or not all(self._keeps(node, removed, spec) for spec in sorted(specs)):
            return False
        return "sufficient" not in kinds or self._keeps(node, removed, None)

    def _keeps(self, node: str, removed: set[str], spec: str | None) -> bool:
        """Whether a cause that happens is left in a spec's group, or (None) a sufficient one."""
        for cause, links in self._pred[node].items():
            if cause not in removed and (
                spec in links
                if spec is not None
                else any(link["necessity"] == "sufficient" for link in links.values())
            ):
                return True
        return False

    def _prolonged(
        self, ending: Iterable[tuple[Event, ...]], most: int
    ) -> Iterator[tuple[Event, ...]]:
        for path in ending:
            for cause in self.causes(path[0]):
                if most <= 0:
                    return
                most -= 1
                yield (cause, *path)

    def _sorted(self, nodes: Iterable[str]) -> tuple[Event, ...]:
        return tuple(sorted((self.event(node) for node in nodes), key=order))


def empty_network() -> Network:
    """A graph without nodes."""
    import networkx as nx  # noqa: PLC0415 - 150 ms that most commands need not wait for

    return nx.MultiDiGraph()


def _reached(start: str, neighbours: Links) -> set[str]:
    seen: set[str] = set()
    waiting = [start]
    while waiting:
        for node in neighbours[waiting.pop()]:
            if node not in seen:
                seen.add(node)
                waiting.append(node)
    return seen
