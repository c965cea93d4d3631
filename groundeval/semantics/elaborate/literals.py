"""Literals: numbers, durations, instants, lists, records."""

from __future__ import annotations

from typing import TYPE_CHECKING, assert_never
from zoneinfo import ZoneInfo

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import (
    BOOL,
    DURATION,
    MISSING,
    NEVER,
    NUMBER,
    TIME,
    Type,
    list_of,
)
from groundeval.semantics.elaborate.types import describe, is_error, unify
from groundeval.syntax import ast
from groundeval.world.time import TimeFault, parse_duration, parse_instant

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

Literal = ast.Constant | ast.Number | ast.Duration | ast.InstantLiteral


def literal(el: Elaborator, node: Literal) -> ir.Expr:
    """A literal of one token."""
    match node:
        case ast.Constant(span, None):
            return ir.Const(span, MISSING, None)
        case ast.Constant(span, value):
            return ir.Const(span, BOOL, value)
        case ast.Number(span, text):
            return ir.Const(span, NUMBER, float(text) if "." in text else int(text))
        case ast.Duration(span, text):
            return _duration(el, node)
        case ast.InstantLiteral():
            return _instant(el, node)
        case _:
            assert_never(node)


def _duration(el: Elaborator, node: ast.Duration) -> ir.Expr:
    micros = parse_duration(node.text)
    if micros is not None:
        return ir.Const(node.span, DURATION, micros)
    el.report(
        codes.BAD_LITERAL,
        node.span,
        f"`{node.text}` is no length of time",
        "not a length of time",
        "units go from large to small, each once: `1w2d`, `1h30m`, `10s`",
    )
    return el.bad(node.span)


def _instant(el: Elaborator, node: ast.InstantLiteral) -> ir.Expr:
    zone = ZoneInfo(el.symbols.timezone) if el.symbols.timezone else None
    found = parse_instant(node.text, zone)
    match found:
        case TimeFault.NAIVE:
            el.report(
                codes.NO_ZONE,
                node.span,
                f"`{node.text}` names no time zone",
                "which zone's?",
                'say `timezone "UTC"` in the contract, or write the time with `Z` or an offset',
            )
        case TimeFault():
            el.report(
                codes.BAD_LITERAL, node.span, f"`{node.text}` {found.text}", "no such instant"
            )
        case _:
            return ir.Const(node.span, TIME, found)
    return el.bad(node.span)


def compound(
    el: Elaborator, node: ast.ListLiteral | ast.Record, scope: Scope, expected: Type | None
) -> ir.Expr:
    """A literal with parts: a list or a record."""
    if isinstance(node, ast.Record):
        return _record(el, node, scope)
    return _list(el, node, scope, expected)


def _list(el: Elaborator, node: ast.ListLiteral, scope: Scope, expected: Type | None) -> ir.Expr:
    """`[a, b]`: a constant where all items are, and of what the items have in common."""
    wanted = expected.item if expected is not None and expected.is_collection else None
    items = tuple(el.visit(item, scope, wanted) for item in node.items)
    item_type: Type = NEVER
    for item in items:
        common = unify(item_type, item.type)
        if common is None:
            el.report(
                codes.TYPE_MISMATCH,
                item.span,
                f"{describe(item.type)} stands in a list with {describe(item_type)}",
                "of another kind than the items before it",
            )
            return el.bad(node.span)
        item_type = common
    if is_error(item_type):
        return el.bad(node.span)
    items = tuple(_as_item(item, item_type) for item in items)
    if all(isinstance(item, ir.Const) for item in items):
        values = tuple(item.value for item in items if isinstance(item, ir.Const))
        return ir.Const(node.span, list_of(item_type), values)
    return ir.ListOf(node.span, list_of(item_type), items)


def _as_item(item: ir.Expr, shape: Type) -> ir.Expr:
    if shape.name == "number" and item.type.name == "bool":
        return ir.ToNumber(item.span, shape, item)
    return item


def _record(el: Elaborator, node: ast.Record, scope: Scope) -> ir.Expr:
    """`{ key: value }`."""
    entries: dict[str, ir.Expr] = {}
    for entry in node.entries:
        if entry.key.text in entries:
            el.report(
                codes.REPEATED_NAME,
                entry.key.span,
                f"`{entry.key.text}` stands twice in one record",
                "the second one",
            )
            continue
        entries[entry.key.text] = el.visit(entry.value, scope)
    fields = tuple((key, value.type) for key, value in entries.items())
    return ir.RecordOf(node.span, Type("record", fields=fields), tuple(entries.items()))
