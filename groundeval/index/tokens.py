"""How text becomes what the index compares: words, and chains of words.

A **word** is a run of letters, digits and combining marks of any script, after canonical caseless
folding (NFD, casefold, NFC), so `É`, `é` and `e` with a combining accent are one. Everything else
parts words. Format characters (soft hyphens, joiners) vanish, but a zero-width space parts words.
Han characters are a word each, and runs of hiragana and of katakana are words of their own, since
those scripts write no spaces.

A **chain** is what an id looks like: words that a single `-`, `_`, `.`, `/`, `:`, `#`, `@` or `+`
joins, as in `ESC-42` or `ns1/pods/x`. It yields its words and, beside them, itself as one more
term (`esc-42`), which hardly any other document has: that makes ids strong. The joints inside a
chain do not matter (`esc_42` is the same term), and of a chain with `/ : # @ +` each piece is a
term too (`team/ESC-42` yields `esc-42` and `team-esc-42`).
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from typing import Final

_SOFT: Final = "-_."
_HARD: Final = "/:#@+"
_JOINTS: Final = frozenset(_SOFT + _HARD)
_CHAIN: Final = re.compile(r"[^\s\-_./:#@+]+(?:[\-_./:#@+][^\s\-_./:#@+]+)*")
_ASCII_CHAIN: Final = re.compile(r"[a-z0-9]+(?:[\-_./:#@+][a-z0-9]+)*")
_SPLIT: Final = re.compile(r"[\-_./:#@+]")
_PIECES: Final = re.compile(r"[/:#@+]")
_HAN: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_HIRAGANA: Final = "\u3041-\u309f"
_KATAKANA: Final = "\u30a0-\u30ff"
_UNSPACED: Final = re.compile(
    f"[{_HAN}]|[{_HIRAGANA}]+|[{_KATAKANA}]+|[^{_HAN}{_HIRAGANA}{_KATAKANA}]+"
)
_ZERO_WIDTH_SPACE: Final = "\u200b"


def words(text: str) -> tuple[str, ...]:
    """The words of a text, in their order and as often as they occur: what keys and caps count."""
    return tuple(word for chain in _chains(text) for word in _words_of(chain))


def distinct_words(text: str) -> tuple[str, ...]:
    """The words of a text, each once, in the order of their first occurrence."""
    return tuple(dict.fromkeys(words(text)))


def terms(text: str) -> tuple[str, ...]:
    """What the index holds of a text: its words and chains, each once, in order."""
    found: dict[str, None] = {}
    for chain in dict.fromkeys(_chains(text)):
        if chain.isascii() and chain.isalnum():
            found[chain] = None
            continue
        for word in _words_of(chain):
            found[word] = None
        if not _JOINTS.isdisjoint(chain):
            found.update(dict.fromkeys(_compounds(chain)))
    return tuple(found)


def _chains(text: str) -> list[str]:
    """The maximal chains (a lone word is one too) of the folded text."""
    if text.isascii():
        return _ASCII_CHAIN.findall(text.lower())
    decomposed = unicodedata.normalize("NFD", text).casefold()
    folded = unicodedata.normalize("NFC", decomposed)
    spaced = folded.translate({ord(c): _instead(c) for c in set(folded) if not _is_word_part(c)})
    return _CHAIN.findall(spaced)


def _is_word_part(character: str) -> bool:
    return (
        character.isalnum()
        or character in _JOINTS
        or (not character.isascii() and unicodedata.category(character)[0] == "M")
    )


def _instead(character: str) -> str:
    """What a character that belongs to no word is replaced by."""
    vanishes = unicodedata.category(character) == "Cf" and character != _ZERO_WIDTH_SPACE
    return "" if vanishes else " "


def _words_of(chain: str) -> Iterator[str]:
    for part in _SPLIT.split(chain):
        if part.isascii():
            yield part
            continue
        # A mark without its letter (the variation selector after an emoji) is no word.
        for word in _UNSPACED.findall(part):
            if any(c.isalnum() for c in word):
                yield word


def _compounds(chain: str) -> Iterator[str]:
    """The terms that a chain with joints adds to its words."""
    pieces = _PIECES.split(chain)
    for piece in pieces:
        if any(joint in piece for joint in _SOFT):
            yield "-".join(_SPLIT.split(piece))
    if len(pieces) > 1:
        yield "-".join(_SPLIT.split(chain))
