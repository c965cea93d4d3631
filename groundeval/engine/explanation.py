"""Why an expression has its value: the values of its parts, and the field that was missing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeAlias

from groundeval.diagnostics import Span
from groundeval.engine.evaluator import Env, evaluate
from groundeval.engine.values import Value, items
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.ir.walk import nodes, parts

_Field: TypeAlias = (
    ir.Attribute
    | ir.RecordField
    | ir.Item
    | ir.EventField
    | ir.EventArtifacts
    | ir.ArtifactField
    | ir.ActorField
    | ir.RoleList
)


@dataclass(frozen=True, slots=True)
class SubValue:
    """A part of an expression and what it is worth.

    `where` holds the bound variables that the part was evaluated with, outermost first: of a
    quantifier's body the item that decided it stands there.
    """

    span: Span
    type: Type
    value: Value
    where: tuple[tuple[str, Value], ...] = ()


def explain(expr: Expr, env: Env, host: Host) -> tuple[SubValue, ...]:
    """The value of `expr`, then those of its parts, each before its own parts.

    Left out are literals, branches that were not taken, and bodies of quantifiers but for the
    item that decides: the first that makes `any` true or `all` false.
    """
    return tuple(_explained(expr, env, host, ()))


def _explained(
    expr: Expr, env: Env, host: Host, where: tuple[tuple[str, Value], ...]
) -> Iterator[SubValue]:
    if isinstance(expr, ir.Const):
        return
    yield SubValue(expr.span, expr.type, evaluate(expr, env, host), where)
    for part in _taken(expr, env, host):
        yield from _explained(part, env, host, where)
    name, value, body = _bound(expr, env, host)
    if body is not None:
        inner = {**env, name: value}
        yield from _explained(body, inner, host, (*where, (name, value)))


def _taken(expr: Expr, env: Env, host: Host) -> Iterator[Expr]:
    """The parts that are evaluated in the same environment and count."""
    match expr:
        case ir.If():
            yield from _branch(expr, env, host)
        case ir.Coalesce():
            yield expr.left
            if evaluate(expr.left, env, host) is None:
                yield expr.right
        case ir.Quantifier() | ir.Comprehension():
            yield expr.collection
        case ir.Bind():
            yield expr.value
        case (
            ir.RecordField(base=base)
            | ir.Attribute(base=base)
            | ir.EventField(base=base)
            | ir.ActorField(base=base)
            | ir.ArtifactField(base=base)
        ):
            yield from () if isinstance(base, ir.Var) else (base,)
        case _:
            yield from parts(expr)


def _branch(expr: ir.If, env: Env, host: Host) -> Iterator[Expr]:
    yield expr.condition
    condition = evaluate(expr.condition, env, host)
    if isinstance(condition, bool):
        yield expr.then if condition else expr.otherwise


def _bound(expr: Expr, env: Env, host: Host) -> tuple[str, Value, Expr | None]:
    """A variable that `expr` binds, the value worth showing, and the expression that reads it."""
    if isinstance(expr, ir.Bind):
        return expr.name, evaluate(expr.value, env, host), expr.body
    if isinstance(expr, ir.Quantifier) and expr.kind in {"any", "all"}:
        for item in items(evaluate(expr.collection, env, host)) or ():
            true = evaluate(expr.body, {**env, expr.variable: item}, host) is True
            if true == (expr.kind == "any"):
                return expr.variable, item, expr.body
    return "", None, None


def missing_field(expr: Expr, env: Env, host: Host) -> str | None:
    """The first field, in the order of the source, that makes the value of `expr` missing.

    It is written as in rules (`artifact.created`). None where the value is not missing, or where
    no field is to blame. A field that `??` replaces is not to blame; one that is there and does
    not fit (a text where a number is compared) is.
    """
    if evaluate(expr, env, host) is not None:
        return None
    if isinstance(expr, ir.Bind):
        return _missing_through(expr, env, host)
    for part in _taken(expr, env, host):
        if not isinstance(part, ir.Const) and evaluate(part, env, host) is None:
            found = missing_field(part, env, host)
            if found is not None:
                return found
    if isinstance(expr, _Field | ir.Var):
        return spelled(expr)
    return next((spelled(node) for node in nodes(expr) if isinstance(node, _Field)), None)


def _missing_through(expr: ir.Bind, env: Env, host: Host) -> str | None:
    """What is missing in the body, with the bound name spelled as what it stands for."""
    inner = {**env, expr.name: evaluate(expr.value, env, host)}
    found = missing_field(expr.body, inner, host)
    if found == expr.name:
        return missing_field(expr.value, env, host)
    if found is not None and found.startswith(f"{expr.name}."):
        return spelled(expr.value) + found.removeprefix(expr.name)
    return found


def spelled(expr: Expr) -> str:
    """A variable or field as rules write it; what it is a field of in short."""
    match expr:
        case ir.Var():
            return expr.name
        case ir.EventArtifacts():
            return f"{spelled(expr.base)}.artifacts"
        case ir.EventField() if expr.part in {"artifacts", "facts"}:
            return f"{spelled(expr.base)}.{expr.part}.{_word(expr.name)}"
        case ir.Item(key=ir.Const(value=key)):
            return f'{spelled(expr.base)}["{key}"]'
        case ir.Item():
            return f"{spelled(expr.base)}[…]"
        case ir.Attribute() | ir.RecordField() | ir.EventField():
            return f"{spelled(expr.base)}.{_word(expr.name)}"
        case ir.ArtifactField() | ir.ActorField() | ir.RoleList():
            return f"{spelled(expr.base)}.{_word(expr.name)}"
        case _:
            return "(…)"


def _word(name: Any) -> str:
    """A name, in backticks where it could not stand without."""
    return name if name.isidentifier() else f"`{name}`"
