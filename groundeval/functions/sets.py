"""Functions on collections and single values."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from groundeval.functions.frozen import freeze
from groundeval.functions.host import Host
from groundeval.functions.registry import function

_COLLECTIONS = (tuple, list, frozenset)


def _members(xs: Collection[Any]) -> frozenset[tuple[bool, Any]]:
    """The values of a collection, each once; a bool is no number, a missing value no member."""
    return frozenset((isinstance(x, bool), freeze(x)) for x in xs if x is not None)


@function("size(xs: set<any>) -> number")
def size(_: Host, xs: Collection[Any]) -> int:
    """How many items `xs` has."""
    return len(xs)


@function("empty(xs: set<any>) -> bool")
def empty(_: Host, xs: Collection[Any]) -> bool:
    """Whether `xs` has no item."""
    return not xs


@function("recall(a: set<any>, b: set<any>) -> number?")
def recall(_: Host, a: Collection[Any], b: Collection[Any]) -> float | None:
    """|a ∩ b| ÷ |b|: how much of `b` is in `a`; missing when `b` is empty."""
    wanted = _members(b)
    return len(wanted & _members(a)) / len(wanted) if wanted else None


@function("precision(a: set<any>, b: set<any>) -> number?")
def precision(_: Host, a: Collection[Any], b: Collection[Any]) -> float | None:
    """|a ∩ b| ÷ |a|: how much of `a` is in `b`; missing when `a` is empty."""
    got = _members(a)
    return len(got & _members(b)) / len(got) if got else None


@function("f1(a: set<any>, b: set<any>) -> number?")
def f1(_: Host, a: Collection[Any], b: Collection[Any]) -> float | None:
    """2·|a ∩ b| ÷ (|a| + |b|); 0 when one of them is empty, missing when both are.

    This is the harmonic mean of precision and recall (Dice's coefficient of two sets).
    """
    left, right = _members(a), _members(b)
    total = len(left) + len(right)
    return 2 * len(left & right) / total if total else None


@function("max(a: number, b: number) -> number")
def maximum(_: Host, a: float, b: float) -> float:
    """The larger of two numbers."""
    return max(a, b)


@function("min(a: number, b: number) -> number")
def minimum(_: Host, a: float, b: float) -> float:
    """The smaller of two numbers."""
    return min(a, b)


@function("same(a: any, b: any) -> bool", takes_missing=True)
def same(_: Host, a: Any, b: Any) -> bool:
    """Whether `a` equals `b`, where two missing values are the same; never unknown."""
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
