"""The postings of one subsystem: which version of which artifact holds a term, and where."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterator, Sequence
from typing import Final, NamedTuple, TypeAlias

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


class Candidate(NamedTuple):
    """A document that holds some of the asked terms.

    `id_words` is the number of different words of its id.
    """

    id: str
    pattern: Pattern
    damping: int
    id_words: int


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


class Segment:
    """An inverted index over all versions of some artifacts; which version counts is asked later.

    A posting is `entry * 4 + place`; an entry is one version. Building takes time linear in the
    size of the texts.
    """

    __slots__ = (
        "_artifact_of",
        "_artifacts",
        "_damping",
        "_ends",
        "_id_words",
        "_postings",
        "_starts",
    )

    def __init__(self, artifacts: Sequence[Artifact]) -> None:
        self._artifacts = tuple(artifacts)
        self._artifact_of = array("I")
        self._starts = array("q")
        self._ends = array("q")
        self._damping = array("B")
        self._id_words = array("I")
        self._postings: dict[str, array[int]] = {}
        for number, artifact in enumerate(self._artifacts):
            self._add(number, artifact)

    def candidates(
        self,
        asked: Sequence[str],
        as_of: int | None,
        visible: Callable[[str], bool],
        *,
        unborn: bool = False,
    ) -> Iterator[Candidate]:
        """The visible documents that hold any of the terms `asked`, as they are at `as_of`.

        `as_of` None reads the newest versions. What does not exist yet or no longer exists is left
        out, unless `unborn`: then it takes part as its first or last version.
        """
        held: dict[int, Pattern] = {}
        for number, term in enumerate(asked):
            shift = 2 * number
            for code in self._postings.get(term, ()):
                entry = code >> 2
                held[entry] = held.get(entry, 0) | (code & 3) + 1 << shift
        for entry, found in held.items():
            owner = self._artifact_of[entry]
            artifact = self._artifacts[owner]
            if self._is_current(entry, artifact, as_of, unborn) and visible(artifact.id):
                yield Candidate(artifact.id, found, self._damping[entry], self._id_words[owner])

    def _is_current(self, entry: int, artifact: Artifact, as_of: int | None, unborn: bool) -> bool:
        if as_of is None:
            return self._ends[entry] == _FOREVER
        if not unborn and artifact.deleted is not None and artifact.deleted <= as_of:
            return False
        if as_of >= self._ends[entry]:
            return False
        if self._starts[entry] <= as_of:
            return True
        return unborn and artifact.versions[0].start == self._starts[entry]

    def _add(self, number: int, artifact: Artifact) -> None:
        id_terms = terms(artifact.id)
        self._id_words.append(len(distinct_words(artifact.id)))
        versions = artifact.versions
        ends = [version.start for version in versions[1:]] + [_FOREVER]
        for version, end in zip(versions, ends, strict=True):
            entry = len(self._artifact_of)
            self._artifact_of.append(number)
            self._starts.append(version.start)
            self._ends.append(end)
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
