"""Findings for people: the line, carets under the place, and how to mend it.

What a file holds is never sent to a terminal as it is: control, bidirectional and invisible
characters are shown by their number, so that no text can hide or move another.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from groundeval.diagnostics.model import Diagnostic
from groundeval.diagnostics.source import COMMAND_LINE, Source, Span

WIDTH = 100
"""How many columns of a long line are shown."""
BEFORE = 40
"""How many of them at most stand before the caret where a line is cut."""
MARGIN = "…"

_UNSEEN = frozenset({"Cc", "Cf", "Cn", "Co", "Cs", "Zl", "Zp"})


def render(diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source]) -> str:
    """All findings as text, an empty line between two; empty where there are none.

    `sources` holds the texts by the names that the spans use; a finding in a file that is not
    among them is shown without its line.
    """
    return "\n".join(_finding(each, sources.get(each.span.file)) for each in diagnostics)


def safe(text: str) -> str:
    """`text` on one line, with every character that cannot be seen shown by its number."""
    return "".join(map(_shown, text))


def columns(text: str) -> int:
    """How many columns of a terminal `text` takes once it is `safe`."""
    return sum(map(_columns, text))


def _finding(finding: Diagnostic, source: Source | None) -> str:
    span = finding.span
    gutter = " " * len(str(span.line))
    head = f"{finding.severity.value}[{finding.code.id}]: {safe(finding.message)}"
    lines = [head]
    if span.file != COMMAND_LINE:
        lines.append(f"{gutter}--> {safe(span.file)}:{span.line}:{span.column}")
    if source is not None:
        lines += _excerpt(finding, source, gutter)
    if finding.help:
        lines.append(f"{gutter} = help: {safe(finding.help)}")
    return "\n".join(lines) + "\n"


def _excerpt(finding: Diagnostic, source: Source, gutter: str) -> list[str]:
    span = finding.span
    view = _view(source.line(span.line).removeprefix("\ufeff"), span)
    carets = f"{' ' * view.indent}{'^' * view.width} {safe(finding.label)}".rstrip()
    shown = f"{span.line} | {view.text}".rstrip()
    return [f"{gutter} |", shown, f"{gutter} | {carets}"]


@dataclass(frozen=True, slots=True)
class _View:
    """A line as it is shown; the carets stand `indent` columns in and are `width` wide."""

    text: str
    indent: int
    width: int


def _view(line: str, span: Span) -> _View:
    start = min(span.column - 1, len(line))
    end = span.end_column - 1 if span.end_line == span.line else len(line)
    end = min(max(end, start), len(line))
    first = _back(line, start)
    last = _forth(line, first)
    marked = line[start : min(end, last)]
    before, after = MARGIN if first else "", MARGIN if last < len(line) else ""
    indent = columns(before + line[first:start])
    return _View(before + safe(line[first:last]) + after, indent, max(1, columns(marked)))


def _back(line: str, start: int) -> int:
    """Where the shown part of a line begins: at its start, or BEFORE columns before `start`."""
    if start <= WIDTH and columns(line[:start]) <= WIDTH - BEFORE:
        return 0
    left = BEFORE
    while start > 0 and left > 0:
        start -= 1
        left -= _columns(line[start])
    return start


def _forth(line: str, first: int) -> int:
    """Where the shown part of a line ends when it begins at `first`."""
    left = WIDTH
    while first < len(line) and left > 0:
        left -= _columns(line[first])
        first += 1
    return first


def _shown(char: str) -> str:
    if char.isascii() and char.isprintable():
        return char
    if char == "\t":
        return "    "
    return f"\\u{{{ord(char):x}}}" if unicodedata.category(char) in _UNSEEN else char


def _columns(char: str) -> int:
    if char.isascii() and char.isprintable():
        return 1
    if unicodedata.category(char) in {"Mn", "Me"}:
        return 0
    shown = _shown(char)
    return len(shown) if shown != char else 1 + (unicodedata.east_asian_width(char) in "WF")
