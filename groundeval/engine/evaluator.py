"""The plain evaluator: a walk over the expression, and the definition of what rules mean.

It says what each node is worth and nothing about speed. `closures` compiles the same expressions;
the two share no code of evaluation, and tests hold their values equal. Evaluating is total: no
value that the types allow makes it raise.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias, assert_never

from groundeval.engine import values
from groundeval.engine.values import Value, items, truth
from groundeval.functions import FUNCTIONS, Host
from groundeval.functions.frozen import freeze
from groundeval.functions.text import show
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.ir.walk import operands
from groundeval.world.events import Event, one_or_many

Env: TypeAlias = Mapping[str, Value]

_FieldNode: TypeAlias = (
    ir.Attribute
    | ir.RecordField
    | ir.Item
    | ir.EventField
    | ir.EventArtifacts
    | ir.ArtifactField
    | ir.ActorField
    | ir.RoleList
)
_LogicNode: TypeAlias = ir.Not | ir.And | ir.Or | ir.Coalesce | ir.If | ir.IsMissing
_ComparisonNode: TypeAlias = ir.Equal | ir.Order | ir.Membership | ir.Overlaps | ir.Matches
_OperationNode: TypeAlias = ir.Arithmetic | ir.Negate | ir.ToNumber | ir.SetOperation | ir.AsList
_WalkNode: TypeAlias = ir.Quantifier | ir.Comprehension
_BuildNode: TypeAlias = ir.ListOf | ir.RecordOf | ir.Text


def evaluate(expr: Expr, env: Env, host: Host) -> Value:
    """The value of `expr` where its free variables have the values of `env`."""
    match expr:
        case ir.Const():
            return expr.value
        case ir.Var():
            return env[expr.name]
        case ir.Bind():
            return evaluate(expr.body, {**env, expr.name: evaluate(expr.value, env, host)}, host)
        case ir.Call():
            return _call(expr, env, host)
        case _:
            return _evaluate_operator(expr, env, host)


def _evaluate_operator(
    expr: _FieldNode | _LogicNode | _ComparisonNode | _OperationNode | _WalkNode | _BuildNode,
    env: Env,
    host: Host,
) -> Value:
    if isinstance(expr, _LogicNode):
        return _logic(expr, env, host)
    if isinstance(expr, _ComparisonNode):
        return _comparison(expr, env, host)
    if isinstance(expr, _FieldNode):
        return _field(expr, env, host)
    if isinstance(expr, _OperationNode):
        return _operation(expr, env, host)
    if isinstance(expr, _BuildNode):
        return _build(expr, env, host)
    return _walk(expr, env, host)


# --- fields


def _field(expr: _FieldNode, env: Env, host: Host) -> Value:
    base = evaluate(expr.base, env, host)
    if base is None:
        return None
    match expr:
        case ir.Attribute():
            return getattr(base, expr.name)
        case ir.RecordField():
            return base.get(expr.name) if isinstance(base, Mapping) else None
        case ir.Item():
            return _item(base, evaluate(expr.key, env, host))
        case ir.EventField():
            return _event_field(base, expr)
        case ir.EventArtifacts():
            return base.artifact_ids
        case ir.ArtifactField():
            return _artifact_field(base, expr, env, host)
        case ir.ActorField():
            return host.world.actor_field(base, expr.name) if isinstance(base, str) else None
        case ir.RoleList():
            return base.list(expr.name)
        case _:
            assert_never(expr)


def _item(base: Value, key: Value) -> Value:
    if isinstance(base, Mapping):
        return base.get(key) if isinstance(key, str) else None
    if not isinstance(base, list | tuple) or not values.is_number(key):
        return None
    whole = isinstance(key, int) or key.is_integer()
    return base[int(key)] if whole and 0 <= key < len(base) else None


def _event_field(event: Event, expr: ir.EventField) -> Value:
    match expr.part:
        case "any":
            return event.field(expr.name)
        case "artifacts":
            return one_or_many(event.artifacts.get(expr.name))
        case "facts":
            return one_or_many(event.facts.get(expr.name))
        case "extra":
            return one_or_many(event.extra.get(expr.name))
        case _:
            assert_never(expr.part)


def _artifact_field(base: Value, expr: ir.ArtifactField, env: Env, host: Host) -> Value:
    """Without `at` the newest version; an `at` that is missing is an unknown instant: missing."""
    at = evaluate(expr.at, env, host) if expr.at is not None else None
    if not isinstance(base, str) or (expr.at is not None and not values.is_number(at)):
        return None
    return host.world.artifact_field(base, expr.name, at)


# --- and, or, not, if, ??


def _logic(expr: _LogicNode, env: Env, host: Host) -> Value:
    match expr:
        case ir.Not():
            operand = truth(evaluate(expr.operand, env, host))
            return None if operand is None else not operand
        case ir.And():
            return _kleene(expr, decisive=False, env=env, host=host)
        case ir.Or():
            return _kleene(expr, decisive=True, env=env, host=host)
        case ir.Coalesce():
            left = evaluate(expr.left, env, host)
            return evaluate(expr.right, env, host) if left is None else left
        case ir.If():
            condition = truth(evaluate(expr.condition, env, host))
            if condition is None:
                return None
            return evaluate(expr.then if condition else expr.otherwise, env, host)
        case ir.IsMissing():
            return (evaluate(expr.operand, env, host) is None) != expr.negated
        case _:
            assert_never(expr)


def _kleene(expr: ir.And | ir.Or, *, decisive: bool, env: Env, host: Host) -> bool | None:
    """`decisive` if any operand is that, else None if any is None, else the opposite.

    A chain `a and b and c …` is one list of operands, so that its length is not its depth.
    """
    unknown = False
    for operand in operands(expr):
        found = truth(evaluate(operand, env, host))
        if found is decisive:
            return decisive
        unknown = unknown or found is None
    return None if unknown else not decisive


# --- comparisons


def _comparison(expr: _ComparisonNode, env: Env, host: Host) -> bool | None:
    match expr:
        case ir.Equal():
            return _equal(expr, env, host)
        case ir.Order():
            left, right = evaluate(expr.left, env, host), evaluate(expr.right, env, host)
            return values.compare(expr.op, left, right)
        case ir.Membership():
            return _membership(expr, env, host)
        case ir.Overlaps():
            left, right = (items(evaluate(e, env, host)) for e in (expr.left, expr.right))
            return None if left is None or right is None else values.shares(left, right)
        case ir.Matches():
            return values.matches(evaluate(expr.operand, env, host), expr.pattern)
        case _:
            assert_never(expr)


def _equal(expr: ir.Equal, env: Env, host: Host) -> bool | None:
    left, right = evaluate(expr.left, env, host), evaluate(expr.right, env, host)
    if left is None or right is None:
        return None
    if expr.join:
        return values.shares(items(left) or (), items(right) or ()) != expr.negated
    return values.equal(left, right) != expr.negated


def _membership(expr: ir.Membership, env: Env, host: Host) -> bool | None:
    item = evaluate(expr.item, env, host)
    collection = items(evaluate(expr.collection, env, host))
    if item is None or collection is None:
        return None
    wanted = item if isinstance(item, tuple | list) else (item,)
    return values.shares(wanted, collection) != expr.negated


# --- operations on values


def _operation(expr: _OperationNode, env: Env, host: Host) -> Value:
    match expr:
        case ir.Arithmetic():
            left, right = evaluate(expr.left, env, host), evaluate(expr.right, env, host)
            result = values.calculate(expr.op, left, right)
            return values.in_whole_micros(result, expr.type)
        case ir.Negate():
            operand = evaluate(expr.operand, env, host)
            return -operand if values.is_number(operand) else None
        case ir.ToNumber():
            operand = truth(evaluate(expr.operand, env, host))
            return None if operand is None else int(operand)
        case ir.SetOperation():
            return _set_operation(expr, env, host)
        case ir.AsList():
            found = items(evaluate(expr.operand, env, host))
            return () if found is None else found
        case _:
            assert_never(expr)


def _set_operation(expr: ir.SetOperation, env: Env, host: Host) -> Value:
    left, right = (items(evaluate(e, env, host)) for e in (expr.left, expr.right))
    if left is None or right is None:
        return None
    match expr.op:
        case "|":
            kept = [*left, *right]
        case "&":
            kept = [x for x in left if values.shares((x,), right)]
        case "-":
            kept = [x for x in left if not values.shares((x,), right)]
        case _:
            assert_never(expr.op)
    return _collected(kept, expr.type.name, each_once=True)


def _collected(found: list[Value], kind: str, *, each_once: bool = False) -> Value:
    """The values as a list or a set; a missing one is left out of a set."""
    if kind == "set":
        return frozenset(freeze(x) for x in found if x is not None)
    return tuple(values.distinct(found) if each_once else found)


# --- quantifiers and comprehensions


def _walk(expr: _WalkNode, env: Env, host: Host) -> Value:
    found = items(evaluate(expr.collection, env, host))
    if found is None:
        return None
    scopes = [{**env, expr.variable: item} for item in found]
    match expr:
        case ir.Comprehension():
            test = expr.condition
            kept = [s for s in scopes if test is None or evaluate(test, s, host) is True]
            return _collected([evaluate(expr.item, s, host) for s in kept], expr.kind)
        case ir.Quantifier():
            bodies = [evaluate(expr.body, scope, host) for scope in scopes]
            return _quantified(expr, found, bodies)
        case _:
            assert_never(expr)


def _quantified(expr: ir.Quantifier, found: tuple[Value, ...], bodies: list[Value]) -> Value:
    true = [item for item, body in zip(found, bodies, strict=True) if body is True]
    match expr.kind:
        case "any":
            return bool(true)
        case "all":
            return len(true) == len(found)
        case "count":
            return len(true)
        case "share":
            return len(true) / len(found) if found else None
        case "first":
            return true[0] if true else None
        case "last":
            return true[-1] if true else None
        case "sum" | "mean":
            return values.in_whole_micros(_total(expr.kind, bodies), expr.type)
        case "min" | "max":
            return _extreme(expr.kind, bodies)
        case _:
            assert_never(expr.kind)


def _total(kind: str, bodies: list[Value]) -> float | None:
    """Added from first to last, since the order of additions shows in a double."""
    known = [body for body in bodies if body is not None]
    total: float | None = 0
    for body in known:
        total = values.calculate("+", total, body)
    return total if kind == "sum" else values.calculate("/", total, len(known))


def _extreme(kind: str, bodies: list[Value]) -> Value:
    """The first of the smallest or largest; None of nothing and of what has no order."""
    known = [body for body in bodies if body is not None]
    best = known[0] if known else None
    for body in known:
        if values.compare("<", body, best) is None:
            return None
        if values.compare("<" if kind == "min" else ">", body, best):
            best = body
    return best


# --- lists, records, texts, calls


def _build(expr: _BuildNode, env: Env, host: Host) -> Value:
    match expr:
        case ir.ListOf():
            return tuple(evaluate(item, env, host) for item in expr.items)
        case ir.RecordOf():
            return {name: evaluate(entry, env, host) for name, entry in expr.entries}
        case ir.Text():
            shown = [
                part if isinstance(part, str) else _shown(part, env, host) for part in expr.parts
            ]
            known = [text for text in shown if text is not None]
            return "".join(known) if len(known) == len(shown) else None
        case _:
            assert_never(expr)


def _shown(hole: ir.Hole, env: Env, host: Host) -> str | None:
    value = evaluate(hole.expr, env, host)
    return None if value is None else show(value, hole.expr.type, hole.format)


def _call(expr: ir.Call, env: Env, host: Host) -> Value:
    function = FUNCTIONS[expr.function]
    arguments = [
        _argument(evaluate(argument, env, host), argument.type, parameter.type)
        for argument, parameter in zip(expr.arguments, function.parameters, strict=True)
    ]
    if not function.takes_missing and any(argument is None for argument in arguments):
        return None
    return function.call(host, *arguments)


def _argument(value: Value, static: Type, wanted: Type) -> Value:
    """An argument as its parameter takes it.

    What the types have not verified, json and data fields, is missing where it does not fit;
    where a collection is wanted, one value is a list of one.
    """
    if value is None or not (static.many or static.name == "json"):
        return value
    if wanted.name == "any":
        return value
    if wanted.is_collection:
        return items(value)
    if wanted.is_textual:
        return value if isinstance(value, str) else None
    if wanted.name == "bool":
        return truth(value)
    numeric = wanted.name in {"number", "time", "duration"}
    return value if numeric and values.is_number(value) else None
