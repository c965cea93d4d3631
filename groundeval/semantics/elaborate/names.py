"""Bare names: variables, lets, and words that stand for themselves."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import expressions as ir
from groundeval.ir.types import JSON, TEXT, Type
from groundeval.semantics.elaborate import lets
from groundeval.semantics.elaborate.types import EVENT_TYPE, is_error
from groundeval.semantics.elaborate.vocabulary import vocabulary
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_ELSEWHERE = {
    **dict.fromkeys(("null", "Null", "NULL", "None", "nil", "undefined"), "write `missing`"),
    **dict.fromkeys(("True", "TRUE", "yes"), "write `true`"),
    **dict.fromkeys(("False", "FALSE", "no"), "write `false`"),
    "now": "rules read no clock: `as_of`, the times of events and params are data",
    "today": "rules read no clock: `as_of`, the times of events and params are data",
}
"""How what other languages call by such a name is said in this one."""
RECORD = "record"
"""The variable of a `source` block: the raw record."""


def name(
    el: Elaborator, node: ast.Variable | ast.RawField, scope: Scope, expected: Type | None
) -> ir.Expr:
    """A variable, a let put in line, or a declared word as its own text."""
    if isinstance(node, ast.RawField):
        return _raw_field(el, node, scope)
    variable = scope.variables.get(node.name)
    if variable is not None:
        return ir.Var(node.span, variable.type, variable.name)
    constant = scope.constants.get(node.name)
    if constant is not None:
        return replace(constant, span=node.span)
    found = lets.find(el, node.name, scope)
    if found is not None:
        return lets.read(el, node, found, scope, expected)
    word = _word(el, node, scope, expected)
    return word if word is not None else _unknown(el, node, scope, expected)


def is_open_name(node: ast.Expr, el: Elaborator, scope: Scope) -> bool:
    """Whether what `node` means depends on its place: a literal, or a name that is no variable.

    Of two sides that are compared, such a one is looked at second.
    """
    match node:
        case ast.Text() | ast.ListLiteral():
            return True
        case ast.Variable(_, written):
            known = written in scope.variables or written in scope.constants
            return not known and lets.find(el, written, scope) is None
    return False


def is_quoted(node: ast.Variable) -> bool:
    """Whether the name stood in backticks (its span then covers them)."""
    written = node.span.end_column - node.span.column
    return not node.name.isidentifier() or written >= len(node.name) + 2


def _word(
    el: Elaborator, node: ast.Variable, scope: Scope, expected: Type | None
) -> ir.Expr | None:
    """A name that stands for its own text, where a text or an id is expected."""
    if scope.names_as_text:
        return ir.Const(node.span, TEXT, node.name)
    if expected is None or not (expected.is_textual or expected == EVENT_TYPE):
        return None
    known = vocabulary(el.symbols, expected)
    if known is not None:
        stands = node.name in known.words or (not known.closed and is_quoted(node))
    else:
        stands = is_quoted(node) or node.name in _declared(el)
    shape = TEXT if expected == EVENT_TYPE else Type(expected.name)
    return ir.Const(node.span, shape, node.name) if stands else None


def _declared(el: Elaborator) -> frozenset[str]:
    s = el.symbols
    declared = (s.subsystems, s.roles, s.actors, s.events, s.gates, s.links, s.silences)
    return frozenset().union(*declared)


def _unknown(el: Elaborator, node: ast.Variable, scope: Scope, expected: Type | None) -> ir.Expr:
    if expected is not None and is_error(expected):
        return el.bad(node.span)  # what it stands beside has been reported: it may be a word there
    known = vocabulary(el.symbols, expected) if expected is not None else None
    if known is not None and is_quoted(node):
        el.report(
            known.code,
            node.span,
            f"there is no {known.what} `{node.name}`",
            "not declared",
            did_you_mean(node.name, known.words),
        )
        return el.bad(node.span)
    where = f" in {scope.place}" if scope.place else ""
    el.report(
        codes.UNKNOWN_NAME,
        node.span,
        f"`{node.name}` stands for nothing{where}",
        "unknown name",
        _help(el, node.name, scope, expected),
    )
    return el.bad(node.span)


def _help(el: Elaborator, name: str, scope: Scope, expected: Type | None) -> str:
    """How to mend a name that stands for nothing: the nearest one, or what it may be meant as."""
    if expected is not None and expected.name == "role":
        return f"to ask for a role, write `holds({name})`"
    known = vocabulary(el.symbols, expected) if expected is not None else None
    words = known.words if known is not None else ()
    if name in _ELSEWHERE:
        return _ELSEWHERE[name]
    names = {*scope.variables, *scope.lets, *scope.constants, *el.symbols.lets, *words}
    if nearest(name, names) is not None:
        return did_you_mean(name, names)
    if expected is not None and (expected.is_textual or name in _declared(el)):
        return f'if it is a text, write `"{name}"`'
    return _readable(scope)


def _readable(scope: Scope) -> str:
    listed = ", ".join(f"`{written}`" for written in sorted(scope.variables))
    return f"here one can read {listed}" if listed else ""


def _raw_field(el: Elaborator, node: ast.RawField, scope: Scope) -> ir.Expr:
    if not scope.record:
        written = f".{node.name or ''}"
        el.report(
            codes.MISPLACED_NAME,
            node.span,
            f"`{written}` is a field of a raw record, which only `source` blocks have",
            "no record here",
        )
        return el.bad(node.span)
    record = ir.Var(node.span, JSON, RECORD)
    if node.name is None:
        return record
    return ir.RecordField(node.span, JSON, record, node.name)
