"""Key fields: the data fields by which texts tell one event of a type from another."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

from groundeval.ir import program as ir
from groundeval.ir.expressions import Bind, EventField, Expr, Hole, Var
from groundeval.ir.walk import nodes


def key_fields(
    links: Sequence[ir.Link], silences: Sequence[ir.Silence]
) -> Mapping[str, frozenset[str]]:
    """By event type, the data fields that joins compare and that the places of silences name."""
    found: dict[str, set[str]] = {}
    for link in links:
        sides = {p.variable: p.event_type for p in (link.cause, link.effect)}
        _add(found, _joined(link.join), sides)
    for silence in silences:
        sides = {p.variable: p.event_type for p in (silence.trigger, silence.expected)}
        _add(found, _joined(silence.join), sides)
        _add(found, _named(silence), sides)
    return {event: frozenset(fields) for event, fields in found.items()}


def _joined(join: ir.JoinCondition) -> Iterator[Expr]:
    for first, second in join.equalities:
        yield first
        yield second


def _named(silence: ir.Silence) -> Iterator[Expr]:
    for search in silence.searches:
        yield from (part.expr for part in search.text.parts if isinstance(part, Hole))
    yield from silence.fetches


def _add(found: dict[str, set[str]], read: Iterable[Expr], sides: Mapping[str, str]) -> None:
    for expr in read:
        aliases = dict(sides)
        for node in nodes(expr):
            match node:
                case Bind(name=name, value=Var(name=of)) if of in aliases:
                    aliases[name] = aliases[of]
                case EventField(base=Var(name=variable), name=field) if variable in aliases:
                    found.setdefault(aliases[variable], set()).add(field)
                case _:
                    pass
