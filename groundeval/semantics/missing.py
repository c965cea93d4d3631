"""Whether a component may have no value, given what holds where it is reckoned."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace

from groundeval.ir import expressions as ex
from groundeval.ir.expressions import Expr


@dataclass(frozen=True, slots=True)
class Known:
    """What is known at a place: values that are not missing, collections that have items.

    `definitions` are the values that names stand for. Expressions are told apart by what they
    say, not by where they stand.
    """

    definitions: Mapping[str, Expr]
    present: frozenset[object] = frozenset()
    filled: frozenset[object] = frozenset()

    def where(self, condition: Expr) -> Known:
        """What is known where `condition` is true."""
        match condition:
            case ex.And():
                return self.where(condition.left).where(condition.right)
            case ex.Not():
                return self.where_not(condition.operand)
            case ex.IsMissing(operand=operand, negated=True):
                return replace(self, present=self.present | {said(operand)})
            case ex.Call(function="as_bool/1", arguments=(operand,)):
                return replace(self, present=self.present | {said(operand)})
            case _:
                return self

    def where_not(self, condition: Expr) -> Known:
        """What is known where `condition` is false."""
        match condition:
            case ex.Or():
                return self.where_not(condition.left).where_not(condition.right)
            case ex.Not():
                return self.where(condition.operand)
            case ex.IsMissing(operand=operand, negated=False):
                return replace(self, present=self.present | {said(operand)})
            case ex.Call(function="empty/1", arguments=(operand,)):
                return replace(self, filled=self.filled | {said(operand)})
            case _:
                return self

    def has_items(self, collection: Expr) -> bool:
        """Whether the collection is known to have an item."""
        constant = isinstance(collection, ex.Const) and bool(collection.value)
        return constant or said(collection) in self.filled


def may_be_missing(found: Expr, known: Known) -> bool:
    """Whether `found` may be missing; only what its type allows is looked into."""
    if not found.type.optional or said(found) in known.present:
        return False
    match found:
        case ex.Var(name=name) if name in known.definitions:
            return may_be_missing(known.definitions[name], known)
        case ex.ToNumber(operand=operand) | ex.Not(operand=operand):
            return may_be_missing(operand, known)
        case ex.And() | ex.Or() | ex.Equal(join=False) | ex.Arithmetic(op="+" | "-" | "*"):
            return may_be_missing(found.left, known) or may_be_missing(found.right, known)
        case ex.Coalesce() | ex.If():
            return _choice(found, known)
        case ex.Quantifier():
            return _walk(found, known)
        case ex.Call():
            return _call(found, known)
        case _:
            return True


def _walk(found: ex.Quantifier, known: Known) -> bool:
    nothing = not known.has_items(found.collection)
    if may_be_missing(found.collection, known):
        return True
    match found.kind:
        case "share":
            return nothing
        case "mean" | "min" | "max":
            return nothing or may_be_missing(found.body, known)
        case _:
            return found.kind in {"first", "last"}


def _call(found: ex.Call, known: Known) -> bool:
    if any(may_be_missing(argument, known) for argument in found.arguments):
        return True
    match found.function, found.arguments:
        case "recall/2", (_, divided):
            return not known.has_items(divided)
        case "precision/2", (divided, _):
            return not known.has_items(divided)
        case "f1/2", (one, other):
            return not (known.has_items(one) or known.has_items(other))
        case _:
            return True


def _choice(found: ex.Coalesce | ex.If, known: Known) -> bool:
    if isinstance(found, ex.Coalesce):
        return may_be_missing(found.left, known) and may_be_missing(found.right, known)
    return (
        may_be_missing(found.condition, known)
        or may_be_missing(found.then, known.where(found.condition))
        or may_be_missing(found.otherwise, known.where_not(found.condition))
    )


def said(node: object) -> object:
    """What an expression says, without its place: a value that can be compared."""
    if isinstance(node, ex.ExprNode | ex.Hole):
        names = (f.name for f in fields(node) if f.name not in {"span", "type"})
        return (type(node).__name__, *(said(getattr(node, name)) for name in names))
    if isinstance(node, tuple):
        return tuple(said(item) for item in node)
    return (type(node).__name__, node)
