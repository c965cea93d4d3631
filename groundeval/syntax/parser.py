"""Text to tree. No text makes this raise: what is wrong comes back as findings.

The tokens are cut into declarations first, and each is parsed on its own: one slip is one
finding, and the other declarations are there all the same.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

from groundeval.diagnostics import Checked, Diagnostic, Source, Span, codes
from groundeval.syntax import ast
from groundeval.syntax.automaton import Automaton
from groundeval.syntax.chunks import Chunk, split, whole
from groundeval.syntax.mistakes import Slip, character, explain, shown
from groundeval.syntax.tables import END, load
from groundeval.syntax.tokens import Token, tokenize
from groundeval.syntax.tracks import TreeBuilder

VERSION = 1
"""The one language version that this package reads."""


def parse(source: Source) -> Checked[ast.File]:
    """The tree of `source`, with the declarations that could be read, beside all findings.

    The value is None only for a file of another language version. Never raises on any text.
    """
    return _Parse(_without_mark(source)).file()


def parse_expression(source: Source) -> Checked[ast.Expr]:
    """The expression that `source` holds, None where it is faulty. Never raises on any text."""
    return _Parse(_without_mark(source)).lone_expression()


def _without_mark(source: Source) -> Source:
    """`source` without a byte order mark, which is no part of its first line."""
    return Source(source.name, source.text[1:]) if source.text.startswith("\ufeff") else source


# what cannot be written to a file again, or not be seen in one
_FORBIDDEN = re.compile("[\x00\ud800-\udfff]")


@dataclass(slots=True)
class _Parse:
    source: Source
    automaton: Automaton = field(default_factory=lambda: Automaton(load()))
    findings: list[Diagnostic] = field(default_factory=list)

    def file(self) -> Checked[ast.File]:
        tokens, comments = tokenize(self.source.text)
        rest = self._after_version(tokens)
        if rest is None:
            return Checked(None, tuple(self.findings))
        docs = self._docs(comments)
        declarations = []
        for chunk in split(self.source.text, tokens[rest:]):
            value = self._value("declaration", chunk, docs)
            if value is not None:
                declarations.append(value)
        self._forbid([*tokens, *comments])
        everything = self.source.span(0, len(self.source.text))
        kept = tuple(ast.Comment(self._span(c), c.text) for c in comments)
        file = ast.File(everything, VERSION, tuple(declarations), kept)
        return Checked(file, tuple(self.findings))

    def lone_expression(self) -> Checked[ast.Expr]:
        tokens, _ = tokenize(self.source.text)
        value = self._stretch("expression", tokens, len(self.source.text))
        self._forbid(tokens)
        return Checked(None if self.findings else value, tuple(self.findings))

    # --- the version line

    def _after_version(self, tokens: list[Token]) -> int | None:
        """Where the declarations begin; None where the file is of another version."""
        if not tokens or tokens[0].text != "gev":
            start = Span.at(self.source.name, 1)
            self._find(codes.MISSING_VERSION, "the file does not say its version", start)
            return 0
        if len(tokens) == 1 or "\n" in self.source.text[tokens[0].end : tokens[1].start]:
            message = "`gev` is not followed by its version"
            self._find(codes.MISSING_VERSION, message, self._span(tokens[0]))
            return 1
        if tokens[1].text == str(VERSION):
            return 2
        message = f"{shown('gev ' + tokens[1].text)} is not a version that is read here"
        self._find(codes.UNSUPPORTED_VERSION, message, self._span(tokens[1]))
        return None

    def _find(self, code: Any, message: str, span: Span) -> None:
        help_ = f"begin the file with `gev {VERSION}`"
        self.findings.append(Diagnostic(code, message, span, help=help_))

    # --- one declaration, one hole

    def _value(self, start: str, chunk: Chunk, docs: dict[int, str]) -> Any:
        """What `chunk` holds; None, and a finding, where it does not fit the grammar."""
        if chunk.too_deep is not None:
            message, help_ = "brackets are nested too deeply", "give parts of it a name with `let`"
            span = self._span(chunk.too_deep)
            self.findings.append(Diagnostic(codes.TOO_DEEP, message, span, help=help_))
            return None
        builder = TreeBuilder(self.source, self._hole, docs=docs)

        def build(rule: str, first: int, last: int, values: list[Any]) -> Any:
            return getattr(builder, rule)(self.source.span(first, last), *values)

        outcome = self.automaton.run(start, chunk.tokens, build)
        self.findings.extend(builder.findings)
        if outcome.stop is None:
            return outcome.value
        self.findings.append(explain(Slip.of(self.source, self.automaton, chunk, outcome.stop)))
        return None

    def _hole(self, start: int, end: int) -> ast.Hole | None:
        tokens, comments = tokenize(self.source.text, start, end)
        if comments:
            tokens.append(Token("stray", "#", comments[0].start, comments[0].start + 1))
        value: ast.Hole | None = self._stretch("hole", tokens, end)
        return value and replace(value, span=self.source.span(start - 1, end + 1))

    def _stretch(self, start: str, tokens: list[Token], end: int) -> Any:
        """What all of `tokens` hold together, however they are spread over lines."""
        chunk = whole(self.source.text, tokens)
        chunk.tokens.append(Token(END, "", end, end))
        return self._value(start, chunk, {})

    # --- comments and characters

    def _docs(self, comments: list[Token]) -> dict[int, str]:
        """The lines that hold nothing but a `##` comment, by their number."""
        docs = {}
        for comment in comments:
            if not comment.text.startswith("##"):
                continue
            span = self._span(comment)
            if not self.source.line(span.line)[: span.column - 1].strip():
                docs[span.line] = comment.text[2:].removeprefix(" ").rstrip()
        return docs

    def _forbid(self, tokens: list[Token]) -> None:
        """A finding for each token that hides a character which no file may hold."""
        if not _FORBIDDEN.search(self.source.text):
            return
        known = {each.span for each in self.findings}
        for token in tokens:
            found = _FORBIDDEN.search(token.text)
            if found is None or len(token.text) == 1:
                continue
            start = token.start + found.start()
            span = self.source.span(start, start + 1)
            if span in known:
                continue
            message = f"{character(found.group())} cannot stand in a file"
            self.findings.append(Diagnostic(codes.STRAY_CHARACTER, message, span, help="remove it"))

    def _span(self, token: Token) -> Span:
        return self.source.span(token.start, token.end)
