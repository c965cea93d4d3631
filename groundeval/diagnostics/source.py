"""Places in text: what a message points at."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import Final

COMMAND_LINE: Final = "(command line)"
"""The `file` of what is wrong with a command line; people are shown no place for it."""


@dataclass(frozen=True, slots=True, order=True)
class Span:
    """A stretch of one file; lines and columns count from 1, the end is exclusive.

    `file` is the name that people know the file by (relative where it was given so).
    """

    file: str
    line: int
    column: int
    end_line: int
    end_column: int

    @classmethod
    def at(cls, file: str, line: int, column: int = 1) -> Span:
        """A point: what data errors carry, where only the line is known."""
        return cls(file, line, column, line, column)

    def to(self, other: Span) -> Span:
        """From the start of this span to the end of `other`, in the same file."""
        return Span(self.file, self.line, self.column, other.end_line, other.end_column)


@dataclass(frozen=True, slots=True)
class Source:
    """One text with the name that messages show; turns offsets into lines and columns."""

    name: str
    text: str
    _starts: list[int] = field(default_factory=list, repr=False, compare=False)

    def __post_init__(self) -> None:
        self._starts.append(0)
        self._starts.extend(i + 1 for i, c in enumerate(self.text) if c == "\n")

    def span(self, start: int, end: int) -> Span:
        """The span of the offsets `start` (inclusive) to `end` (exclusive)."""
        line, column = self._position(start)
        end_line, end_column = self._position(end)
        return Span(self.name, line, column, end_line, end_column)

    def text_of(self, span: Span) -> str:
        """The text of a span of this source, with runs of blanks and line ends as one blank."""
        start = self._starts[span.line - 1] + span.column - 1
        end = self._starts[min(span.end_line, len(self._starts)) - 1] + span.end_column - 1
        return " ".join(self.text[start:end].split())

    def line(self, number: int) -> str:
        """The text of line `number` (from 1) without its end; empty past the last one."""
        if not 1 <= number <= len(self._starts):
            return ""
        start = self._starts[number - 1]
        stop = self._starts[number] - 1 if number < len(self._starts) else len(self.text)
        return self.text[start:stop].rstrip("\r")

    def _position(self, offset: int) -> tuple[int, int]:
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
