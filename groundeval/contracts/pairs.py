"""Causal pairs: links merged per pair of events, with what shows them and from when on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any, Final

from groundeval.contracts.model import CausalPair
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
Links = Mapping[str, Mapping[str, Any]]
"""What links a pair, by the names of the specs."""


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


def merge_links(links: Sequence[Link], graph: CausalGraph, corpus: Corpus) -> MergedLinks:
    """The causal pairs of the graph: what several specs say of one pair is one truth."""
    merger = _Merger({link.name: link for link in links}, graph, corpus)
    pairs = tuple(merger.pair(*linked) for linked in graph.linked())
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
        known_from=known,
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
    if len(evidence) == 1:
        return evidence, _complete_from(evidence[0], happened, corpus)
    instants = [_complete_from(artifacts, happened, corpus) for artifacts in evidence]
    first = min((t for t in instants if t is not None), default=None)
    if first is None:
        return evidence, None
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

    def pair(self, cause: Event, effect: Event, links: Links) -> CausalPair:
        """The pair of one cause and one effect, from what links them in the order of specs."""
        decisive = any(link["necessity"] != "contributing" for link in links.values())
        alone = decisive and self._graph.has_one_cause(effect)
        walked = decisive and not alone
        gone = self._graph.not_happening(cause, effect) if walked else frozenset[str]()
        prevented = alone or effect.id in gone
        specs = tuple(links)
        for spec in specs:
            if self._links[spec].outcome_changed is not None:
                self._confirm(spec, cause, effect, prevented=prevented)
        evidence: Evidence = links[specs[0]]["evidence"]
        if len(specs) > 1:
            evidence = tuple(dict.fromkeys(x for link in links.values() for x in link["evidence"]))
        if decisive and not prevented:
            evidence = self._with_survivors(effect, links, evidence, gone)
        evidence, known = first_shown(cause, effect, evidence, self._corpus)
        return CausalPair(
            id=pair_id(cause, effect),
            kind="link",
            spec=specs[0],
            cause=cause,
            effect=effect,
            specs=self._names(specs),
            verified=True,
            decisive=decisive,
            evidence=evidence if len(evidence) < 2 else tuple(sorted(evidence, key=sorted)),
            known_from=known,
        )

    def unconfirmed(self) -> Iterator[Override]:
        """The contradicted overrides, in the order of the links' names."""
        for name in sorted(self._contradicted):
            yield Override(self._links[name], *self._contradicted[name])

    def _names(self, specs: tuple[str, ...]) -> tuple[str, ...]:
        """The names, then the aliases, of the specs: pairs of the same specs share them."""
        known = self._named.get(specs)
        if known is None:
            aliases = (alias for spec in specs for alias in self._links[spec].aliases)
            known = self._named[specs] = tuple(dict.fromkeys((*specs, *aliases)))
        return known

    def _confirm(self, spec: str, cause: Event, effect: Event, *, prevented: bool) -> None:
        if self._links[spec].outcome_changed != prevented:
            first = self._contradicted.get(spec, (cause, effect, 0))
            self._contradicted[spec] = (first[0], first[1], first[2] + 1)

    def _with_survivors(
        self, effect: Event, links: Links, evidence: Evidence, gone: frozenset[str]
    ) -> Evidence:
        """The pair's evidence with that of one surviving cause for each group the cause is in."""
        kinds = [(link["necessity"], spec) for spec, link in links.items()]
        groups = [self._survivors(effect, spec, gone) for n, spec in kinds if n == "necessary"]
        if any(necessity == "sufficient" for necessity, _ in kinds):
            groups.append(self._survivors(effect, None, gone))
        ways = len(evidence) * prod(len(group) for group in groups)
        if ways > MOST_ALTERNATIVES:
            self.too_many_ways += 1
            return ()
        combined = (one.union(*others) for one, *others in product(evidence, *groups))
        return tuple(dict.fromkeys(combined))

    def _survivors(self, effect: Event, spec: str | None, gone: frozenset[str]) -> Evidence:
        """What shows a cause that still happens, of a spec's group or (None) a sufficient one.

        One entry per alternative.
        """
        found: dict[frozenset[str], None] = {}
        for cause, links in self._graph.links_to(effect).items():
            if cause in gone:
                continue
            for name, link in links.items():
                necessity = link["necessity"]
                if necessity == "sufficient" if spec is None else (
                    necessity == "necessary" and name == spec
                ):  # fmt: skip
                    found.update(dict.fromkeys(link["evidence"]))
            if len(found) > MOST_ALTERNATIVES:
                break
        return tuple(found)
