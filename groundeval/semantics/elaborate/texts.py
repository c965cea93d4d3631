"""Texts, with holes and without."""

from __future__ import annotations

import unicodedata
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import TEXT, Type
from groundeval.semantics.elaborate.types import ERROR, describe, is_error
from groundeval.semantics.elaborate.vocabulary import check_word
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_FORMATS = frozenset({"date"})


def text(el: Elaborator, node: ast.Text, scope: Scope, expected: Type | None) -> ir.Expr:
    """A text: a constant where it has no hole, held against the vocabulary of its place."""
    plain = plain_text(node)
    if plain is None:
        found = text_node(el, node, scope)
        return el.bad(node.span) if is_error(found.type) else found
    if expected is not None and not check_word(el, node.span, plain, expected):
        return el.bad(node.span)
    return ir.Const(node.span, TEXT, plain)


def plain_text(node: ast.Text) -> str | None:
    """The text of one without holes, in Unicode NFC."""
    if any(isinstance(part, ast.Hole) for part in node.parts):
        return None
    return unicodedata.normalize("NFC", "".join(p for p in node.parts if isinstance(p, str)))


def text_node(el: Elaborator, node: ast.Text, scope: Scope) -> ir.Text:
    """The text as its parts; missing where a hole may be."""
    parts = tuple(
        unicodedata.normalize("NFC", part) if isinstance(part, str) else _hole(el, part, scope)
        for part in node.parts
    )
    if any(isinstance(p, ir.Hole) and is_error(p.expr.type) for p in parts):
        return ir.Text(node.span, ERROR, parts)
    optional = any(isinstance(p, ir.Hole) and p.expr.type.optional for p in parts)
    return ir.Text(node.span, Type("text", optional=optional), parts)


def _hole(el: Elaborator, hole: ast.Hole, scope: Scope) -> ir.Hole:
    found = el.visit(hole.expr, scope)
    shape = found.type
    if is_error(shape):
        return ir.Hole(found, None)
    if shape.name == "record":
        el.report(
            codes.TYPE_MISMATCH,
            found.span,
            "a record cannot be shown in a text",
            "a record",
            "show one of its fields",
        )
        return ir.Hole(el.bad(found.span), None)
    if hole.format is not None and not _shows(el, hole, shape):
        return ir.Hole(el.bad(found.span), None)
    return ir.Hole(found, hole.format)


def _shows(el: Elaborator, hole: ast.Hole, shape: Type) -> bool:
    if hole.format not in _FORMATS:
        message, help_ = f"there is no format `{hole.format}`", "the one format is `date`"
    elif (shape.item or shape).name != "time":
        message = f"`{hole.format}` shows a time, not {describe(shape)}"
        help_ = "leave the format out"
    else:
        return True
    el.report(codes.BAD_FORMAT, hole.span, message, "this format", help_)
    return False
