"""Expressions as they were written."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from groundeval.syntax.ast.base import Name, Node

CompareOp: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
BinaryOp: TypeAlias = Literal["+", "-", "|", "&", "*", "/"]
QuantifierKind: TypeAlias = Literal[
    "any", "all", "count", "share", "first", "last", "sum", "mean", "min", "max"
]


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """`true`, `false` (a bool) or `missing` (None)."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Number(Node):
    text: str


@dataclass(frozen=True, slots=True)
class Duration(Node):
    """`1h30m` as written."""

    text: str


@dataclass(frozen=True, slots=True)
class InstantLiteral(Node):
    """A date or an instant as written; its zone is settled by `semantics`."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole(Node):
    """`{expr}` or `{expr:date}` in a text."""

    expr: Expr
    format: str | None


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string, with escapes resolved and holes parsed; a plain string has one str part or none."""

    parts: tuple[str | Hole, ...]


@dataclass(frozen=True, slots=True)
class Variable(Node):
    name: str


@dataclass(frozen=True, slots=True)
class RawField(Node):
    """`.name` of the raw record in a `source` block; `name` is None for `.`, the whole record."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    base: Expr
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Node):
    base: Expr
    key: Expr


@dataclass(frozen=True, slots=True)
class Argument(Node):
    name: Name | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`f(x)` or, with an Attribute as `callee`, the method form `s.f(x)`."""

    callee: Expr
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class Negate(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class And(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Or(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Coalesce(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Node):
    op: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Membership(Node):
    """`x in xs`, `x not in xs`."""

    left: Expr
    right: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Overlaps(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Matches(Node):
    left: Expr
    pattern: Text


@dataclass(frozen=True, slots=True)
class IsMissing(Node):
    """`x is missing`, `x is not missing`."""

    operand: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Binary(Node):
    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Quantifier(Node):
    kind: QuantifierKind
    variable: Name
    collection: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`[e for x in xs if c]` (kind "list") or `{e for x in xs if c}` (kind "set")."""

    kind: Literal["list", "set"]
    item: Expr
    variable: Name
    collection: Expr
    condition: Expr | None


@dataclass(frozen=True, slots=True)
class ListLiteral(Node):
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Entry(Node):
    key: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Record(Node):
    """`{ key: value … }`: attributes of an actor, lists of a role, what a test is given."""

    entries: tuple[Entry, ...]


Expr: TypeAlias = (
    Constant
    | Number
    | Duration
    | InstantLiteral
    | Text
    | Variable
    | RawField
    | Attribute
    | Index
    | Call
    | Not
    | Negate
    | And
    | Or
    | Coalesce
    | Compare
    | Membership
    | Overlaps
    | Matches
    | IsMissing
    | Binary
    | If
    | Quantifier
    | Comprehension
    | ListLiteral
    | Record
)


def operands(node: And | Or) -> list[Expr]:
    """The operands of `a or b or c`, in order; what stands in parentheses is one operand."""
    listed: list[Expr] = []
    rest: Expr = node
    while isinstance(rest, And | Or) and type(rest) is type(node):
        listed.append(rest.right)
        rest = rest.left
    return [rest, *reversed(listed)]
