"""Builds the tracks and tests of the tree: one method per rule of the grammar."""

from __future__ import annotations

from dataclasses import dataclass

from groundeval.diagnostics import Span
from groundeval.syntax import ast
from groundeval.syntax.declarations import AskPart, DeclarationBuilder, Dotted, across, joined
from groundeval.syntax.tokens import Token


@dataclass(slots=True)
class TreeBuilder(DeclarationBuilder):
    """A method for every rule of the grammar."""

    def track(
        self, span: Span, name: ast.Name, title: ast.Text | None, *clauses: ast.TrackClause
    ) -> ast.Track:
        return ast.Track(span, name, title, clauses, self.doc(span))

    def param(self, span: Span, name: ast.Name, value: ast.Expr) -> ast.Param:
        return ast.Param(span, name, value)

    def ask(self, span: Span, *parts: ast.Binder | AskPart) -> ast.Ask:
        binders = tuple(part for part in parts if isinstance(part, ast.Binder))
        clauses = [part for part in parts if isinstance(part, AskPart)]
        only = self.only([(part.keyword, part.span, part.value) for part in clauses])
        get = only.get
        return ast.Ask(span, binders, get("where"), get("about"), get("actor"), get("as_of"))

    def binder(self, span: Span, variable: ast.Name, collection: ast.Expr) -> ast.Binder:
        return ast.Binder(span, variable, collection)

    def ask_where(self, span: Span, value: ast.Expr) -> AskPart:
        return AskPart(span, "where", value)

    def about(self, span: Span, value: ast.Expr) -> AskPart:
        return AskPart(span, "about", value)

    def ask_actor(self, span: Span, value: ast.Expr) -> AskPart:
        return AskPart(span, "actor", value)

    def as_of(self, span: Span, value: ast.Expr) -> AskPart:
        return AskPart(span, "as_of", value)

    def enforce(self, span: Span, *gates: ast.Name) -> ast.Enforce:
        return ast.Enforce(span, gates)

    def answer(self, span: Span, *fields: ast.Field) -> ast.Answer:
        return ast.Answer(span, fields)

    def truth(self, span: Span, *fields: ast.Mapping) -> ast.Truth:
        return ast.Truth(span, fields)

    def balance(self, span: Span, *strata: ast.Stratum) -> ast.Balance:
        return ast.Balance(span, strata)

    def stratum(
        self, span: Span, name: ast.Text, share: ast.Share, condition: ast.Expr
    ) -> ast.Stratum:
        return ast.Stratum(span, name, share, condition)

    def weight(self, span: Span, numerator: Token, denominator: Token | None) -> ast.Share:
        return ast.Share(span, numerator.text, denominator.text if denominator else None)

    def score(
        self,
        span: Span,
        name: ast.Name,
        when: ast.Expr | None,
        *items: ast.Require | ast.Component | ast.Rounding,
    ) -> ast.Score:
        return ast.Score(span, name, when, items)

    def require(self, span: Span, condition: ast.Expr) -> ast.Require:
        return ast.Require(span, condition)

    def rounding(self, span: Span, decimals: ast.Expr) -> ast.Rounding:
        return ast.Rounding(span, decimals)

    def component(
        self, span: Span, name: ast.Text, weight: ast.Share, value: ast.Expr | None
    ) -> ast.Component:
        return ast.Component(span, name, weight, value)

    def weights(self, span: Span, *weights: ast.Weight) -> ast.Weights:
        return ast.Weights(span, weights)

    def named_weight(self, span: Span, score: ast.Name, weight: ast.Share) -> ast.Weight:
        return ast.Weight(span, score, weight)

    def violation(self, span: Span, condition: ast.Expr) -> ast.Verdict:
        return ast.Verdict(span, "violation", condition)

    def correct(self, span: Span, condition: ast.Expr) -> ast.Verdict:
        return ast.Verdict(span, "correct", condition)

    def sound(self, span: Span, condition: ast.Expr) -> ast.Verdict:
        return ast.Verdict(span, "sound", condition)

    def rate(self, span: Span, numerator: ast.Expr, denominator: ast.Expr) -> ast.Rate:
        return ast.Rate(span, numerator, denominator)

    # --- tests

    def test(
        self,
        span: Span,
        name: ast.Text,
        track: Dotted | None,
        *statements: ast.Given | ast.Expect,
    ) -> ast.Test:
        dotted = joined(track) if track else None
        return ast.Test(span, name, dotted, across(track) if track else None, statements)

    def for_track(self, _span: Span, track: Dotted) -> Dotted:
        return track

    def given_record(
        self, span: Span, kind: ast.Name, name: ast.Name | None, record: ast.Record
    ) -> ast.Given:
        return ast.Given(span, kind, name, record, None)

    def given_path(self, span: Span, kind: ast.Name, path: ast.Text) -> ast.Given:
        return ast.Given(span, kind, None, None, path)

    def expectation(self, span: Span, condition: ast.Expr, by: Dotted | None) -> ast.Expect:
        return ast.Expect(span, condition, by or ())
