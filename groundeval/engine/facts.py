"""What is known of an expression before it runs: the kind of its values, and whether any is None.

Compiled code leaves out every check that the facts make needless. They are on the safe side:
types are trusted where something has verified them, never for json and for data fields of events,
nor for anything that such a value flows into.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TypeAlias

from groundeval.functions import FUNCTIONS
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.ir.walk import operands


@dataclass(frozen=True, slots=True)
class Facts:
    """`kind` is bool, number, text, list, set, record, object, or None: may be anything.

    `maybe`: the value may be None. `item` belongs to list and set.
    """

    kind: str | None
    maybe: bool
    item: Facts | None = None

    @property
    def is_scalar(self) -> bool:
        return self.kind in {"bool", "number", "text"}

    @property
    def is_collection(self) -> bool:
        return self.kind in {"list", "set"}

    @property
    def plain_item(self) -> str | None:
        """The kind of the items where they are scalars and never None."""
        return self.item.kind if self.item and self.item.is_scalar and not self.item.maybe else None


Scope: TypeAlias = Mapping[str, Facts]

ANYTHING = Facts(None, True)
_BOOL = Facts("bool", False)
_NUMBER = Facts("number", False)
_KINDS = {
    "bool": "bool",
    "number": "number",
    "time": "number",
    "duration": "number",
    "list": "list",
    "set": "set",
    "record": "record",
}
_UNVERIFIED = frozenset({"json", "any", "missing", "never"})


def of_type(shape: Type) -> Facts:
    """What a verified value of this type is like."""
    if shape.many or shape.name in _UNVERIFIED:
        return ANYTHING
    kind = "text" if shape.is_textual else _KINDS.get(shape.name, "object")
    item = of_type(shape.item) if shape.item else ANYTHING if shape.is_collection else None
    return Facts(kind, shape.optional, item)


def facts_of(node: Expr, scope: Scope) -> Facts:
    """The facts of `node`, where `scope` has those of variables that its type does not tell."""
    match node:
        case ir.Var():
            known = scope.get(node.name)
            return of_type(node.type) if known is None else known
        case ir.Coalesce():
            right = facts_of(node.right, scope)
            return _either(replace(facts_of(node.left, scope), maybe=right.maybe), right)
        case ir.If():
            maybe = facts_of(node.condition, scope) != _BOOL
            found = _either(facts_of(node.then, scope), facts_of(node.otherwise, scope))
            return replace(found, maybe=found.maybe or maybe)
        case ir.Bind():
            value = facts_of(node.value, scope)
            return facts_of(node.body, {**scope, node.name: value})
        case ir.Quantifier() | ir.Comprehension():
            return _walk(node, scope)
        case ir.Const() | ir.ListOf() | ir.RecordOf() | ir.AsList() | ir.SetOperation():
            return _built(node, scope)
        case _:
            return _operator(node, scope)


def _either(left: Facts, right: Facts) -> Facts:
    if left.kind != right.kind:
        return Facts(None, left.maybe or right.maybe)
    item = _either(left.item, right.item) if left.item and right.item else None
    return Facts(left.kind, left.maybe or right.maybe, item)


def item_facts(collection: Facts) -> Facts:
    """The facts of what a walk over the collection gives."""
    return collection.item or ANYTHING if collection.is_collection else ANYTHING


def _walk(node: ir.Quantifier | ir.Comprehension, scope: Scope) -> Facts:
    collection = facts_of(node.collection, scope)
    inner = {**scope, node.variable: item_facts(collection)}
    if isinstance(node, ir.Comprehension):
        item = facts_of(node.item, inner)
        if node.kind == "set":
            item = replace(item, maybe=False)
        return Facts(node.kind, collection.maybe, item)
    match node.kind:
        case "any" | "all":
            return replace(_BOOL, maybe=collection.maybe)
        case "count":
            return replace(_NUMBER, maybe=collection.maybe)
        case "share" | "sum" | "mean":
            return replace(_NUMBER, maybe=True)
        case "first" | "last":
            return replace(item_facts(collection), maybe=True)
        case "min" | "max":
            return replace(facts_of(node.body, inner), maybe=True)


def _built(
    node: ir.Const | ir.ListOf | ir.RecordOf | ir.AsList | ir.SetOperation, scope: Scope
) -> Facts:
    match node:
        case ir.Const():
            return _constant(node.value)
        case ir.ListOf():
            return Facts("list", False, _all([facts_of(i, scope) for i in node.items]))
        case ir.RecordOf():
            return Facts("record", False)
        case ir.AsList():
            operand = facts_of(node.operand, scope)
            known = operand.is_collection or operand.is_scalar
            item = operand.item if operand.is_collection else replace(operand, maybe=False)
            return Facts("list", False, item if known else ANYTHING)
        case ir.SetOperation():
            left, right = facts_of(node.left, scope), facts_of(node.right, scope)
            item = _either(item_facts(left), item_facts(right))
            kind = "set" if node.type.name == "set" else "list"
            return Facts(kind, left.maybe or right.maybe, item)


def _constant(value: object) -> Facts:
    if isinstance(value, bool):
        return _BOOL
    if isinstance(value, int | float):
        return _NUMBER
    if isinstance(value, str):
        return Facts("text", False)
    if isinstance(value, tuple):
        return Facts("list", False, _all([_constant(item) for item in value]))
    return ANYTHING


def _all(items: list[Facts]) -> Facts:
    found = items[0] if items else ANYTHING
    for item in items[1:]:
        found = _either(found, item)
    return found


def _operator(node: Expr, scope: Scope) -> Facts:
    match node:
        case ir.Not(operand=operand) | ir.ToNumber(operand=operand):
            kind = "bool" if isinstance(node, ir.Not) else "number"
            return Facts(kind, facts_of(operand, scope) != _BOOL)
        case ir.And() | ir.Or():
            return Facts("bool", any(facts_of(e, scope) != _BOOL for e in operands(node)))
        case ir.Equal(left=left, right=right) | ir.Overlaps(left=left, right=right):
            return Facts("bool", facts_of(left, scope).maybe or facts_of(right, scope).maybe)
        case ir.Membership(item=left, collection=right):
            return Facts("bool", facts_of(left, scope).maybe or facts_of(right, scope).maybe)
        case ir.Order():
            first, second = facts_of(node.left, scope), facts_of(node.right, scope)
            known = first.kind == second.kind and first.kind in {"number", "text"}
            return Facts("bool", not known or first.maybe or second.maybe)
        case ir.IsMissing():
            return _BOOL
        case ir.Matches():
            return Facts("bool", True)
        case ir.Arithmetic() | ir.Negate():
            return Facts("number", True)
        case ir.Text():
            holes = [part.expr for part in node.parts if not isinstance(part, str)]
            return Facts("text", any(facts_of(hole, scope).maybe for hole in holes))
        case _:
            return _looked_up(node, scope)


def _looked_up(node: Expr, scope: Scope) -> Facts:
    """Fields and calls: their declared type, where what they are read from is known."""
    match node:
        case ir.Call():
            function = FUNCTIONS[node.function]
            found = of_type(function.result)
            strict = function.takes_missing or not any(
                a.type.many or a.type.name == "json" or facts_of(a, scope).maybe
                for a in node.arguments
            )
            return replace(found, maybe=found.maybe or not strict)
        case ir.Item() | ir.EventField() | ir.ActorField():
            return ANYTHING
        case ir.RecordField():
            base = facts_of(node.base, scope)
            return replace(of_type(node.type), maybe=True) if base.kind == "record" else ANYTHING
        case ir.ArtifactField():
            base = facts_of(node.base, scope)
            at = facts_of(node.at, scope) if node.at is not None else _NUMBER
            unknown = base.maybe or at.maybe or base.kind != "text" or at.kind != "number"
            found = of_type(node.type)
            return replace(found, maybe=found.maybe or unknown)
        case ir.Attribute() | ir.EventArtifacts() | ir.RoleList():
            found = of_type(node.type)
            return replace(found, maybe=found.maybe or facts_of(node.base, scope).maybe)
        case _:
            return ANYTHING
