"""What the operators mean on plain values: the definition that `evaluator` stands on.

`None` is missing and unknown. Everything here is total, compares item by item, and is written to
be read; compiled code does the same by hashing (`dynamic`), and tests hold the two together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal, TypeAlias, assert_never

import re2

from groundeval.functions.text import sort_key
from groundeval.ir.types import Type
from groundeval.world.time import EARLIEST, LATEST

Value: TypeAlias = Any
"""A value of a rule: None, bool, int, float, str, tuple, frozenset, a mapping, or an object."""


def truth(value: Value) -> bool | None:
    """A truth value as it is; None for everything else (json may hold anything)."""
    return value if isinstance(value, bool) else None


def is_number(value: Value) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_collection(value: Value) -> bool:
    return isinstance(value, tuple | list | frozenset)


def items(value: Value) -> tuple[Value, ...] | None:
    """What a collection holds, a set in the order of ids and texts; one value is a list of one.

    None where there is no value at all.
    """
    if value is None:
        return None
    if isinstance(value, frozenset):
        return tuple(sorted(value, key=sort_key))
    return tuple(value) if is_collection(value) else (value,)


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same.

    Lists item by item, records key by key, a set and another collection when each holds what the
    other does. A bool never equals a number. The walk keeps its own stack: JSON nests deeply.
    """
    pending = [(left, right)]
    while pending:
        parts = _parts(*pending.pop())
        if parts is None:
            return False
        pending.extend(parts)
    return True


def _parts(left: Value, right: Value) -> list[tuple[Value, Value]] | None:
    """The pairs that have to be equal for the two to be; None when the two differ."""
    if isinstance(left, tuple | list) and isinstance(right, tuple | list):
        return list(zip(left, right, strict=True)) if len(left) == len(right) else None
    if isinstance(left, Mapping) and isinstance(right, Mapping):
        return [(left[k], right[k]) for k in left] if left.keys() == right.keys() else None
    if is_collection(left) and is_collection(right):
        same = all(holds(right, x) for x in left) and all(holds(left, x) for x in right)
        return [] if same else None
    if isinstance(left, bool) != isinstance(right, bool):
        return None
    return [] if left == right else None


def holds(collection: Iterable[Value], value: Value) -> bool:
    """Whether one of the items equals `value`."""
    return any(equal(item, value) for item in collection)


def shares(left: Iterable[Value], right: Iterable[Value]) -> bool:
    """Whether some item of `left` is in `right`; a missing item is nowhere."""
    kept = tuple(right)
    return any(item is not None and holds(kept, item) for item in left)


def distinct(values: Iterable[Value]) -> list[Value]:
    """The values in their order, each once."""
    kept: list[Value] = []
    for value in values:
        if not holds(kept, value):
            kept.append(value)
    return kept


def compare(op: Literal["<", "<=", ">", ">="], left: Value, right: Value) -> bool | None:
    """The order of two numbers or two texts; None for anything else."""
    numbers = is_number(left) and is_number(right)
    if not numbers and not (isinstance(left, str) and isinstance(right, str)):
        return None
    match op:
        case "<":
            return bool(left < right)
        case "<=":
            return bool(left <= right)
        case ">":
            return bool(left > right)
        case ">=":
            return bool(left >= right)
        case _:
            assert_never(op)


def calculate(op: Literal["+", "-", "*", "/"], left: Value, right: Value) -> float | None:
    """Arithmetic on two numbers.

    None where a side is no number, for a division by zero, and where the result is larger than
    a double can be.
    """
    if not (is_number(left) and is_number(right)):
        return None
    try:
        result = _calculated(op, left, right)
        return result if math.isfinite(result) else None
    except (ZeroDivisionError, OverflowError):  # isfinite raises it for an int beyond the doubles
        return None


def _calculated(op: Literal["+", "-", "*", "/"], left: float, right: float) -> float:
    match op:
        case "+":
            return left + right
        case "-":
            return left - right
        case "*":
            return left * right
        case "/":
            return left / right
        case _:
            assert_never(op)


def in_whole_micros(value: float | None, shape: Type) -> float | None:
    """Times and durations are whole microseconds: rounded half to even; other numbers stay.

    A time outside the years 1 to 9999 is none: nothing could write it.
    """
    if value is None or shape.name not in {"time", "duration"}:
        return value
    whole = round(value)
    return whole if shape.name == "duration" or EARLIEST <= whole <= LATEST else None


def matches(value: Value, pattern: str) -> bool | None:
    """Whether RE2 finds the pattern in a text, or in any of several; None where there is no text.

    A text that is no Unicode (it holds half a surrogate pair) is none.
    """
    if is_collection(value):
        found = [matches(item, pattern) for item in value if isinstance(item, str)]
        known = [f for f in found if f is not None]
        return any(known) if known else None
    if not isinstance(value, str):
        return None
    try:
        return _compiled(pattern).search(value) is not None
    except UnicodeEncodeError:
        return None


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    return re2.compile(pattern)
