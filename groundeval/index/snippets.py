"""The stretch of a text that a search shows beside a hit."""

from __future__ import annotations

from typing import Final

from groundeval.index.tokens import terms

LONGEST_SNIPPET: Final = 200
"""In characters, without the dots that mark a cut."""
_BEFORE: Final = 8
_READ: Final = 20_000


def snippet(text: str, query: str) -> str:
    """At most 200 characters of `text` around the piece that holds most terms of `query`.

    The start of the text where none does. White space is folded, `…` stands where the text goes
    on. Only the first 20,000 characters are looked through.
    """
    pieces = text[:_READ].split()
    wanted = frozenset(terms(query))
    best, most = 0, 0
    for number, piece in enumerate(pieces):
        held = len(wanted.intersection(terms(piece)))
        if held > most:
            best, most = number, held
    start = max(0, best - _BEFORE)
    shown = " ".join(pieces[start:])
    cut = len(shown) > LONGEST_SNIPPET or len(text) > _READ
    return f"{'… ' if start else ''}{_cut(shown)}{' …' if cut else ''}"


def _cut(text: str) -> str:
    """The first 200 characters, ending between two words where that costs no more than 40."""
    if len(text) <= LONGEST_SNIPPET:
        return text
    end = text.rfind(" ", LONGEST_SNIPPET - 40, LONGEST_SNIPPET + 1)
    return text[: end if end > 0 else LONGEST_SNIPPET]
