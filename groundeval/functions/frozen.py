"""JSON values as members of a set: hashable, and otherwise the same values."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

DEEPEST = 100
"""Levels that a member of a set may nest; what lies deeper is missing."""


class Frozen(Mapping[str, Any]):
    """An immutable mapping of frozen values that can stand in a set."""

    __slots__ = ("_hash", "_values")

    def __init__(self, values: Mapping[str, Any]) -> None:
        self._values = dict(values)
        self._hash = hash(frozenset(self._values.items()))

    def __getitem__(self, key: str) -> Any:
        return self._values[key]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __hash__(self) -> int:
        return self._hash

    def __repr__(self) -> str:
        return f"Frozen({self._values!r})"


def freeze(value: Any, room: int = DEEPEST) -> Any:
    """The value in a form that can be hashed: lists as tuples, mappings as `Frozen`.

    Everything else comes back as it is; what nests deeper than `room` levels is None.
    """
    if isinstance(value, list | tuple):
        return tuple(freeze(item, room - 1) for item in value) if room else None
    if isinstance(value, Mapping):
        return Frozen({k: freeze(v, room - 1) for k, v in value.items()}) if room else None
    return value
