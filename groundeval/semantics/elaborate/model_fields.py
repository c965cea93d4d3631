"""Fields of artifacts and actors."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import expressions as ir
from groundeval.ir.types import ARTIFACT_FIELDS, JSON, Type

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope
    from groundeval.syntax import ast


def artifact_field(el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope) -> ir.Expr:
    """A built-in field, or an attribute, as it was at the place's as-of."""
    if name.text == "id":
        return base
    found = ARTIFACT_FIELDS.get(name.text)
    if found is None:
        return artifact_attribute(el, base, name, scope)
    shape, changes = found
    return _field(el, base, name, scope if changes else None, shape)


def artifact_attribute(el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope) -> ir.Expr:
    """An attribute of the artifact's version; a near miss of a built-in field must be quoted."""
    data = el.symbols.data
    known = {*ARTIFACT_FIELDS, *(data.artifact_attributes if data else ())}
    if data is None:
        slip = not name.quoted and nearest(name.text, known) is not None
    else:
        slip = name.text not in data.artifact_attributes
    if not slip:
        return _field(el, base, name, scope, JSON)
    help_ = did_you_mean(name.text, known)
    if data is None:
        help_ += f' An attribute of that name is read by `["{name.text}"]`'
    el.report(
        codes.UNKNOWN_FIELD,
        name.span,
        f"artifacts have no field `{name.text}`",
        "unknown field",
        help_,
    )
    return el.bad(name.span)


def _field(
    el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope | None, shape: Type
) -> ir.Expr:
    """The field's node; `scope` is given where the field changes over time."""
    at = scope.as_of if scope is not None else None
    if scope is not None and at is None:
        where = f" in {scope.place}" if scope.place else ""
        el.report(
            codes.NO_INSTANT,
            name.span,
            f"`{name.text}` changes over time, and there is no as-of instant{where}",
            "as of when?",
            "it can be read in gates, and in tracks whose `ask for` says `as_of`",
        )
        return el.bad(name.span)
    if base.type.optional or base.type.many:
        shape = shape.maybe
    return ir.ArtifactField(base.span.to(name.span), shape, base, name.text, at)


def actor_field(el: Elaborator, base: ir.Expr, name: ast.Name, scope: Scope) -> ir.Expr:
    """The actor's id, or a declared attribute."""
    if name.text == "id":
        return base
    if name.text == "role" and "role" in scope.variables:
        el.report(
            codes.UNKNOWN_FIELD,
            name.span,
            "an actor has no field `role`: it may hold several, and changes them",
            "unknown field",
            "`role` alone is what the actor holds as of that instant",
        )
        return el.bad(name.span)
    return actor_attribute(el, base, name)


def actor_attribute(el: Elaborator, base: ir.Expr, name: ast.Name) -> ir.Expr:
    """An attribute of the actor: any value, or missing."""
    s = el.symbols
    if name.text in s.actor_attributes or s.open_actors or not s.actors:
        return ir.ActorField(base.span.to(name.span), JSON, base, name.text)
    el.report(
        codes.UNKNOWN_FIELD,
        name.span,
        f"no actor has an attribute `{name.text}`",
        "unknown attribute",
        did_you_mean(name.text, {"id", *s.actor_attributes}),
    )
    return el.bad(name.span)
