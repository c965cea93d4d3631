"""Cuts the tokens of a file into declarations, so that a slip in one leaves the others alone.

A declaration begins with its keyword, first on its line and outside of all brackets. Where a
block is never closed, the next such keyword that stands unindented and is followed by a name
begins a new one all the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from groundeval.syntax.tables import END
from groundeval.syntax.tokens import BAD_KINDS, Token

DECLARATIONS = (
    "domain", "timezone", "observed", "use", "subsystem", "role", "actor", "event", "source",
    "gate", "extend", "link", "silence", "question", "let", "track", "test",
)  # fmt: skip
LATER = ("state", "relation", "action", "group", "tools", "bind")
"""Declarations that later versions may have."""

MAX_NESTING = 100

_STARTERS = frozenset(DECLARATIONS + LATER)
_ALSO_CLAUSES = frozenset({"let", "actor", "use", "test"})
_INFIX = frozenset(
    {"and", "or", "not", "in", "overlaps", "matches", "is", "then", "else", "if", "for", "from",
     "until", "inherits", "by", "when", "because", "where", "of", "extend", "within"}
)  # fmt: skip
_OPENERS = {"LPAR": "RPAR", "LSQB": "RSQB", "LBRACE": "RBRACE"}
_CLOSERS = frozenset(_OPENERS.values())
_GOES_ON = frozenset(
    {"COMMA", "DOT", "COLON", "EQUAL", "PLUS", "MINUS", "STAR", "SLASH", "VBAR", "AMPERSAND",
     "LESSTHAN", "MORETHAN", "__ANON_0", "__ANON_1", "__ANON_2", "__ANON_3", "__ANON_4"}
)  # fmt: skip


@dataclass(slots=True)
class Chunk:
    """The tokens of one declaration, with an END token; what its brackets have against it."""

    tokens: list[Token] = field(default_factory=list)
    unclosed: Token | None = None
    too_deep: Token | None = None


def split(text: str, tokens: Sequence[Token]) -> list[Chunk]:
    """The declarations in `tokens`, in their order; every token is in exactly one chunk."""
    cutter = _Cutter(text)
    for position, token in enumerate(tokens):
        following = tokens[position + 1] if position + 1 < len(tokens) else None
        cutter.take(token, following)
    cutter.finish()
    return cutter.chunks


def whole(text: str, tokens: Sequence[Token]) -> Chunk:
    """All `tokens` as one chunk, wherever its lines begin; without its END token."""
    cutter = _Cutter(text)
    cutter.chunks.append(Chunk())
    for token in tokens:
        cutter.add(token)
    return cutter.chunks[0]


@dataclass(slots=True)
class _Cutter:
    text: str
    chunks: list[Chunk] = field(default_factory=list)
    open: list[Token] = field(default_factory=list)
    braces: int = 0
    suspect: Token | None = None
    damaged: bool = False  # a token of the last chunk fits nowhere, so its brackets may not count

    def take(self, token: Token, following: Token | None) -> None:
        if not self.chunks or self._begins(token, following):
            self.finish()
            self.chunks.append(Chunk())
        self.add(token)

    def add(self, token: Token) -> None:
        """Puts `token` into the last chunk."""
        chunk = self.chunks[-1]
        if token.kind in _OPENERS:
            self.open.append(token)
            self.braces += token.kind == "LBRACE"
            if len(self.open) > MAX_NESTING and chunk.too_deep is None:
                chunk.too_deep = token
        elif token.kind in _CLOSERS:
            self._close(token, chunk)
        elif token.kind in BAD_KINDS:
            self.damaged = True
        chunk.tokens.append(token)

    def finish(self) -> None:
        """Ends the last chunk and forgets the brackets that it left open."""
        if not self.chunks:
            return
        chunk = self.chunks[-1]
        end = chunk.tokens[-1].end
        chunk.tokens.append(Token(END, "", end, end))
        if self.open:
            chunk.unclosed = self.suspect or self.open[0]
        self.open.clear()
        self.braces = 0
        self.suspect = None
        self.damaged = False

    def _close(self, token: Token, chunk: Chunk) -> None:
        if token.kind == "RBRACE":
            if not self.braces:
                return
            while self.open[-1].kind != "LBRACE":
                self.open.pop()
            self.braces -= 1
        elif not self.open or _OPENERS[self.open[-1].kind] != token.kind:
            return
        opener = self.open.pop()
        if token.kind == "RBRACE" and self.open and self.suspect is None and not chunk.too_deep:
            before = chunk.tokens[-1]
            if self._breaks(before.end, token.start) and self._outdented(opener, token):
                self.suspect = opener

    def _breaks(self, start: int, end: int) -> bool:
        return self.text.find("\n", start, end) >= 0

    def _outdented(self, opener: Token, closer: Token) -> bool:
        """Whether `closer` stands further left than the line on which its block was opened."""
        line = self.text.rfind("\n", 0, opener.start) + 1
        indent = self.text[line : opener.start]
        column = closer.start - self.text.rfind("\n", 0, closer.start) - 1
        return column < len(indent) - len(indent.lstrip())

    def _begins(self, token: Token, following: Token | None) -> bool:
        """Whether `token` begins a declaration of its own."""
        tokens = self.chunks[-1].tokens
        if token.kind == "RBRACE":
            return not self.open and not self.damaged and tokens[0].kind != "RBRACE"
        if token.kind != "NAME" or not self._breaks(tokens[-1].end, token.start):
            return False
        if len(tokens) == 1 and tokens[0].text in _STARTERS:
            return False
        unindented = token.start == 0 or self.text[token.start - 1] == "\n"
        if unindented and self._unmistakable(token, following):
            return True
        if self.open or self._goes_on():
            return False
        return token.text in _STARTERS or (unindented and token.text not in _INFIX)

    def _goes_on(self) -> bool:
        """Whether the last line cannot have ended a declaration."""
        tokens = self.chunks[-1].tokens
        if tokens[-1].kind in _GOES_ON:
            return True
        attribute = len(tokens) > 1 and tokens[-2].kind == "DOT"
        return tokens[-1].text in _INFIX and not attribute

    def _unmistakable(self, token: Token, following: Token | None) -> bool:
        """Whether a keyword within brackets can only be the next declaration's."""
        if token.text not in _STARTERS or following is None:
            return False
        if following.kind not in {"NAME", "STRING"} or following.text in _INFIX:
            return False
        return not self.braces or token.text not in _ALSO_CLAUSES
