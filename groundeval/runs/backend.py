"""Other search engines behind the gated tools: they rank what they are shown, and decide nothing.

What may be found is settled before a backend is asked: it gets every version of every document
once, and with each search a shelf that says which of them this search may see. Nothing that is not
on the shelf may change the order, the number or the scores of what is, so statistics (how many
documents hold a word, how long they are) have to be taken over the shelf alone. What a backend
gives is held against the shelf, and cut at the limit, by us.

Scoring knows no backend. Whether a search covers a place is decided on the contract's own index,
whoever ranked: see `index.coverage`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Protocol

from groundeval.index.postings import Index, Search, Viewpoint
from groundeval.index.tokens import terms
from groundeval.world.artifacts import HANDBOOK, Artifact, Corpus

OWN: Final = "index"
"""The name of the contract's own index, which ranks where no backend is named."""


@dataclass(frozen=True, slots=True)
class Document:
    """One version of an artifact or page of the handbook; `number` is what a ranker calls it."""

    number: int
    id: str
    subsystem: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Shelf:
    """What one search may see.

    `holds` tells it of a document by its number; what stands in none of the `subsystems` is not
    on it, so a ranker need not ask about such.
    """

    subsystems: tuple[str, ...]
    holds: Callable[[int], bool]


class Ranker(Protocol):
    """Documents that were taken in, ready to be ranked. Calls come from several threads."""

    def rank(self, query: str, shelf: Shelf, limit: int) -> Sequence[int]:
        """The numbers of the at most `limit` best documents on the shelf, the best first.

        Equal queries on equal shelves get equal answers. What has nothing to do with the query is
        left out.
        """
        ...

    def close(self) -> None:
        """Let go of connections and files. No call follows."""
        ...


class CorpusBackend(Protocol):
    """A search engine. Raises `BackendUnusable` where this machine lacks what it needs."""

    @property
    def name(self) -> str:
        """What traces name it by."""
        ...

    def open(self, documents: Iterable[Document]) -> Ranker:
        """Take in every version of every document; their numbers ascend from 0."""
        ...


class BackendUnusable(Exception):  # noqa: N818 - nothing of ours is wrong
    """Why a backend cannot work on this machine, in words for its user."""


class BackendFault(RuntimeError):  # noqa: N818 - named as the other one
    """A backend that broke its promise: a bug of its, of which no agent learns the particulars."""


class Searcher(Protocol):
    """What the tools search with."""

    @property
    def name(self) -> str: ...

    def search(self, asked: Search, viewpoint: Viewpoint) -> Sequence[str]:
        """The ids of the best visible documents, at most `asked.width`."""
        ...

    def close(self) -> None: ...


class OwnIndex:
    """A contract's own index as a searcher."""

    name = OWN

    def __init__(self, index: Index) -> None:
        self._index = index

    def search(self, asked: Search, viewpoint: Viewpoint) -> Sequence[str]:
        """As of any searcher."""
        return tuple(hit.id for hit in self._index.search(asked, viewpoint))

    def close(self) -> None:
        """Nothing is held."""


class BackedSearch:
    """A corpus and handbook behind a backend; what is visible stays with the viewpoint."""

    def __init__(
        self, backend: CorpusBackend, corpus: Corpus, handbook: Mapping[str, Artifact]
    ) -> None:
        self.name = backend.name
        self._corpus = corpus
        self._held: list[_Held] = []
        self._ranker = backend.open(self._documents(corpus, handbook))

    def search(self, asked: Search, viewpoint: Viewpoint) -> Sequence[str]:
        """As of any searcher. Raises `BackendFault` for what is not on the shelf, or there twice.

        A query without a word finds nothing, whatever the backend.
        """
        if not terms(asked.query):
            return ()
        shelf = self._shelf(asked, viewpoint)
        ranked = self._ranker.rank(asked.query, shelf, asked.width) if shelf.subsystems else ()
        found = tuple(self._held[n].artifact.id for n in ranked[: asked.width] if shelf.holds(n))
        if len(found) < min(len(ranked), asked.width) or len(set(found)) < len(found):
            raise BackendFault(
                f"the backend `{self.name}` ranked what is not on the shelf, or twice"
            )
        return found

    def close(self) -> None:
        """Close the backend."""
        self._ranker.close()

    def _documents(self, corpus: Corpus, handbook: Mapping[str, Artifact]) -> Iterator[Document]:
        pages = (handbook[name] for name in sorted(handbook))
        for artifact in (*corpus, *pages):
            for number, version in enumerate(artifact.versions):
                here = len(self._held)
                self._held.append(_Held(artifact, number))
                yield Document(here, artifact.id, artifact.subsystem, version.title, version.text)

    def _shelf(self, asked: Search, viewpoint: Viewpoint) -> Shelf:
        there = (*self._corpus.subsystems(), HANDBOOK)
        searched = frozenset(name for name in there if asked.reaches(name, viewpoint))
        held = self._held

        def holds(number: int) -> bool:
            if not 0 <= number < len(held):
                return False
            one = held[number]
            return one.artifact.subsystem in searched and one.is_shown(viewpoint)

        return Shelf(tuple(sorted(searched)), holds)


@dataclass(frozen=True, slots=True)
class _Held:
    """A version of an artifact."""

    artifact: Artifact
    version: int

    def is_shown(self, viewpoint: Viewpoint) -> bool:
        """Whether it is the version to show from there, and may be seen."""
        artifact = self.artifact
        if artifact.subsystem == HANDBOOK:
            return self.version == len(artifact.versions) - 1
        at = viewpoint.as_of
        shown = artifact.at(at) if viewpoint.unborn else artifact.shown_at(at)
        if shown is None and viewpoint.unborn:
            shown = artifact.versions[0]
        return shown is artifact.versions[self.version] and viewpoint.visible(artifact.id)
