"""What compiled code calls where the types say too little: operations on values of any kind.

The meaning is that of `values`, reached another way: by exact type tests and by hashing instead of
comparing item by item. None in gives None out, and nothing raises.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Mapping
from operator import attrgetter
from typing import Any

from groundeval.functions.frozen import freeze
from groundeval.functions.text import sort_key
from groundeval.world.time import EARLIEST, LATEST
from groundeval.world.world import World

_NUMBERS = frozenset({int, float})
_TEXT = frozenset({str})
_SEQUENCES = frozenset({tuple, list})
_COLLECTIONS = frozenset({tuple, list, frozenset})
_SCALARS = frozenset({str, int, float, bool})
_TRUE, _FALSE, _COLLECTION, _MAPPING = object(), object(), object(), object()
_SAFE = 1 << 1000
_INFINITY = float("inf")
_at = attrgetter("at")


def truth(x: Any) -> bool | None:
    return x if x is True or x is False else None


def flip(x: bool | None) -> bool | None:
    return None if x is None else not x


def number_of(x: Any) -> int | None:
    return 1 if x is True else 0 if x is False else None


# --- equality by keys


def key(x: Any) -> Any:
    """A hashable value that equal values share; for scalars only equal ones do."""
    kind = type(x)
    if kind is str or kind is int or kind is float:
        return x
    if kind is bool:
        return _TRUE if x else _FALSE
    if kind in _COLLECTIONS:
        return _COLLECTION
    return (_MAPPING, frozenset(x)) if isinstance(x, Mapping) else x


def _is_whole(k: Any) -> bool:
    """Whether this key stands for one value only."""
    return k is not _COLLECTION and not (type(k) is tuple and k[0] is _MAPPING)


def is_single(x: Any) -> bool:
    """Whether the key of `x` stands for it alone."""
    return type(x) not in _COLLECTIONS and not isinstance(x, Mapping)


class Bag:
    """Values to look others up in."""

    __slots__ = ("_groups",)

    def __init__(self, values: Iterable[Any]) -> None:
        groups: dict[Any, list[Any]] = {}
        for x in values:
            groups.setdefault(key(x), []).append(x)
        self._groups = groups

    def holds(self, x: Any) -> bool:
        k = key(x)
        group = self._groups.get(k)
        if group is None:
            return False
        return _is_whole(k) or any(_same(x, y) for y in group)

    def add(self, x: Any) -> None:
        self._groups.setdefault(key(x), []).append(x)


def _same(a: Any, b: Any) -> bool:
    kind = type(a)
    if kind is type(b) and kind in _SCALARS:
        return bool(a == b)
    stack = [(a, b)]
    while stack:
        x, y = stack.pop()
        if type(x) in _SEQUENCES and type(y) in _SEQUENCES:
            if len(x) != len(y):
                return False
            stack.extend(zip(x, y, strict=True))
        elif isinstance(x, Mapping) and isinstance(y, Mapping):
            if x.keys() != y.keys():
                return False
            stack.extend((value, y[name]) for name, value in x.items())
        elif not _same_single(x, y):
            return False
    return True


def _same_single(x: Any, y: Any) -> bool:
    if type(x) in _COLLECTIONS and type(y) in _COLLECTIONS:
        left, right = Bag(x), Bag(y)
        return all(map(right.holds, x)) and all(map(left.holds, y))
    return bool(key(x) == key(y))


def same(a: Any, b: Any) -> bool | None:
    return None if a is None or b is None else _same(a, b)


def joined(a: Any, b: Any) -> bool | None:
    """The join equality: whether the values of the two sides overlap."""
    if a is None or b is None:
        return None
    if type(a) is str and type(b) is str:
        return bool(a == b)
    return _share(spread(a), spread(b))


def spread(x: Any) -> Collection[Any]:
    """What a collection holds, in no order; one value is a list of one."""
    return x if type(x) in _COLLECTIONS else (x,)


def _share(xs: Iterable[Any], ys: Collection[Any]) -> bool:
    bag = Bag(ys)
    return any(x is not None and bag.holds(x) for x in xs)


def overlaps(a: Any, b: Any) -> bool | None:
    return None if a is None or b is None else _share(spread(a), spread(b))


def member(x: Any, collection: Any) -> bool | None:
    """Whether a value, or any of several, is in a collection."""
    if x is None or collection is None:
        return None
    return _share(x if type(x) in _SEQUENCES else (x,), spread(collection))


# --- collections


def walk(x: Any) -> Any:
    """What a collection holds, a set in the order of its ids or texts."""
    if type(x) is frozenset:
        return sorted(x, key=sort_key)
    return x if type(x) in _COLLECTIONS else (x,)


def as_list(x: Any) -> tuple[Any, ...]:
    return () if x is None else tuple(walk(x))


def collection(x: Any) -> tuple[Any, ...] | None:
    return None if x is None else tuple(walk(x))


def frozen_set(xs: Iterable[Any]) -> frozenset[Any]:
    return frozenset([freeze(x) for x in xs if x is not None])


def unite(a: Any, b: Any, as_set: bool) -> Any:
    """The values of both sides, as a set or in order and each once."""
    if a is None or b is None:
        return None
    return _gathered([*walk(a), *walk(b)], as_set)


def intersect(a: Any, b: Any, as_set: bool) -> Any:
    """The values of the left side that the right one holds too."""
    if a is None or b is None:
        return None
    bag = Bag(spread(b))
    return _gathered([x for x in walk(a) if x is not None and bag.holds(x)], as_set)


def subtract(a: Any, b: Any, as_set: bool) -> Any:
    """The values of the left side that the right one lacks."""
    if a is None or b is None:
        return None
    bag = Bag(spread(b))
    return _gathered([x for x in walk(a) if x is None or not bag.holds(x)], as_set)


def _gathered(xs: list[Any], as_set: bool) -> Any:
    if as_set:
        return frozen_set(xs)
    kept, seen = [], Bag(())
    for x in xs:
        if not seen.holds(x):
            seen.add(x)
            kept.append(x)
    return tuple(kept)


# --- numbers and order


def _ordered(a: Any, b: Any) -> bool:
    if type(a) in _NUMBERS:
        return type(b) in _NUMBERS
    return type(a) is str and type(b) is str


def less(a: Any, b: Any) -> bool | None:
    return a < b if _ordered(a, b) else None


def at_most(a: Any, b: Any) -> bool | None:
    return a <= b if _ordered(a, b) else None


def _fit(x: Any) -> Any:
    """The number where a double can be as large, else None."""
    if type(x) is float:
        return x if -_INFINITY < x < _INFINITY else None
    if -_SAFE < x < _SAFE:
        return x
    float(x)  # raises OverflowError past the doubles
    return x


def add(a: Any, b: Any) -> Any:
    try:
        return _fit(a + b) if type(a) in _NUMBERS and type(b) in _NUMBERS else None
    except OverflowError:
        return None


def sub(a: Any, b: Any) -> Any:
    try:
        return _fit(a - b) if type(a) in _NUMBERS and type(b) in _NUMBERS else None
    except OverflowError:
        return None


def mul(a: Any, b: Any) -> Any:
    try:
        return _fit(a * b) if type(a) in _NUMBERS and type(b) in _NUMBERS else None
    except OverflowError:
        return None


def div(a: Any, b: Any) -> Any:
    try:
        return _fit(a / b) if type(a) in _NUMBERS and type(b) in _NUMBERS and b else None
    except OverflowError:
        return None


def negative(x: Any) -> Any:
    return -x if type(x) in _NUMBERS else None


def micros(x: Any) -> Any:
    return round(x) if type(x) is float else x


def instant(x: Any) -> Any:
    whole = micros(x)
    return None if whole is None or not EARLIEST <= whole <= LATEST else whole


def smallest(xs: list[Any]) -> Any:
    return min(xs) if _comparable(xs) else None


def largest(xs: list[Any]) -> Any:
    return max(xs) if _comparable(xs) else None


def _comparable(xs: list[Any]) -> bool:
    kinds = set(map(type, xs))
    return bool(kinds) and (kinds <= _NUMBERS or kinds == _TEXT)


# --- fields


def record_field(base: Any, name: str) -> Any:
    return base.get(name) if isinstance(base, Mapping) else None


def item(base: Any, at: Any) -> Any:
    """A key of a mapping or a whole number into a list."""
    if type(at) is str:
        return base.get(at) if isinstance(base, Mapping) else None
    if type(base) not in _SEQUENCES or type(at) not in _NUMBERS:
        return None
    if type(at) is float and not at.is_integer():
        return None
    return base[int(at)] if 0 <= at < len(base) else None


def artifact_field(world: World, base: Any, name: str, at: Any) -> Any:
    """The field where artifact and instant are what they should be."""
    if type(base) is not str or type(at) not in _NUMBERS:
        return None
    return world.artifact_field(base, name, at)


def newest_field(world: World, base: Any, name: str) -> Any:
    return world.artifact_field(base, name, None) if type(base) is str else None


def actor_field(world: World, base: Any, name: str) -> Any:
    return world.actor_field(base, name) if type(base) is str else None


def events_of(world: World, artifact: str, at: int) -> Any:
    """The events that name the artifact, up to `at`: found by bisection."""
    events = world.log.of_artifact(artifact)
    return events[: bisect_right(events, at, key=_at)]


def took_part(world: World, artifact: str, at: int, actor: str) -> bool:
    """Whether the artifact's record or an event about it up to `at` names the actor."""
    found = world.corpus.get(artifact)
    if found is not None and actor in found.participants:
        return True
    for event in world.log.of_artifact(artifact):
        if event.at > at:
            return False
        if actor in event.actors:
            return True
    return False


def labelled(world: World, artifact: str, at: int, label: str) -> bool:
    """Whether the artifact's version at `at` carries the label."""
    found = world.corpus.get(artifact)
    if found is None:
        return False
    newest = found.versions[-1]
    version = newest if newest.start <= at else found.at(at)
    return version is not None and label in version.labels


# --- texts and arguments


def find(pattern: Any, x: Any) -> bool | None:
    """Whether the pattern is in a text, or in any text of several."""
    if type(x) is str:
        try:
            return pattern.search(x) is not None
        except UnicodeEncodeError:
            return None
    if type(x) not in _COLLECTIONS:
        return None
    known = {find(pattern, y) for y in x if type(y) is str} - {None}
    return True in known if known else None


def text_only(x: Any) -> str | None:
    return x if type(x) is str else None


def number_only(x: Any) -> Any:
    return x if type(x) in _NUMBERS else None


def nothing(_: Any) -> None:
    return None
