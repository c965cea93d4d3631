"""A tree without its places, to compare trees that were read from different texts."""

from __future__ import annotations

from groundeval.syntax import ast


def shape(node: object) -> object:
    """Nested tuples of names and values; spans and comments left out."""
    match node:
        case ast.Node():
            fields = [name for name in type(node).__dataclass_fields__ if "span" not in name]
            kept = [name for name in fields if name != "comments"]
            return (type(node).__name__, *(shape(getattr(node, name)) for name in kept))
        case tuple():
            return tuple(shape(item) for item in node)
        case _:
            return node
