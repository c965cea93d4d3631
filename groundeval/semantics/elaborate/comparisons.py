"""`==` and its kin, `in`, `overlaps`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, NEVER, TEXT, Type
from groundeval.semantics.elaborate import names
from groundeval.semantics.elaborate.settled import hold_words
from groundeval.semantics.elaborate.types import (
    EVENT_TYPE,
    comparable,
    describe,
    is_error,
    is_loose,
)
from groundeval.semantics.elaborate.values import as_collection, unlisted
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_ORDERED = frozenset({"number", "time", "duration"})


def compare(el: Elaborator, node: ast.Compare, scope: Scope) -> ir.Expr:
    """`==`, `!=`, and the four orderings."""
    left, right = _sides(el, node.left, node.right, scope)
    if is_error(left.type, right.type):
        return el.bad(node.span)
    if _with_missing(el, node, left, right):
        return el.bad(node.span)
    if node.op in {"==", "!="}:
        return _equal(el, node, left, right)
    return _order(el, node, left, right)


def _sides(
    el: Elaborator, first: ast.Expr, second: ast.Expr, scope: Scope
) -> tuple[ir.Expr, ir.Expr]:
    """Both sides, each knowing what the other is; what depends on its place is looked at last."""
    if names.is_open_name(first, el, scope) and not names.is_open_name(second, el, scope):
        right = el.visit(second, scope)
        return el.visit(first, scope, word_of(right)), right
    if el.reads is not None and el.reads.is_read(first):
        right = el.visit(second, scope)
        return el.visit(first, scope, right.type), right
    left = el.visit(first, scope)
    return left, el.visit(second, scope, word_of(left))


def word_of(found: ir.Expr) -> Type:
    """What the other side of a comparison with `found` is expected to be."""
    match found:
        case ir.Attribute(_, _, base, "type") if base.type.name in {"event", "expectation"}:
            return EVENT_TYPE
    return found.type


def _with_missing(el: Elaborator, node: ast.Compare, left: ir.Expr, right: ir.Expr) -> bool:
    missing = next((s for s in (left, right) if s.type.name == "missing"), None)
    if missing is None:
        return False
    word = "is not missing" if node.op == "!=" else "is missing"
    el.report(
        codes.MISSING_COMPARED,
        missing.span,
        "a comparison with `missing` is always unknown",
        "never equal to anything",
        f"write `… {word}`; `same(a, b)` holds when both are missing",
    )
    return True


def _equal(el: Elaborator, node: ast.Compare, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    a, b = left.type, right.type
    join = a.many or b.many
    if join:
        a, b = _one_of_many(a), _one_of_many(b)
        left, right = unlisted(left), unlisted(right)
    if not comparable(a, b) or "role" in (a.name, b.name):
        return _mismatch(el, node, left, right)
    hold_words(el, left, [right])
    hold_words(el, right, [left])
    optional = join or a.optional or b.optional
    shape = BOOL.maybe if optional else BOOL
    return ir.Equal(node.span, shape, left, right, node.op == "!=", join)


def _one_of_many(shape: Type) -> Type:
    return (shape.item or NEVER) if shape.is_collection else shape


def _order(el: Elaborator, node: ast.Compare, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    a, b = left.type, right.type
    fits = comparable(a, b) and all(
        is_loose(s) or s.name in _ORDERED or s.is_textual for s in (a, b)
    )
    if not fits:
        return _mismatch(el, node, left, right)
    optional = any(s.optional or s.many for s in (a, b))
    op = node.op
    assert op in {"<", "<=", ">", ">="}  # `compare` has taken the other two
    return ir.Order(node.span, BOOL.maybe if optional else BOOL, op, left, right)


def _mismatch(el: Elaborator, node: ast.Compare, left: ir.Expr, right: ir.Expr) -> ir.Expr:
    a, b = left.type, right.type
    el.report(
        codes.TYPE_MISMATCH,
        node.span,
        f"`{node.op}` cannot compare {describe(a)} with {describe(b)}",
        "of two kinds" if a.name != b.name else "not comparable",
        _mend(node.op, a, b),
    )
    return el.bad(node.span)


def _mend(op: str, a: Type, b: Type) -> str:
    kinds = {a.name, b.name}
    if "time" in kinds and (a.is_textual or b.is_textual):
        return "write an instant without quotes, as in `2026-03-05`; declare the field as `time`"
    if "duration" in kinds and "number" in kinds:
        return "write a length of time with its unit, as in `7d`"
    if "role" in kinds:
        return "write `holds(ROLE)`"
    if "event" in kinds and (a.is_textual or b.is_textual):
        return "compare the event's `id` or `type`"
    if a.is_collection != b.is_collection:
        return "write `in` to look for one value in several"
    if op not in {"==", "!="}:
        return "numbers, texts, times and lengths of time have an order"
    return ""


def among(el: Elaborator, node: ast.Membership | ast.Overlaps, scope: Scope) -> ir.Expr:
    """`in`, `not in`, `overlaps`: the right side is a collection."""
    left, right = _member_sides(el, node, scope)
    if is_error(left.type, right.type):
        return el.bad(node.span)
    collection = as_collection(right)
    if collection is None:
        return _not_several(el, right)
    if isinstance(node, ast.Overlaps):
        several = as_collection(left)
        if several is None:
            return _not_several(el, left)
        left = several
    elif left.type.is_collection and not left.type.many:
        el.report(
            codes.SEVERAL_VALUES,
            left.span,
            "`in` looks for one value, not for several",
            describe(left.type),
            "write `overlaps`, or walk it: `all x in …: x in …`",
        )
        return el.bad(node.span)
    return _among(el, node, left, collection)


def _among(
    el: Elaborator, node: ast.Membership | ast.Overlaps, left: ir.Expr, right: ir.Expr
) -> ir.Expr:
    a = left.type.item or NEVER if left.type.is_collection else left.type
    b = right.type.item or NEVER
    if a.name == "missing" or not comparable(a, b):
        el.report(
            codes.TYPE_MISMATCH,
            node.span,
            f"{describe(a)} is never among {describe(right.type)[2:]}",
            "of two kinds",
            _mend("==", a, b),
        )
        return el.bad(node.span)
    hold_words(el, left, [right])
    optional = any(s.type.optional or s.type.many for s in (left, right))
    shape = BOOL.maybe if optional else BOOL
    if isinstance(node, ast.Overlaps):
        return ir.Overlaps(node.span, shape, left, right)
    return ir.Membership(node.span, shape, unlisted(left), right, node.negated)


def _member_sides(
    el: Elaborator, node: ast.Membership | ast.Overlaps, scope: Scope
) -> tuple[ir.Expr, ir.Expr]:
    overlaps = isinstance(node, ast.Overlaps)
    late = names.is_open_name(node.left, el, scope) and not names.is_open_name(
        node.right, el, scope
    )
    if late or (el.reads is not None and el.reads.is_read(node.left)):
        right = el.visit(node.right, scope, Type("set", TEXT))
        item = right.type.item
        return el.visit(node.left, scope, right.type if overlaps else item), right
    left = el.visit(node.left, scope, Type("set", TEXT) if overlaps else None)
    word = word_of(left)
    if is_loose(word) or word.name in {"missing", "never"}:
        word = TEXT
    wanted = word if word.is_collection else Type("set", word.required)
    return left, el.visit(node.right, scope, wanted)


def _not_several(el: Elaborator, found: ir.Expr) -> ir.Expr:
    el.report(
        codes.NO_COLLECTION,
        found.span,
        f"several values are needed here, not {describe(found.type)}",
        describe(found.type),
        "write `==` to compare one value; a list is written `[a, b]`",
    )
    return el.bad(found.span)
