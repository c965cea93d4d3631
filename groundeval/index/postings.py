"""The search index: one ranking for the runtime and for deciding what a search has covered.

How a document scores for a query, all in integers:

- The query is read as its first 32 different terms (see `index.tokens`).
- A term that `df` searched, visible documents hold is worth 2^32 // df. Two documents that hold
  it halve its worth: inverse document frequency at its strongest, so a common word never outweighs
  the key that tells one record from another. No other statistic exists, and documents that are
  closed to the asker or later than its instant are in none.
- In the text a term counts 4, in the title 5, in the id 6 (the best of them, once).
- The sum is multiplied by the document's damping (`index.segment`) and divided by 2048.
- A document all of whose id's words stand in the query comes before every other; of several, the
  one with more words in its id, then the one whose id stands in the query as it is written.
- Equal scores are in the order of ids.
"""

from __future__ import annotations

import heapq
import unicodedata
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Final

from groundeval.index.segment import (
    ID,
    TEXT,
    WEIGHTS,
    Found,
    Segment,
    When,
    damping,
    unpacked,
)
from groundeval.index.tokens import distinct_words, terms
from groundeval.world.artifacts import HANDBOOK, Artifact, Corpus

DEFAULT_LIMIT: Final = 10
GREATEST_LIMIT: Final = 20
_MOST_TERMS: Final = 32
_WORTH: Final = 1 << 32
_NAMED: Final = 1 << 64


def _always(_: str) -> bool:
    return True


@dataclass(frozen=True, slots=True)
class Search:
    """A query, the subsystem it is confined to (None: all open ones), and its limit."""

    query: str
    subsystem: str | None = None
    limit: int | None = None

    @property
    def width(self) -> int:
        """How many results it gets at most: 10 where no limit above 0 is named, never over 20."""
        if self.limit is None or self.limit < 1:
            return DEFAULT_LIMIT
        return min(self.limit, GREATEST_LIMIT)

    def reaches(self, subsystem: str, viewpoint: Viewpoint) -> bool:
        """Whether it goes through `subsystem`; through the handbook only where that is named."""
        if self.subsystem is not None:
            return self.subsystem == subsystem
        return subsystem != HANDBOOK and viewpoint.searchable(subsystem)


@dataclass(frozen=True, slots=True)
class Viewpoint:
    """Who looks, and when: what a search can see.

    `visible` decides for artifact ids, `searchable` for the subsystems that an unconfined search
    goes through (those without any artifact too). `as_of` None reads the newest versions. `key`
    stands for all of this in caches: equal keys promise equal answers to equal queries, and None
    that nothing may be remembered. `unborn` lets in what does not exist at `as_of` (ungated runs).
    """

    as_of: int | None
    visible: Callable[[str], bool]
    searchable: Callable[[str], bool] = _always
    key: Hashable = None
    unborn: bool = False


@dataclass(frozen=True, slots=True)
class Hit:
    """One result; scores compare within one search only."""

    id: str
    score: int


@dataclass(frozen=True, slots=True)
class Ghost:
    """A document that is not there: it would stand in `subsystem` and hold `text`.

    It has neither title nor id, and comes last among equal scores.
    """

    subsystem: str
    text: str


class Matches:
    """What a query found, before ranking: so one search serves any number of ghosts.

    Documents come by their kind, since all of one kind score alike but for the naming of ids.
    """

    __slots__ = ("_counts", "_found", "_query", "_terms", "_words")

    def __init__(self, query: str, asked: Sequence[str], found: Found) -> None:
        self._query = unicodedata.normalize("NFC", query)
        self._terms = asked
        named = set(distinct_words(query))
        self._words = frozenset(number for number, term in enumerate(asked) if term in named)
        self._found = found
        self._counts = [0] * len(asked)
        for (pattern, _, _), documents in found.items():
            for number, _ in unpacked(pattern):
                self._counts[number] += len(documents)

    def best(self, width: int) -> tuple[Hit, ...]:
        """The `width` best results."""
        alike: dict[int, list[Sequence[str]]] = {}
        for score, documents in self._scores(self._worth(())):
            alike.setdefault(score, []).append(documents)
        hits: list[Hit] = []
        for score in sorted(alike, reverse=True):
            left = width - len(hits)
            if left <= 0:
                break
            first = heapq.nsmallest(left, chain.from_iterable(alike[score]))
            hits += (Hit(name, score) for name in first)
        return tuple(hits)

    def rank(self, ghost: Ghost) -> int | None:
        """The place (from 1) that the ghost would take; None where it holds no term.

        Whether the search goes through the ghost's subsystem is the caller's question.
        """
        held = frozenset(terms(ghost.text))
        found = [(number, TEXT) for number, term in enumerate(self._terms) if term in held]
        if not found:
            return None
        worth = self._worth(found)
        own = _damped(_total(found, worth), damping(len(held)))
        return 1 + sum(len(them) for score, them in self._scores(worth) if score >= own)

    def _worth(self, more: Iterable[tuple[int, int]]) -> Sequence[int]:
        """What each term is worth when one more document holds the terms of `more`."""
        counts = list(self._counts)
        for number, _ in more:
            counts[number] += 1
        return [_WORTH // max(1, count) for count in counts]

    def _scores(self, worth: Sequence[int]) -> Iterator[tuple[int, Sequence[str]]]:
        """Scores with the documents that have them, in no order; a score may come again."""
        for (pattern, factor, id_words), documents in self._found.items():
            held = unpacked(pattern)
            score = _damped(_total(held, worth), factor)
            named = sum(place == ID and number in self._words for number, place in held)
            if not named or named != id_words:
                yield score, documents
                continue
            for name in documents:
                yield score + (2 * named + (name in self._query)) * _NAMED, (name,)


def _total(found: Iterable[tuple[int, int]], worth: Sequence[int]) -> int:
    return sum(worth[number] * WEIGHTS[place] for number, place in found)


def _damped(total: int, factor: int) -> int:
    return total * factor >> 11


class Index:
    """Full-text search over a corpus and a contract's handbook.

    Nothing is built before the first search, and then only the subsystems that it goes through.
    """

    def __init__(self, corpus: Corpus, handbook: Sequence[Artifact] = ()) -> None:
        self._corpus = corpus
        self._handbook = {
            document.id: document for document in sorted(handbook, key=lambda d: d.id)
        }
        self._segments: dict[str, Segment] = {}

    def search(self, asked: Search, viewpoint: Viewpoint) -> tuple[Hit, ...]:
        """The best visible documents, at most `asked.width`; nothing for an empty query."""
        return self.matches(asked, viewpoint).best(asked.width)

    def rank_of_ghost(self, asked: Search, viewpoint: Viewpoint, ghost: Ghost) -> int | None:
        """The place (from 1) that `ghost`, were it there, would take among all results.

        None where it would not be found: its subsystem is not searched, or no term fits.
        """
        if not asked.reaches(ghost.subsystem, viewpoint):
            return None
        return self.matches(asked, viewpoint).rank(ghost)

    def matches(self, asked: Search, viewpoint: Viewpoint) -> Matches:
        """Everything visible that holds a term of the query, in no order yet."""
        wanted = terms(asked.query)[:_MOST_TERMS]
        found: Found = {}
        for subsystem in self._searched(asked, viewpoint) if wanted else ():
            is_handbook = subsystem == HANDBOOK
            when = When(None if is_handbook else viewpoint.as_of, viewpoint.unborn)
            visible = _always if is_handbook else viewpoint.visible
            self._segment(subsystem).gather(wanted, when, visible, found)
        return Matches(asked.query, wanted, found)

    def _searched(self, asked: Search, viewpoint: Viewpoint) -> Sequence[str]:
        """The subsystems to look through, sorted."""
        if asked.subsystem is not None:
            return (asked.subsystem,)
        return [name for name in self._corpus.subsystems() if asked.reaches(name, viewpoint)]

    def _segment(self, subsystem: str) -> Segment:
        segment = self._segments.get(subsystem)
        if segment is None:
            if subsystem == HANDBOOK:
                segment = Segment(tuple(self._handbook.values()))
            else:
                segment = Segment(self._corpus.of_subsystem(subsystem))
            self._segments[subsystem] = segment
        return segment
