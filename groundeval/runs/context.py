"""Context mode: which documents an agent is handed instead of the tools.

The rule, in the order in which documents are taken up until the budget is spent:

1. the documents that the question names, and those that its truth names as evidence;
2. each place where what is asked about would have to be: what a search there brings back, all of
   it or none, since a part would not show that nothing is there;
3. the handbook, in its order for the question's words, up to a third of the budget;
4. documents of the events that those taken up so far tell of, and so on along the events;
5. distractors: the best hits for the question's own words.

Each is what `fetch` would have given, with the same gates and the same instant, and they are
handed over in the order of their subsystems and ids, so that the place of a document says
nothing of why it is there. A document that does not fit is passed over for a shorter one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from groundeval.questions.model import PlaceRecord, Question
from groundeval.runs.replies import FetchReply
from groundeval.runs.tools import GatedView, Tools
from groundeval.world.artifacts import HANDBOOK

DEFAULT_TOKENS: Final = 32_000
BYTES_PER_TOKEN: Final = 4
"""A token is reckoned as four bytes of the document's JSON in UTF-8: no model's own count."""
_HANDBOOK_SHARE: Final = 3
_PLACE_LIMIT: Final = 10
_DISTRACTORS: Final = 20
_MOST_LEADS: Final = 200


@dataclass(frozen=True, slots=True)
class Handed:
    """Documents that were handed over together; for a place also the search that brought them."""

    results: tuple[str, ...]
    query: str | None = None
    subsystem: str | None = None


@dataclass(frozen=True, slots=True)
class Packed:
    """What a question's context holds.

    `given` are the documents in the order in which the agent gets them, `handed` how the trace
    records them. `tokens` is their size; `left_out` counts named documents, evidence and places
    for which the budget had no room: with any, not even a perfect reader need be valid.
    """

    given: tuple[FetchReply, ...]
    handed: tuple[Handed, ...]
    tokens: int
    left_out: int


def packed(
    view: GatedView, question: Question, *, gated: bool = True, tokens: int = DEFAULT_TOKENS
) -> Packed:
    """The context of a question within `tokens`. Ungated, closed documents may be in it."""
    packing = _Packing(Tools(view, question, gated=gated), tokens)
    needed = [*question.keys, *_artifacts_in(question.truth, view)]
    named = [document for document in dict.fromkeys(needed) if not packing.take(document)]
    places = [place for place in question.places if not packing.take_place(place)]
    packing.take_handbook(view, question.text)
    packing.take_leads()
    packing.take_hits(question.text)
    missed = sum(packing.is_there(document) for document in named) + len(places)
    return packing.finished(missed)


class _Packing:
    """A context while it is packed; the calls of `tools` are made for it, and thrown away."""

    def __init__(self, tools: Tools, tokens: int) -> None:
        self._tools = tools
        self._left = tokens
        self._budget = tokens
        self._taken: dict[str, FetchReply] = {}
        self._seen: dict[str, FetchReply] = {}
        self._places: list[Handed] = []

    def is_there(self, document: str) -> bool:
        """Whether the document could be had at all."""
        return self._fetched(document).available

    def take(self, document: str, keep: int = 0) -> bool:
        """Take a document up if it is there and leaves `keep` tokens; False where it is not in."""
        return self._take_all((document,), keep)

    def take_place(self, place: PlaceRecord) -> bool:
        """Take up what one place shows; True also where it is closed and can show nothing."""
        if place.fetch is not None:
            return self.take(place.fetch) or not self.is_there(place.fetch)
        for subsystem in place.search:
            found = self._tools.search(place.text or "", subsystem, _PLACE_LIMIT)
            if not found.available:
                continue
            hits = tuple(hit.id for hit in found.hits)
            if not self._take_all(hits):
                return False
            self._places.append(Handed(hits, place.text, subsystem))
            return True
        return True

    def take_handbook(self, view: GatedView, words: str) -> None:
        """Take pages of the handbook up, the best for `words` first."""
        keep = max(0, self._left - self._budget // _HANDBOOK_SHARE)
        best = self._tools.search(words, HANDBOOK, _DISTRACTORS).hits
        for page in dict.fromkeys((*(hit.id for hit in best), *sorted(view.handbook))):
            self.take(page, keep)

    def take_leads(self) -> None:
        """Follow the events that documents tell of, breadth first, to further documents."""
        followed: set[str] = set()
        while len(followed) < _MOST_LEADS:
            leads = [lead for lead in self._leads() if lead not in followed]
            if not leads:
                return
            for lead in leads:
                followed.add(lead)
                self.take(lead)

    def take_hits(self, words: str) -> None:
        """Take the best hits for `words` up."""
        for hit in self._tools.search(words, None, _DISTRACTORS).hits:
            self.take(hit.id)

    def finished(self, left_out: int) -> Packed:
        given = sorted(self._taken.values(), key=lambda reply: (reply.subsystem, reply.id))
        by_search = {document for place in self._places for document in place.results}
        rest = tuple(reply.id for reply in given if reply.id not in by_search)
        handed = (Handed(rest), *self._places) if rest else tuple(self._places)
        return Packed(tuple(given), handed, self._budget - self._left, left_out)

    def _leads(self) -> Iterator[str]:
        told = {event.id: event for reply in self._taken.values() for event in reply.events}
        for event in told.values():
            for documents in event.artifacts.values():
                yield from documents

    def _take_all(self, documents: Sequence[str], keep: int = 0) -> bool:
        new = {d: self._fetched(d) for d in documents if d not in self._taken}
        size = sum(map(_tokens, new.values()))
        if size > self._left - keep or not all(reply.available for reply in new.values()):
            return False
        self._left -= size
        self._taken |= new
        return True

    def _fetched(self, document: str) -> FetchReply:
        known = self._seen.get(document)
        if known is None:
            known = self._seen[document] = self._tools.fetch(document)
        return known


def _tokens(reply: FetchReply) -> int:
    return -(-len(msgspec.json.encode(reply)) // BYTES_PER_TOKEN)


def _artifacts_in(value: Any, view: GatedView) -> Iterable[str]:
    """Every id of an artifact that a truth holds anywhere, in its order."""
    match value:
        case str():
            if view.world.corpus.get(value) is not None:
                yield value
        case dict():
            for inner in value.values():
                yield from _artifacts_in(inner, view)
        case list() | tuple():
            for inner in value:
                yield from _artifacts_in(inner, view)
