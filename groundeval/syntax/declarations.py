"""Builds the declarations of the tree: one method per rule of the grammar."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, TypeVar

from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.syntax import ast
from groundeval.syntax.expressions import ExpressionBuilder

Dotted: TypeAlias = tuple[ast.Name, ...]
T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class FoundBy(ast.Node):
    """`found by "…"` before it becomes a part of its event type."""

    text: ast.Text


@dataclass(frozen=True, slots=True)
class AskPart(ast.Node):
    """`where`, `about`, `actor`, `as_of` of an `ask` before they become parts of it."""

    keyword: Literal["where", "about", "actor", "as_of"]
    value: ast.Expr


@dataclass(slots=True)
class DeclarationBuilder(ExpressionBuilder):
    """Builds the tree of a declaration: a method for each alternative of the grammar."""

    docs: dict[int, str] = field(default_factory=dict)
    """The text of each line that holds nothing but a `##` comment."""

    def doc(self, span: Span) -> str:
        """The `##` lines right above `span`, without their signs."""
        line = span.line - 1
        lines: list[str] = []
        if line not in self.docs or self.source.line(span.line)[: span.column - 1].strip():
            return ""
        while line in self.docs:
            lines.append(self.docs[line])
            line -= 1
        return "\n".join(reversed(lines))

    def only(self, clauses: list[tuple[str, Span, T]]) -> dict[str, T]:
        """Clauses of which each may stand once, by their keyword; a second one is a finding."""
        found: dict[str, T] = {}
        for keyword, span, value in clauses:
            if keyword in found:
                message = f"`{keyword}` stands twice"
                help_ = "keep one of them"
                self.findings.append(Diagnostic(codes.REPEATED_PART, message, span, help=help_))
            found.setdefault(keyword, value)
        return found

    # --- the domain

    def domain(self, span: Span, name: ast.Name, title: ast.Text | None) -> ast.Domain:
        return ast.Domain(span, name, title, self.doc(span))

    def timezone(self, span: Span, zone: ast.Text) -> ast.Timezone:
        return ast.Timezone(span, zone)

    def observed(self, span: Span, start: ast.Expr, end: ast.Expr) -> ast.Observed:
        return ast.Observed(span, start, end)

    def use(self, span: Span, *modules: ast.Module) -> ast.Use:
        return ast.Use(span, modules)

    def named_module(self, span: Span, dotted: Dotted) -> ast.Module:
        return ast.Module(span, joined(dotted), is_path=False)

    def path_module(self, span: Span, path: ast.Text) -> ast.Module:
        return ast.Module(span, self._path(path), is_path=True)

    def _path(self, text: ast.Text) -> str:
        for part in text.parts:
            if isinstance(part, ast.Hole):
                message, help_ = "a path has no holes", "write literal braces as `{{` and `}}`"
                self.findings.append(Diagnostic(codes.BAD_TEXT, message, part.span, help=help_))
        return "".join(part for part in text.parts if isinstance(part, str))

    def dotted(self, _span: Span, *names: ast.Name) -> Dotted:
        return names

    def subsystems(self, span: Span, *names: ast.Name) -> ast.Subsystems:
        return ast.Subsystems(span, names)

    def role(
        self, span: Span, name: ast.Name, inherits: Dotted | None, lists: ast.Record | None
    ) -> ast.Role:
        at_end = Span.at(span.file, span.end_line, span.end_column)
        return ast.Role(span, name, inherits or (), lists or ast.Record(at_end, ()), self.doc(span))

    inherits = dotted

    def actor(self, span: Span, name: ast.Name, *rest: ast.Stint | ast.Record | None) -> ast.Actor:
        stints = tuple(part for part in rest if isinstance(part, ast.Stint))
        attributes = rest[-1] if isinstance(rest[-1], ast.Record) else None
        return ast.Actor(span, name, stints, attributes, self.doc(span))

    def stint(
        self, span: Span, role: ast.Name, start: ast.Expr | None, end: ast.Expr | None
    ) -> ast.Stint:
        return ast.Stint(span, role, start, end)

    def event(
        self, span: Span, name: ast.Name, label: ast.Text | None, *parts: ast.Field | FoundBy
    ) -> ast.EventType:
        fields = tuple(part for part in parts if isinstance(part, ast.Field))
        found = [("found by", p.span, p.text) for p in parts if isinstance(p, FoundBy)]
        found_by = self.only(found).get("found by")
        return ast.EventType(span, name, label, fields, found_by, self.doc(span))

    def found_by(self, span: Span, text: ast.Text) -> FoundBy:
        return FoundBy(span, text)

    def typed_field(
        self, span: Span, name: ast.Name, type_: ast.TypeExpr, *marks: bool | None
    ) -> ast.Field:
        optional, ignored = marks
        return ast.Field(span, name, type_, bool(optional), bool(ignored), self.doc(span))

    def optional(self, _span: Span) -> bool:
        return True

    ignored = optional

    def named_type(self, span: Span, name: ast.Name, item: ast.TypeExpr | None) -> ast.NamedType:
        return ast.NamedType(span, name, item)

    def one_of(self, span: Span, values: ast.Expr) -> ast.OneOf:
        return ast.OneOf(span, values)

    def source_block(
        self, span: Span, kind: ast.Name, path: ast.Text, *parts: ast.Mapping | ast.Skip
    ) -> ast.SourceBlock:
        mappings = tuple(part for part in parts if isinstance(part, ast.Mapping))
        skips = tuple(part for part in parts if isinstance(part, ast.Skip))
        return ast.SourceBlock(span, kind, path, mappings, skips, self.doc(span))

    def mapping(self, span: Span, key: ast.Name, value: ast.Expr) -> ast.Mapping:
        return ast.Mapping(span, key, value)

    def skip(self, span: Span, condition: ast.Expr, because: ast.Text | None) -> ast.Skip:
        return ast.Skip(span, condition, because)

    # --- who may see what

    def gate(
        self, span: Span, name: ast.Name, title: ast.Text | None, *rules: ast.Rule
    ) -> ast.Gate:
        return ast.Gate(span, name, title, rules, extends=False, doc=self.doc(span))

    def extend(self, span: Span, name: ast.Name, *rules: ast.Rule) -> ast.Gate:
        return ast.Gate(span, name, None, rules, extends=True, doc=self.doc(span))

    def rule(
        self,
        span: Span,
        effect: Literal["permit", "forbid"],
        action: ast.Name,
        *rest: ast.Text | ast.Expr | None,
    ) -> ast.Rule:
        name, when, because = rest
        assert name is None or isinstance(name, ast.Text)
        assert because is None or isinstance(because, ast.Text)
        return ast.Rule(span, effect, action, name, when, because)

    def permit(self, _span: Span) -> Literal["permit"]:
        return "permit"

    def forbid(self, _span: Span) -> Literal["forbid"]:
        return "forbid"

    # --- links and silences

    def cause(
        self, span: Span, variable: ast.Name, event: ast.Name, where: ast.Expr | None
    ) -> ast.Binding:
        return ast.Binding(span, "cause", variable, event, where)

    def effect_side(
        self, span: Span, variable: ast.Name, event: ast.Name, where: ast.Expr | None
    ) -> ast.Binding:
        return ast.Binding(span, "effect", variable, event, where)

    def after(
        self, span: Span, variable: ast.Name, event: ast.Name, where: ast.Expr | None
    ) -> ast.Binding:
        return ast.Binding(span, "after", variable, event, where)

    def awaited(
        self, span: Span, variable: ast.Name, event: ast.Name, where: ast.Expr | None
    ) -> ast.Binding:
        return ast.Binding(span, "expect", variable, event, where)

    def join(self, span: Span, pairwise: bool | None, condition: ast.Expr) -> ast.Join:
        return ast.Join(span, condition, bool(pairwise))

    pairwise = optional

    def within(self, span: Span, duration: ast.Expr) -> ast.Within:
        return ast.Within(span, duration)

    def unless(self, span: Span, condition: ast.Expr) -> ast.Unless:
        return ast.Unless(span, condition)

    def necessity(self, span: Span, value: ast.Name) -> ast.Option:
        return ast.Option(span, "necessity", value)

    def match(self, span: Span, value: ast.Name) -> ast.Option:
        return ast.Option(span, "match", value)

    def changed(self, span: Span, value: ast.Name) -> ast.Option:
        return ast.Option(span, "outcome_changed", value)

    def ties(self, span: Span) -> ast.TiesInLogOrder:
        return ast.TiesInLogOrder(span)

    def evidence(self, span: Span, *alternatives: ast.Expr) -> ast.Evidence:
        return ast.Evidence(span, alternatives)

    def aka(self, span: Span, *names: ast.Text) -> ast.Aka:
        return ast.Aka(span, names)

    def premise(self, span: Span, text: ast.Text) -> ast.Wording:
        return ast.Wording(span, "premise", text)

    def outcome(self, span: Span, text: ast.Text) -> ast.Wording:
        return ast.Wording(span, "outcome", text)

    def wording(self, span: Span, text: ast.Text) -> ast.Wording:
        return ast.Wording(span, "text", text)

    def reason(self, span: Span, text: ast.Text) -> ast.Because:
        return ast.Because(span, text)

    def link(
        self, span: Span, name: ast.Name, title: ast.Text | None, *clauses: ast.LinkClause
    ) -> ast.Link:
        return ast.Link(span, name, title, clauses, self.doc(span))

    def silence(
        self, span: Span, name: ast.Name, title: ast.Text | None, *clauses: ast.SilenceClause
    ) -> ast.Silence:
        return ast.Silence(span, name, title, clauses, self.doc(span))

    def search(self, span: Span, subsystem: ast.Name, text: ast.Expr) -> ast.SearchPlace:
        return ast.SearchPlace(span, subsystem, text)

    def fetch(self, span: Span, artifact: ast.Expr) -> ast.FetchPlace:
        return ast.FetchPlace(span, artifact)

    def question(self, span: Span, track: Dotted, *wordings: ast.Wording) -> ast.QuestionBlock:
        return ast.QuestionBlock(span, joined(track), across(track), wordings)

    def let(
        self, span: Span, name: ast.Name, parameters: Dotted | None, value: ast.Expr
    ) -> ast.Let:
        return ast.Let(span, name, parameters or (), value)

    parameters = dotted


def joined(dotted: Dotted) -> str:
    return ".".join(name.text for name in dotted)


def across(dotted: Dotted) -> Span:
    return dotted[0].span.to(dotted[-1].span)
