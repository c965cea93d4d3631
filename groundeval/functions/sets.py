"""Functions on collections and single values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from groundeval.functions.frozen import freeze
from groundeval.functions.host import Host
from groundeval.functions.registry import function
from groundeval.functions.text import sort_key

_COLLECTIONS = (tuple, list, frozenset)
_TEXT = frozenset({str})


def _members(xs: Collection[Any]) -> frozenset[Any]:
    """The values of a collection, each once; a bool is no number, a missing value no member.

    A text stands for itself, so that a set of texts, which most are, is taken as it is.
    """
    if _TEXT.issuperset(map(type, xs)):
        return frozenset(xs)
    return frozenset(
        x if isinstance(x, str) else (isinstance(x, bool), freeze(x)) for x in xs if x is not None
    )


@function("size(xs: set<any>) -> number")
def size(_: Host, xs: Collection[Any]) -> int:
    """How many items `xs` has.

    Example: `size(["a", "b"]) == 2`.
    """
    return len(xs)


@function("empty(xs: set<any>) -> bool")
def empty(_: Host, xs: Collection[Any]) -> bool:
    """Whether `xs` has no item.

    Example: `empty([]) and not empty(["a"])`.
    """
    return not xs


@function("recall(a: set<any>, b: set<any>) -> number?")
def recall(_: Host, a: Collection[Any], b: Collection[Any]) -> float | None:
    """|a ∩ b| ÷ |b|: how much of `b` is in `a`; missing when `b` is empty.

    Example: `recall(["a", "x"], ["a", "b", "c", "d"]) == 0.25`.
    """
    wanted = _members(b)
    return len(wanted & _members(a)) / len(wanted) if wanted else None


@function("precision(a: set<any>, b: set<any>) -> number?")
def precision(_: Host, a: Collection[Any], b: Collection[Any]) -> float | None:
    """|a ∩ b| ÷ |a|: how much of `a` is in `b`; missing when `a` is empty.

    Example: `precision(["a", "x"], ["a", "b", "c", "d"]) == 0.5`.
    """
    got = _members(a)
    return len(got & _members(b)) / len(got) if got else None


@function("f1(a: set<any>, b: set<any>) -> number?")
def f1(_: Host, a: Collection[Any], b: Collection[Any]) -> float | None:
    """2·|a ∩ b| ÷ (|a| + |b|); 0 when one of them is empty, missing when both are.

    This is the harmonic mean of precision and recall (Dice's coefficient of two sets).

    Example: `f1(["a", "x"], ["a", "b"]) == 0.5`.
    """
    left, right = _members(a), _members(b)
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else None


@function("flat(xs: set<any>) -> list<json?>")
def flat(_: Host, xs: Collection[Any]) -> tuple[Any, ...]:
    """The items of the lists in `xs` in one list, one level deep; missing ones are left out.

    `flat([r.resources for r in .rules if "list" in r.verbs])` gathers what lies in a list of
    records.

    Example: `flat([["a", "b"], "c", [], [["d"]]]) == ["a", "b", "c", ["d"]]`.
    """
    ordered = sorted(xs, key=sort_key) if isinstance(xs, frozenset) else xs
    lists = (x if isinstance(x, tuple | list) else (x,) for x in ordered)
    return tuple(item for items in lists for item in items if item is not None)


@function("max(a: number, b: number) -> number")
def maximum(_: Host, a: float, b: float) -> float:
    """The larger of two numbers.

    Example: `max(1, 2.5) == 2.5`.
    """
    return max(a, b)


@function("min(a: number, b: number) -> number")
def minimum(_: Host, a: float, b: float) -> float:
    """The smaller of two numbers.

    Example: `min(1, 2.5) == 1`.
    """
    return min(a, b)


@function("same(a: any, b: any) -> bool", takes_missing=True)
def same(_: Host, a: Any, b: Any) -> bool:
    """Whether `a` equals `b`, where two missing values are the same; never unknown.

    Example: `same(missing, missing) and not same(true, 1)`.
    """
    if a is None or b is None:
        return a is b
    return _equal(a, b)


def _equal(a: Any, b: Any) -> bool:
    """Equality as rules mean it: a bool is no number, a set may equal a list of the same values.

    The walk keeps its own stack: JSON nests deeply.
    """
    pending = [(a, b)]
    while pending:
        x, y = pending.pop()
        if isinstance(x, list | tuple) and isinstance(y, list | tuple):
            if len(x) != len(y):
                return False
            pending.extend(zip(x, y, strict=True))
        elif isinstance(x, Mapping) and isinstance(y, Mapping):
            if x.keys() != y.keys():
                return False
            pending.extend((x[key], y[key]) for key in x)
        elif isinstance(x, frozenset) or isinstance(y, frozenset):
            if not _same_members(x, y):
                return False
        elif isinstance(x, bool) != isinstance(y, bool) or x != y:
            return False
    return True


def _same_members(x: Any, y: Any) -> bool:
    if not (isinstance(x, _COLLECTIONS) and isinstance(y, _COLLECTIONS)):
        return False
    return None not in (*x, *y) and _members(x) == _members(y)
