"""Operators and `if`."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, TEXT, Type
from groundeval.ir.walk import connected
from groundeval.semantics.elaborate import arithmetic, comparisons, texts
from groundeval.semantics.elaborate.regex import fault_of_pattern
from groundeval.semantics.elaborate.types import describe, is_error, is_loose, unify
from groundeval.semantics.elaborate.values import condition, converted, unlisted
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope


def operator(el: Elaborator, node: ast.Expr, scope: Scope, expected: Type | None) -> ir.Expr:
    """Every node that combines others without binding a variable."""
    match node:
        case ast.Not() | ast.And() | ast.Or() | ast.IsMissing():
            return _logic(el, node, scope)
        case ast.Compare():
            return comparisons.compare(el, node, scope)
        case ast.Membership() | ast.Overlaps():
            return comparisons.among(el, node, scope)
        case ast.Matches():
            return _matches(el, node, scope)
        case ast.Coalesce():
            return _coalesce(el, node, scope, expected)
        case ast.If():
            return _if(el, node, scope, expected)
        case ast.Binary() | ast.Negate():
            return arithmetic.arithmetic(el, node, scope, expected)
        case _:
            raise AssertionError(type(node))


def _logic(
    el: Elaborator, node: ast.Not | ast.And | ast.Or | ast.IsMissing, scope: Scope
) -> ir.Expr:
    match node:
        case ast.Not():
            operand = condition(el, node.operand, scope)
            if is_error(operand.type):
                return el.bad(node.span)
            return ir.Not(node.span, _logical(operand), operand)
        case ast.And() | ast.Or():
            return _connective(el, node, scope)
        case _:
            return _is_missing(el, node, scope)


def _is_missing(el: Elaborator, node: ast.IsMissing, scope: Scope) -> ir.Expr:
    operand = unlisted(el.visit(node.operand, scope))
    if is_error(operand.type):
        return el.bad(node.span)
    return ir.IsMissing(node.span, BOOL, operand, node.negated)


def _logical(*operands: ir.Expr) -> Type:
    return BOOL.maybe if any(o.type.optional for o in operands) else BOOL


def _connective(el: Elaborator, node: ast.And | ast.Or, scope: Scope) -> ir.Expr:
    """A chain of one operator; its length is not its depth."""
    parts = [condition(el, part, scope) for part in ast.operands(node)]
    if is_error(*(part.type for part in parts)):
        return el.bad(node.span)
    joined = connected(ir.And if isinstance(node, ast.And) else ir.Or, parts)
    return replace(joined, span=node.span)


def _coalesce(el: Elaborator, node: ast.Coalesce, scope: Scope, expected: Type | None) -> ir.Expr:
    left = el.visit(node.left, scope, expected)
    right = el.visit(node.right, scope, expected)
    shape = _common(el, left, right, "`??`")
    if shape is None:
        return el.bad(node.span)
    result = Type(shape.name, shape.item, shape.fields, right.type.optional, shape.many)
    return ir.Coalesce(
        node.span,
        result,
        converted(el, left, shape, scope),
        converted(el, right, shape, scope),
    )


def _if(el: Elaborator, node: ast.If, scope: Scope, expected: Type | None) -> ir.Expr:
    asked = condition(el, node.condition, scope)
    then = el.visit(node.then, scope, expected)
    otherwise = el.visit(node.otherwise, scope, expected)
    shape = _common(el, then, otherwise, "`if`")
    if shape is None or is_error(asked.type):
        return el.bad(node.span)
    if asked.type.optional:
        shape = shape.maybe
    return ir.If(
        node.span,
        shape,
        asked,
        converted(el, then, shape, scope),
        converted(el, otherwise, shape, scope),
    )


def _common(el: Elaborator, left: ir.Expr, right: ir.Expr, what: str) -> Type | None:
    shape = unify(left.type, right.type)
    if shape is None:
        el.report(
            codes.TYPE_MISMATCH,
            right.span,
            f"{what} gives {describe(left.type)} or {describe(right.type)}",
            describe(right.type),
            "both are to be of one kind",
        )
        return None
    return None if is_error(shape) else shape


def _matches(el: Elaborator, node: ast.Matches, scope: Scope) -> ir.Expr:
    operand = el.visit(node.left, scope, TEXT)
    pattern = texts.plain_text(node.pattern)
    fault = "a pattern has no holes" if pattern is None else fault_of_pattern(pattern)
    if fault is not None or pattern is None:
        el.report(
            codes.BAD_PATTERN,
            node.pattern.span,
            f"not a pattern: {fault}",
            "this pattern",
            "patterns are in RE2's language; a brace is written `\\{`",
        )
        return el.bad(node.span)
    shape = operand.type
    if is_error(shape):
        return el.bad(node.span)
    if not (shape.is_textual or is_loose(shape)):
        el.report(
            codes.TYPE_MISMATCH,
            operand.span,
            f"`matches` looks at a text, not at {describe(shape)}",
            describe(shape),
            "walk it: `any x in …: x matches …`" if shape.is_collection else "",
        )
        return el.bad(node.span)
    result = BOOL.maybe if shape.optional or shape.many else BOOL
    return ir.Matches(node.span, result, operand, pattern)
