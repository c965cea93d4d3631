"""Quantifiers and comprehensions: walks over a collection."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, NUMBER, TEXT, Type, set_of
from groundeval.semantics.elaborate import values
from groundeval.semantics.elaborate.types import describe, is_error
from groundeval.semantics.scope import Variable
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_CONDITIONS = frozenset({"any", "all", "count", "share", "first", "last"})
_MEASURES = frozenset({"number", "time", "duration"})


def walk(el: Elaborator, node: ast.Quantifier | ast.Comprehension, scope: Scope) -> ir.Expr:
    """A quantifier or comprehension; what it walks is looked at before its body."""
    collection = _collection(el, node.collection, scope)
    item = values.shape_of_items(collection.type)
    variable = Variable(el.fresh(node.variable.text, scope), item)
    inner = scope.with_variable(node.variable.text, variable)
    if isinstance(node, ast.Quantifier):
        return _quantifier(el, node, collection, inner, variable.name)
    return _comprehension(el, node, collection, inner, variable.name)


def _collection(el: Elaborator, node: ast.Expr, scope: Scope) -> ir.Expr:
    found = el.visit(node, scope, set_of(TEXT))
    if is_error(found.type):
        return found
    listed = values.as_list(found)
    if listed is not None:
        return listed
    el.report(
        codes.NO_COLLECTION,
        found.span,
        f"only several values can be walked, not {describe(found.type)}",
        describe(found.type),
        "a list is written `[a, b]`",
    )
    return el.bad(found.span)


def _quantifier(
    el: Elaborator, node: ast.Quantifier, collection: ir.Expr, scope: Scope, name: str
) -> ir.Expr:
    if node.kind in _CONDITIONS:
        body = values.condition(el, node.body, scope)
    else:
        body = _measured(el, node, scope)
    if is_error(collection.type, body.type):
        return el.bad(node.span)
    shape = _result(node, collection, body)
    return ir.Quantifier(node.span, shape, node.kind, name, collection, body)


def _measured(el: Elaborator, node: ast.Quantifier, scope: Scope) -> ir.Expr:
    """The body of sum, mean, min and max: a number, or (sum but for times) a time."""
    found = el.visit(node.body, scope, NUMBER)
    shape = found.type
    counted = values.number(found)
    if counted is not None:
        return counted
    untimely = shape.name == "time" and node.kind in {"sum", "mean"}
    reckoned = shape.name in _MEASURES and not untimely
    if reckoned or is_error(shape):
        return found
    el.report(
        codes.TYPE_MISMATCH,
        found.span,
        f"`{node.kind}` reckons with numbers, not with {describe(shape)}",
        describe(shape),
        "write `size(…)` to count its items" if shape.is_collection else "",
    )
    return el.bad(found.span)


def _result(node: ast.Quantifier, collection: ir.Expr, body: ir.Expr) -> Type:
    absent = collection.type.optional
    nothing = not (isinstance(collection, ir.Const) and collection.value)
    match node.kind:
        case "any" | "all":
            return BOOL.maybe if absent else BOOL
        case "count":
            return NUMBER.maybe if absent else NUMBER
        case "share":
            return NUMBER.maybe if absent or nothing else NUMBER
        case "first" | "last":
            return values.shape_of_items(collection.type).maybe
        case "sum":
            return body.type.maybe if absent else body.type.required
        case _:
            return body.type.maybe if absent or nothing else body.type


def _comprehension(
    el: Elaborator, node: ast.Comprehension, collection: ir.Expr, scope: Scope, name: str
) -> ir.Expr:
    item = el.visit(node.item, scope)
    kept = values.condition(el, node.condition, scope) if node.condition is not None else None
    if is_error(collection.type, item.type):
        return el.bad(node.span)
    if node.kind == "set" and (item.type.is_collection or item.type.name == "record"):
        el.report(
            codes.SEVERAL_VALUES,
            item.span,
            f"the items of a set are single values, not {describe(item.type)}",
            describe(item.type),
            "write `[… for … in …]` for a list of them",
        )
        return el.bad(node.span)
    shape = item.type.required if node.kind == "set" else item.type
    result = Type(node.kind, shape, optional=collection.type.optional)
    return ir.Comprehension(node.span, result, node.kind, item, name, collection, kept)
