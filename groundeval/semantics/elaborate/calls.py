"""Calls: lets, `holds(R)`, and the functions of the language."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.functions import FUNCTION_NAMES, FUNCTIONS, Function
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, TEXT, Type
from groundeval.semantics.elaborate import lets
from groundeval.semantics.elaborate.arguments import argument, of_one_kind
from groundeval.semantics.elaborate.placing import in_order
from groundeval.semantics.elaborate.types import is_error
from groundeval.syntax import ast
from groundeval.syntax.automaton import QUANTIFIERS

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_PLACES = {"ask": "`ask for`", "truth": "a truth", "score": "a score"}
_ELSEWHERE = {
    "now": "rules read no clock: `as_of`, the times of events and params are data",
    "len": "write `size(xs)`",
    "length": "write `size(xs)`",
    "exists": "write `… is not missing`, or `any x in xs: …`",
    "contains": "write `x in xs`",
    "includes": "write `x in xs`",
    "intersects": "write `xs overlaps ys`",
    "date": "write the instant without quotes, as in `2026-03-05`",
}
"""How what other languages call a function is said in this one."""


def call(el: Elaborator, node: ast.Call, scope: Scope) -> ir.Expr:
    """`f(x)`, or `s.f(x)` for methods."""
    match node.callee:
        case ast.Variable(span, name):
            let = lets.find(el, name, scope)
            if let is not None:
                return lets.expand(el, node, let, scope)
            if name == "holds":
                return _holds(el, node, scope)
            return _function(el, node, _Called(ast.Name(span, name), node.arguments), scope)
        case ast.Attribute(_, base, name):
            first = ast.Argument(base.span, None, base)
            called = _Called(name, (first, *node.arguments), method=True)
            return _function(el, node, called, scope)
    el.report(
        codes.UNKNOWN_FUNCTION, node.callee.span, "only a name can be called", "not a function"
    )
    return el.bad(node.span)


@dataclass(frozen=True, slots=True)
class _Called:
    """What is called, with what; the object of a method is its first argument."""

    name: ast.Name
    arguments: tuple[ast.Argument, ...]
    method: bool = False


def _function(el: Elaborator, node: ast.Call, called: _Called, scope: Scope) -> ir.Expr:
    name, arguments, method = called.name, called.arguments, called.method
    family = [f for f in FUNCTIONS.values() if f.name == name.text and not f.hidden]
    family = [f for f in family if f.method == method]
    if not family:
        return _unknown(el, node, name, scope, method=method)
    here = [f for f in family if f.where in scope.functions]
    if not here:
        return _misplaced(el, node, name, family[0], scope)
    fitting = [f for f in here if len(f.written) == len(arguments)]
    if not fitting:
        return _wrong_count(el, node, name, here, method=method)
    return _apply(el, node, fitting[0], arguments, scope)


def _apply(
    el: Elaborator,
    node: ast.Call,
    function: Function,
    written: tuple[ast.Argument, ...],
    scope: Scope,
) -> ir.Expr:
    names = [p.name for p in function.written]
    ordered = in_order(el, function.name, names, written)
    if ordered is None:
        return el.bad(node.span)
    values = tuple(
        argument(el, function, parameter, a.value, scope)
        for parameter, a in zip(function.written, ordered, strict=True)
    )
    if is_error(*(v.type for v in values)) or not of_one_kind(el, node, function, values):
        return el.bad(node.span)
    if function.name == "as_bool" and scope.raw_answer:
        values = (_raw(values[0]),)
    if function.zoned:
        values = (*values, _zone(el, node, scope))
    optional = function.result.optional or (
        not function.takes_missing and any(v.type.optional for v in values)
    )
    result = replace(function.result, optional=optional)
    return ir.Call(node.span, result, function.key, values)


def _zone(el: Elaborator, node: ast.Call, scope: Scope) -> ir.Expr:
    """The zone of times that name none in this place, "" for none."""
    return ir.Const(node.span, TEXT, scope.zone or el.symbols.timezone or "")


def _raw(value: ir.Expr) -> ir.Expr:
    """`as_bool(answer.x)` reads what the agent wrote, whatever its type."""
    match value:
        case ir.RecordField(span, _, ir.Var(_, _, "answer") as base, name):
            any_kind = Type("json", optional=True)
            raw = replace(base, name="raw_answer", type=any_kind)
            return ir.RecordField(span, any_kind, raw, name)
    return value


def _holds(el: Elaborator, node: ast.Call, scope: Scope) -> ir.Expr:
    """`holds(R)`: R is the name of a role, not a value."""
    role = scope.variables.get("role")
    if role is None or role.type.name != "role":
        el.report(
            codes.MISPLACED_NAME,
            node.span,
            "`holds` asks for the roles of the actor, and there is none here",
            "not in a gate",
        )
        return el.bad(node.span)
    match node.arguments:
        case (ast.Argument(_, None, ast.Variable(span, name)),):
            pass
        case (ast.Argument(_, None, ast.Text(span, (str(name),))),):
            pass
        case _:
            el.report(
                codes.WRONG_ARGUMENTS,
                node.span,
                "`holds` takes the name of one role",
                "",
                "write `holds(ROLE)`",
            )
            return el.bad(node.span)
    known = {*el.symbols.roles, *(el.symbols.data.roles if el.symbols.data else ())}
    if known and name not in known and not el.symbols.open_roles:
        el.report(
            codes.UNKNOWN_ROLE,
            span,
            f"there is no role `{name}`",
            "not declared",
            did_you_mean(name, known),
        )
        return el.bad(node.span)
    variable = ir.Var(node.span, role.type, role.name)
    return ir.Call(node.span, BOOL, "holds/2", (variable, ir.Const(span, TEXT, name)))


def _unknown(
    el: Elaborator, node: ast.Call, name: ast.Name, scope: Scope, *, method: bool
) -> ir.Expr:
    what = "method" if method else "function"
    el.report(
        codes.UNKNOWN_FUNCTION,
        name.span,
        f"there is no {what} `{name.text}`",
        f"unknown {what}",
        _help(el, name.text, scope, method=method),
    )
    return el.bad(node.span)


def _help(el: Elaborator, name: str, scope: Scope, *, method: bool) -> str:
    """How to mend a call of what is no function: how the same is said here, or the nearest name."""
    if method:
        known = {f.name for f in FUNCTIONS.values() if f.method}
        return did_you_mean(name, known) if nearest(name, known) else "fields are read without `()`"
    if name in QUANTIFIERS:
        return f"write `{name} x in xs: …`" + (", or `size(xs)`" if name == "count" else "")
    if name in scope.variables or name in scope.constants:
        return "leave out the `()`"
    close = nearest(name, {*FUNCTION_NAMES, *el.symbols.lets, *scope.lets})
    return f"did you mean `{close}`?" if close is not None else _ELSEWHERE.get(name, "")


def _misplaced(
    el: Elaborator, node: ast.Call, name: ast.Name, function: Function, scope: Scope
) -> ir.Expr:
    el.report(
        codes.MISPLACED_NAME,
        name.span,
        f"`{name.text}` cannot be called in {scope.place or 'this place'}",
        "not here",
        f"it belongs in {_PLACES.get(function.where, 'another place')}",
    )
    return el.bad(node.span)


def _wrong_count(
    el: Elaborator, node: ast.Call, name: ast.Name, known: list[Function], *, method: bool
) -> ir.Expr:
    given = len(node.arguments)
    listed = " or ".join(f"`{_written(f, method=method)}`" for f in known)
    el.report(
        codes.WRONG_ARGUMENTS,
        node.span,
        f"`{name.text}` is not called with {given} argument{'' if given == 1 else 's'}",
        f"{given} given",
        f"write {listed}",
    )
    return el.bad(node.span)


def _written(function: Function, *, method: bool) -> str:
    names = [p.name for p in function.written]
    if method:
        return f"{names[0]}.{function.name}({', '.join(names[1:])})"
    return f"{function.name}({', '.join(names)})"
