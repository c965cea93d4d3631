"""Puts into words what could have stood at a place."""

from __future__ import annotations

from collections.abc import Mapping

from groundeval.syntax.tables import END

MOST = 8
"""How many alternatives a message names before it says `…`."""

_GOES_ON = frozenset(
    {"AND", "OR", "IN", "IS", "OVERLAPS", "MATCHES", "PLUS", "MINUS", "STAR", "SLASH", "VBAR",
     "AMPERSAND", "DOT", "LPAR", "LSQB", "LESSTHAN", "MORETHAN",
     "__ANON_0", "__ANON_1", "__ANON_2", "__ANON_3", "__ANON_4"}
)  # fmt: skip
_BEGINS = frozenset(
    {"NAME", "NUMBER", "DURATION", "INSTANT", "STRING", "LPAR", "LSQB", "LBRACE", "DOT",
     "FIELDDOT", "MINUS", "NOT", "IF", "QUANTIFIER", "TRUE", "FALSE", "MISSING"}
)  # fmt: skip
_KINDS = {"NAME": "a name", "KEY": "a key", "STRING": "a text", "NUMBER": "a number"}


def describe(accepted: frozenset[str], words: Mapping[str, str]) -> str:
    """`a name, `where` or `}``: the terminals `accepted`, in words, the likeliest first."""
    named: list[str] = []
    if {"NAME", "NUMBER", "LPAR"} <= accepted:
        named.append("an expression")
        accepted -= _BEGINS
    elif {"DOT", "LPAR"} <= accepted:
        accepted -= _GOES_ON | ({"NOT"} if "IN" in accepted else set())
    named += [_KINDS[kind] for kind in _KINDS if kind in accepted]
    spelled = {terminal: word for word, terminal in words.items()}
    signs = [spelled[kind] for kind in accepted if kind in spelled]
    named += [
        f"`{word}`" for word in sorted(signs, key=lambda word: (not word.isidentifier(), word))
    ]
    if END in accepted:
        named.append("the end" if named else "nothing more")
    if not named:
        return "an operator"
    if len(named) > MOST:
        return ", ".join(named[:MOST]) + ", …"
    return " or ".join(filter(None, [", ".join(named[:-1]), named[-1]]))
