"""A join as equalities between its two sides, which are indexed, and a residual condition."""

from __future__ import annotations

from collections.abc import Iterator

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.ir.program import JoinCondition
from groundeval.ir.types import BOOL
from groundeval.ir.walk import connected, reads, renamed
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast


def split(condition: ir.Expr, variables: tuple[str, str], *, pairwise: bool) -> JoinCondition:
    """The conjuncts that equate something of one variable with one of the other, and the rest.

    `a.x == b.y` and `a.xs overlaps b.ys` are equalities: one value is a list of one, and two
    sides are equal when they overlap. `==` between two collections of the model means that they
    hold the same, so it stays in the residual.
    """
    equalities: list[tuple[ir.Expr, ir.Expr]] = []
    rest: list[ir.Expr] = []
    for conjunct in _conjuncts(condition):
        sides = _equality(conjunct, *variables)
        if sides is None:
            rest.append(conjunct)
        else:
            equalities.append(sides)
    residual = connected(ir.And, rest) if rest else None
    return JoinCondition(tuple(equalities), residual, pairwise)


def _conjuncts(condition: ir.Expr) -> Iterator[ir.Expr]:
    match condition:
        case ir.And(left=left, right=right):
            yield from _conjuncts(left)
            yield from _conjuncts(right)
        case ir.Bind(name=name, value=ir.Var(name=value), body=body):
            yield from _conjuncts(renamed(body, name, value))
        case _:
            yield condition


def _equality(conjunct: ir.Expr, first: str, second: str) -> tuple[ir.Expr, ir.Expr] | None:
    match conjunct:
        case ir.Equal(left=left, right=right, negated=False, join=joins):
            if not joins and (left.type.is_collection or right.type.is_collection):
                return None
        case ir.Overlaps(left=left, right=right):
            pass
        case _:
            return None
    sides = sorted(reads(left)), sorted(reads(right))
    if sides == ([first], [second]):
        return left, right
    return (right, left) if sides == ([second], [first]) else None


def report(
    found: JoinCondition, clause: ast.Join, variables: tuple[str, str], findings: Findings
) -> None:
    """No equality without `pairwise` is an error; `pairwise` is a warning either way."""
    first, second = variables
    if found.equalities and clause.pairwise:
        message = "`pairwise` is not needed: this join compares fields of both sides"
        findings.add(codes.NEEDLESS_PAIRWISE, message, clause.span)
    elif clause.pairwise:
        message = "this join looks at every pair of events"
        help_ = f"an equality such as `{first}.x == {second}.x` is looked up instead"
        findings.add(codes.PAIRWISE_JOIN, message, clause.span, "", help_)
    elif not found.equalities and not _failed(found.residual):
        message = f"nothing of `{first}` is compared with `==` to something of `{second}`"
        help_ = (
            "compare with `==`, which also holds where two lists overlap; where every pair has to "
            "be looked at, write `join pairwise …`"
        )
        findings.add(codes.NO_EQUALITY, message, clause.span, "", help_)


def _failed(condition: ir.Expr | None) -> bool:
    return condition is not None and condition.type.name != BOOL.name
