"""Actors: the roles they hold, for how long, and their attributes."""

from __future__ import annotations

from itertools import combinations
from typing import TYPE_CHECKING, Any

from groundeval.diagnostics import codes
from groundeval.ir.types import TIME
from groundeval.semantics.clauses import known, place
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.syntax import ast
from groundeval.world.access import Actor, Stint

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

_SCOPE = Scope(place="an actor")


def actors(
    declared: Declared, symbols: Symbols, elaborator: Elaborator, findings: Findings
) -> tuple[Actor, ...]:
    """The declared actors by name, the first declaration of each."""
    found: dict[str, Actor] = {}
    for tree in declared.all(ast.Actor):
        stints = tuple(_stint(s, symbols, elaborator, findings) for s in tree.stints)
        _find_overlaps(tree, stints, findings)
        attributes = _attributes(tree, elaborator, findings)
        found.setdefault(tree.name.text, Actor(tree.name.text, stints, attributes))
    return tuple(found[name] for name in sorted(found))


def _stint(tree: ast.Stint, symbols: Symbols, elaborator: Elaborator, findings: Findings) -> Stint:
    if not symbols.open_roles:
        known(tree.role, symbols.roles, codes.UNKNOWN_ROLE, "role", findings)
    start = None if tree.start is None else elaborator.constant(tree.start, _SCOPE, TIME)
    end = None if tree.end is None else elaborator.constant(tree.end, _SCOPE, TIME)
    stint = Stint(tree.role.text, start, end)
    if stint.start is not None and stint.end is not None and stint.start >= stint.end:
        message = f"the role `{stint.role}` ends before it begins"
        help_ = "a stint is from its first instant until, and without, its last"
        findings.add(codes.EMPTY_PERIOD, message, tree.span, "", help_)
    return stint


def _find_overlaps(tree: ast.Actor, stints: tuple[Stint, ...], findings: Findings) -> None:
    """Several roles may be held at once, but one role only once."""
    for (a, _), (b, second) in combinations(zip(stints, tree.stints, strict=True), 2):
        if a.role == b.role and _meet(a, b):
            first = next(t for s, t in zip(stints, tree.stints, strict=True) if s is a)
            message = f"`{tree.name.text}` holds the role `{a.role}` twice at once"
            help_ = f"it also holds it at {place(first.span)}"
            findings.add(codes.OVERLAPPING_STINTS, message, second.span, "", help_)


def _meet(a: Stint, b: Stint) -> bool:
    starts = [s.start for s in (a, b) if s.start is not None]
    ends = [s.end for s in (a, b) if s.end is not None]
    return not starts or not ends or max(starts) < min(ends)


def _attributes(tree: ast.Actor, elaborator: Elaborator, findings: Findings) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    for entry in tree.attributes.entries if tree.attributes else ():
        name = entry.key.text
        if name == "id":
            message = "no attribute can be called `id`: that is the actor itself"
            findings.add(codes.RESERVED_NAME, message, entry.key.span)
        if name in attributes:
            message = f"the attribute `{name}` of `{tree.name.text}` is given twice"
            findings.add(codes.DUPLICATE_NAME, message, entry.key.span)
        attributes[name] = elaborator.constant(entry.value, _SCOPE, names_as_text=True)
    return attributes
