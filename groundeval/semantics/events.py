"""Event types: their declared fields, their labels, and the text that finds a record of one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import program as ir
from groundeval.ir.types import ANSWER_TYPES, EVENT, OBJECT_FIELDS, Type, set_of
from groundeval.semantics.clauses import place, plain
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.symbols import DataFacts, EventSymbol, Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

FIELD_TYPES: Mapping[str, Type] = {n: t for n, t in ANSWER_TYPES.items() if n != "event"}
"""What may stand as the type of an event's field."""


def event_symbols(
    declared: Declared, supplied: DataFacts | None, findings: Findings
) -> Mapping[str, EventSymbol]:
    """The event types by name; those of `supplied`, which only the data have, come undeclared."""
    symbols: dict[str, EventSymbol] = {}
    for event in declared.all(ast.EventType):
        first = symbols.get(event.name.text)
        if first is not None:
            message = f"the event type `{event.name.text}` is declared twice"
            help_ = f"the first is at {place(first.span)}"
            findings.add(codes.DUPLICATE_NAME, message, event.name.span, "the second", help_)
            continue
        fields = _fields(event, findings)
        label = _label(event, findings)
        symbols[event.name.text] = EventSymbol(event.name.text, label, fields, event.name.span)
    for name in sorted(supplied.event_fields) if supplied else ():
        if name not in symbols:
            source = declared.sources("events")[0]
            symbols[name] = EventSymbol(name, _spoken(name), {}, source.span, declared=False)
    return symbols


def _label(event: ast.EventType, findings: Findings) -> str:
    return plain(event.label, findings) or _spoken(event.name.text)


def _spoken(name: str) -> str:
    return name.replace("_", " ")


def _fields(event: ast.EventType, findings: Findings) -> Mapping[str, Type]:
    fields: dict[str, Type] = {}
    places: dict[str, Span] = {}
    for field in event.fields:
        name, span = field.name.text, field.name.span
        if name in places:
            message = f"the field `{name}` of `{event.name.text}` is declared twice"
            help_ = f"the first is at {place(places[name])}"
            findings.add(codes.DUPLICATE_NAME, message, span, "the second", help_)
            continue
        if name in OBJECT_FIELDS["event"]:
            message = f"no field can be called `{name}`: every event has one of that name"
            findings.add(codes.RESERVED_NAME, message, span)
        if field.ignored:
            message = "only a field of an answer can be `ignored`"
            findings.add(codes.MISPLACED_CLAUSE, message, field.span)
        places[name] = span
        declared_type = field_type(field.type, FIELD_TYPES, findings)
        fields[name] = replace(declared_type, optional=field.optional)
    return fields


def field_type(node: ast.TypeExpr, allowed: Mapping[str, Type], findings: Findings) -> Type:
    """The type that is written; text after a finding."""
    match node:
        case ast.NamedType(name=name, item=None) if name.text in allowed:
            return allowed[name.text]
        case ast.NamedType(name=name, item=ast.NamedType(item=inner)) if inner is not None:
            message = f"a `{name.text}` holds single values"
            findings.add(codes.UNKNOWN_TYPE, message, node.span, "", "write `set<text>`")
        case ast.NamedType(name=name, item=item) if name.text == "set" and item is not None:
            return set_of(field_type(item, allowed, findings))
        case ast.NamedType(name=name):
            help_ = did_you_mean(name.text, [*allowed, "set<text>"])
            message = f"`{name.text}` is no type of a field"
            findings.add(codes.UNKNOWN_TYPE, message, node.span, "", help_)
        case ast.OneOf():
            message = "`one of` is for the fields of an answer"
            findings.add(codes.UNKNOWN_TYPE, message, node.span, "", "write `text`")
    return allowed["text"]


def event_type(
    event: ast.EventType, elaborator: Elaborator, key_fields: frozenset[str], findings: Findings
) -> ir.EventType:
    """The event type with its `found by` text, in whose holes bare names are fields of the event.

    `key_fields` are those that joins and places use; the artifacts that it declares join them.
    """
    symbol = elaborator.symbols.events[event.name.text]
    declared = tuple(sorted(symbol.fields.items()))
    artifacts = {n for n, t in declared if "artifact" in (t.name, t.item.name if t.item else "")}
    scope = Scope(
        variables={"event": Variable("event", EVENT, frozenset({symbol.name}))},
        place="the text of `found by`",
    )
    written = event.found_by
    found_by = None if written is None else elaborator.text(_of_event(written), scope)
    if elaborator.symbols.data is not None:
        _compare_with_data(event, symbol, elaborator.symbols.data, findings)
    return ir.EventType(
        name=symbol.name,
        label=symbol.label,
        doc=event.doc,
        fields=declared,
        key_fields=tuple(sorted(artifacts | key_fields)),
        found_by=found_by,
        span=event.span,
    )


def _of_event(text: ast.Text) -> ast.Text:
    """The text with `{jira}` written out as `{event.jira}`."""
    parts = (
        replace(part, expr=_qualified(part.expr)) if isinstance(part, ast.Hole) else part
        for part in text.parts
    )
    return replace(text, parts=tuple(parts))


def _qualified(node: ast.Expr) -> ast.Expr:
    match node:
        case ast.Variable(name=name) if name != "event":
            event = ast.Variable(node.span, "event")
            return ast.Attribute(node.span, event, ast.Name(node.span, name))
        case ast.Attribute() | ast.Index():
            return replace(node, base=_qualified(node.base))
        case _:
            return node


def _compare_with_data(
    event: ast.EventType, symbol: EventSymbol, data: DataFacts, findings: Findings
) -> None:
    """A warning for each needed field that no event of the type has."""
    found = data.event_fields.get(symbol.name)
    if found is None:
        return
    for field in event.fields:
        name = field.name.text
        if name not in found and not field.optional and name in symbol.fields:
            message = f"no `{symbol.name}` of the log has a field `{name}`"
            help_ = did_you_mean(name, found) or "a field that may be absent is declared with `?`"
            findings.add(codes.FIELD_NOT_IN_DATA, message, field.name.span, "", help_)
