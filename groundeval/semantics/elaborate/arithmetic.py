"""`+ - * /`, unary `-`, and the operations on sets that share their signs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import DURATION, NEVER, NUMBER, TEXT, TIME, Type, set_of
from groundeval.semantics.elaborate.types import describe, is_error, unify
from groundeval.semantics.elaborate.values import as_list
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_RESULTS = {
    ("number", "+", "number"): NUMBER,
    ("number", "-", "number"): NUMBER,
    ("number", "*", "number"): NUMBER,
    ("number", "/", "number"): NUMBER,
    ("time", "-", "time"): DURATION,
    ("time", "+", "duration"): TIME,
    ("time", "-", "duration"): TIME,
    ("duration", "+", "time"): TIME,
    ("duration", "+", "duration"): DURATION,
    ("duration", "-", "duration"): DURATION,
    ("duration", "*", "number"): DURATION,
    ("number", "*", "duration"): DURATION,
    ("duration", "/", "number"): DURATION,
    ("duration", "/", "duration"): NUMBER,
}


def arithmetic(
    el: Elaborator, node: ast.Binary | ast.Negate, scope: Scope, expected: Type | None
) -> ir.Expr:
    """An operation on numbers, times and lengths of time, or on collections."""
    if isinstance(node, ast.Negate):
        return _negate(el, node, scope)
    wanted = _wanted(node, expected)
    if el.reads is not None and el.reads.is_read(node.left):
        right = el.visit(node.right, scope, wanted)
        left = el.visit(node.left, scope, right.type if wanted is None else wanted)
    else:
        left = el.visit(node.left, scope, wanted)
        right = el.visit(node.right, scope, left.type if wanted is None else wanted)
    if is_error(left.type, right.type):
        return el.bad(node.span)
    several = node.op in {"|", "&"} or (
        node.op == "-" and (left.type.is_collection or right.type.is_collection)
    )
    return _on_sets(el, node, left, right) if several else _on_numbers(el, node, left, right)


def _wanted(node: ast.Binary, expected: Type | None) -> Type | None:
    """What an operand is to be, where the sign alone says it."""
    if node.op in {"|", "&"}:
        collection = expected is not None and expected.is_collection
        return expected if collection else set_of(TEXT)
    if node.op == "-":
        return expected if expected is not None and expected.is_collection else None
    return NUMBER if node.op in {"*", "/"} else None


def _negate(el: Elaborator, node: ast.Negate, scope: Scope) -> ir.Expr:
    operand = el.visit(node.operand, scope, NUMBER)
    shape = operand.type
    if is_error(shape):
        return operand
    if shape.name not in {"number", "duration", "json", "never"}:
        el.report(
            codes.TYPE_MISMATCH,
            operand.span,
            f"`-` takes a number, not {describe(shape)}",
            describe(shape),
        )
        return el.bad(node.span)
    if isinstance(operand, ir.Const):
        return ir.Const(node.span, shape, -operand.value)
    result = Type("duration" if shape.name == "duration" else "number", optional=shape.optional)
    return ir.Negate(node.span, result.maybe if shape.many else result, operand)


def _on_numbers(el: Elaborator, node: ast.Binary, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    a, b = left.type, right.type
    names = tuple("number" if s.name in {"json", "never"} else s.name for s in (a, b))
    result = _RESULTS.get((names[0], node.op, names[1]))
    if result is None:
        return _mismatch(el, node, a, b)
    zero = node.op == "/" and not (isinstance(right, ir.Const) and right.value != 0)
    optional = zero or any(s.optional or s.many for s in (a, b))
    op: Literal["+", "-", "*", "/"] = node.op  # type: ignore[assignment]
    return ir.Arithmetic(node.span, result.maybe if optional else result, op, left, right)


def _mismatch(el: Elaborator, node: ast.Binary, a: Type, b: Type) -> ir.Expr:
    el.report(
        codes.TYPE_MISMATCH,
        node.span,
        f"`{node.op}` does not take {describe(a)} and {describe(b)}",
        "cannot be reckoned with",
        _mend(node.op, a, b),
    )
    return el.bad(node.span)


def _mend(op: str, a: Type, b: Type) -> str:
    kinds = {a.name, b.name}
    if "bool" in kinds:
        return "write `if … then 1 else 0`"
    if a.is_collection and b.is_collection:
        return "collections are joined by `|`"
    if a.is_textual and b.is_textual and op == "+":
        return 'texts are joined by holes: `"{a} {b}"`'
    if kinds & {"time", "duration"} and kinds & {"number", "json"}:
        return "write a length of time with its unit, as in `7d`; declare data fields as `time`"
    return ""


def _on_sets(el: Elaborator, node: ast.Binary, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    sides = [as_list(left), as_list(right)]
    for side, found in zip((left, right), sides, strict=True):
        if found is None:
            el.report(
                codes.NO_COLLECTION,
                side.span,
                f"`{node.op}` takes two collections, not {describe(side.type)}",
                describe(side.type),
                "a list of one is written `[x]`",
            )
            return el.bad(node.span)
    one, other = (s for s in sides if s is not None)
    item = unify(one.type.item or NEVER, other.type.item or NEVER)
    if item is None:
        return _mismatch(el, node, one.type, other.type)
    if node.op != "|":
        item = one.type.item
    both = one.type.name == other.type.name == "list"
    optional = one.type.optional or other.type.optional
    shape = Type("list" if both else "set", item, optional=optional)
    op: Literal["|", "&", "-"] = node.op  # type: ignore[assignment]
    return ir.SetOperation(node.span, shape, op, one, other)
