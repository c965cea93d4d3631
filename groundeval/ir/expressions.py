"""The expressions of the IR: a closed set of frozen nodes, each with its type and span.

Names are resolved (every variable is unique within its expression tree), types are checked, and
what a spelling meant is settled: `==` between data fields of events is a join equality, `-` is
arithmetic or set difference. The meaning of each node is written at the node; `None` is missing
and unknown.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from groundeval.diagnostics import Span
from groundeval.ir.types import Type


@dataclass(frozen=True, slots=True)
class ExprNode:
    span: Span
    type: Type


@dataclass(frozen=True, slots=True)
class Const(ExprNode):
    """A literal: bool, int, float, str, None, or a tuple of them."""

    value: Any


@dataclass(frozen=True, slots=True)
class Var(ExprNode):
    """A parameter of the context (`actor`, `answer`, `calls`, …) or a bound variable."""

    name: str


@dataclass(frozen=True, slots=True)
class Attribute(ExprNode):
    """The Python attribute `name` of an object of OBJECT_TYPES; None of None."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class RecordField(ExprNode):
    """Key `name` of a mapping; None where there is no such key or the base is no mapping."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class Item(ExprNode):
    """`base[key]` of json: a key of a mapping or a whole number into a list; else None."""

    base: Expr
    key: Expr


@dataclass(frozen=True, slots=True)
class EventField(ExprNode):
    """A data field of an event: `Event.field(name)` for "any"; of one part only otherwise.

    One value is that value, several are a tuple, none is None (see `world.one_or_many`).
    """

    base: Expr
    name: str
    part: Literal["any", "artifacts", "facts", "extra"]


@dataclass(frozen=True, slots=True)
class EventArtifacts(ExprNode):
    """The artifact ids of all kinds that an event names (`Event.artifact_ids`)."""

    base: Expr


@dataclass(frozen=True, slots=True)
class ArtifactField(ExprNode):
    """`World.artifact_field(base, name, at)`; `at` None reads the newest version."""

    base: Expr
    name: str
    at: Expr | None


@dataclass(frozen=True, slots=True)
class ActorField(ExprNode):
    """`World.actor_field(base, name)`."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class RoleList(ExprNode):
    """`RoleView.list(name)`: the union of that list over the roles held."""

    base: Expr
    name: str


@dataclass(frozen=True, slots=True)
class AsList(ExprNode):
    """One-or-many or json as a tuple: None is empty, a list or set its items, else one item."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class ToNumber(ExprNode):
    """true as 1, false as 0, None as None."""

    operand: Expr


@dataclass(frozen=True, slots=True)
class Not(ExprNode):
    operand: Expr


@dataclass(frozen=True, slots=True)
class And(ExprNode):
    """Kleene: false if any is false, else None if any is None, else true."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Or(ExprNode):
    """Kleene: true if any is true, else None if any is None, else false."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Coalesce(ExprNode):
    """`left`, or `right` where left is None."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Equal(ExprNode):
    """`==`, or `!=` where `negated`; None when a side is None.

    With `join`, a tuple on either side stands for its values and one value is a list of one:
    equal when the sides overlap. A bool never equals a number; a set equals a list that holds the
    same values.
    """

    left: Expr
    right: Expr
    negated: bool
    join: bool


@dataclass(frozen=True, slots=True)
class Order(ExprNode):
    """`<`, `<=`, `>`, `>=` of two numbers, two texts, two times or two durations; else None."""

    op: Literal["<", "<=", ">", ">="]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Membership(ExprNode):
    """`in`, or `not in`. None when a side is None. A tuple on the left is in when any value is."""

    item: Expr
    collection: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Overlaps(ExprNode):
    """Whether two collections share a value; None when a side is None."""

    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Matches(ExprNode):
    """Whether RE2 finds the pattern anywhere in the text; None for what is no text.

    A tuple matches when any of its texts does.
    """

    operand: Expr
    pattern: str


@dataclass(frozen=True, slots=True)
class IsMissing(ExprNode):
    operand: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Arithmetic(ExprNode):
    """On numbers (times and durations are numbers of microseconds).

    None when a side is None or no number, and for a division by zero.
    """

    op: Literal["+", "-", "*", "/"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Negate(ExprNode):
    operand: Expr


@dataclass(frozen=True, slots=True)
class SetOperation(ExprNode):
    """Union, intersection, difference.

    A tuple (left's order, then new ones of right; each once) where `type` is a list, else a
    frozenset; None when a side is None.
    """

    op: Literal["|", "&", "-"]
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class If(ExprNode):
    """`then` on true, `otherwise` on false, None on None."""

    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Quantifier(ExprNode):
    """Over a collection; None when that is None. The body's None is not true.

    any, all: bool, from bodies that are true. count: int. share: count ÷ size, None of nothing.
    first, last: the first or last item whose body is true, else None. sum, mean, min, max: of the
    bodies that are not None; sum of nothing is 0, the others None of nothing. A set is walked in
    the order of its ids or texts.
    """

    kind: Literal["any", "all", "count", "share", "first", "last", "sum", "mean", "min", "max"]
    variable: str
    collection: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Comprehension(ExprNode):
    """A tuple ("list") or frozenset ("set") of `item` for what satisfies `condition`.

    A None item is left out of a set and kept in a list.
    """

    kind: Literal["list", "set"]
    item: Expr
    variable: str
    collection: Expr
    condition: Expr | None


@dataclass(frozen=True, slots=True)
class ListOf(ExprNode):
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class RecordOf(ExprNode):
    entries: tuple[tuple[str, Expr], ...]


@dataclass(frozen=True, slots=True)
class Hole:
    """A hole in a text; `format` is None or "date"."""

    expr: Expr
    format: str | None


@dataclass(frozen=True, slots=True)
class Text(ExprNode):
    """A text with holes, each shown by `functions.text.show`; None when a hole is None."""

    parts: tuple[str | Hole, ...]


@dataclass(frozen=True, slots=True)
class Bind(ExprNode):
    """`body` with `name` standing for the value of `value`: a `let`, in line."""

    name: str
    value: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Call(ExprNode):
    """A call of a registered function by its key (`functions.registry`), arguments in order."""

    function: str
    arguments: tuple[Expr, ...]


Expr: TypeAlias = (
    Const
    | Var
    | Attribute
    | RecordField
    | Item
    | EventField
    | EventArtifacts
    | ArtifactField
    | ActorField
    | RoleList
    | AsList
    | ToNumber
    | Not
    | And
    | Or
    | Coalesce
    | Equal
    | Order
    | Membership
    | Overlaps
    | Matches
    | IsMissing
    | Arithmetic
    | Negate
    | SetOperation
    | If
    | Quantifier
    | Comprehension
    | ListOf
    | RecordOf
    | Text
    | Bind
    | Call
)
