"""Causal pairs: links merged per pair of events, with what shows them and from when on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, product
from math import prod
from operator import attrgetter
from typing import Final

from groundeval.contracts.model import CausalPair
from groundeval.graph.builder import CausalEdge
from groundeval.graph.near_misses import NearMiss
from groundeval.graph.queries import CausalGraph
from groundeval.ir.program import Link
from groundeval.world.artifacts import Corpus
from groundeval.world.events import Event
from groundeval.world.ids import escaped
from groundeval.world.time import LATEST

MOST_ALTERNATIVES: Final = 64
"""A pair whose effect could be shown in more ways than this has no evidence and is not asked."""

Evidence = tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True)
class Override:
    """A link whose `outcome_changed` the graph denies: a pair for one, and how many there are."""

    link: Link
    cause: Event
    effect: Event
    pairs: int


@dataclass(frozen=True, slots=True)
class MergedLinks:
    """Every linked pair once, in the order of cause and effect.

    `unconfirmed` are overrides that the graph contradicts; `too_many_ways` counts the pairs that
    have no evidence because there were more than MOST_ALTERNATIVES.
    """

    pairs: tuple[CausalPair, ...]
    unconfirmed: tuple[Override, ...]
    too_many_ways: int


def merge_links(
    links: Sequence[Link], edges: Iterable[CausalEdge], graph: CausalGraph, corpus: Corpus
) -> MergedLinks:
    """The causal pairs of these edges: what several specs say of one pair is one truth."""
    merger = _Merger({link.name: link for link in links}, graph, corpus)
    place = {event.id: n for n, event in enumerate(graph.events())}
    ordered = sorted(edges, key=lambda e: (place[e.cause.id], place[e.effect.id], e.spec))
    groups = groupby(ordered, key=attrgetter("cause.id", "effect.id"))
    pairs = tuple(merger.pair(list(group)) for _, group in groups)
    return MergedLinks(pairs, tuple(merger.unconfirmed()), merger.too_many_ways)


def near_miss_pair(miss: NearMiss, corpus: Corpus) -> CausalPair:
    """A near miss as rules see it: no mechanism, and the artifacts of both events as evidence."""
    cause, effect = miss.cause, miss.effect
    both = frozenset(cause.artifact_ids).union(effect.artifact_ids)
    evidence, known = first_shown(cause, effect, (both,) if both else (), corpus)
    return CausalPair(
        id=pair_id(cause, effect),
        kind=miss.kind,
        spec=miss.spec,
        cause=cause,
        effect=effect,
        specs=(),
        verified=False,
        decisive=False,
        evidence=evidence,
        actors=frozenset(cause.actors).union(effect.actors),
        known_from=known,
        gap=effect.at - cause.at,
    )


def pair_id(cause: Event, effect: Event) -> str:
    """The id of a pair of events; different pairs have different ones."""
    return f"{escaped(cause.id, '>')} -> {escaped(effect.id, '>')}"


def first_shown(
    cause: Event, effect: Event, evidence: Evidence, corpus: Corpus
) -> tuple[Evidence, int | None]:
    """The alternatives that were complete first, and when both events and one of them were there.

    The others are left out: as of that instant they cannot be opened in full, and a track counts
    what is needed by the smallest alternative. All of them and None where none is ever complete:
    an artifact is not in the corpus, has no creation time, or was deleted before the rest was
    there.
    """
    happened = max(cause.at, effect.at)
    instants = [_complete_from(artifacts, happened, corpus) for artifacts in evidence]
    first = min((t for t in instants if t is not None), default=None)
    if first is None or len(evidence) == 1:
        return evidence, first
    return tuple(e for e, t in zip(evidence, instants, strict=True) if t == first), first


def _complete_from(artifact_ids: frozenset[str], happened: int, corpus: Corpus) -> int | None:
    latest, gone = happened, LATEST
    for artifact in map(corpus.get, artifact_ids):
        if artifact is None or artifact.created is None:
            return None
        latest = max(latest, artifact.created)
        if artifact.deleted is not None and artifact.deleted < gone:
            gone = artifact.deleted
    return latest if latest < gone or gone == LATEST else None


class _Merger:
    """Builds pairs and notes what the graph says against the links' own claims."""

    def __init__(self, links: Mapping[str, Link], graph: CausalGraph, corpus: Corpus) -> None:
        self._links = links
        self._graph = graph
        self._corpus = corpus
        self._contradicted: dict[str, tuple[Event, Event, int]] = {}
        self._named: dict[tuple[str, ...], tuple[str, ...]] = {}
        self.too_many_ways = 0

    def pair(self, edges: Sequence[CausalEdge]) -> CausalPair:
        """The pair of one cause and one effect, from its edges in the order of their specs."""
        cause, effect = edges[0].cause, edges[0].effect
        decisive = any(edge.necessity != "contributing" for edge in edges)
        alone = decisive and self._graph.has_one_cause(effect)
        walked = decisive and not alone
        gone = self._graph.not_happening(cause, effect) if walked else frozenset[str]()
        prevented = alone or effect.id in gone
        self._confirm(edges, prevented)
        evidence = edges[0].evidence
        if len(edges) > 1:
            evidence = tuple(dict.fromkeys(ids for edge in edges for ids in edge.evidence))
        if decisive and not prevented:
            evidence = self._with_survivors(edges, evidence, gone)
        evidence, known = first_shown(cause, effect, evidence, self._corpus)
        return CausalPair(
            id=pair_id(cause, effect),
            kind="link",
            spec=edges[0].spec,
            cause=cause,
            effect=effect,
            specs=self._names(edges),
            verified=True,
            decisive=decisive,
            evidence=evidence if len(evidence) < 2 else tuple(sorted(evidence, key=sorted)),
            actors=frozenset(cause.actors).union(effect.actors),
            known_from=known,
            gap=effect.at - cause.at,
        )

    def unconfirmed(self) -> Iterator[Override]:
        """The contradicted overrides, in the order of the links' names."""
        for name in sorted(self._contradicted):
            yield Override(self._links[name], *self._contradicted[name])

    def _names(self, edges: Sequence[CausalEdge]) -> tuple[str, ...]:
        """The names, then the aliases, of the specs: pairs of the same specs share them."""
        specs = tuple(edge.spec for edge in edges)
        known = self._named.get(specs)
        if known is None:
            aliases = (alias for spec in specs for alias in self._links[spec].aliases)
            known = self._named[specs] = tuple(dict.fromkeys((*specs, *aliases)))
        return known

    def _confirm(self, edges: Sequence[CausalEdge], prevented: bool) -> None:
        for edge in edges:
            claimed = self._links[edge.spec].outcome_changed
            if claimed is not None and claimed != prevented:
                first = self._contradicted.get(edge.spec, (edge.cause, edge.effect, 0))
                self._contradicted[edge.spec] = (first[0], first[1], first[2] + 1)

    def _with_survivors(
        self, edges: Sequence[CausalEdge], evidence: Evidence, gone: frozenset[str]
    ) -> Evidence:
        """The pair's evidence with that of one surviving cause for each group the cause is in."""
        groups = [self._survivors(edge, gone) for edge in edges if edge.necessity == "necessary"]
        sufficient = [edge for edge in edges if edge.necessity == "sufficient"]
        groups += [self._survivors(edge, gone) for edge in sufficient[:1]]
        ways = len(evidence) * prod(len(group) for group in groups)
        if ways > MOST_ALTERNATIVES:
            self.too_many_ways += 1
            return ()
        combined = (one.union(*others) for one, *others in product(evidence, *groups))
        return tuple(dict.fromkeys(combined))

    def _survivors(self, edge: CausalEdge, gone: frozenset[str]) -> Evidence:
        """What shows a cause of the edge's group that still happens, one entry per alternative."""
        found: dict[frozenset[str], None] = {}
        for cause, links in self._graph.links_to(edge.effect).items():
            if cause in gone:
                continue
            for spec, link in links.items():
                same_group = link["necessity"] == edge.necessity and (
                    edge.necessity == "sufficient" or spec == edge.spec
                )
                if same_group:
                    found.update(dict.fromkeys(link["evidence"]))
            if len(found) > MOST_ALTERNATIVES:
                break
        return tuple(found)
