"""What every declaration needs: plain texts, words from a list, and clauses that stand once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from groundeval.diagnostics import Code, Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

N = TypeVar("N", bound=ast.Node)
W = TypeVar("W", bound=str)


def plain(text: ast.Text | None, findings: Findings) -> str:
    """The text itself; a hole in it is a finding. Nothing is the empty text."""
    if text is None:
        return ""
    for part in text.parts:
        if isinstance(part, ast.Hole):
            message = "this text is shown as it stands and holds no expressions"
            help_ = "write `{{` and `}}` for braces"
            findings.add(codes.HOLE_IN_PLAIN_TEXT, message, part.span, "", help_)
    return "".join(part for part in text.parts if isinstance(part, str))


def word(name: ast.Name, allowed: Sequence[W], what: str, findings: Findings) -> W | None:
    """The one of `allowed` that `name` is; None after a finding."""
    for candidate in allowed:
        if name.text == candidate:
            return candidate
    help_ = did_you_mean(name.text, allowed)
    findings.add(codes.UNKNOWN_WORD, f"`{name.text}` is no {what}", name.span, "", help_)
    return None


def known(
    name: ast.Name, names: Iterable[str], code: Code, what: str, findings: Findings
) -> str | None:
    """The name's text when it is one of `names`; None after a finding with a suggestion."""
    listed = list(names)
    if name.text in listed:
        return name.text
    help_ = did_you_mean(name.text, listed)
    findings.add(code, f"there is no {what} `{name.text}`", name.span, "", help_)
    return None


@dataclass(frozen=True, slots=True)
class Clauses:
    """The clauses of one declaration, asked by kind; what stands twice is a finding."""

    owner: str
    span: Span
    clauses: Sequence[ast.Node]
    findings: Findings

    def all(self, kind: type[N]) -> tuple[N, ...]:
        """Every clause of that kind, in the order in which they are written."""
        return tuple(c for c in self.clauses if isinstance(c, kind))

    def one(self, kind: type[N], keyword: str, *, needed: bool = False) -> N | None:
        """The one clause of that kind that is meant by `keyword`, or None."""
        found = [c for c in self.all(kind) if getattr(c, "keyword", keyword) == keyword]
        for again in found[1:]:
            message = f"`{keyword}` stands twice in {self.owner}"
            first = f"the first is at {place(found[0].span)}"
            self.findings.add(codes.REPEATED_CLAUSE, message, again.span, "the second", first)
        if needed and not found:
            message = f"{self.owner} has no `{keyword}`"
            self.findings.add(codes.MISSING_CLAUSE, message, self.span)
        return found[0] if found else None

    def refuse(self, keywords: Mapping[str, str]) -> None:
        """A finding for each clause whose `keyword` is among `keywords`; their values say why."""
        for clause in self.clauses:
            reason = keywords.get(getattr(clause, "keyword", ""))
            if reason is not None:
                written = getattr(clause, "keyword", "")
                message = f"`{written}` does not belong in {self.owner}"
                self.findings.add(codes.MISPLACED_CLAUSE, message, clause.span, "", reason)


def place(span: Span) -> str:
    """`file:line`, for messages that name another place."""
    return f"{span.file}:{span.line}"
