"""Fields: what `a.b` and `a["b"]` mean, by the type of `a`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import expressions as ir
from groundeval.ir.types import JSON, OBJECT_FIELDS, TEXT, Type, set_of
from groundeval.semantics.elaborate import event_fields, model_fields, texts
from groundeval.semantics.elaborate.types import describe, is_error, is_loose, is_object
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope

_HIDDEN = {"label": "label/1", "keys": "keys/1"}
"""Fields of an event that the contract's words decide: calls, not attributes."""


def field(
    el: Elaborator, node: ast.Attribute | ast.Index, scope: Scope, expected: Type | None
) -> ir.Expr:
    """`base.name`, or `base[key]`."""
    if isinstance(node, ast.Index):
        return _index(el, node, scope, expected)
    part = event_fields.part_of(node.base, node.name.text)
    base = el.visit(node.base if part is None else part.event, scope)
    if part is not None and base.type.name == "event":
        return event_fields.in_part(el, part, base, node.name, scope)
    if part is not None:
        base = el.visit(node.base, scope)
    return _named(el, base, node.name, scope, expected)


def _named(
    el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope, expected: Type | None
) -> ir.Expr:
    span, shape = base.span.to(name.span), base.type
    if is_loose(shape):
        return base if is_error(shape) else ir.RecordField(span, JSON, base, name.text)
    match shape.name:
        case "record":
            return _record_field(el, base, name, expected)
        case "event":
            return _event_field(el, base, name, scope)
        case "artifact":
            return model_fields.artifact_field(el, base, name, scope)
        case "actor":
            return model_fields.actor_field(el, base, name, scope)
        case "role":
            return _role_list(el, base, name)
    if is_object(shape):
        return _attribute(el, base, name)
    return _no_fields(el, base, name)


def _no_fields(el: Elaborator, base: ir.Expr, name: ast.Name) -> ir.Expr:
    shape, help_ = base.type, ""
    if shape.is_collection:
        help_ = f"walk it: `{{ x.{name.text} for x in … }}` or `any x in …: x.{name.text} …`"
    elif shape.name == "event_id":
        help_ = "this is the event's id, a text"
    el.report(
        codes.UNKNOWN_FIELD,
        name.span,
        f"{describe(shape)} has no field `{name.text}`",
        f"of {describe(shape)}",
        help_,
    )
    return el.bad(base.span)


def unknown_field(
    el: Elaborator, base: Type, name: str, span: Span, known: frozenset[str]
) -> ir.Expr:
    """Report a field that `base` does not have."""
    el.report(
        codes.UNKNOWN_FIELD,
        span,
        f"{describe(base)} has no field `{name}`",
        "unknown field",
        did_you_mean(name, known),
    )
    return el.bad(span)


def _attribute(el: Elaborator, base: ir.Expr, name: ast.Name) -> ir.Expr:
    known = OBJECT_FIELDS[base.type.name]
    shape = known.get(name.text)
    if shape is None:
        return unknown_field(el, base.type, name.text, name.span, frozenset(known))
    if base.type.optional:
        shape = shape.maybe
    return ir.Attribute(base.span.to(name.span), shape, base, name.text)


def _event_field(el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope) -> ir.Expr:
    span, written = base.span.to(name.span), name.text
    if written in _HIDDEN:
        shape = OBJECT_FIELDS["event"][written]
        shape = shape.maybe if base.type.optional else shape
        return ir.Call(span, shape, _HIDDEN[written], (base,))
    if written == "artifacts":
        shape = OBJECT_FIELDS["event"][written]
        return ir.EventArtifacts(span, shape.maybe if base.type.optional else shape, base)
    if written in OBJECT_FIELDS["event"]:
        return _attribute(el, base, name)
    return event_fields.data_field(el, base, written, name.span, scope)


def _record_field(el: Elaborator, base: ir.Expr, name: ast.Name, expected: Type | None) -> ir.Expr:
    span, known = base.span.to(name.span), dict(base.type.fields)
    if el.reads is not None and isinstance(base, ir.Var) and base.name == "truth":
        return ir.RecordField(span, el.reads.read(name.text, expected), base, name.text)
    shape = known.get(name.text)
    if shape is None:
        what = f"`{base.name}`" if isinstance(base, ir.Var) else "this record"
        el.report(
            codes.UNKNOWN_FIELD,
            name.span,
            f"{what} has no field `{name.text}`",
            "unknown field",
            did_you_mean(name.text, known),
        )
        return el.bad(span)
    return ir.RecordField(span, shape.maybe if base.type.optional else shape, base, name.text)


def _role_list(el: Elaborator, base: ir.Expr, name: ast.Name) -> ir.Expr:
    span, s = base.span.to(name.span), el.symbols
    if name.text == "id":
        return ir.Attribute(span, TEXT, base, "id")
    if name.text in s.role_lists or s.open_roles or not s.roles:
        return ir.RoleList(span, set_of(TEXT), base, name.text)
    el.report(
        codes.UNKNOWN_FIELD,
        name.span,
        f"no role has a list `{name.text}`",
        "unknown list",
        did_you_mean(name.text, s.role_lists)
        or f"give a role that list: `role NAME {{ {name.text}: […] }}`, be it empty",
    )
    return el.bad(span)


def _index(el: Elaborator, node: ast.Index, scope: Scope, expected: Type | None) -> ir.Expr:
    key = texts.plain_text(node.key) if isinstance(node.key, ast.Text) else None
    if key is not None:
        name = ast.Name(node.key.span, key, quoted=True)
        part = event_fields.part_of(node.base, key)
        event = el.visit(part.event, scope) if part is not None else None
        if part is not None and event is not None and event.type.name == "event":
            return event_fields.in_part(el, part, event, name, scope)
        base = el.visit(node.base, scope)
        found = _indexed_by_name(el, base, name, scope, expected)
        if found is not None:
            return found
    else:
        base = el.visit(node.base, scope)
    return _item(el, node, base, scope)


def _indexed_by_name(
    el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope, expected: Type | None
) -> ir.Expr | None:
    """`base["name"]`: a data field or attribute, whatever the built-in fields are called."""
    match base.type.name:
        case "event":
            return event_fields.data_field(el, base, name.text, name.span, scope)
        case "artifact":
            return model_fields.artifact_attribute(el, base, name, scope)
        case "actor":
            return model_fields.actor_attribute(el, base, name)
        case "record" | "role":
            return _named(el, base, name, scope, expected)
    return None


def _item(el: Elaborator, node: ast.Index, base: ir.Expr, scope: Scope) -> ir.Expr:
    key = el.visit(node.key, scope)
    if is_error(base.type, key.type):
        return el.bad(node.span)
    if base.type.name != "json":
        el.report(
            codes.UNKNOWN_FIELD,
            node.key.span,
            f"{describe(base.type)} has no items by key",
            "no such item",
            "`[…]` reads undeclared data, and fields with odd names",
        )
        return el.bad(node.span)
    if not (key.type.is_textual or key.type.name in {"number", "json"}):
        el.report(
            codes.TYPE_MISMATCH,
            key.span,
            f"an item is read by a text or a number, not by {describe(key.type)}",
            "no key",
        )
        return el.bad(node.span)
    return ir.Item(node.span, JSON, base, key)
