"""Conditions that are settled before anything is asked: always the same, or never true."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import expressions as ir
from groundeval.ir.walk import operands
from groundeval.semantics.elaborate.types import is_error
from groundeval.syntax import ast
from groundeval.syntax.ast.walk import nodes, wording

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundeval.semantics.elaborate.elaborator import Elaborator

_READING: Final = (ast.Variable, ast.RawField, ast.Call)
_PLAIN: Final = (ast.Constant, ast.Text)
"""What nobody writes by mistake: `when true` says what it means."""


def hold_condition(el: Elaborator, tree: ast.Expr, found: ir.Expr) -> None:
    """Report a condition that is the same whatever it is asked about, as far as one can see it.

    What a `let` or a `param` says is not looked into: it may be meant to be changed.
    """
    if isinstance(tree, _PLAIN) or is_error(found.type):
        return
    if not any(isinstance(node, _READING) for node in nodes(tree)):
        message = "this condition reads nothing, so it is always the same"
        _report(el, tree.span, message, "say what it depends on, or write `true` or `false`")
        return
    for node in nodes(tree):
        _hold_written(el, node)
    _hold_chains(el, tree.span, found)


def _hold_written(el: Elaborator, node: ast.Node) -> None:
    match node:
        case ast.Compare(span, op, left, right) if wording(left) == wording(right):
            _report(el, span, f"`{op}` compares a value with itself", "is the other side right?")
        case ast.Membership(span, _, ast.ListLiteral(items=())):
            _report(el, span, "an empty list holds nothing", "list what is meant")
        case _:
            pass


def _hold_chains(el: Elaborator, whole: Span, found: ir.Expr) -> None:
    """Report `x == a and x == b`, which is never so, and `x != a or x != b`, which always is.

    Only what stands in the condition itself is looked at, not what a `let` brings along.
    """
    match found:
        case ir.And():
            parts = operands(found)
            twice = _two_values(parts, whole, negated=False)
            message, help_ = "are never both so", "write `or`, or `… in [a, b]`"
        case ir.Or():
            parts = operands(found)
            twice = _two_values(parts, whole, negated=True)
            message, help_ = "leave nothing out", "write `and`, or `… not in [a, b]`"
        case ir.Not():
            _hold_chains(el, whole, found.operand)
            return
        case _:
            return
    if twice is not None:
        first, second = twice
        text = f"this and the comparison in line {first.span.line} {message}"
        _report(el, second.span, text, help_)
    for part in parts:
        _hold_chains(el, whole, part)


def _two_values(
    parts: Iterable[ir.Expr], whole: Span, *, negated: bool
) -> tuple[ir.Equal, ir.Equal] | None:
    """Two comparisons of one single value with different constants."""
    seen: dict[object, tuple[ir.Equal, object]] = {}
    for part in parts:
        if not isinstance(part, ir.Equal) or part.join or part.negated is not negated:
            continue
        if not _within(part.span, whole) or part.left.type.name in _OF_ANY_KIND:
            continue
        match part:
            case ir.Equal(left=value, right=ir.Const(value=constant)):
                pass
            case _:
                continue
        first = seen.setdefault(_plain(value), (part, constant))
        if first[1] != constant:
            return first[0], part
    return None


_OF_ANY_KIND: Final = frozenset({"json", "list", "set", "record"})


def _within(span: Span, whole: Span) -> bool:
    start, end = (span.line, span.column), (span.end_line, span.end_column)
    opened, closed = (whole.line, whole.column), (whole.end_line, whole.end_column)
    return span.file == whole.file and opened <= start and end <= closed


def _plain(value: object) -> object:
    """An expression without its places."""
    if isinstance(value, ir.ExprNode):
        slots = (name for name in value.__dataclass_fields__ if name != "span")
        return type(value), tuple(_plain(getattr(value, name)) for name in slots)
    return tuple(map(_plain, value)) if isinstance(value, tuple) else value


def hold_words(el: Elaborator, found: ir.Expr, others: Iterable[ir.Expr]) -> None:
    """Report texts that are compared with the name of a role, and are none."""
    if not _names_a_role(found):
        return
    symbols = el.symbols
    known = {*symbols.roles, *(symbols.data.roles if symbols.data else ())}
    if not known or symbols.open_roles:
        return
    for other in others:
        match other:
            case ir.Const(span=span, value=str() as word):
                _hold_role(el, span, word, known)
            case ir.Const(span=span, value=tuple() as words):
                for word in words:
                    _hold_role(el, span, word, known)
            case ir.ListOf(items=items):
                hold_words(el, found, items)
            case _:
                pass


def _names_a_role(found: ir.Expr) -> bool:
    return isinstance(found, ir.Attribute) and (found.base.type.name, found.name) == ("role", "id")


def _hold_role(el: Elaborator, span: Span, word: object, known: set[str]) -> None:
    """`role.id` of somebody with several roles has their names, with commas between."""
    for name in str(word).split(", "):
        if name not in known:
            message = f"no role is called `{name}`, so this is never equal"
            help_ = did_you_mean(name, known)
            el.report(codes.NEVER_EQUAL, span, message, "not declared", help_)


def _report(el: Elaborator, span: Span, message: str, help_: str) -> None:
    el.report(codes.SETTLED_CONDITION, span, message, "always the same", help_)
