"""Whether a search covers a place: whether it would have found what is missing there."""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Final, Protocol

from groundeval.index.postings import Ghost, Index, Matches, Search, Viewpoint
from groundeval.index.tokens import distinct_words

MOST_WORDS: Final = 16
"""A query with more different words covers nothing: it would find anything."""
_MOST_MATCHES: Final = 8
_MOST_RANKS: Final = 1 << 16


class Sought(Protocol):
    """What coverage reads of a place that is searched (`functions.host.Place` is one)."""

    @property
    def fetch(self) -> str | None: ...
    @property
    def subsystems(self) -> tuple[str, ...]: ...
    @property
    def keys(self) -> tuple[tuple[str, ...], ...]: ...
    @property
    def ghost(self) -> str: ...


def place_keys(values: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """Each value's different words, in their order: the keys of a place.

    A value without a word, or with more than a covering query may have, cannot be named and is
    left out. Where nothing is left, no search covers the place, and it must not be asked about.
    """
    keys = (distinct_words(value) for value in values)
    return tuple(dict.fromkeys(key for key in keys if 0 < len(key) <= MOST_WORDS))


def names_key(query: str, place: Sought) -> bool:
    """Whether a query is short enough to cover anything and has all words of one of the keys."""
    if not may_name_key(query, place):
        return False
    named = frozenset(distinct_words(query))
    return len(named) <= MOST_WORDS and any(key and named.issuperset(key) for key in place.keys)


def may_name_key(query: str, place: Sought) -> bool:
    """False only where `names_key` is False too: a look that costs much less than its words.

    The words of plain ASCII are pieces of the lower-case text, so a key of which some word is no
    piece of it cannot be named. Of any other text nothing is known before it is folded.
    """
    if not query.isascii():
        return True
    written = query.lower()
    for key in place.keys:
        for word in key:
            if word not in written:
                break
        else:
            return True
    return False


class Coverage:
    """Decides coverage on one index, remembering what it has worked out.

    Whether a search was allowed is the caller's question, and so are `fetch` places.
    """

    def __init__(self, index: Index) -> None:
        self._index = index
        self._matches: dict[Hashable, Matches] = {}
        self._ranks: dict[Hashable, int | None] = {}

    def covers(self, place: Sought, asked: Search, viewpoint: Viewpoint) -> bool:
        """Whether the search, had it been made from `viewpoint`, covers `place`.

        It does when it went through one of the place's subsystems, has at most 16 different words,
        names all words of one of the place's keys, and the place's ghost, standing in the first
        such subsystem, would be among the results within the search's limit. A place that is
        fetched is covered by no search.
        """
        if place.fetch is not None or not names_key(asked.query, place):
            return False
        return self.finds(place, asked, viewpoint)

    def finds(self, place: Sought, asked: Search, viewpoint: Viewpoint) -> bool:
        """Whether the search covers a place of which it is known to name a key."""
        home = next((s for s in place.subsystems if asked.reaches(s, viewpoint)), None)
        if home is None:
            return False
        rank = self._rank(asked, viewpoint, Ghost(home, place.ghost))
        return rank is not None and rank <= asked.width

    def _rank(self, asked: Search, viewpoint: Viewpoint, ghost: Ghost) -> int | None:
        if viewpoint.key is None:
            return self._index.rank_of_ghost(asked, viewpoint, ghost)
        search = (asked.query, asked.subsystem, viewpoint.as_of, viewpoint.key, viewpoint.unborn)
        key = (search, ghost)
        if key not in self._ranks:
            if len(self._ranks) >= _MOST_RANKS:
                self._ranks.clear()
            self._ranks[key] = self._matched(search, asked, viewpoint).rank(ghost)
        return self._ranks[key]

    def _matched(self, key: Hashable, asked: Search, viewpoint: Viewpoint) -> Matches:
        found = self._matches.get(key)
        if found is None:
            if len(self._matches) >= _MOST_MATCHES:
                self._matches.clear()
            found = self._matches[key] = self._index.matches(asked, viewpoint)
        return found
