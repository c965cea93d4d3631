"""The postings of one subsystem: which version of which artifact holds a term, and where."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

from groundeval.index.tokens import distinct_words, terms
from groundeval.world.artifacts import Artifact, Version

TEXT, TITLE, ID = 0, 1, 2
"""Where a term stands; it counts once, at the best place."""
WEIGHTS: Final = (4, 5, 6)
"""What a term counts for by where it stands: in the text, the title, the id."""

_FOREVER: Final = 2**63 - 1


Pattern: TypeAlias = int
"""Which of the asked terms a document holds and where: two bits for each term by its number, 0
where it does not hold it, else the place plus 1."""


Kind: TypeAlias = tuple[Pattern, int, int]
"""What a score depends on: a document's pattern, its damping, and how many different words its id
has."""

Found: TypeAlias = dict[Kind, list[str]]
"""The documents that hold some of the asked terms, by their kind, each kind's in no order."""


def unpacked(found: Pattern) -> Sequence[tuple[int, int]]:
    """The terms (by number) of a pattern, and the places where they stand."""
    held = ((number, found >> 2 * number & 3) for number in range(-(-found.bit_length() // 2)))
    return [(number, place - 1) for number, place in held if place]


def damping(length: int) -> int:
    """The factor by which a document of `length` different terms counts, in 1/2048.

    It falls with the length's logarithm, from 120 (one term) to 64 (65,536 terms): longer
    documents hold more words by chance. No average is in it, since closed documents would show
    through in one.
    """
    return 2048 // (16 + length.bit_length())


@dataclass(frozen=True, slots=True)
class When:
    """The instant that versions are looked up at; None reads the newest.

    What does not exist yet or no longer exists is left out, unless `unborn`: then it takes part as
    its first or last version.
    """

    as_of: int | None
    unborn: bool = False


class Segment:
    """An inverted index over all versions of some artifacts; which version counts is asked later.

    A posting is `entry * 4 + place`; an entry is one version. Building takes time linear in the
    size of the texts.
    """

    __slots__ = (
        "_born",
        "_damping",
        "_ends",
        "_id_words",
        "_ids",
        "_owners",
        "_postings",
        "_starts",
        "_untils",
    )

    def __init__(self, artifacts: Sequence[Artifact]) -> None:
        self._ids = [artifact.id for artifact in artifacts]
        self._born = array("q", (artifact.versions[0].start for artifact in artifacts))
        self._owners = array("I")
        self._starts = array("q")
        self._ends = array("q")
        self._untils = array("q")
        """Per entry when it ends as a version, and when its artifact is no longer there as such."""
        self._damping = array("B")
        self._id_words = array("I")
        self._postings: dict[str, array[int]] = {}
        for number, artifact in enumerate(artifacts):
            self._add(number, artifact)

    def gather(
        self, asked: Sequence[str], when: When, visible: Callable[[str], bool], found: Found
    ) -> None:
        """Add the visible documents that hold any of the terms `asked`, as they are then."""
        owners, ids, damping, id_words = self._owners, self._ids, self._damping, self._id_words
        for entry, pattern in self._current(self._holding(asked), when):
            owner = owners[entry]
            name = ids[owner]
            if visible(name):
                kind = (pattern, damping[entry], id_words[owner])
                if kind in found:
                    found[kind].append(name)
                else:
                    found[kind] = [name]

    def _holding(self, asked: Sequence[str]) -> dict[int, Pattern]:
        """The entries that hold any of the terms, each with its pattern."""
        held: dict[int, Pattern] = {}
        for number, term in enumerate(asked):
            shift = 2 * number
            for code in self._postings.get(term, ()):
                entry = code >> 2
                held[entry] = held.get(entry, 0) | (code & 3) + 1 << shift
        return held

    def _current(self, held: Mapping[int, Pattern], when: When) -> list[tuple[int, Pattern]]:
        """Of the entries those that are the version to show then."""
        at, starts, ends = when.as_of, self._starts, self._ends
        if at is None:
            return [(e, pattern) for e, pattern in held.items() if ends[e] == _FOREVER]
        if not when.unborn:
            untils = self._untils
            return [(e, pattern) for e, pattern in held.items() if starts[e] <= at < untils[e]]
        born, owners = self._born, self._owners
        return [
            (e, pattern)
            for e, pattern in held.items()
            if at < ends[e] and (starts[e] <= at or starts[e] == born[owners[e]])
        ]

    def _add(self, number: int, artifact: Artifact) -> None:
        id_terms = terms(artifact.id)
        self._id_words.append(len(distinct_words(artifact.id)))
        versions = artifact.versions
        ends = [version.start for version in versions[1:]] + [_FOREVER]
        for version, end in zip(versions, ends, strict=True):
            entry = len(self._owners)
            self._owners.append(number)
            self._starts.append(version.start)
            self._ends.append(end)
            deleted = _FOREVER if artifact.deleted is None else artifact.deleted
            self._untils.append(min(end, deleted))
            self._damping.append(self._post(entry, id_terms, version))

    def _post(self, entry: int, id_terms: Sequence[str], version: Version) -> int:
        places = dict.fromkeys(terms(version.text), TEXT)
        places.update(dict.fromkeys(terms(version.title), TITLE))
        places.update(dict.fromkeys(id_terms, ID))
        postings = self._postings
        for term, place in places.items():
            codes = postings.get(term)
            if codes is None:
                codes = postings[term] = array("I")
            codes.append(entry << 2 | place)
        return damping(len(places))
