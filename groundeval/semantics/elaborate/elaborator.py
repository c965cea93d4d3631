"""The entry to elaboration: one method per thing that a declaration asks of an expression."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from groundeval.diagnostics import codes
from groundeval.ir import expressions as ir
from groundeval.semantics.elaborate import (
    calls,
    constants,
    fields,
    literals,
    names,
    operators,
    quantifiers,
    settled,
    texts,
    values,
)
from groundeval.semantics.elaborate.types import ERROR
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.diagnostics import Code, Span
    from groundeval.ir.types import Type
    from groundeval.semantics.elaborate.reads import TruthReads
    from groundeval.semantics.scope import Scope
    from groundeval.semantics.symbols import Symbols

_DEEPEST: Final = 150
"""Levels of nesting; several frames of ours and of the evaluators' stand behind each."""
_MOST_EXPANSIONS: Final = 2000
"""Lets put in line in one tree: nested lets that are used twice grow without bound otherwise."""


class Elaborator:
    """Turns expressions into IR and reports what is wrong with them, each slip once.

    `expr`, `condition`, `text` and `constant` are for declarations; each starts a new tree, in
    which variables are numbered afresh. `visit` is for the modules of this package, which work
    inside one tree. `reads`, where given, learns the fields that are read of a truth that has no
    declaration.
    """

    def __init__(
        self, symbols: Symbols, findings: Findings, reads: TruthReads | None = None
    ) -> None:
        self.symbols = symbols
        self.findings = findings
        self.reads = reads
        self.used_lets: set[Span] = set()
        """Places of the lets that some expression has used."""
        self.expanding: list[str] = []
        """The lets that are being put in line, outermost first."""
        self.cycles: set[frozenset[str]] = set()
        """The circles of lets that have been reported."""
        self._reported: set[tuple[Span, str]] = set()
        self._variables = 0
        self._depth = 0
        self._expansions = 0

    def trial(self, reads: TruthReads | None = None) -> Elaborator:
        """Another elaborator of the same names, whose findings are its own.

        With `reads` it goes through a whole track ahead of the real pass; without, its findings
        may be passed on, so it reports no circle of lets that has been reported already.
        """
        other = Elaborator(self.symbols, Findings(), reads or self.reads)
        if reads is None:
            other.cycles = self.cycles
        return other

    # --- for declarations

    def expr(self, node: ast.Expr, scope: Scope, expected: Type | None = None) -> ir.Expr:
        """The expression's IR; after a finding, a missing Const of type `error`.

        `expected` is what the place wants: it settles what bare names and empty lists mean and
        which vocabulary literals are held against. The result's type is not checked against it.
        """
        return self.visit(node, self._fresh_tree(scope), expected)

    def condition(self, node: ast.Expr, scope: Scope) -> ir.Expr:
        """An expression that must be true or false (or unknown).

        One that is always the same is a finding, as it decides nothing.
        """
        found = self.expectation(node, scope)
        settled.hold_condition(self, node, found)
        return found

    def expectation(self, node: ast.Expr, scope: Scope) -> ir.Expr:
        """What a test expects: a condition that may well be settled by the language alone."""
        return values.condition(self, node, self._fresh_tree(scope))

    def text(self, node: ast.Text, scope: Scope) -> ir.Text:
        """A wording: always a Text node, of one part where nothing is to be filled in."""
        return texts.text_node(self, node, self._fresh_tree(scope))

    def constant(
        self,
        node: ast.Expr,
        scope: Scope,
        expected: Type | None = None,
        *,
        names_as_text: bool = False,
    ) -> Any:
        """The value of an expression that reads nothing, None after a finding (or for `missing`).

        Numbers, texts, bools; durations and instants in microseconds; lists as tuples; records as
        dicts. With `names_as_text` a bare name is its own text. A value that does not fit
        `expected` is a finding.
        """
        tree = self._fresh_tree(scope)
        if names_as_text:
            tree = replace(tree, names_as_text=True)
        return constants.constant(self, node, tree, expected)

    # --- for the modules of this package

    def visit(self, node: ast.Expr, scope: Scope, expected: Type | None = None) -> ir.Expr:
        """Elaborate a part of the tree at hand."""
        if self._depth >= _DEEPEST:
            return self._too_deep(node)
        self._depth += 1
        try:
            return self._visit(node, scope, expected)
        finally:
            self._depth -= 1

    def _visit(self, node: ast.Expr, scope: Scope, expected: Type | None) -> ir.Expr:
        match node:
            case ast.Constant() | ast.Number() | ast.Duration() | ast.InstantLiteral():
                return literals.literal(self, node)
            case ast.ListLiteral() | ast.Record():
                return literals.compound(self, node, scope, expected)
            case ast.Text():
                return texts.text(self, node, scope, expected)
            case ast.Variable() | ast.RawField():
                return names.name(self, node, scope, expected)
            case ast.Attribute() | ast.Index():
                return fields.field(self, node, scope, expected)
            case ast.Call():
                return calls.call(self, node, scope)
            case ast.Quantifier() | ast.Comprehension():
                return quantifiers.walk(self, node, scope)
            case _:
                return operators.operator(self, node, scope, expected)

    def bad(self, span: Span) -> ir.Expr:
        """What stands where a finding has been reported: every use of it stays silent."""
        return ir.Const(span, ERROR, None)

    def is_too_large(self, span: Span) -> bool:
        """Whether lets have been put in line too often in this tree; reports it."""
        self._expansions += 1
        if self._expansions <= _MOST_EXPANSIONS:
            return False
        message = f"this expression uses lets more than {_MOST_EXPANSIONS} times, each in line"
        self.report(codes.TOO_LARGE, span, message, "one too many", "use fewer levels of lets")
        return True

    def _too_deep(self, node: ast.Expr) -> ir.Expr:
        message = f"expressions are nested at most {_DEEPEST} deep"
        help_ = "a long `or` of comparisons is shorter as `… in [a, b, c]`; a `let` names a part"
        self.report(codes.TOO_LARGE, node.span, message, "too deep", help_)
        return self.bad(node.span)

    def report(self, code: Code, span: Span, message: str, label: str = "", help: str = "") -> None:  # noqa: A002 - the field's name
        """Record a finding, unless this place has one of this kind (a let used twice)."""
        if (span, code.id) not in self._reported:
            self._reported.add((span, code.id))
            self.findings.add(code, message, span, label, help)

    def fresh(self, written: str, scope: Scope) -> str:
        """A name for a bound variable that occurs nowhere else in the tree."""
        taken = {variable.name for variable in scope.variables.values()}
        while True:
            self._variables += 1
            name = f"{written}.{self._variables}"
            if name not in taken:
                return name

    def _fresh_tree(self, scope: Scope) -> Scope:
        self._variables = self._expansions = 0
        return replace(scope, context=scope.variables) if scope.context is None else scope
