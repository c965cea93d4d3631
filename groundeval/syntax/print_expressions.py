"""Expressions and texts in their one layout, with no more parentheses than they need."""

from __future__ import annotations

from typing import TypeAlias, assert_never

from groundeval.syntax import ast
from groundeval.syntax.automaton import OPERATORS, QUANTIFIERS
from groundeval.syntax.tokens import is_word

# How tightly each form binds, from loose to tight.
OPEN, COALESCE, OR, AND, NOT, COMPARE, SUM, PRODUCT, UNARY, POSTFIX, ATOM = range(11)

_Infix: TypeAlias = (
    ast.Coalesce | ast.Or | ast.And | ast.Compare | ast.Membership | ast.Overlaps | ast.Binary
)
_RESERVED = OPERATORS | {"true", "false", "missing", "pairwise"}
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "{": "{{", "}": "}}"}


def print_expr(expr: ast.Expr) -> str:
    """`expr` on one line; parsing it gives the same tree again."""
    return at(expr, OPEN, tail=True)


def print_sum(expr: ast.Expr) -> str:
    """`expr` as a clause takes it whose grammar asks for a `sum`: looser forms in parentheses."""
    return at(expr, SUM)


def at(expr: ast.Expr, level: int, *, tail: bool = False) -> str:
    """`expr` where only what binds as tightly as `level` may stand without parentheses.

    An open form (`if`, a quantifier) may also end a chain of looser operators, where nothing of
    the same chain comes after it (`tail`).
    """
    own = _level(expr)
    if own >= level or (own == OPEN and tail and level <= NOT):
        return _bare(expr, tail=tail)
    return f"({_bare(expr, tail=True)})"


def _level(expr: ast.Expr) -> int:
    match expr:
        case ast.If() | ast.Quantifier():
            return OPEN
        case ast.Coalesce():
            return COALESCE
        case ast.Or():
            return OR
        case ast.And():
            return AND
        case ast.Not():
            return NOT
        case ast.Compare() | ast.Membership() | ast.Overlaps() | ast.Matches() | ast.IsMissing():
            return COMPARE
        case ast.Binary():
            return PRODUCT if expr.op in {"*", "/"} else SUM
        case ast.Negate():
            return UNARY
        case ast.Attribute() | ast.Index() | ast.Call():
            return POSTFIX
        case _:
            return ATOM


def _bare(expr: ast.Expr, *, tail: bool) -> str:
    match expr:
        case ast.If():
            return _if(expr)
        case ast.Quantifier():
            head = f"{expr.kind} {print_name(expr.variable)} in {at(expr.collection, SUM)}"
            return f"{head}: {print_expr(expr.body)}"
        case ast.Not():
            return f"not {at(expr.operand, NOT, tail=tail)}"
        case ast.Matches():
            return f"{at(expr.left, SUM)} matches {_pattern(expr.pattern)}"
        case ast.IsMissing():
            return f"{at(expr.operand, SUM)} is {'not ' if expr.negated else ''}missing"
        case ast.Negate():
            return f"-{at(expr.operand, UNARY)}"
        case (
            ast.Coalesce() | ast.Or() | ast.And() | ast.Compare() | ast.Membership()
            | ast.Overlaps() | ast.Binary()
        ):  # fmt: skip
            return _infix(expr, tail=tail)
        case ast.Attribute() | ast.Index() | ast.Call():
            return _postfix(expr)
        case _:
            return _atom(expr)


def _if(expr: ast.If) -> str:
    condition, then = at(expr.condition, COALESCE), at(expr.then, COALESCE)
    return f"if {condition} then {then} else {print_expr(expr.otherwise)}"


def _infix(expr: _Infix, *, tail: bool) -> str:
    match expr:
        case ast.Coalesce():
            sign, left, right = "??", COALESCE, OR
        case ast.Or():
            sign, left, right = "or", OR, AND
        case ast.And():
            sign, left, right = "and", AND, NOT
        case ast.Compare():
            sign, left, right = expr.op, SUM, SUM
        case ast.Membership():
            sign, left, right = "not in" if expr.negated else "in", SUM, SUM
        case ast.Overlaps():
            sign, left, right = "overlaps", SUM, SUM
        case ast.Binary():
            own = _level(expr)
            sign, left, right = expr.op, own, own + 1
        case _:
            assert_never(expr)
    if isinstance(expr, ast.And | ast.Or):
        first, *more, last = ast.operands(expr)
        parts = [at(first, left), *(at(part, right) for part in more), at(last, right, tail=tail)]
        return f" {sign} ".join(parts)
    return f"{at(expr.left, left)} {sign} {at(expr.right, right, tail=tail)}"


def _postfix(expr: ast.Attribute | ast.Index | ast.Call) -> str:
    match expr:
        case ast.Attribute():
            return f"{_base(expr.base)}.{print_name(expr.name)}"
        case ast.Index():
            return f"{_base(expr.base)}[{print_expr(expr.key)}]"
        case ast.Call():
            return f"{_base(expr.callee)}({', '.join(map(_argument, expr.arguments))})"
        case _:
            assert_never(expr)


def _base(expr: ast.Expr) -> str:
    # followed by a sign, so a quantifier's word is a name here: `max(1, 2)`
    if isinstance(expr, ast.Variable) and expr.name in QUANTIFIERS:
        return expr.name
    return at(expr, POSTFIX)


def _argument(argument: ast.Argument) -> str:
    value = print_expr(argument.value)
    return f"{print_name(argument.name)}: {value}" if argument.name else value


_Atom: TypeAlias = (
    ast.Constant | ast.Number | ast.Duration | ast.InstantLiteral | ast.Text | ast.Variable
    | ast.RawField | ast.Comprehension | ast.ListLiteral | ast.Record
)  # fmt: skip


def _atom(expr: _Atom) -> str:
    match expr:
        case ast.Constant():
            return {True: "true", False: "false", None: "missing"}[expr.value]
        case ast.Number() | ast.Duration() | ast.InstantLiteral():
            return expr.text
        case ast.Text():
            return print_text(expr)
        case ast.Variable():
            reserved = expr.name in _RESERVED or expr.name in QUANTIFIERS
            return f"`{expr.name}`" if reserved else print_word(expr.name)
        case ast.RawField():
            return "." if expr.name is None else f".{print_word(expr.name)}"
        case ast.Comprehension():
            return _comprehension(expr)
        case ast.ListLiteral():
            return f"[{', '.join(map(print_expr, expr.items))}]"
        case ast.Record():
            return print_record(expr)
        case _:
            assert_never(expr)


def _comprehension(expr: ast.Comprehension) -> str:
    first, last = ("[", "]") if expr.kind == "list" else ("{", "}")
    item, collection = print_expr(expr.item), at(expr.collection, SUM)
    condition = f" if {print_expr(expr.condition)}" if expr.condition is not None else ""
    return f"{first}{item} for {print_name(expr.variable)} in {collection}{condition}{last}"


def print_record(record: ast.Record) -> str:
    """A record on one line: `{ key: value   key: value }`."""
    if not record.entries:
        return "{}"
    return "{ " + "   ".join(map(print_entry, record.entries)) + " }"


def print_entry(entry: ast.Entry) -> str:
    """One `key: value` of a record."""
    return f"{print_name(entry.key)}: {print_expr(entry.value)}"


def print_name(name: ast.Name) -> str:
    """A name as it was written, in backticks where it needs them."""
    return f"`{name.text}`" if name.quoted else print_word(name.text)


def print_word(word: str) -> str:
    """A bare word where it can stand as one, else in backticks."""
    return word if is_word(word) else f"`{word}`"


def print_text(text: ast.Text) -> str:
    """A text in quotes, its special characters escaped."""
    return (
        '"' + "".join(_hole(p) if isinstance(p, ast.Hole) else escape(p) for p in text.parts) + '"'
    )


def escape(plain: str) -> str:
    """`plain` as it stands between quotes."""
    return "".join(
        _ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}") for c in plain
    )


def _hole(hole: ast.Hole) -> str:
    inside = print_expr(hole.expr)
    space = " " if inside.startswith("{") else ""  # `{{` would be a brace
    form = f":{print_word(hole.format)}" if hole.format is not None else ""
    return f"{{{space}{inside}{form}{space}}}"


def _pattern(pattern: ast.Text) -> str:
    return '"' + "".join(part for part in pattern.parts if isinstance(part, str)) + '"'
