"""Data fields of events: declared ones, those of one part, and those that only the data show."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import expressions as ir
from groundeval.ir.types import ARTIFACT, JSON, TEXT, Type, list_of
from groundeval.semantics.elaborate import lets
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope
    from groundeval.semantics.symbols import Symbols

_BUILT_IN = frozenset({"id", "type", "at", "label", "keys", "actors", "artifacts", "facts"})


@dataclass(frozen=True, slots=True)
class Part:
    """`event.artifacts.NAME` or `event.facts.NAME`, as written."""

    event: ast.Expr
    name: Literal["artifacts", "facts"]


def part_of(base: ast.Expr, name: str) -> Part | None:
    """The part that `base.name` reads from, if `base` may be a part of an event."""
    match base:
        case ast.Attribute(_, event, ast.Name(_, ("artifacts" | "facts") as part)) if name:
            return Part(event, "artifacts" if part == "artifacts" else "facts")
    return None


def in_part(el: Elaborator, part: Part, event: ir.Expr, name: ast.Name, scope: Scope) -> ir.Expr:
    """`e.artifacts.NAME` or `e.facts.NAME`, declared or not.

    Refused where the data show that none has it; without data, a near miss of a declared field
    must be quoted.
    """
    span, types = event.span.to(name.span), lets.event_types(event, scope)
    if _never_occurs(el, name.text, types):
        return _undeclared(el, name.text, name.span, types)
    meant = None if name.quoted else _misspelt(el.symbols, name.text, types)
    if meant is not None:
        help_ = f'did you mean `{meant}`? One of that name is read by `{part.name}["{name.text}"]`'
        what = f"no {part.name} called `{name.text}` are declared"
        el.report(codes.UNDECLARED_FIELD, name.span, what, "unknown field", help_)
        return el.bad(span)
    if part.name == "artifacts":
        shape = replace(ARTIFACT, optional=True, many=True)
    else:
        shape = _declared(el, name.text, types) or replace(JSON, many=True)
    return _typed(el, ir.EventField(span, shape, event, name.text, part.name))


def _misspelt(symbols: Symbols, name: str, types: frozenset[str]) -> str | None:
    """The field that events of `types` (none: of any) declare and `name` is a misspelling of.

    None where the data at hand are the better witness.
    """
    among = [symbols.events[t] for t in types or symbols.events if t in symbols.events]
    declared = {f for e in among for f in e.fields}
    if symbols.data is not None or name in declared:
        return None
    return nearest(name, declared)


def data_field(el: Elaborator, event: ir.Expr, name: str, span: Span, scope: Scope) -> ir.Expr:
    """`e.NAME`: a declared field, or one that is known to occur."""
    types = lets.event_types(event, scope)
    shape = _declared(el, name, types)
    if shape is None:
        if not _may_occur(el, name, types):
            return _undeclared(el, name, span, types)
        shape = replace(JSON, many=True)
    return _typed(el, ir.EventField(event.span.to(span), shape, event, name, "any"))


def _declared(el: Elaborator, name: str, types: frozenset[str]) -> Type | None:
    """The declared type of the field: what all event types that declare it say, else json."""
    events = el.symbols.events
    among = types or frozenset(events)
    found = {events[t].fields[name] for t in among if t in events and name in events[t].fields}
    if not found:
        return None
    if len({replace(f, optional=False) for f in found}) > 1:
        return replace(JSON, many=True)
    return replace(next(iter(found)), optional=True, many=True)


def _typed(el: Elaborator, found: ir.EventField) -> ir.Expr:
    """The field as what it is declared to be: instants read, collections as such."""
    shape = found.type
    if shape.name == "time":
        raw = replace(found, type=replace(JSON, many=True))
        zone = ir.Const(found.span, TEXT.maybe, el.symbols.timezone)
        return ir.Call(found.span, Type("time", optional=True), "as_time/2", (raw, zone))
    if shape.is_collection:
        item = shape.item or JSON
        raw = replace(found, type=replace(item, optional=True, many=True))
        return ir.AsList(found.span, replace(list_of(item), many=True), raw)
    return found


def _may_occur(el: Elaborator, name: str, types: frozenset[str]) -> bool:
    s = el.symbols
    if s.data is not None:
        return not _never_occurs(el, name, types)
    if not types:
        return s.open_event_types or any(not e.declared for e in s.events.values())
    known = [s.events.get(t) for t in types]
    return any((not e.declared) if e is not None else s.open_event_types for e in known)


def _never_occurs(el: Elaborator, name: str, types: frozenset[str]) -> bool:
    """Whether the data at hand show that no such event has the field, and nothing declares it."""
    data = el.symbols.data
    if data is None or _declared(el, name, types) is not None:
        return False
    among = types or frozenset(data.event_fields)
    if not any(t in data.event_fields for t in among):
        return False
    return all(name not in data.event_fields.get(t, frozenset()) for t in among)


def _undeclared(el: Elaborator, name: str, span: Span, types: frozenset[str]) -> ir.Expr:
    s = el.symbols
    known = set(_BUILT_IN)
    for t in types or {*s.events, *(s.data.event_fields if s.data else ())}:
        known |= set(s.events[t].fields) if t in s.events else set()
        known |= s.data.event_fields.get(t, frozenset()) if s.data else frozenset()
    what = f"`{next(iter(types))}`" if len(types) == 1 else "no event type"
    verb = "has no field" if len(types) == 1 else "has a field"
    close = did_you_mean(name, known)
    if not close.startswith("did"):
        close = f'declare it in the event type, or write `facts["{name}"]`'
        if not s.events:
            close = "event types are declared in a contract: check the one that uses this file"
        if s.data is not None:
            close = "no event in the data has it; declare it in the event type if one may"
    el.report(codes.UNDECLARED_FIELD, span, f"{what} {verb} `{name}`", "unknown field", close)
    return el.bad(span)
