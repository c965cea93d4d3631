"""Which questions a contract asks: drawn by seeded digest, in matched pairs, within caps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain

from groundeval.ir.program import Track
from groundeval.questions.candidates import Candidate, Walk
from groundeval.questions.matching import Pair, Quota, partners, quotas, siblings
from groundeval.questions.sources import Source

DEFAULT_CAP = 40
WALK_PER_QUESTION = 50
"""How many candidates are looked at for each question wanted: the walk's fixed budget."""


@dataclass(frozen=True, slots=True)
class Shortfall:
    """A stratum that could not be filled: how many questions were wanted and how many drawn."""

    track: str
    stratum: str
    wanted: int
    drawn: int


@dataclass(frozen=True, slots=True)
class Selection:
    """The pairs of one track (for a track without verdicts: singles), and what was missing."""

    pairs: tuple[Pair, ...]
    singles: tuple[Candidate, ...]
    shortfalls: tuple[Shortfall, ...]


def select(track: Track, source: Source, *, seed: int, cap: int) -> Selection:
    """The questions of one track: at most `cap`, as pairs where the track has verdicts.

    The same inputs and seed give the same selection; its order is that of the draw.
    """
    groups = _draw(Walk(track, source, seed), WALK_PER_QUESTION * max(cap, 1))
    if all(c.verdict is None for group in groups for c in group):
        return _singles(track, groups, cap)
    wanted = quotas(track.balance, cap - cap % 2)
    quota = Quota(dict(wanted))
    pairs = [*_sibling_pairs(groups, quota)]
    loose = _unused(groups, pairs)
    instants = frozenset(source.host.world.log.instants())
    for stratum in track.balance:
        pairs += _admitted(partners(_facing(loose, stratum.name), instants), quota)
        loose = _unused([loose], pairs)
    pairs += _filled_up(groups, pairs, quota, instants)
    return Selection(tuple(pairs), (), _shortfalls(track, wanted, chain(*pairs)))


def _draw(walk: Walk, budget: int) -> list[Sequence[Candidate]]:
    groups: list[Sequence[Candidate]] = []
    looked_at = 0
    for group in walk.outer():
        looked_at += max(1, len(group))
        if group:
            groups.append(group)
        if looked_at >= budget:
            break
    return groups


def _sibling_pairs(groups: Sequence[Sequence[Candidate]], quota: Quota) -> Iterator[Pair]:
    """One pair of each group, then a second one of each, and so on, while the quota lasts.

    A pair that would tilt an actor's answers waits until all others have been taken.
    """
    queues = [list(siblings(group)) for group in groups]
    waiting: list[Pair] = []
    for turn in range(max(map(len, queues), default=0)):
        for pair in (q[turn] for q in queues if turn < len(q)):
            if quota.tilts(pair):
                waiting.append(pair)
            elif quota.admits(pair):
                quota.take(pair)
                yield pair
    yield from _admitted(waiting, quota, tilting=False)


def _admitted(
    pairs: Iterator[Pair] | list[Pair], quota: Quota, *, tilting: bool = True
) -> list[Pair]:
    taken = []
    for pair in pairs:
        if quota.admits(pair) and (tilting or not quota.tilts(pair)):
            quota.take(pair)
            taken.append(pair)
    return taken


def _facing(candidates: Sequence[Candidate], stratum: str) -> list[Candidate]:
    """Every candidate whose verdict is true, and those of one stratum whose verdict is false."""
    return [c for c in candidates if c.verdict is True or c.stratum == stratum]


def _filled_up(
    groups: Sequence[Sequence[Candidate]],
    pairs: Sequence[Pair],
    quota: Quota,
    instants: frozenset[int],
) -> list[Pair]:
    """Strata fill each other up: what one could not supply, another of the same verdict may."""
    rest = sum(quota.left.values()) // 2
    relaxed = Quota(dict.fromkeys(quota.left, rest), quota.actors)
    loose = _unused(groups, pairs)
    found: list[Pair] = []
    for pair in chain(siblings_of(groups, loose), partners(loose, instants)):
        if len(found) == rest:
            break
        fresh = not any(c is d for c in pair for d in chain(*found))
        if fresh and relaxed.admits(pair):
            relaxed.take(pair)
            found.append(pair)
    return found


def siblings_of(
    groups: Sequence[Sequence[Candidate]], loose: Sequence[Candidate]
) -> Iterator[Pair]:
    """Sibling pairs among the candidates that are still loose, group by group."""
    free = {id(c) for c in loose}
    for group in groups:
        yield from siblings([c for c in group if id(c) in free])


def _unused(groups: Sequence[Sequence[Candidate]], pairs: Sequence[Pair]) -> list[Candidate]:
    used = {id(c) for pair in pairs for c in pair}
    return [c for group in groups for c in group if id(c) not in used]


def _singles(track: Track, groups: Sequence[Sequence[Candidate]], cap: int) -> Selection:
    wanted = quotas(track.balance, cap)
    left = dict(wanted)
    taken = []
    for candidate in chain(*groups):
        if left[candidate.stratum] > 0:
            left[candidate.stratum] -= 1
            taken.append(candidate)
    return Selection((), tuple(taken), _shortfalls(track, wanted, taken))


def _shortfalls(
    track: Track, wanted: Mapping[str, int], drawn: Iterator[Candidate] | list[Candidate]
) -> tuple[Shortfall, ...]:
    counts = Counter(c.stratum for c in drawn)
    return tuple(
        Shortfall(track.id, name, number, counts[name])
        for name, number in wanted.items()
        if counts[name] < number
    )
