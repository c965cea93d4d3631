"""Walking over a tree without naming each node, however deep it is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from groundeval.syntax.ast.base import Node

_NOT_SAID = frozenset({"span", "quoted"})


def nodes(node: Node) -> Iterator[Node]:
    """`node` and everything in it, each before its parts, in the order of their fields."""
    waiting: list[object] = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Node):
            yield found
            waiting += [getattr(found, field.name) for field in reversed(fields(found))]
        elif isinstance(found, tuple):
            waiting += reversed(found)


def wording(node: Node) -> tuple[object, ...]:
    """What a node says, wherever it stands: equal for two that differ in their places only.

    A name is the same with and without backticks.
    """
    said: list[object] = []
    waiting: list[object] = [node]
    while waiting:
        found = waiting.pop()
        if isinstance(found, Node):
            said.append(type(found))
            names = [f.name for f in fields(found) if f.name not in _NOT_SAID]
            waiting += [getattr(found, name) for name in reversed(names)]
        elif isinstance(found, tuple):
            said.append(len(found))
            waiting += reversed(found)
        else:
            said.append(found)
    return tuple(said)
