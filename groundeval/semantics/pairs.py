"""What links and silences share: two sides, a join between them, a window, and exceptions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from groundeval.diagnostics import codes
from groundeval.ir import program as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import DURATION, EVENT
from groundeval.semantics.clauses import Clauses, known
from groundeval.semantics.joins import report, split
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

Keyword = Literal["cause", "effect", "after", "expect"]


@dataclass(frozen=True, slots=True)
class Pair:
    """The two sides of a declaration, with the scope of the first and of both."""

    first: ir.Pattern
    second: ir.Pattern
    first_scope: Scope
    both: Scope


def pair(clauses: Clauses, first: Keyword, second: Keyword, elaborator: Elaborator) -> Pair | None:
    """Both sides, in the order in which they happen; None after a finding.

    Where a side's event type is unknown, the other parts are still looked at, with an event of
    any type in its place.
    """
    one = clauses.one(ast.Binding, first, needed=True)
    two = clauses.one(ast.Binding, second, needed=True)
    if one is None or two is None:
        return None
    if one.variable.text == two.variable.text:
        message = f"`{first}` and `{second}` have the same variable `{one.variable.text}`"
        clauses.findings.add(codes.SAME_VARIABLE, message, two.variable.span)
        return None
    place = Scope(place=clauses.owner)
    first_scope = place.with_variable(one.variable.text, _variable(one, elaborator))
    second_scope = place.with_variable(two.variable.text, _variable(two, elaborator))
    return Pair(
        _pattern(one, first_scope, elaborator, clauses.findings),
        _pattern(two, second_scope, elaborator, clauses.findings),
        first_scope,
        first_scope.with_variable(two.variable.text, _variable(two, elaborator)),
    )


def _variable(binding: ast.Binding, elaborator: Elaborator) -> Variable:
    event = binding.event_type.text
    types = frozenset({event}) if event in elaborator.symbols.events else frozenset[str]()
    return Variable(binding.variable.text, EVENT, types)


def _pattern(
    binding: ast.Binding, scope: Scope, elaborator: Elaborator, findings: Findings
) -> ir.Pattern:
    symbols, event = elaborator.symbols, binding.event_type
    if not symbols.open_event_types:
        known(event, symbols.events, codes.UNKNOWN_EVENT_TYPE, "event type", findings)
    where = None if binding.where is None else elaborator.condition(binding.where, scope)
    return ir.Pattern(binding.variable.text, event.text, where)


def join(clauses: Clauses, sides: Pair, elaborator: Elaborator) -> ir.JoinCondition:
    """The join, split into what can be indexed and the rest."""
    clause = clauses.one(ast.Join, "join", needed=True)
    if clause is None:
        return ir.JoinCondition((), None, pairwise=True)
    condition = elaborator.condition(clause.condition, sides.both)
    variables = sides.first.variable, sides.second.variable
    found = split(condition, variables, pairwise=clause.pairwise)
    report(found, clause, variables, clauses.findings)
    return found


def window(clauses: Clauses, elaborator: Elaborator, why: str) -> int | None:
    """The window in microseconds; a warning that says `why` it is needed where there is none."""
    clause = clauses.one(ast.Within, "within")
    if clause is None:
        message = f"{clauses.owner} has no `within`: {why}"
        help_ = "say how long after the first the second may come, as in `within 7d`"
        clauses.findings.add(codes.NO_WINDOW, message, clauses.span, "", help_)
        return None
    length = elaborator.constant(clause.duration, Scope(place="a window"), DURATION)
    if not isinstance(length, int):
        return None
    if length <= 0:
        message = "a window is longer than nothing"
        clauses.findings.add(codes.BAD_WINDOW, message, clause.span)
        return None
    return length


def unless(clauses: Clauses, sides: Pair, elaborator: Elaborator) -> Expr | None:
    """What rules a pair out."""
    clause = clauses.one(ast.Unless, "unless")
    return None if clause is None else elaborator.condition(clause.condition, sides.both)
