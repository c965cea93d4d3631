"""Code for logic and comparisons, by value and by verdict."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, TypeAlias, assert_never

import re2

from groundeval.engine import codegen
from groundeval.engine.facts import Facts
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.walk import operands

if TYPE_CHECKING:
    from groundeval.engine.codegen import Body, Code

Verdict = Literal["true", "false"]
_Logic: TypeAlias = ir.Not | ir.And | ir.Or | ir.Coalesce | ir.If | ir.IsMissing
_Comparison: TypeAlias = ir.Equal | ir.Order | ir.Membership | ir.Overlaps | ir.Matches


def verdict(body: Body, node: Expr, mode: Verdict) -> Code | None:
    """Two-valued code for whether `node` is true (or false); None where only its value will do."""
    other: Verdict = "false" if mode == "true" else "true"
    match node:
        case ir.Not():
            return body.emit(node.operand, other)
        case ir.And():
            return _joined(body, operands(node), mode, "and" if mode == "true" else "or")
        case ir.Or():
            return _joined(body, operands(node), mode, "or" if mode == "true" else "and")
        case ir.Equal() | ir.Order() | ir.Membership() | ir.Overlaps() | ir.Matches():
            return _test(body, node).verdict(mode)
        case _:
            return None


def _joined(body: Body, parts: Sequence[Expr], mode: codegen.Mode, word: str) -> Code:
    """Two-valued parts joined by `and` or `or`; a part that needs lines stands under an `if`."""
    code = body.emit(parts[0], mode)
    for part in parts[1:]:
        lines, nxt = body.apart(part, mode)
        if lines or code.depth + nxt.depth > 10:
            name = body.temporary(code.text)
            with body.block(f"if {name}:" if word == "and" else f"if not {name}:"):
                body.lines.extend(lines)
                body.line(f"{name} = {nxt.text}")
            code = codegen.Code(name, 0)
        else:
            depth = max(code.depth, nxt.depth) + 1
            code = codegen.Code(f"({code.text} {word} {nxt.text})", depth)
    return code


def logic(body: Body, node: _Logic) -> Code:
    """The value of a logical node, three-valued where it can be."""
    match node:
        case ir.Not():
            return _not(body, node)
        case ir.And():
            return _kleene(body, node, "False", "True")
        case ir.Or():
            return _kleene(body, node, "True", "False")
        case ir.Coalesce():
            return _coalesce(body, node)
        case ir.If():
            return _if(body, node)
        case ir.IsMissing():
            name = body.name(body.value(node.operand))
            return codegen.Code(f"({name} {'is not' if node.negated else 'is'} None)")
        case _:
            assert_never(node)


def _strict(known: Facts) -> bool:
    return known.kind == "bool" and not known.maybe


def _not(body: Body, node: ir.Not) -> Code:
    code = body.value(node.operand)
    known = body.known(node.operand)
    if _strict(known):
        return codegen.Code(f"(not {code.text})", code.depth + 1)
    inner = code.text if known.kind == "bool" else f"truth({code.text})"
    return codegen.Code(f"flip({inner})", code.depth + 1)


def _truth(code: Code, known: Facts) -> str:
    return code.text if known.kind == "bool" else f"truth({code.text})"


def _kleene(body: Body, node: ir.And | ir.Or, decisive: str, neutral: str) -> Code:
    """Operands are tried in order until one is decisive."""
    parts = operands(node)
    if all(_strict(body.known(part)) for part in parts):
        return _joined(body, parts, "value", "and" if decisive == "False" else "or")
    name = body.temporary(_truth(body.value(parts[0]), body.known(parts[0])))
    for part in parts[1:]:
        lines, code = body.apart(part, "value")
        with body.block(f"if {name} is not {decisive}:"):
            body.lines.extend(lines)
            found = body.temporary(_truth(code, body.known(part)))
            with body.block(f"if {name} is {neutral} or {found} is {decisive}:"):
                body.line(f"{name} = {found}")
    return codegen.Code(name, 0)


def _assigned(body: Body, name: str, node: Expr) -> None:
    body.line(f"{name} = {body.value(node).text}")


def _coalesce(body: Body, node: ir.Coalesce) -> Code:
    left = body.value(node.left)
    if not body.known(node.left).maybe:
        return left
    name = body.temporary(left.text)
    with body.block(f"if {name} is None:"):
        _assigned(body, name, node.right)
    return codegen.Code(name, 0)


def _if(body: Body, node: ir.If) -> Code:
    condition = body.name(body.value(node.condition))
    name = body.temporary("None")
    with body.block(f"if {condition} is True:"):
        _assigned(body, name, node.then)
    with body.block(f"elif {condition} is False:"):
        _assigned(body, name, node.otherwise)
    return codegen.Code(name, 0)


# --- comparisons


@dataclass(frozen=True, slots=True)
class _Test:
    """A comparison. Where the `guards` are not None, `yes` and `no` are what it comes to.

    `three_valued` code stands alone instead: it gives None itself. `none_differs`: `yes` is false
    by itself where a single guard is None.
    """

    yes: str
    no: str
    depth: int
    guards: tuple[str, ...] = ()
    three_valued: bool = False
    none_differs: bool = False

    def negated(self, really: bool) -> _Test:
        if not really:
            return self
        return _Test(self.no, self.yes, self.depth, self.guards, self.three_valued)

    def verdict(self, mode: Verdict) -> Code:
        text = self.yes if mode == "true" else self.no
        if self.three_valued:
            return codegen.Code(f"({text} is True)", self.depth + 1)
        free = mode == "true" and self.none_differs and len(self.guards) <= 1
        return codegen.Code(text if free else self._guarded(text), self.depth + 1)

    def value(self) -> Code:
        if self.three_valued or not self.guards:
            return codegen.Code(self.yes, self.depth)
        known = " and ".join(f"{name} is not None" for name in self.guards)
        return codegen.Code(f"({self.yes} if {known} else None)", self.depth + 1)

    def _guarded(self, text: str) -> str:
        if not self.guards:
            return text
        return f"({' and '.join(f'{name} is not None' for name in self.guards)} and {text})"


def comparison(body: Body, node: _Comparison) -> Code:
    return _test(body, node).value()


def _test(body: Body, node: _Comparison) -> _Test:
    match node:
        case ir.Equal():
            return _equal(body, node).negated(node.negated)
        case ir.Order():
            return _order(body, node)
        case ir.Membership():
            return _membership(body, node).negated(node.negated)
        case ir.Overlaps():
            return _overlaps(body, node)
        case ir.Matches():
            code = body.value(node.operand)
            pattern = body.module.constant(re2.compile(node.pattern))
            return _three_valued(f"find({pattern}, {code.text})", code.depth + 1)
        case _:
            assert_never(node)


def _three_valued(text: str, depth: int) -> _Test:
    return _Test(text, f"flip({text})", depth + 1, three_valued=True)


def _pair(body: Body, left: Expr, right: Expr) -> tuple[str, str, tuple[str, ...], int]:
    """Both sides, each as a name where it may be None, these names, and the depth."""
    texts, guards, depth = [], [], 0
    for side in (left, right):
        code = body.value(side)
        if body.known(side).maybe:
            code = codegen.Code(body.name(code), 0)
            guards.append(code.text)
        texts.append(code.text)
        depth = max(depth, code.depth)
    return texts[0], texts[1], tuple(guards), depth + 1


def _equal(body: Body, node: ir.Equal) -> _Test:
    left, right, guards, depth = _pair(body, node.left, node.right)
    first, second = body.known(node.left), body.known(node.right)
    if first.kind == second.kind and first.is_scalar:
        yes, no = f"({left} == {right})", f"({left} != {right})"
        return _Test(yes, no, depth, guards, none_differs=True)
    function = "joined" if node.join else "same"
    return _three_valued(f"{function}({left}, {right})", depth)


_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}


def _order(body: Body, node: ir.Order) -> _Test:
    left, right, guards, depth = _pair(body, node.left, node.right)
    first, second = body.known(node.left), body.known(node.right)
    if first.kind == second.kind and first.kind in {"number", "text"}:
        yes = f"({left} {node.op} {right})"
        return _Test(yes, f"({left} {_OPPOSITE[node.op]} {right})", depth, guards)
    match node.op:
        case "<":
            return _three_valued(f"less({left}, {right})", depth)
        case "<=":
            return _three_valued(f"at_most({left}, {right})", depth)
        case ">":
            return _three_valued(f"less({right}, {left})", depth)
        case ">=":
            return _three_valued(f"at_most({right}, {left})", depth)
        case _:
            assert_never(node.op)


def _membership(body: Body, node: ir.Membership) -> _Test:
    item, collection = body.known(node.item), body.known(node.collection)
    looked_up = _artifact_membership(body, node, item)
    if looked_up is not None:
        return looked_up
    left, right, guards, depth = _pair(body, node.item, node.collection)
    same_kind = item.kind in {"text", "number"} and collection.plain_item == item.kind
    if same_kind and collection.is_collection:
        if isinstance(node.collection, ir.Const):
            right = body.module.constant(frozenset(node.collection.value))
        return _Test(f"({left} in {right})", f"({left} not in {right})", depth, guards)
    return _three_valued(f"member({left}, {right})", depth)


_LOOKED_UP = {"participants": "took_part", "labels": "labelled"}


def _artifact_membership(body: Body, node: ir.Membership, item: Facts) -> _Test | None:
    """Whether an artifact has a participant or a label, without making the set of them."""
    found = node.collection
    if not isinstance(found, ir.ArtifactField) or found.at is None or item.kind != "text":
        return None
    if found.name not in _LOOKED_UP or body.known(found).maybe:
        return None
    base, at = body.value(found.base), body.value(found.at)
    left, _, guards, _ = _pair(body, node.item, found.base)
    call = f"{_LOOKED_UP[found.name]}({body.world()}, {base.text}, {at.text}, {left})"
    return _Test(call, f"(not {call})", base.depth + at.depth + 2, guards)


def _overlaps(body: Body, node: ir.Overlaps) -> _Test:
    left, right, guards, depth = _pair(body, node.left, node.right)
    first, second = body.known(node.left), body.known(node.right)
    plain = first.is_collection and second.is_collection
    if not plain or first.plain_item != second.plain_item or first.plain_item == "bool":
        return _three_valued(f"overlaps({left}, {right})", depth)
    if first.plain_item is None:
        return _three_valued(f"overlaps({left}, {right})", depth)
    if first.kind != "set":
        left, right = (right, left) if second.kind == "set" else (f"frozenset({left})", right)
    apart = f"{left}.isdisjoint({right})"
    return _Test(f"(not {apart})", f"({apart})", depth + 1, guards)
