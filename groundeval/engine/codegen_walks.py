"""Code for quantifiers and comprehensions: loops, written out."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundeval.engine import codegen
from groundeval.engine.codegen_values import typed
from groundeval.engine.facts import item_facts
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr

if TYPE_CHECKING:
    from groundeval.engine.codegen import Body, Code

_ORDERLESS = frozenset({"any", "all", "count", "share"})


def walk(body: Body, node: ir.Quantifier | ir.Comprehension) -> Code:
    """The name of the local that the loop leaves its result in."""
    known = body.known(node.collection)
    source = body.name(_source(body, node.collection))
    result = body.temporary("None")
    if not known.maybe:
        _loop(body, node, source, result)
    else:
        with body.block(f"if {source} is not None:"):
            _loop(body, node, source, result)
    return codegen.Code(result, 0)


def _source(body: Body, collection: Expr) -> Code:
    """The collection; the events of an artifact are cut by bisection."""
    if (
        isinstance(collection, ir.ArtifactField)
        and collection.name == "events"
        and collection.at is not None
        and not body.known(collection).maybe
    ):
        base, at = body.value(collection.base), body.value(collection.at)
        text = f"events_of({body.world()}, {base.text}, {at.text})"
        return codegen.Code(text, base.depth + at.depth + 1)
    return body.value(collection)


def _iterable(body: Body, node: ir.Quantifier | ir.Comprehension, source: str) -> str:
    """What the loop goes over: in the one order, where an order shows."""
    known = body.known(node.collection)
    item = item_facts(known)
    orderless = node.kind in _ORDERLESS
    if node.kind == "set":
        orderless = body.known_item(node).kind in {"text", "object"}
    if known.kind == "list" or (known.kind == "set" and orderless):
        return source
    if known.kind == "set" and item.kind == "text" and not item.maybe:
        return f"sorted({source})"
    return f"walk({source})"


def _loop(body: Body, node: ir.Quantifier | ir.Comprehension, source: str, result: str) -> None:
    iterable = _iterable(body, node, source)
    variable = body.module.fresh("v")
    opening = f"for {variable} in {iterable}:"
    item = item_facts(body.known(node.collection))
    with body.bound(node.variable, variable, item):
        if isinstance(node, ir.Comprehension):
            _comprehension(body, node, opening, result)
        elif node.kind in {"sum", "mean", "min", "max"}:
            _aggregate(body, node, opening, result)
        elif node.kind in {"count", "share"}:
            _counted(body, node, opening, result, iterable)
        else:
            _searched(body, node, opening, result, variable)


def _comprehension(body: Body, node: ir.Comprehension, opening: str, result: str) -> None:
    kept = body.temporary("[]")
    with body.block(opening):
        if node.condition is not None:
            condition = body.true(node.condition)
            with body.block(f"if not {condition.text}:"):
                body.line("continue")
        body.line(f"{kept}.append({body.value(node.item).text})")
    known = body.known(node.item)
    if node.kind == "list":
        body.line(f"{result} = tuple({kept})")
    elif (known.is_scalar or known.kind == "object") and not known.maybe:
        body.line(f"{result} = frozenset({kept})")
    else:
        body.line(f"{result} = frozen_set({kept})")


def _aggregate(body: Body, node: ir.Quantifier, opening: str, result: str) -> None:
    kept = body.temporary("[]")
    with body.block(opening):
        found = body.name(body.value(node.body))
        with body.block(f"if {found} is not None:"):
            body.line(f"{kept}.append({found})")
    if node.kind in {"min", "max"}:
        body.line(f"{result} = {'smallest' if node.kind == 'min' else 'largest'}({kept})")
        return
    body.line(f"{result} = 0")
    number = body.module.fresh("v")
    with body.block(f"for {number} in {kept}:"):
        body.line(f"{result} = add({result}, {number})")
    if node.kind == "mean":
        body.line(f"{result} = div({result}, len({kept}))")
    whole = typed(result, node.type)
    if whole != result:
        body.line(f"{result} = {whole}")


def _counted(body: Body, node: ir.Quantifier, opening: str, result: str, iterable: str) -> None:
    body.line(f"{result} = 0")
    size = ""
    if node.kind == "share":
        size = body.temporary(f"len({iterable})")
    with body.block(opening):
        condition = body.true(node.body)
        with body.block(f"if {condition.text}:"):
            body.line(f"{result} += 1")
    if node.kind == "share":
        body.line(f"{result} = {result} / {size} if {size} else None")


def _searched(body: Body, node: ir.Quantifier, opening: str, result: str, variable: str) -> None:
    """What ends with an item: any and all with the one that decides, first with the one found."""
    if node.kind in {"any", "all"}:
        body.line(f"{result} = {'False' if node.kind == 'any' else 'True'}")
    with body.block(opening):
        condition = body.true(node.body)
        word = "if not" if node.kind == "all" else "if"
        with body.block(f"{word} {condition.text}:"):
            match node.kind:
                case "any":
                    body.line(f"{result} = True")
                case "all":
                    body.line(f"{result} = False")
                case _:
                    body.line(f"{result} = {variable}")
            if node.kind != "last":
                body.line("break")
