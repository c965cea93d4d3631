"""Weights and shares: exact fractions that add up to 1."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from groundeval.diagnostics import Span, codes
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast


def share(tree: ast.Share, findings: Findings) -> Fraction | None:
    """The number that is written, between 0 and 1; None after a finding."""
    below = Fraction(tree.denominator) if tree.denominator is not None else Fraction(1)
    value = Fraction(tree.numerator) / below if below else None
    if value is not None and 0 <= value <= 1:
        return value
    written = tree.numerator if tree.denominator is None else f"{tree.numerator}/{tree.denominator}"
    findings.add(
        codes.BAD_WEIGHT,
        f"`{written}` is not between 0 and 1",
        tree.span,
        "this weight",
        "weights are parts of 1, as `0.25` or `1/4`",
    )
    return None


def hold_sum(what: str, shares: Sequence[Fraction | None], span: Span, findings: Findings) -> None:
    """Report shares that do not add up to 1 (unless one of them could not be read)."""
    known = [s for s in shares if s is not None]
    total = sum(known, Fraction(0))
    if len(known) < len(shares) or total == 1 or not shares:
        return
    findings.add(
        codes.WRONG_SUM,
        f"the {what} add up to {_shown(total)}, not to 1",
        span,
        f"{_shown(total)} in all",
        f"{_shown(abs(1 - total))} is {'left' if total < 1 else 'too much'}",
    )


def _shown(value: Fraction) -> str:
    decimal = float(value)
    return f"{decimal:g}" if Fraction(f"{decimal:g}") == value else str(value)
