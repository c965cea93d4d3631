"""Builds the expressions of the tree: one method per rule of the grammar."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, field

from groundeval.diagnostics import Diagnostic, Source, Span
from groundeval.syntax import ast
from groundeval.syntax.texts import ReadHole, TextReader
from groundeval.syntax.tokens import Token


def spelled(word: str) -> str:
    """A name as it is meant: without backticks, in Unicode's composed form."""
    word = word[1:-1] if word.startswith("`") else word
    return word if word.isascii() else unicodedata.normalize("NFC", word)


@dataclass(slots=True)
class ExpressionBuilder:
    """Builds the tree of an expression: a method for each alternative of the grammar."""

    source: Source
    read_hole: ReadHole
    findings: list[Diagnostic] = field(default_factory=list)

    # names, texts, literals

    def name(self, span: Span, token: Token) -> ast.Name:
        return ast.Name(span, spelled(token.text), token.text.startswith("`"))

    key = name

    def text(self, span: Span, token: Token) -> ast.Text:
        content = token.text[1:-1]
        if "{" not in content and "\\" not in content and "}" not in content:
            return ast.Text(span, (content,) if content else ())
        reader = TextReader(self.source, self.read_hole)
        parts = reader.parts(token.start + 1, token.end - 1)
        self.findings.extend(reader.findings)
        return ast.Text(span, parts)

    def variable(self, span: Span, token: Token) -> ast.Variable:
        return ast.Variable(span, spelled(token.text))

    def number(self, span: Span, token: Token) -> ast.Number:
        return ast.Number(span, token.text)

    def duration(self, span: Span, token: Token) -> ast.Duration:
        return ast.Duration(span, token.text)

    def instant(self, span: Span, token: Token) -> ast.InstantLiteral:
        return ast.InstantLiteral(span, token.text)

    def true(self, span: Span) -> ast.Constant:
        return ast.Constant(span, value=True)

    def false(self, span: Span) -> ast.Constant:
        return ast.Constant(span, value=False)

    def missing(self, span: Span) -> ast.Constant:
        return ast.Constant(span, value=None)

    def raw_field(self, span: Span, _dot: Token, name: ast.Name) -> ast.RawField:
        return ast.RawField(span, name.text)

    def raw_record(self, span: Span) -> ast.RawField:
        return ast.RawField(span, None)

    # operators

    def coalesced(self, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Coalesce:
        return ast.Coalesce(span, left, right)

    def either(self, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Or:
        return ast.Or(span, left, right)

    def both(self, span: Span, left: ast.Expr, right: ast.Expr) -> ast.And:
        return ast.And(span, left, right)

    def negated(self, span: Span, operand: ast.Expr) -> ast.Not:
        return ast.Not(span, operand)

    def compare(self, span: Span, left: ast.Expr, op: Token, right: ast.Expr) -> ast.Compare:
        return ast.Compare(span, _COMPARE[op.text], left, right)

    def member(self, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Membership:
        return ast.Membership(span, left, right, negated=False)

    def not_member(self, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Membership:
        return ast.Membership(span, left, right, negated=True)

    def overlaps(self, span: Span, left: ast.Expr, right: ast.Expr) -> ast.Overlaps:
        return ast.Overlaps(span, left, right)

    def matches(self, span: Span, left: ast.Expr, pattern: Token) -> ast.Matches:
        """A pattern stands as it is: its backslashes and braces belong to it."""
        content = pattern.text[1:-1]
        where = self.source.span(pattern.start, pattern.end)
        return ast.Matches(span, left, ast.Text(where, (content,) if content else ()))

    def is_missing(self, span: Span, operand: ast.Expr) -> ast.IsMissing:
        return ast.IsMissing(span, operand, negated=False)

    def is_present(self, span: Span, operand: ast.Expr) -> ast.IsMissing:
        return ast.IsMissing(span, operand, negated=True)

    def binary(self, span: Span, left: ast.Expr, op: Token, right: ast.Expr) -> ast.Binary:
        return ast.Binary(span, _BINARY[op.text], left, right)

    def minus(self, span: Span, operand: ast.Expr) -> ast.Negate:
        return ast.Negate(span, operand)

    # open and postfix forms, collections

    def conditional(
        self, span: Span, condition: ast.Expr, then: ast.Expr, otherwise: ast.Expr
    ) -> ast.If:
        return ast.If(span, condition, then, otherwise)

    def quantifier(
        self, span: Span, kind: Token, variable: ast.Name, *parts: ast.Expr
    ) -> ast.Quantifier:
        collection, body = parts
        return ast.Quantifier(span, _QUANTIFIERS[kind.text], variable, collection, body)

    def attribute(self, span: Span, base: ast.Expr, name: ast.Name) -> ast.Attribute:
        return ast.Attribute(span, base, name)

    def index(self, span: Span, base: ast.Expr, key: ast.Expr) -> ast.Index:
        return ast.Index(span, base, key)

    def call(self, span: Span, callee: ast.Expr, *arguments: ast.Argument) -> ast.Call:
        return ast.Call(span, callee, arguments)

    def positional(self, span: Span, value: ast.Expr) -> ast.Argument:
        return ast.Argument(span, None, value)

    def named(self, span: Span, name: ast.Name, value: ast.Expr) -> ast.Argument:
        return ast.Argument(span, name, value)

    def grouped(self, _span: Span, inner: ast.Expr) -> ast.Expr:
        """Parentheses leave no trace: the printer sets them where they are needed."""
        return inner

    def list_literal(self, span: Span, *items: ast.Expr) -> ast.ListLiteral:
        return ast.ListLiteral(span, items)

    def list_comprehension(
        self, span: Span, item: ast.Expr, variable: ast.Name, *parts: ast.Expr
    ) -> ast.Comprehension:
        collection, condition = parts
        return ast.Comprehension(span, "list", item, variable, collection, condition)

    def set_comprehension(
        self, span: Span, item: ast.Expr, variable: ast.Name, *parts: ast.Expr
    ) -> ast.Comprehension:
        collection, condition = parts
        return ast.Comprehension(span, "set", item, variable, collection, condition)

    def record(self, span: Span, *entries: ast.Entry) -> ast.Record:
        return ast.Record(span, entries)

    def entry(self, span: Span, key: ast.Name, value: ast.Expr) -> ast.Entry:
        return ast.Entry(span, key, value)

    def hole(self, span: Span, expr: ast.Expr, form: ast.Name | None) -> ast.Hole:
        return ast.Hole(span, expr, form.text if form else None)


_COMPARE: dict[str, ast.CompareOp] = {
    "==": "==", "!=": "!=", "<": "<", "<=": "<=", ">": ">", ">=": ">=",
}  # fmt: skip
_BINARY: dict[str, ast.BinaryOp] = {"+": "+", "-": "-", "|": "|", "&": "&", "*": "*", "/": "/"}
_QUANTIFIERS: dict[str, ast.QuantifierKind] = {
    "any": "any", "all": "all", "count": "count", "share": "share", "first": "first",
    "last": "last", "sum": "sum", "mean": "mean", "min": "min", "max": "max",
}  # fmt: skip
