"""Expressions as rule text: what the handbook prints.

The text is that of the language, less what an elaborated rule has lost (parentheses that change
nothing, names of `let`s) and what readers of a rule need not see (conversions, as-of instants).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, TypeAlias, assert_never

from groundeval.functions import FUNCTIONS
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.ir.walk import operands
from groundeval.world.time import format_duration, format_instant

_Field: TypeAlias = (
    ir.Attribute | ir.RecordField | ir.Item | ir.EventField | ir.EventArtifacts
    | ir.ArtifactField | ir.ActorField | ir.RoleList
)  # fmt: skip
_Infix: TypeAlias = (
    ir.Coalesce | ir.Or | ir.And | ir.Equal | ir.Order | ir.Membership | ir.Overlaps
    | ir.SetOperation | ir.Arithmetic
)  # fmt: skip
_Postfix: TypeAlias = ir.Matches | ir.IsMissing | ir.Not | ir.Negate
_Open: TypeAlias = ir.If | ir.Quantifier
_Built: TypeAlias = ir.Comprehension | ir.ListOf | ir.RecordOf | ir.Text

_OPEN, _COALESCE, _OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _TIGHT = range(10)

_Piece: TypeAlias = tuple[str, int]
"""A text, and how tightly it holds together: the language's table of precedence."""
_Names: TypeAlias = Mapping[str, _Piece]

_PLURAL_PART: Final = {"artifacts": ".artifacts", "facts": ".facts", "any": "", "extra": ""}
_CONVERSIONS: Final = frozenset({"as_time/2"})
_ESCAPES: Final = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t", "{": "{{", "}": "}}"}
_PROPERTIES: Final = frozenset({"label/1", "keys/1"})


def rule_text(expr: Expr) -> str:
    """`expr` as it would stand in a rule, on one line."""
    return _piece(expr, {})[0]


def hole_text(text: ir.Text) -> str:
    """A text with its holes in braces, without quotes: `postmortem {t.jira}`."""
    return "".join(part if isinstance(part, str) else _hole(part, {}) for part in text.parts)


def _piece(expr: Expr, names: _Names) -> _Piece:
    match expr:
        case ir.Const():
            return _constant(expr.value, expr.type), _TIGHT
        case ir.Var(name=name):
            return names.get(name, (name.replace(".", "_"), _TIGHT))
        case ir.Bind():
            bound = _piece(expr.value, names)
            return _piece(expr.body, {**names, expr.name: bound})
        case ir.AsList(operand=operand) | ir.ToNumber(operand=operand):
            return _piece(operand, names)
        case ir.Call():
            return _call(expr, names)
        case _:
            return _compound(expr, names)


def _compound(expr: _Field | _Infix | _Postfix | _Open | _Built, names: _Names) -> _Piece:
    if isinstance(expr, _Field):
        return _field(expr, names), _TIGHT
    if isinstance(expr, _Infix):
        return _infix(expr, names)
    if isinstance(expr, _Postfix):
        return _postfix(expr, names)
    if isinstance(expr, _Open):
        return _reaching(expr, names), _OPEN
    return _built(expr, names), _TIGHT


def _within(expr: Expr, level: int, names: _Names) -> str:
    """The text of a part that must hold together at least as tightly as `level`."""
    text, own = _piece(expr, names)
    return text if own >= level else f"({text})"


def _field(expr: _Field, names: _Names) -> str:
    base = _within(expr.base, _TIGHT, names)
    match expr:
        case ir.Item():
            return f"{base}[{_within(expr.key, _OPEN, names)}]"
        case ir.EventArtifacts():
            return f"{base}.artifacts"
        case ir.EventField():
            return f"{base}{_PLURAL_PART[expr.part]}.{_name(expr.name)}"
        case _:
            return f"{base}.{_name(expr.name)}"


def _infix(expr: _Infix, names: _Names) -> _Piece:
    word, level, parts = _operator(expr)
    if isinstance(expr, ir.And | ir.Or):
        return f" {word} ".join(_within(p, level + 1, names) for p in operands(expr)), level
    # Comparisons do not chain; the other operators group to the left.
    first = level + 1 if level == _COMPARE else level
    left = _within(parts[0], first, names)
    return f"{left} {word} {_within(parts[1], level + 1, names)}", level


def _operator(expr: _Infix) -> tuple[str, int, tuple[Expr, Expr]]:
    match expr:
        case ir.Coalesce():
            return "??", _COALESCE, (expr.left, expr.right)
        case ir.Or():
            return "or", _OR, (expr.left, expr.right)
        case ir.And():
            return "and", _AND, (expr.left, expr.right)
        case ir.Membership():
            word = "not in" if expr.negated else "in"
            return word, _COMPARE, (expr.item, expr.collection)
        case _:
            return _symbol(expr)


def _symbol(
    expr: ir.Equal | ir.Order | ir.Overlaps | ir.SetOperation | ir.Arithmetic,
) -> tuple[str, int, tuple[Expr, Expr]]:
    parts = (expr.left, expr.right)
    match expr:
        case ir.Equal():
            return "!=" if expr.negated else "==", _COMPARE, parts
        case ir.Order():
            return expr.op, _COMPARE, parts
        case ir.Overlaps():
            return "overlaps", _COMPARE, parts
        case ir.SetOperation():
            return expr.op, _SUM, parts
        case ir.Arithmetic():
            return expr.op, _PRODUCT if expr.op in "*/" else _SUM, parts
        case _:
            assert_never(expr)


def _postfix(expr: _Postfix, names: _Names) -> _Piece:
    match expr:
        case ir.Not():
            return f"not {_within(expr.operand, _NOT, names)}", _NOT
        case ir.Negate():
            return f"-{_within(expr.operand, _UNARY, names)}", _UNARY
        case ir.Matches():
            # A pattern stands as it is written: its backslashes are its own.
            return f'{_within(expr.operand, _SUM, names)} matches "{expr.pattern}"', _COMPARE
        case ir.IsMissing():
            word = "is not missing" if expr.negated else "is missing"
            return f"{_within(expr.operand, _SUM, names)} {word}", _COMPARE
        case _:
            assert_never(expr)


def _reaching(expr: _Open, names: _Names) -> str:
    """The forms that reach as far to the right as they can."""
    match expr:
        case ir.If():
            condition = _within(expr.condition, _COALESCE, names)
            then = _within(expr.then, _COALESCE, names)
            return f"if {condition} then {then} else {_within(expr.otherwise, _OPEN, names)}"
        case ir.Quantifier():
            variable = expr.variable.replace(".", "_")
            collection = _within(expr.collection, _SUM, names)
            return f"{expr.kind} {variable} in {collection}: {_within(expr.body, _OPEN, names)}"
        case _:
            assert_never(expr)


def _built(expr: _Built, names: _Names) -> str:
    match expr:
        case ir.Text():
            parts = (_escaped(p) if isinstance(p, str) else _hole(p, names) for p in expr.parts)
            return f'"{"".join(parts)}"'
        case ir.ListOf():
            return f"[{', '.join(_within(item, _OPEN, names) for item in expr.items)}]"
        case ir.RecordOf():
            entries = (f"{_name(k)}: {_within(v, _OPEN, names)}" for k, v in expr.entries)
            return f"{{ {' '.join(entries)} }}"
        case ir.Comprehension():
            return _comprehension(expr, names)
        case _:
            assert_never(expr)


def _comprehension(expr: ir.Comprehension, names: _Names) -> str:
    variable = expr.variable.replace(".", "_")
    item = _within(expr.item, _OPEN, names)
    text = f"{item} for {variable} in {_within(expr.collection, _SUM, names)}"
    if expr.condition is not None:
        text += f" if {_within(expr.condition, _OPEN, names)}"
    return f"[{text}]" if expr.kind == "list" else f"{{{text}}}"


def _call(expr: ir.Call, names: _Names) -> _Piece:
    if expr.function in _CONVERSIONS:
        return _piece(expr.arguments[0], names)
    name = expr.function.partition("/")[0]
    if expr.function in _PROPERTIES:
        return f"{_within(expr.arguments[0], _TIGHT, names)}.{name}", _TIGHT
    if expr.function == "holds/2":
        return f"holds({_role(expr.arguments[1])})", _TIGHT
    function = FUNCTIONS.get(expr.function)
    written = expr.arguments[:-1] if function is not None and function.zoned else expr.arguments
    arguments = [_within(argument, _OPEN, names) for argument in written]
    if function is not None and function.method:
        base = _within(expr.arguments[0], _TIGHT, names)
        return f"{base}.{name}({', '.join(arguments[1:])})", _TIGHT
    return f"{name}({', '.join(arguments)})", _TIGHT


def _role(expr: Expr) -> str:
    return _name(expr.value) if isinstance(expr, ir.Const) else rule_text(expr)


def _hole(hole: ir.Hole, names: _Names) -> str:
    shown = _piece(hole.expr, names)[0].replace('"', "`")
    return f"{{{shown}{f':{hole.format}' if hole.format else ''}}}"


def _constant(value: Any, shape: Type) -> str:
    if isinstance(value, tuple | frozenset | list):
        items = value if isinstance(value, tuple | list) else sorted(value, key=repr)
        return f"[{', '.join(_constant(item, shape.item or shape) for item in items)}]"
    if value is None:
        return "missing"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return _quoted(value)
    if shape.name == "time" and isinstance(value, int):
        return format_instant(value)
    if shape.name == "duration" and isinstance(value, int):
        return format_duration(value)
    return str(int(value)) if float(value).is_integer() else str(value)


def _quoted(text: str) -> str:
    return f'"{_escaped(text)}"'


def _escaped(text: str) -> str:
    """A text as it stands between quotes; a brace would open a hole."""
    return "".join(
        _ESCAPES.get(c) or (c if c.isprintable() else f"\\u{{{ord(c):x}}}") for c in text
    )


def _name(name: str) -> str:
    """A name, in backticks where it is none that can stand bare."""
    bare = name.replace("_", "a").isalnum() and not name[:1].isdigit()
    return name if bare else f"`{name}`"
