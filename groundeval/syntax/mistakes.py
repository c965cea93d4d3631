"""Says what is wrong where a parse stopped: one finding, at the right place, with its remedy."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import get_close_matches

from groundeval.diagnostics import Code, Diagnostic, Source, codes
from groundeval.syntax.automaton import QUANTIFIERS, Automaton, Stop
from groundeval.syntax.chunks import DECLARATIONS, LATER, Chunk
from groundeval.syntax.expected import describe
from groundeval.syntax.remedies import ELSEWHERE, LATER_CLAUSES, SIGNS, STRAYS, UNITS
from groundeval.syntax.tables import END
from groundeval.syntax.tokens import BAD_KINDS, BAD_LITERAL, OPEN_NAME, OPEN_TEXT, Token


@dataclass(frozen=True, slots=True)
class Slip:
    """Where a parse stopped, and everything that helps to say why."""

    source: Source
    automaton: Automaton
    chunk: Chunk
    stop: Stop
    accepted: frozenset[str]
    """The terminals that could have come instead."""

    @classmethod
    def of(cls, source: Source, automaton: Automaton, chunk: Chunk, stop: Stop) -> Slip:
        """The slip at `stop`."""
        accepted = frozenset() if stop.too_deep else automaton.accepts(stop.states)
        return cls(source, automaton, chunk, stop, accepted)

    @property
    def token(self) -> Token:
        return self.chunk.tokens[self.stop.position]

    @property
    def before(self) -> Token | None:
        return self.chunk.tokens[self.stop.position - 1] if self.stop.position else None

    @property
    def after(self) -> Token | None:
        position = self.stop.position + 1
        return self.chunk.tokens[position] if position < len(self.chunk.tokens) else None

    @property
    def opening(self) -> str:
        """The keyword that begins the declaration."""
        return self.chunk.tokens[0].text

    def at(self, code: Code, message: str, token: Token, help_: str = "") -> Diagnostic:
        """A finding at `token`."""
        span = self.source.span(token.start, token.end)
        return Diagnostic(code, message, span, help=help_)

    def across(self, code: Code, message: str, first: Token, help_: str) -> Diagnostic:
        """A finding from `first` to the token at which the parse stopped."""
        span = self.source.span(first.start, self.token.end)
        return Diagnostic(code, message, span, help=help_)


def explain(slip: Slip) -> Diagnostic:
    """The finding for `slip`; the first explanation that fits, the plainest one last."""
    found = next((f for e in _EXPLANATIONS if (f := e(slip)) is not None), None)
    found = found or _unexpected(slip)
    mended = _elsewhere(slip) if found.code in _PLAIN else None
    return replace(found, help=mended) if mended is not None else found


def shown(text: str) -> str:
    """User text in backticks, cut where it is long."""
    return f"`{text[:40]}…`" if len(text) > 41 else f"`{text}`"


def _elsewhere(slip: Slip) -> str | None:
    """How what other languages write here is said in this one."""
    token = slip.token
    if token.text in ELSEWHERE:
        word, help_ = ELSEWHERE[token.text]
        return help_ if slip.automaton.tables.words[word] in slip.accepted else None
    called = _called_quantifier(slip) if token.text in {":", "for"} else None
    return None if called is None else f"write `{called} x in xs: …`, without parentheses"


def _called_quantifier(slip: Slip) -> str | None:
    """The quantifier in whose parentheses the parse stopped, as in `sum(x in xs: x)`."""
    tokens, depth = slip.chunk.tokens, 0
    for index in range(slip.stop.position - 1, 0, -1):
        depth += {"RPAR": 1, "LPAR": -1}.get(tokens[index].kind, 0)
        if depth < 0:
            before = tokens[index - 1].text
            return before if before in QUANTIFIERS else None
    return None


def _too_deep(slip: Slip) -> Diagnostic | None:
    if not slip.stop.too_deep:
        return None
    help_ = "give parts of it a name with `let`, or write a list"
    return slip.at(
        codes.TOO_DEEP, "an expression is nested too deeply", slip.before or slip.token, help_
    )


def _bad_token(slip: Slip) -> Diagnostic | None:
    token = slip.token
    if token.kind not in BAD_KINDS:
        return None
    if token.kind == OPEN_TEXT:
        opener = Token(token.kind, '"', token.start, token.start + 1)
        help_ = 'close it with `"`; a quote within a text is written `\\"`'
        return slip.at(codes.UNCLOSED_TEXT, "a text is not closed on its line", opener, help_)
    if token.kind == OPEN_NAME:
        return _open_name(slip, token)
    if token.kind == BAD_LITERAL:
        return slip.at(
            codes.MALFORMED_LITERAL,
            f"{shown(token.text)} is neither a number nor a duration, date or instant",
            token,
            "such are written `0.5`, `1h30m`, `2026-03-05` and `2026-03-05T10:00:00Z`",
        )
    help_ = STRAYS.get(token.text, "names with odd characters stand in backticks")
    return slip.at(
        codes.STRAY_CHARACTER, f"{character(token.text)} has no meaning here", token, help_
    )


def _open_name(slip: Slip, token: Token) -> Diagnostic:
    opener = Token(token.kind, "`", token.start, token.start + 1)
    if token.text.startswith("``"):
        help_ = "write the name between the backticks"
        return slip.at(codes.UNCLOSED_TEXT, "a quoted name is empty", opener, help_)
    help_ = "close it with a backtick"
    return slip.at(codes.UNCLOSED_TEXT, "a quoted name is not closed on its line", opener, help_)


def character(char: str) -> str:
    """One character as a message shows it: itself where it can be seen, its number where not."""
    return f"`{char}`" if char.isprintable() and not char.isspace() else f"U+{ord(char):04X}"


def _unclosed(slip: Slip) -> Diagnostic | None:
    opener = slip.chunk.unclosed
    if opener is None or opener.start > slip.token.start:
        return None
    return _never_closed(slip, opener)


def _never_closed(slip: Slip, opener: Token) -> Diagnostic:
    closer = {"{": "}", "(": ")", "[": "]"}[opener.text]
    help_ = f"add the `{closer}` that ends it"
    return slip.at(codes.UNCLOSED_BLOCK, f"this `{opener.text}` is never closed", opener, help_)


def _later_version(slip: Slip) -> Diagnostic | None:
    token = slip.token
    within = slip.stop.position > 0
    if token.text in LATER_CLAUSES.get(slip.opening, ()) if within else token.text in LATER:
        return slip.at(
            codes.NOT_IN_VERSION,
            f"`{token.text}` is not part of gev 1",
            token,
            "later versions may have it; leave it out",
        )
    return None


def _assignment(slip: Slip) -> Diagnostic | None:
    if slip.token.kind != "EQUAL" or "AND" not in slip.accepted:
        return None
    return slip.at(codes.ASSIGNMENT, "`=` does not compare", slip.token, "write `==`")


def _spelled_duration(slip: Slip) -> Diagnostic | None:
    token, before = slip.token, slip.before
    if before is None or before.kind != "NUMBER" or token.kind != "NAME":
        return None
    unit = UNITS.get(token.text.lower())
    if unit is None:
        return None
    written = f"{before.text} {token.text}"
    whole = before.text.isdigit()
    help_ = f"write `{before.text}{unit}`" if whole else "write whole units, such as `1h30m`"
    return slip.across(codes.MALFORMED_LITERAL, f"`{written}` is not a duration", before, help_)


def _chained(slip: Slip) -> Diagnostic | None:
    compares = slip.token.text in _COMPARISONS or slip.stop.kind in {"IN", "OVERLAPS", "MATCHES"}
    if not compares or "AND" not in slip.accepted:
        return None
    message, help_ = "comparisons do not chain", "join two comparisons with `and`"
    return slip.at(codes.SYNTAX_ERROR, message, slip.token, help_)


def _open_form(slip: Slip) -> Diagnostic | None:
    token, after = slip.token, slip.after
    if "NUMBER" not in slip.accepted or token.kind != "NAME":
        return None
    quantifies = token.text in QUANTIFIERS and after is not None and after.kind == "NAME"
    if token.text not in {"if", "not"} and not quantifies:
        return None
    message = f"`{token.text}` cannot stand here without parentheses"
    return slip.at(codes.SYNTAX_ERROR, message, token, f"write `({token.text} …)`")


def _malformed_quantifier(slip: Slip) -> Diagnostic | None:
    before, token = slip.before, slip.token
    if before is None or before.text not in QUANTIFIERS or token.kind != "NAME":
        return None
    if "AND" not in slip.accepted:
        return None
    help_ = f"write `{before.text} x in xs: …`"
    return slip.across(codes.SYNTAX_ERROR, f"`{before.text}` lacks its `in`", before, help_)


def _unknown_declaration(slip: Slip) -> Diagnostic | None:
    token = slip.token
    if slip.stop.position or token.kind != "NAME":
        return None
    close = get_close_matches(token.text, DECLARATIONS, n=1, cutoff=0.6)
    help_ = f"did you mean `{close[0]}`?" if close else "declarations are " + _listed(DECLARATIONS)
    message = f"no declaration begins with {shown(token.text)}"
    return slip.at(codes.UNKNOWN_DECLARATION, message, token, help_)


def _unknown_clause(slip: Slip) -> Diagnostic | None:
    """A word that stands where a clause begins and is none: misspelt, or of another block."""
    token = slip.token
    if token.kind != "NAME" or token.text.startswith("`"):
        return None
    accepted = slip.accepted
    words = slip.automaton.tables.words
    if token.text in words:
        return _misplaced(slip, accepted)
    keywords = sorted(word for word, terminal in words.items() if terminal in accepted)
    close = get_close_matches(
        token.text, [k for k in keywords if k.isidentifier()], n=1, cutoff=0.6
    )
    if close:
        message = f"{shown(token.text)} is no keyword here"
        return slip.at(codes.UNKNOWN_CLAUSE, message, token, f"did you mean `{close[0]}`?")
    if "RBRACE" not in accepted or not _first_on_line(slip):
        return None
    help_ = "expected " + describe(accepted, words)
    return slip.at(
        codes.UNKNOWN_CLAUSE, f"no clause here begins with {shown(token.text)}", token, help_
    )


def _misplaced(slip: Slip, accepted: frozenset[str]) -> Diagnostic | None:
    """A keyword of another block where a clause begins."""
    if "RBRACE" not in accepted or not _first_on_line(slip):
        return None
    help_ = "expected " + describe(accepted, slip.automaton.tables.words)
    message = f"{shown(slip.token.text)} cannot stand in this block"
    return slip.at(codes.UNKNOWN_CLAUSE, message, slip.token, help_)


def _first_on_line(slip: Slip) -> bool:
    before = slip.before
    return (
        before is None
        or before.text == "{"
        or "\n" in slip.source.text[before.end : slip.token.start]
    )


def _open_bracket(slip: Slip) -> Diagnostic | None:
    """A closing sign, or the end, where a `(` or `[` is still open."""
    if slip.token.kind not in {"RBRACE", "RPAR", "RSQB", END}:
        return None
    opened: list[Token] = []
    for token in slip.chunk.tokens[: slip.stop.position]:
        if token.kind in {"LPAR", "LSQB", "LBRACE"}:
            opened.append(token)
        elif token.kind in {"RPAR", "RSQB", "RBRACE"} and opened:
            opened.pop()
    if not opened:
        if slip.token.kind == END:
            return None
        message = f"this `{slip.token.text}` closes nothing"
        return slip.at(codes.SYNTAX_ERROR, message, slip.token, "leave it out")
    pair = opened[-1].text + slip.token.text
    return None if pair in {"()", "[]", "{}"} else _never_closed(slip, opened[-1])


def _unexpected(slip: Slip) -> Diagnostic:
    token = slip.token
    wanted = describe(slip.accepted, slip.automaton.tables.words)
    if token.kind == END:
        span = slip.source.span(token.start, token.end)
        message = f"the {_place(slip)} ends too early"
        return Diagnostic(codes.SYNTAX_ERROR, message, span, help=f"expected {wanted}")
    message = f"unexpected {shown(token.text)}"
    return slip.at(codes.SYNTAX_ERROR, message, token, SIGNS.get(_pair(slip), f"expected {wanted}"))


def _place(slip: Slip) -> str:
    return f"`{slip.opening}`" if slip.opening in DECLARATIONS else "expression"


def _pair(slip: Slip) -> str:
    """The sign that did not fit with its neighbour, where they touch."""
    token, before = slip.token, slip.before
    if before is not None and before.end == token.start and before.text + token.text in SIGNS:
        return before.text + token.text
    return token.text


def _listed(words: Iterable[str]) -> str:
    return ", ".join(f"`{word}`" for word in words)


_COMPARISONS = frozenset({"==", "!=", "<", "<=", ">", ">="})
_PLAIN = frozenset({codes.SYNTAX_ERROR, codes.UNKNOWN_CLAUSE, codes.UNKNOWN_DECLARATION})
"""Findings that know no better than what could have stood there."""
_EXPLANATIONS: tuple[Callable[[Slip], Diagnostic | None], ...] = (
    _too_deep,
    _bad_token,
    _later_version,
    _unclosed,
    _unknown_declaration,
    _assignment,
    _spelled_duration,
    _chained,
    _malformed_quantifier,
    _open_form,
    _unknown_clause,
    _open_bracket,
)
