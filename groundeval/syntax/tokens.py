"""Text to tokens: words, literals, signs, comments, and what is none of these.

No text makes this fail: what fits nothing becomes a token whose kind says what is wrong with it.
"""

from __future__ import annotations

import re
import unicodedata
from functools import cache
from typing import NamedTuple

from groundeval.syntax import tables

# Kinds that fit nowhere in the grammar; `mistakes` words them.
OPEN_TEXT = "open text"
OPEN_NAME = "open name"
BAD_LITERAL = "bad literal"
STRAY = "stray"
BAD_KINDS = frozenset({OPEN_TEXT, OPEN_NAME, BAD_LITERAL, STRAY})


class Token(NamedTuple):
    """A piece of text; `kind` is a terminal of the grammar, or one of BAD_KINDS.

    Every word is a NAME here: whether it is a keyword depends on where it stands.
    """

    kind: str
    text: str
    start: int
    end: int


class Tokens(NamedTuple):
    """The tokens of a text, and its comments."""

    tokens: list[Token]
    comments: list[Token]


def tokenize(text: str, start: int = 0, end: int | None = None) -> Tokens:
    """Cuts `text[start:end]` into tokens; offsets count from the start of `text`."""
    end = len(text) if end is None else end
    pattern, signs = _scanner()
    match = pattern.match
    tokens: list[Token] = []
    comments: list[Token] = []
    while start < end:
        found = match(text, start, end)
        assert found is not None, "the last alternative takes any character"
        kind = found.lastgroup or STRAY
        stop = found.end()
        if kind == "NAME":
            if stop < end and text[stop] > "\x7f" and text[stop - 1] != "`":
                stop = _with_marks(text, stop, end)
            tokens.append(Token(kind, text[start:stop], start, stop))
        elif kind == "SIGN":
            sign = found.group()
            tokens.append(Token(signs[sign], sign, start, stop))
        elif kind == "COMMENT":
            comments.append(Token(kind, found.group().rstrip("\r"), start, stop))
        elif kind != "SPACE":
            tokens.append(Token(_KINDS.get(kind, kind), found.group(), start, stop))
        start = stop
    return Tokens(tokens, comments)


def is_word(text: str) -> bool:
    """Whether `text` can stand as a name without backticks."""
    pattern, _ = _scanner()
    found = pattern.match(text)
    if found is None or found.lastgroup != "NAME" or text.startswith("`"):
        return False
    return _with_marks(text, found.end(), len(text)) == len(text)


_KINDS = {
    "OPEN_TEXT": OPEN_TEXT,
    "OPEN_NAME": OPEN_NAME,
    "BAD_LITERAL": BAD_LITERAL,
    "BAD_NUMBER": BAD_LITERAL,
    "STRAY": STRAY,
}
_SIGN = r"\?\?|[=!<>]=|[-+*/|&<>=?:,.(){}\[\]]"
_WORD_REST = re.compile(r"\w+")


@cache
def _scanner() -> tuple[re.Pattern[str], dict[str, str]]:
    loaded = tables.load()
    of = loaded.patterns
    kinds = {
        "SPACE": r"\s+",
        "NAME": of["NAME"],
        "SIGN": _SIGN,
        "INSTANT": of["INSTANT"],
        # `2026-3-5` would otherwise be a subtraction
        "BAD_LITERAL": r"[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[\w:]*",
        "DURATION": of["DURATION"],
        "NUMBER": of["NUMBER"],
        "BAD_NUMBER": r"\d[\w.]*",
        "STRING": of["STRING"],
        "COMMENT": r"\#[^\n]*",
        "OPEN_TEXT": r'"[^\n]*',
        "OPEN_NAME": r"`[^\n]*",
        "STRAY": r"(?s:.)",
    }
    pattern = re.compile("|".join(f"(?P<{kind}>{regexp})" for kind, regexp in kinds.items()))
    return pattern, loaded.words


def _with_marks(text: str, stop: int, end: int) -> int:
    """Where a name that reaches to `stop` ends when combining marks go on with it."""
    while stop < end and unicodedata.category(text[stop])[0] == "M":
        stop += 1
        rest = _WORD_REST.match(text, stop, end)
        if rest:
            stop = rest.end()
    return stop
