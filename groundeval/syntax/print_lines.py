"""Blocks, fields and dotted names: the pieces of the one layout."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import assert_never

from groundeval.syntax import ast
from groundeval.syntax.print_expressions import print_expr, print_name, print_sum, print_word

WIDTH = 100
"""A short block stands on one line where that is no longer."""


def block(head: str, lines: Iterable[str]) -> list[str]:
    """`head {`, the lines two further in, `}`."""
    inside = [f"  {line}" for line in lines]
    return [f"{head} {{", *inside, "}"] if inside else [f"{head} {{}}"]


def short_block(head: str, lines: Iterable[str]) -> list[str]:
    """A block on one line where it fits, otherwise a line for each part."""
    parts = list(lines)
    if not parts:
        return [f"{head} {{}}"]
    line = f"{head} {{ {'   '.join(parts)} }}"
    return [line] if len(line) <= WIDTH else block(head, parts)


def documented(doc: str, lines: Iterable[str]) -> Iterator[str]:
    """`lines` under their `##` lines."""
    if doc:
        yield from (f"## {line}".rstrip() for line in doc.split("\n"))
    yield from lines


def dotted(name: str) -> str:
    """A dotted name, each part in backticks where it needs them."""
    return ".".join(map(print_word, name.split(".")))


def field(node: ast.Field) -> Iterator[str]:
    """A field of an event type or an answer, under its documentation."""
    optional = "?" if node.optional else ""
    ignored = " ignored" if node.ignored else ""
    line = f"{print_name(node.name)}: {_type(node.type)}{optional}{ignored}"
    return documented(node.doc, [line])


def _type(node: ast.TypeExpr) -> str:
    match node:
        case ast.NamedType():
            item = f"<{_type(node.item)}>" if node.item is not None else ""
            return f"{print_name(node.name)}{item}"
        case ast.OneOf():
            return f"one of {print_sum(node.values)}"
        case _:
            assert_never(node)


def mapping(node: ast.Mapping) -> str:
    """`key = value`."""
    return f"{print_name(node.key)} = {print_expr(node.value)}"
