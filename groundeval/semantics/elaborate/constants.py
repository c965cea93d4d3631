"""Constants: the value of an expression that reads nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.semantics.elaborate.types import describe, fits, is_error

if TYPE_CHECKING:
    from groundeval.diagnostics import Span
    from groundeval.ir.types import Type
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope
    from groundeval.syntax import ast


_WRITTEN = {
    "duration": "write a length of time without quotes and with its unit, as in `7d`",
    "time": "write an instant without quotes, as in `2026-03-05` or `2026-03-05T10:00:00Z`",
}


class _NotConstantError(Exception):
    """Raised inside this module only, at the part that depends on something."""

    def __init__(self, span: Span) -> None:
        super().__init__()
        self.span = span


def constant(el: Elaborator, node: ast.Expr, scope: Scope, expected: Type | None) -> Any:
    """The value, or None after a finding."""
    found = el.visit(node, scope, expected)
    if is_error(found.type):
        return None
    if expected is not None and not fits(found.type, expected):
        el.report(
            codes.TYPE_MISMATCH,
            found.span,
            f"{describe(expected)} is needed here, not {describe(found.type)}",
            describe(found.type),
            _WRITTEN.get(expected.name, ""),
        )
        return None
    try:
        return _value(found)
    except _NotConstantError as refused:
        el.report(
            codes.NOT_CONSTANT,
            refused.span,
            "only a constant may stand here",
            "depends on something",
            "write the value out",
        )
        return None


def _value(found: ir.Expr) -> Any:
    match found:
        case ir.Const():
            return found.value
        case ir.ListOf():
            return tuple(_value(item) for item in found.items)
        case ir.RecordOf():
            return {key: _value(value) for key, value in found.entries}
        case ir.Negate():
            return -_value(found.operand)
        case ir.Arithmetic():
            return _arithmetic(found)
        case _:
            raise _NotConstantError(found.span)


def _arithmetic(found: ir.Arithmetic) -> Any:
    left, right = _value(found.left), _value(found.right)
    match found.op:
        case "+":
            value = left + right
        case "-":
            value = left - right
        case "*":
            value = left * right
        case "/" if right == 0:
            raise _NotConstantError(found.right.span)
        case _:
            value = left / right
    if found.type.name in {"time", "duration"}:
        return round(value)
    return value
