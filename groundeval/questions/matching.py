"""Matched pairs: two questions alike in everything but the answer, and the quotas they fill.

Siblings differ in one binder only (the same event and actor on either side of an edge, the same
event and instant for another actor, the same trigger before and after the response). What has no
sibling is matched with a partner of the same template, nearest in gap and date.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.ir.program import Stratum
from groundeval.questions.candidates import Candidate, identity, spec_of
from groundeval.world.events import Event

Pair = tuple[Candidate, Candidate]
"""(the one whose verdict is true, the one whose verdict is false)"""

GAP_TOLERANCE: Final = 0.25
"""How far the gaps of a link and its near miss may differ, as a share of the longer one."""
_MATCHED_IN_GAP: Final = frozenset({"no_join", "shared_actor", "shared_subsystem"})


@dataclass(slots=True)
class Quota:
    """How many candidates each stratum may still take, and how actors and subjects stand.

    Of each actor, and of each subject (what questions are about), there is how many more times it
    was asked about with the answer yes than with the answer no.
    """

    left: dict[str, int]
    actors: Counter[str] = field(default_factory=Counter)
    subjects: Counter[str] = field(default_factory=Counter)

    def admits(self, pair: Pair) -> bool:
        """Whether both strata have room, and neither subject would give its answer away."""
        return self._has_room(pair) and not self._betrays(pair)

    def _has_room(self, pair: Pair) -> bool:
        needed = Counter(c.stratum for c in pair)
        return all(self.left.get(s, 0) >= n for s, n in needed.items())

    def _betrays(self, pair: Pair) -> bool:
        """Whether a subject would have two answers of one kind more than of the other.

        Else whoever has seen the one question could answer the other from its keys.
        """
        yes, no = (identity(c.about) for c in pair)
        return yes != no and (self.subjects[yes] >= 1 or self.subjects[no] <= -1)

    def take(self, pair: Pair) -> None:
        """Count the pair in."""
        for candidate, sign in zip(pair, (1, -1), strict=True):
            self.left[candidate.stratum] -= 1
            self.subjects[identity(candidate.about)] += sign
            if candidate.actor is not None:
                self.actors[candidate.actor] += sign

    def tilts(self, pair: Pair) -> bool:
        """Whether the pair would give an actor two answers of one kind more than of the other.

        Otherwise an agent could answer from the actor's name alone.
        """
        yes, no = pair[0].actor, pair[1].actor
        if yes == no or yes is None or no is None:
            return False
        return self.actors[yes] >= 1 or self.actors[no] <= -1

    def mends(self, pair: Pair) -> bool:
        """Whether the pair gives an actor the answer of which it had fewer, and tilts nobody."""
        yes, no = pair[0].actor, pair[1].actor
        if yes == no or yes is None or no is None or self.tilts(pair):
            return False
        return self.actors[yes] < 0 or self.actors[no] > 0

    def rooms(self) -> dict[str, int]:
        """What each stratum may still take, in their order."""
        return dict(self.left)

    def spent(self) -> bool:
        """Whether there is no room for any pair."""
        return sum(n for n in self.left.values() if n > 0) < 2

    def pooled(self) -> Quota:
        """The same room, whichever strata it is used for."""
        room = sum(self.left.values()) // 2
        return _Pooled(dict(self.left), self.actors, self.subjects, room=room)


@dataclass(slots=True)
class _Pooled(Quota):
    """Room for some more pairs of any strata."""

    room: int = 0

    def _has_room(self, pair: Pair) -> bool:
        del pair
        return self.room > 0

    def take(self, pair: Pair) -> None:
        super(_Pooled, self).take(pair)
        self.room -= 1

    def spent(self) -> bool:
        return self.room <= 0


def quotas(strata: Iterable[Stratum], cap: int) -> dict[str, int]:
    """The strata's shares of `cap`: whole numbers, largest remainders first, adding up to it."""
    listed = tuple(strata)
    exact = [s.share * cap for s in listed]
    counts = [int(e + 1e-9) for e in exact]
    by_rest = sorted(range(len(listed)), key=lambda i: (counts[i] - exact[i], i))
    for i in by_rest[: max(0, cap - sum(counts))]:
        counts[i] += 1
    return {s.name: n for s, n in zip(listed, counts, strict=True)}


def siblings(candidates: Sequence[Candidate]) -> Iterator[Pair]:
    """Pairs that differ in one binder and in the verdict, nearest in date first.

    Of two actors those of different roles come first. Ties keep the order of the candidates, that
    is the digests'. Each candidate comes in once.
    """
    near = sorted(
        (_alike(yes, no), abs(yes.as_of - no.as_of), i, j)
        for i, yes in enumerate(candidates)
        if yes.verdict is True
        for j, no in enumerate(candidates)
        if no.verdict is False and _differ_in_one(yes, no)
    )
    used: set[tuple[str, int]] = set()
    for _, _, i, j in near:
        if ("yes", i) not in used and ("no", j) not in used:
            used |= {("yes", i), ("no", j)}
            yield candidates[i], candidates[j]


def _alike(yes: Candidate, no: Candidate) -> bool:
    """Whether two different actors hold the same role: such a pair comes last."""
    return yes.actor != no.actor and yes.role == no.role


class _No(NamedTuple):
    """A candidate of the false side, with what it is measured by."""

    candidate: Candidate
    gap: int
    near_only: bool
    as_of: int


def partners(candidates: Sequence[Candidate]) -> Iterator[Pair]:
    """Pairs of the same template out of what has no sibling, nearest in gap and date.

    The true side is walked in its order, spec by spec in turn, so that no spec crowds the others
    out.
    """
    pools: dict[Any, list[_No]] = defaultdict(list)
    for candidate in candidates:
        if candidate.verdict is False:
            no = _No(candidate, _gap(candidate), _near_only(candidate), candidate.as_of)
            for key in _templates(candidate):
                pools[key].append(no)
    for yes in _in_turns([c for c in candidates if c.verdict is True]):
        found = _nearest(yes, pools)
        if found is not None:
            for key in _templates(found.candidate):
                pools[key].remove(found)
            yield yes, found.candidate


def _nearest(yes: Candidate, pools: dict[Any, list[_No]]) -> _No | None:
    gap, as_of = _gap(yes), yes.as_of
    for key in _templates(yes):
        pool = pools[key]
        fitting = [
            (abs(gap - theirs), abs(as_of - instant), i)
            for i, (_, theirs, near_only, instant) in enumerate(pool)
            if not near_only or abs(gap - theirs) <= GAP_TOLERANCE * max(gap, theirs)
        ]
        if fitting:
            return pool[min(fitting)[2]]
    return None


def _templates(candidate: Candidate) -> list[Any]:
    """What two questions must share to look alike, the closest likeness first."""
    match candidate.about:
        case CausalPair(cause=cause, effect=effect, spec=spec):
            types = (cause.type, effect.type)
            return [(spec, *types), types, ("effect", effect.type), ("any",)]
        case SilenceCase(spec=spec):
            return [(spec, candidate.trait)]
        case Event(type=kind):
            return [(kind, candidate.actor), (kind,)]
    return [()]


def _gap(candidate: Candidate) -> int:
    """How far apart the events of a pair are; of anything else 0."""
    return abs(candidate.about.gap) if isinstance(candidate.about, CausalPair) else 0


def _near_only(candidate: Candidate) -> bool:
    """Near misses that look like a link are matched in their gap; the other kinds are not."""
    about = candidate.about
    return isinstance(about, CausalPair) and about.kind in _MATCHED_IN_GAP


def _in_turns(candidates: Sequence[Candidate]) -> Iterator[Candidate]:
    """One of each spec, then the next of each."""
    queues: dict[str, list[Candidate]] = defaultdict(list)
    for candidate in candidates:
        queues[spec_of(candidate.about) or ""].append(candidate)
    longest = max((len(q) for q in queues.values()), default=0)
    for turn in range(longest):
        for spec in sorted(queues):
            if turn < len(queues[spec]):
                yield queues[spec][turn]


def _differ_in_one(a: Candidate, b: Candidate) -> bool:
    """Whether only one binder differs.

    A deadline is no sibling of a log instant: it is computed, and computed instants that stand on
    one side more often than on the other would tell the answer.
    """
    if isinstance(a.about, SilenceCase) and a.trait != b.trait:
        return False
    return sum(x != y for x, y in zip(a.ids, b.ids, strict=True)) == 1
