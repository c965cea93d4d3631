"""Walking over expressions without naming each node: their parts and the variables they read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import Any

from groundeval.ir.expressions import (
    And,
    Bind,
    Comprehension,
    Expr,
    ExprNode,
    Hole,
    Or,
    Quantifier,
    Var,
)
from groundeval.ir.types import BOOL


def parts(node: Expr) -> Iterator[Expr]:
    """The expressions that stand directly in `node`, in the order of its fields."""
    for field in fields(node):
        yield from _expressions(getattr(node, field.name))


def _expressions(value: object) -> Iterator[Expr]:
    if isinstance(value, ExprNode):
        yield value  # type: ignore[misc]  # every node is one of the union
    elif isinstance(value, Hole):
        yield value.expr
    elif isinstance(value, tuple):
        for item in value:
            yield from _expressions(item)


def nodes(node: Expr) -> Iterator[Expr]:
    """`node` and everything in it, each before its parts."""
    yield node
    for part in parts(node):
        yield from nodes(part)


def operands(node: And | Or) -> list[Expr]:
    """The operands of a chain of one operator, in the order they are written.

    However it is grouped: `(a and b) and (c and d)` are four.
    """
    kind = type(node)
    listed: list[Expr] = []
    waiting: list[Expr] = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, And | Or) and type(part) is kind:
            waiting += (part.right, part.left)
        else:
            listed.append(part)
    return listed


def connected(kind: type[And] | type[Or], listed: Sequence[Expr]) -> Expr:
    """One or several conditions as a chain of one operator; chains among them become part of it.

    It is grouped by halves: a chain of thousands is then no deeper than a dozen, for everything
    that walks expressions by recursion.
    """
    chains = (operands(e) if isinstance(e, And | Or) and type(e) is kind else (e,) for e in listed)
    return _halved(kind, [operand for chain in chains for operand in chain])


def _halved(kind: type[And] | type[Or], listed: Sequence[Expr]) -> Expr:
    if len(listed) == 1:
        return listed[0]
    middle = (len(listed) + 1) // 2
    left, right = _halved(kind, listed[:middle]), _halved(kind, listed[middle:])
    optional = left.type.optional or right.type.optional
    return kind(left.span.to(right.span), BOOL.maybe if optional else BOOL, left, right)


def reads(node: Expr) -> frozenset[str]:
    """The names of the variables that `node` reads and does not bind itself.

    Bound variables have names of their own within a tree, so what is bound anywhere is not free.
    """
    read, bound = set[str](), set[str]()
    for part in nodes(node):
        match part:
            case Var(name=name):
                read.add(name)
            case Quantifier(variable=name) | Comprehension(variable=name) | Bind(name=name):
                bound.add(name)
            case _:
                pass
    return frozenset(read - bound)


def renamed(node: Expr, name: str, to: str) -> Expr:
    """`node` with the variable `to` where it reads `name`."""
    match node:
        case Var(name=found) if found == name:
            return replace(node, name=to)
        case _:
            values: dict[str, Any] = {
                f.name: _renamed(getattr(node, f.name), name, to) for f in fields(node)
            }
            return replace(node, **values)


def _renamed(value: object, name: str, to: str) -> object:
    if isinstance(value, ExprNode):
        return renamed(value, name, to)  # type: ignore[arg-type]  # every node is one of the union
    if isinstance(value, Hole):
        return replace(value, expr=renamed(value.expr, name, to))
    if isinstance(value, tuple):
        return tuple(_renamed(item, name, to) for item in value)
    return value
