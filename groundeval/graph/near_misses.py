"""Near misses: pairs of events that look causal and are not.

Nothing is enumerated: causes are walked in the order of their seeded digest, and each looks up a
few effects (close in time, sharing a key, joined but too early or too late). So one event more
leaves nearly all pairs as they were, and the cost does not depend on products.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import chain, count, islice
from typing import Final, Literal, Protocol, TypeAlias

from groundeval.graph.queries import CausalGraph
from groundeval.world.canonical import blake, blake_after
from groundeval.world.events import Event, in_log_order
from groundeval.world.time import DAY, EARLIEST, LATEST

NearMissKind: TypeAlias = Literal[
    "no_join", "shared_actor", "shared_subsystem", "effect_first", "out_of_reach", "any_pair"
]
KINDS: Final[tuple[NearMissKind, ...]] = (
    "effect_first", "out_of_reach", "shared_actor", "shared_subsystem", "no_join", "any_pair",
)  # fmt: skip
"""In the order in which a pair that is of several kinds is counted."""

_CLOSE: Final = 7 * DAY
"""What close in time means for a spec that has neither a window nor a link."""
_NEIGHBOURS: Final = 4
"""How many effects are looked at around one instant."""
_QUANTILES: Final = (1, 3, 5, 7)
"""The eighths of the real gaps around which effects are looked for."""
_MOST_OF_A_KIND: Final = 8
"""How many near misses of one kind one cause is in, where there are few causes."""
_LOOKED_AT: Final = 8
"""How many joined effects, or effects that share a key, are looked at for one cause."""


class Rules(Protocol):
    """One link spec, as matching knows it."""

    @property
    def name(self) -> str: ...
    @property
    def within(self) -> int | None: ...
    @property
    def firsts(self) -> Sequence[Event]: ...
    @property
    def seconds(self) -> Sequence[Event]: ...
    def joined(self, first: Event, after: int, until: int) -> Iterable[Event]: ...
    def joins(self, first: Event, second: Event) -> bool: ...
    def holds(self, first: Event, second: Event) -> bool: ...


@dataclass(frozen=True, slots=True)
class NearMiss:
    """One pair, its kind and the spec that it resembles."""

    kind: NearMissKind
    spec: str
    cause: Event
    effect: Event


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What near misses are drawn from.

    `usable` says whether an event may be asked about, `keys` are the values by which texts name
    it, `subsystems` those of its artifacts; `gaps` are a spec's real gaps, ascending.
    """

    rules: Sequence[Rules]
    graph: CausalGraph
    gaps: Callable[[str], Sequence[int]]
    usable: Callable[[Event], bool]
    keys: Callable[[Event], frozenset[str]]
    subsystems: Callable[[Event], frozenset[str]]


def near_misses(around: Surroundings, *, seed: int, budget: int) -> tuple[NearMiss, ...]:
    """At most `budget` near misses, spread over kinds and specs as evenly as the log supplies.

    Never one with a path from cause to effect, of one instant, or that only `match` left
    unlinked. At least half share a key in their text, as far as the log supplies such.
    """
    per_spec = -(-budget // max(1, len(around.rules)))
    found: dict[tuple[str, str], NearMiss] = {}
    chosen = [_chosen(around, rules, per_spec, seed) for rules in around.rules]
    effects = _Effects(around, frozenset().union(*map(around.keys, chain.from_iterable(chosen))))
    for rules, causes in zip(around.rules, chosen, strict=True):
        for miss in _Draw(around, rules, effects, seed).misses(causes, per_spec):
            found.setdefault((miss.cause.id, miss.effect.id), miss)
    rank = {kind: n for n, kind in enumerate(KINDS)}
    ordered = sorted(
        found.values(), key=lambda m: (rank[m.kind], m.spec, _digest(seed, m.cause, m.effect))
    )
    return tuple(_shared_out(ordered, around, budget))


class _Effects:
    """The usable effects of all specs in log order, and by each of some keys that name them."""

    def __init__(self, around: Surroundings, keys: frozenset[str]) -> None:
        every = {e.id: e for rules in around.rules for e in rules.seconds if around.usable(e)}
        self.all = in_log_order(list(every.values()))
        self.by_key: dict[str, list[Event]] = {key: [] for key in keys}
        for event in self.all:
            for key in keys & around.keys(event):
                self.by_key[key].append(event)


def _chosen(around: Surroundings, rules: Rules, most: int, seed: int) -> Sequence[Event]:
    """The first usable causes of a spec in digest order."""
    usable = list(filter(around.usable, rules.firsts))
    digests = blake_after(seed)(event.id for event in usable)
    drawn = nsmallest(most, zip(digests, count(), usable, strict=False))
    return [cause for _, _, cause in drawn]


class _Draw:
    """The near misses that resemble one spec."""

    def __init__(self, around: Surroundings, rules: Rules, effects: _Effects, seed: int) -> None:
        self._around = around
        self._rules = rules
        self._every = effects
        self._seed = seed
        self._own = rules.seconds
        self._gaps = around.gaps(rules.name)

    def misses(self, causes: Sequence[Event], wanted: int) -> Iterator[NearMiss]:
        """What these causes come to, of which there were to be `wanted`; their order is kept."""
        most = max(1, min(_MOST_OF_A_KIND, wanted // max(1, len(causes))))
        for cause in causes:
            yield from self._of(cause, most)

    def _of(self, cause: Event, most: int) -> Iterator[NearMiss]:
        """For each kind, `most` pairs that share a key and as many that do not."""
        taken: dict[tuple[NearMissKind, bool], list[Event]] = {}
        names = self._around.keys(cause)
        for effect in self._candidates(cause):
            kind = self._kind(cause, effect)
            if kind is None:
                continue
            slot = taken.setdefault((kind, names.isdisjoint(self._around.keys(effect))), [])
            if len(slot) < most and self._unlinked(cause, effect):
                slot.append(effect)
        for (kind, _), effects in taken.items():
            yield from (NearMiss(kind, self._rules.name, cause, effect) for effect in effects)

    def _candidates(self, cause: Event) -> Iterator[Event]:
        """Effects to look at, in an order that depends on the two events alone."""
        early = islice(self._rules.joined(cause, EARLIEST - 1, cause.at - 1), _LOOKED_AT)
        late = islice(self._rules.joined(cause, cause.at, LATEST), _LOOKED_AT)
        beyond: Iterable[Event] = ()
        if self._rules.within is not None:
            start = min(cause.at + self._rules.within, LATEST)
            beyond = islice(self._rules.joined(cause, start, LATEST), _LOOKED_AT)
        sharing = chain.from_iterable(
            _around(self._every.by_key[key], cause.at) for key in sorted(self._around.keys(cause))
        )
        near = chain.from_iterable(
            _around(events, cause.at + gap)
            for gap in self._target_gaps()
            for events in (self._own, self._every.all)
        )
        listed = dict.fromkeys(chain(early, late, beyond, sharing, near))
        return iter(sorted(listed, key=lambda e: _digest(self._seed, cause, e)))

    def _target_gaps(self) -> Iterator[int]:
        """Gaps at which real links of the spec lie, or parts of the window where there are none."""
        for eighth in _QUANTILES:
            if self._gaps:
                yield self._gaps[len(self._gaps) * eighth // 8]
            else:
                yield (self._rules.within or _CLOSE) * eighth // 8

    def _kind(self, cause: Event, effect: Event) -> NearMissKind | None:
        """Why the pair looks causal; None where it does not, or where it may be a link."""
        gap = effect.at - cause.at
        if gap == 0 or not self._around.usable(effect):
            return None
        if not self._is_effect(effect):
            return "any_pair" if gap > 0 else None
        if self._rules.joins(cause, effect):
            if gap < 0:
                return "effect_first"
            return None if self._rules.holds(cause, effect) else "out_of_reach"
        close = self._rules.within or (self._gaps[-1] if self._gaps else _CLOSE)
        if not 0 < gap <= close:
            return "any_pair" if gap > 0 else None
        if not set(cause.actors).isdisjoint(effect.actors):
            return "shared_actor"
        subsystems = self._around.subsystems
        return "no_join" if subsystems(cause).isdisjoint(subsystems(effect)) else "shared_subsystem"

    def _is_effect(self, event: Event) -> bool:
        index = bisect_left(self._own, (event.at, event.id), key=lambda e: (e.at, e.id))
        return index < len(self._own) and self._own[index] is event

    def _unlinked(self, cause: Event, effect: Event) -> bool:
        """Whether no spec links the pair even without `match`, and no path joins the two."""
        if any(rules.holds(cause, effect) for rules in self._around.rules):
            return False
        return not self._around.graph.has_path(cause, effect)


def _digest(seed: int, cause: Event, effect: Event) -> bytes:
    return blake(seed, cause.id, effect.id)


def _around(events: Sequence[Event], instant: int) -> Sequence[Event]:
    """The few events of a list in log order that lie nearest to an instant, by their place."""
    index = bisect_left(events, instant, key=lambda e: e.at)
    return events[max(0, index - _NEIGHBOURS) : index + _NEIGHBOURS]


def _shared_out(
    ordered: Sequence[NearMiss], around: Surroundings, budget: int
) -> Iterator[NearMiss]:
    """Taken in turn from every kind and spec; half of them must share a key, if there are any."""
    sharing: dict[tuple[str, str], list[NearMiss]] = {}
    free: dict[tuple[str, str], list[NearMiss]] = {}
    for miss in ordered:
        shares = not around.keys(miss.cause).isdisjoint(around.keys(miss.effect))
        (sharing if shares else free).setdefault((miss.kind, miss.spec), []).append(miss)
    with_key, without = list(_in_turn(sharing.values())), list(_in_turn(free.values()))
    keyed = with_key[: budget - min(len(without), budget // 2)]
    yield from keyed
    yield from without[: budget - len(keyed)]


def _in_turn(groups: Iterable[list[NearMiss]]) -> Iterator[NearMiss]:
    waiting = [iter(group) for group in groups]
    while waiting:
        following = [(group, next(group, None)) for group in waiting]
        yield from (miss for _, miss in following if miss is not None)
        waiting = [group for group, miss in following if miss is not None]
