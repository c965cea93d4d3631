"""Reads what stands between the quotes of a text: escapes, doubled braces, holes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field

from groundeval.diagnostics import Diagnostic, Source, codes
from groundeval.syntax.ast import Hole

ReadHole = Callable[[int, int], Hole | None]
"""(start offset, end offset) -> the hole that stands there, None where it is faulty."""

_PIECE = re.compile(r"\\u\{([^}\"\\]*)\}?|\\.|\{\{|\}\}|[{}]|[^\\{}]+", re.DOTALL)
_IN_HOLE = re.compile(r"`[^`]*`|[{}]|[^`{}]+|`")
_ESCAPES = {'\\"': '"', "\\\\": "\\", "\\n": "\n", "\\t": "\t"}
_SCALARS = re.compile(r"[0-9A-Fa-f]{1,6}")


@dataclass(slots=True)
class TextReader:
    """Collects the parts of one text; `findings` says what was wrong in it."""

    source: Source
    read_hole: ReadHole
    findings: list[Diagnostic] = field(default_factory=list)

    def parts(self, start: int, end: int) -> tuple[str | Hole, ...]:
        """The parts of the text whose content is `start` to `end` (offsets within the quotes)."""
        parts: list[str | Hole] = []
        plain: list[str] = []
        while start < end:
            piece = _PIECE.match(self.source.text, start, end)
            assert piece is not None, "a backslash is followed by a character in every STRING"
            if piece.group() == "{":
                start, hole = self._hole(start, end)
                if plain:
                    parts.append("".join(plain))
                    plain = []
                if hole is not None:
                    parts.append(hole)
            else:
                plain.append(self._plain(piece))
                start = piece.end()
        if plain:
            parts.append("".join(plain))
        return tuple(parts)

    def _plain(self, piece: re.Match[str]) -> str:
        text = piece.group()
        if text[0] not in "\\{}":
            return text
        if text in {"{{", "}}"}:
            return text[0]
        if text == "}":
            self._find(piece.start(), piece.end(), "a `}` without its `{`", "write a brace as `}}`")
            return ""
        if piece.group(1) is not None:
            return self._scalar(piece)
        if text in _ESCAPES:
            return _ESCAPES[text]
        known = r"`\"`, `\\`, `\n`, `\t` and `\u{…}` are known; a backslash is written `\\`"
        self._find(piece.start(), piece.end(), f"unknown escape `{text}`", known)
        return ""

    def _scalar(self, piece: re.Match[str]) -> str:
        digits = piece.group(1)
        if piece.group().endswith("}") and _SCALARS.fullmatch(digits):
            number = int(digits, 16)
            if number <= 0x10FFFF and number != 0 and not 0xD800 <= number <= 0xDFFF:
                return chr(number)
        help_ = r"`\u{e9}` is é: one to six hexadecimal digits of a character's number"
        self._find(piece.start(), piece.end(), f"`{piece.group()}` is no character", help_)
        return ""

    def _hole(self, start: int, end: int) -> tuple[int, Hole | None]:
        """Reads the hole whose `{` stands at `start`; also says where the text goes on."""
        depth = 0
        for piece in _IN_HOLE.finditer(self.source.text, start, end):
            depth += {"{": 1, "}": -1}.get(piece.group(), 0)
            if depth == 0:
                inside = self.source.text[start + 1 : piece.start()]
                if inside.strip():
                    return piece.end(), self.read_hole(start + 1, piece.start())
                self._find(start, piece.end(), "an empty hole", "write literal braces as `{{}}`")
                return piece.end(), None
        help_ = "close it with `}`; a literal brace is written `{{`"
        self._find(start, start + 1, "a hole that is never closed", help_)
        return end, None

    def _find(self, start: int, end: int, message: str, help_: str) -> None:
        span = self.source.span(start, end)
        self.findings.append(Diagnostic(codes.BAD_TEXT, message, span, help=help_))
