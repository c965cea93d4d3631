"""Which questions a contract asks: drawn by seeded digest, in matched pairs, within caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, zip_longest

from groundeval.ir.program import Track
from groundeval.questions.candidates import Candidate, Walk, spec_of
from groundeval.questions.matching import Pair, Quota, partners, quotas, siblings

DEFAULT_CAP = 40
WALK_PER_QUESTION = 100
"""How many candidates are looked at for each question wanted: the walk's fixed budget."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A stratum that could not be filled: how many questions were wanted and how many drawn.

    `candidates` counts those that were found; of them `unmatched` had no partner with the other
    answer.
    """

    track: str
    stratum: str
    wanted: int
    drawn: int
    candidates: int
    unmatched: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The pairs of one track, single questions besides, and what was missing.

    Singles are all of a track without verdicts, and the last one of an odd cap.
    """

    pairs: tuple[Pair, ...]
    singles: tuple[Candidate, ...]
    shortfalls: tuple[Shortfall, ...]


def select(walk: Walk, track: Track, *, cap: int) -> Selection:
    """The questions of one track: at most `cap`, as pairs where the track has verdicts.

    The same inputs and seed give the same selection; its order is that of the draw.
    """
    groups = _draw(walk, WALK_PER_QUESTION * max(cap, 1))
    if all(c.verdict is None for group in groups for c in group):
        return _singles(track, groups, cap)
    wanted = quotas(track.balance, cap)
    matching = _Matching(groups, Quota(quotas(track.balance, _even(groups, cap))))
    strata = [s.name for s in track.balance]
    for stratum, room in matching.quota.rooms().items():
        for trait in (True, False):
            matching.fill(stratum, trait, most=room // 2)
    for stratum in strata:
        matching.fill(stratum)
    # What one stratum could not supply, another of the same verdict may; and only where nothing
    # else is left may an actor stand on one side more often than on the other.
    matching.quota = matching.quota.pooled()
    matching.fill()
    matching.fill(tilting=True)
    pairs = tuple(matching.pairs)
    last = matching.loose()[:1] if cap % 2 and 2 * len(pairs) == cap - 1 else []
    return Selection(pairs, tuple(last), _shortfalls(track, wanted, groups, chain(*pairs, last)))


def _even(groups: Sequence[Sequence[Candidate]], cap: int) -> int:
    """How many questions can stand in pairs: what is scarce on one side shrinks the whole track."""
    sides = Counter(c.verdict for group in groups for c in group)
    return min(cap - cap % 2, 2 * sides[True], 2 * sides[False])


@dataclass(slots=True)
class _Matching:
    """The pairs taken so far out of the candidates, grouped as they were drawn."""

    groups: Sequence[Sequence[Candidate]]
    quota: Quota
    pairs: list[Pair] = field(default_factory=list)

    def fill(
        self,
        stratum: str | None = None,
        trait: bool | None = None,
        *,
        most: int | None = None,
        tilting: bool = False,
    ) -> None:
        """Take pairs whose false side is of a stratum and has a trait, while the quota lasts.

        None stands for any. First siblings, one of each group in turn, then partners; groups of
        which less has been taken come first.
        """

        def wanted(candidate: Candidate) -> bool:
            fits = stratum is None or candidate.stratum == stratum
            return candidate.verdict is True or (
                candidate.verdict is False and fits and trait in (None, candidate.trait)
            )

        for source in (self._siblings, self._partners):
            if most == 0 or self.quota.spent():
                return
            loose = self._free()
            ordered = sorted(self.groups, key=lambda g: sum(id(c) not in loose for c in g))
            groups = [[c for c in g if id(c) in loose and wanted(c)] for g in ordered]
            for pair in source(groups):
                if self.quota.admits(pair) and (tilting or not self.quota.tilts(pair)):
                    self.quota.take(pair)
                    self.pairs.append(pair)
                    most = None if most is None else most - 1
                if most == 0 or self.quota.spent():
                    break

    def loose(self) -> list[Candidate]:
        """What has not been taken, in the order of the draw."""
        free = self._free()
        return [c for group in self.groups for c in group if id(c) in free]

    def _free(self) -> set[int]:
        used = {id(c) for pair in self.pairs for c in pair}
        return {id(c) for group in self.groups for c in group} - used

    def _siblings(self, groups: Sequence[Sequence[Candidate]]) -> Iterator[Pair]:
        """One pair of each group, spec by spec, then a second one of each, and so on.

        What evens out an actor's answers comes first.
        """
        queues = (siblings(group) for group in _by_turns_of_spec(groups))
        waiting = [p for turn in zip_longest(*queues) for p in turn if p is not None]
        while waiting:
            mending = (n for n, pair in enumerate(waiting) if self.quota.mends(pair))
            yield waiting.pop(next(mending, 0))

    def _partners(self, groups: Sequence[Sequence[Candidate]]) -> Iterator[Pair]:
        return partners(list(chain(*groups)))


def _by_turns_of_spec(groups: Iterable[Sequence[Candidate]]) -> Iterator[Sequence[Candidate]]:
    """The groups, one of each spec and then the next of each: no spec crowds the others out."""
    by_spec: dict[str, list[Sequence[Candidate]]] = {}
    for group in groups:
        if group:
            by_spec.setdefault(spec_of(group[0].about) or "", []).append(group)
    for turn in zip_longest(*(by_spec[spec] for spec in sorted(by_spec))):
        yield from (group for group in turn if group is not None)


def _draw(walk: Walk, budget: int) -> list[Sequence[Candidate]]:
    groups: list[Sequence[Candidate]] = []
    looked_at = 0
    for group in walk.outer(budget):
        looked_at += max(1, len(group))
        if group:
            groups.append(group)
        if looked_at >= budget:
            break
    return groups


def _singles(track: Track, groups: Sequence[Sequence[Candidate]], cap: int) -> Selection:
    wanted = quotas(track.balance, cap)
    left = dict(wanted)
    taken = []
    for candidate in chain(*groups):
        if left[candidate.stratum] > 0:
            left[candidate.stratum] -= 1
            taken.append(candidate)
    return Selection((), tuple(taken), _shortfalls(track, wanted, groups, taken))


def _shortfalls(
    track: Track,
    wanted: Mapping[str, int],
    groups: Iterable[Sequence[Candidate]],
    drawn: Iterable[Candidate],
) -> tuple[Shortfall, ...]:
    found = Counter(c.stratum for c in chain(*groups))
    counts = Counter(c.stratum for c in drawn)
    return tuple(
        Shortfall(track.id, name, number, counts[name], found[name], found[name] - counts[name])
        for name, number in wanted.items()
        if counts[name] < number
    )
