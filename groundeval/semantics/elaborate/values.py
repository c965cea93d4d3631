"""Coercions: an expression as a condition, a number, a collection."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, JSON, MISSING, NUMBER, Type, list_of
from groundeval.semantics.elaborate.types import ERROR, describe, is_error

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope
    from groundeval.syntax import ast


def condition(el: Elaborator, node: ast.Expr, scope: Scope) -> ir.Expr:
    """An expression that is true, false or unknown; what may be of any kind is read as such."""
    found = el.visit(node, scope, BOOL)
    shape = found.type
    if is_error(shape) or (shape.name == "bool" and not shape.many):
        return found
    if shape.name in {"bool", "json", "never"}:
        return ir.Call(found.span, BOOL.maybe, "as_bool/1", (found,))
    if shape.name == "missing":
        return replace(found, type=BOOL.maybe)
    el.report(
        codes.NO_CONDITION,
        found.span,
        f"a condition is needed here, not {describe(shape)}",
        "neither true nor false",
        _condition_help(shape),
    )
    return el.bad(found.span)


def _condition_help(shape: Type) -> str:
    if shape.is_collection:
        return "write `not empty(…)` to ask whether it has an item"
    if shape.name == "number":
        return "compare it, as in `… > 0`"
    return "compare it with something, or write `… is not missing`"


def number(found: ir.Expr) -> ir.Expr | None:
    """The value as a number: a bool as 1 or 0, anything undeclared where it is one; else None."""
    shape = found.type
    if shape.name == "bool":
        return ir.ToNumber(found.span, Type("number", optional=shape.optional), found)
    if shape.name in {"json", "never"} or (shape.name == "number" and shape.many):
        zero = ir.Const(found.span, NUMBER, 0)
        return ir.Arithmetic(found.span, NUMBER.maybe, "+", found, zero)
    return found if shape.name in {"number", "error"} else None


def as_list(found: ir.Expr) -> ir.Expr | None:
    """What can be walked: a collection, or one-or-many values as a list; None for one value.

    A missing data field is an empty list.
    """
    shape = found.type
    if shape.is_collection or is_error(shape):
        return found
    if shape.many or shape.name in {"json", "never"}:
        item = JSON if shape.name == "json" else Type(shape.name)
        return ir.AsList(found.span, list_of(item), found)
    return None


def as_collection(found: ir.Expr) -> ir.Expr | None:
    """Like `as_list`, for what is compared: a missing data field stays missing, hence unknown."""
    listed = as_list(found)
    if not isinstance(listed, ir.AsList):
        return listed
    found = listed.operand
    span, shape = found.span, listed.type.maybe
    asked = ir.IsMissing(span, BOOL, found, negated=False)
    return ir.If(span, shape, asked, ir.Const(span, MISSING, None), listed)


def unlisted(found: ir.Expr) -> ir.Expr:
    """A data field that is declared as a collection as it stands in the data: perhaps missing."""
    return found.operand if isinstance(found, ir.AsList) and found.type.many else found


def as_set(el: Elaborator, found: ir.Expr, scope: Scope) -> ir.Expr:
    """A list as a set, where a branch beside it is one."""
    if found.type.name != "list" or found.type.item is None:
        return found
    item = found.type.item
    name = el.fresh("item", scope)
    shape = Type("set", item.required, optional=found.type.optional)
    variable = ir.Var(found.span, item, name)
    return ir.Comprehension(found.span, shape, "set", variable, name, found, None)


def converted(el: Elaborator, found: ir.Expr, wanted: Type, scope: Scope) -> ir.Expr:
    """A branch as the common type of all branches (see `types.unify`)."""
    if wanted.name == "number" and found.type.name == "bool":
        return number(found) or found
    if wanted.name == "set":
        return as_set(el, found, scope)
    return found


def shape_of_items(shape: Type) -> Type:
    """The type of a collection's items; undeclared where nothing is known."""
    return shape.item if shape.item is not None else ERROR
