"""Lets: put in line where they are used, or read by name where a track has computed them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.semantics.elaborate.placing import in_order
from groundeval.semantics.elaborate.types import is_error
from groundeval.semantics.scope import Variable
from groundeval.syntax import ast

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundeval.diagnostics import Span
    from groundeval.ir.types import Type
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope


def find(el: Elaborator, name: str, scope: Scope) -> ast.Let | None:
    """The let of that name: a track's own before the domain's."""
    return scope.lets.get(name) or el.symbols.lets.get(name)


def read(
    el: Elaborator, node: ast.Variable, let: ast.Let, scope: Scope, expected: Type | None
) -> ir.Expr:
    """A let that is named without arguments."""
    el.used_lets.add(let.span)
    if let.parameters:
        el.report(
            codes.WRONG_ARGUMENTS,
            node.span,
            f"`{node.name}` takes {_count(len(let.parameters))}",
            "named without any",
            f"write `{_signature(let)}`",
        )
        return el.bad(node.span)
    shape = scope.definitions.get(node.name)
    if shape is not None and node.name in scope.lets:
        return ir.Var(node.span, shape, node.name)
    return _body(el, let, node.span, replace(scope, variables=_context(scope)), expected)


def expand(el: Elaborator, node: ast.Call, let: ast.Let, scope: Scope) -> ir.Expr:
    """A let that is called: its arguments bound to fresh names, then its body."""
    el.used_lets.add(let.span)
    if len(node.arguments) != len(let.parameters):
        given = _count(len(node.arguments))
        el.report(
            codes.WRONG_ARGUMENTS,
            node.span,
            f"`{let.name.text}` takes {_count(len(let.parameters))}, not {given}",
            given,
            f"write `{_signature(let)}`",
        )
        return el.bad(node.span)
    names = [p.text for p in let.parameters]
    once = len(set(names)) == len(names)  # what stands twice is reported where it stands
    arguments = in_order(el, let.name.text, names, node.arguments) if once else None
    if arguments is None:
        return el.bad(node.span)
    bound = dict(_context(scope))
    values: list[tuple[str, ir.Expr]] = []
    for parameter, argument in zip(let.parameters, arguments, strict=True):
        value = el.visit(argument.value, scope)
        events = event_types(value, scope)
        name = el.fresh(parameter.text, scope)
        bound[parameter.text] = Variable(name, value.type, events)
        values.append((name, value))
    body = _body(el, let, node.span, replace(scope, variables=bound), None)
    if is_error(body.type):
        return body
    for name, value in reversed(values):
        body = ir.Bind(node.span, body.type, name, value, body)
    return body


def event_types(found: ir.Expr, scope: Scope) -> frozenset[str]:
    """What the type of an event can be, where a variable says so."""
    if not isinstance(found, ir.Var):
        return frozenset()
    known = (v.event_types for v in scope.variables.values() if v.name == found.name)
    return next(known, frozenset())


def _body(
    el: Elaborator,
    let: ast.Let,
    span: Span,
    scope: Scope,
    expected: Type | None,
) -> ir.Expr:
    """The let's expression in `scope`, which has the variables that it may read."""
    name = let.name.text
    if name in el.expanding:
        _report_cycle(el, name, span)
        return el.bad(span)
    if el.is_too_large(span):
        return el.bad(span)
    if name not in scope.lets:  # the domain's lets do not see a track's
        scope = replace(scope, lets={}, definitions={}, constants={})
    el.expanding.append(name)
    found = el.visit(let.value, scope, expected)
    el.expanding.pop()
    return found


def _report_cycle(el: Elaborator, name: str, span: Span) -> None:
    """Report a circle of lets, once for all places from where it can be entered."""
    cycle = el.expanding[el.expanding.index(name) :]
    if frozenset(cycle) in el.cycles:
        return
    el.cycles.add(frozenset(cycle))
    el.report(
        codes.LET_CYCLE,
        span,
        f"the let `{name}` uses itself",
        "which leads back to it",
        " → ".join(f"`{n}`" for n in (*cycle, name)),
    )


def _context(scope: Scope) -> Mapping[str, Variable]:
    return scope.context if scope.context is not None else scope.variables


def _count(n: int) -> str:
    return {0: "no argument", 1: "one argument", 2: "two arguments"}.get(n, f"{n} arguments")


def _signature(let: ast.Let) -> str:
    if not let.parameters:
        return let.name.text
    return f"{let.name.text}({', '.join(p.text for p in let.parameters)})"
