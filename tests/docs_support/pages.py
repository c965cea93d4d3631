"""A page as a sequence of blocks: what its fences say, and what they hold.

The word after the fence says the language; what follows it says what the block is:

- a file name: the block is that file of the page's project (`append` adds to it);
- `fragment`, `fragment of track`, … : a part of a rule file, which must parse;
- `expressions`: an expression a line;
- nothing: a whole file, which must be right by itself.

`console` blocks hold `$ command` lines, each with what it prints. A line `…` in what it prints
stands for any lines, `…` inside of a line for any text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

_FENCE = re.compile(r"^(?P<tick>`{3,})(?P<info>[^`]*)$")
_BESIDE = re.compile(r"^<!-- beside: (?P<names>[\w, /.-]+) -->$")
_LINK = re.compile(r"(?<!!)\[[^\]]*\]\((?P<target>[^)\s]+)\)")


@dataclass(frozen=True, slots=True)
class Block:
    """A fenced block: its language, the words after it, its text, and the line of its fence."""

    language: str
    words: tuple[str, ...]
    text: str
    line: int


@dataclass(frozen=True, slots=True)
class Command:
    """A command of a console block, what the page says it prints, and its line."""

    text: str
    printed: tuple[str, ...]
    line: int


@dataclass(frozen=True, slots=True)
class Page:
    path: Path
    text: str

    @classmethod
    def of(cls, path: Path) -> Page:
        return cls(path, path.read_text(encoding="utf-8"))

    @property
    def beside(self) -> tuple[str, ...]:
        """Folders of the checkout that the page's commands find beside them."""
        found = (m for line in self.text.splitlines() if (m := _BESIDE.match(line)))
        return tuple(n.strip() for m in found for n in m["names"].split(","))

    def blocks(self) -> Iterator[Block]:
        opened: tuple[str, int, tuple[str, ...]] | None = None
        held: list[str] = []
        for number, line in enumerate(self.text.splitlines(), 1):
            fence = _FENCE.match(line)
            if opened is None and fence:
                opened, held = (fence["tick"], number, tuple(fence["info"].split())), []
            elif opened is not None and line == opened[0]:
                _, start, info = opened
                text = "".join(f"{h}\n" for h in held)
                yield Block(info[0] if info else "", info[1:], text, start)
                opened = None
            elif opened is not None:
                held.append(line)
        assert opened is None, f"{self.path}:{opened and opened[1]}: the block is never closed"

    def prose(self) -> str:
        """The text without its fenced blocks."""
        inside = False
        kept = []
        for line in self.text.splitlines():
            if _FENCE.match(line):
                inside = not inside
            elif not inside:
                kept.append(line)
        return "\n".join(kept)

    def links(self) -> Iterator[str]:
        return (m["target"] for m in _LINK.finditer(self.prose()))

    def anchors(self) -> frozenset[str]:
        """The names by which headings can be linked to, as code hosts make them."""
        lines = self.prose().splitlines()
        return frozenset(anchor(line.lstrip("#")) for line in lines if line.startswith("#"))


def anchor(heading: str) -> str:
    """A heading's anchor: lower case, blanks as `-`, without punctuation."""
    kept = re.sub(r"[^\w\- ]", "", heading.strip().lower())
    return kept.replace(" ", "-")


def commands(block: Block) -> Iterator[Command]:
    """The commands of a console block; a `\\` at the end of a line goes on in the next."""
    text, start, goes_on = "", 0, False
    printed: list[str] = []
    for number, line in enumerate(block.text.splitlines(), block.line + 1):
        if goes_on:
            text, goes_on = f"{text} {line.strip()}", line.endswith("\\")
            text = text.removesuffix("\\").rstrip()
        elif line.startswith("$ "):
            if text:
                yield Command(text, tuple(printed), start)
            text, start, printed = line[2:], number, []
            goes_on = text.endswith("\\")
            text = text.removesuffix("\\").rstrip()
        else:
            printed.append(line.rstrip())
    if text:
        yield Command(text, tuple(printed), start)


def fits(expected: tuple[str, ...], printed: list[str]) -> bool:
    """Whether what was printed is what the page shows."""
    parts = [r"(?:[^\n]*\n)*?" if line == "…" else _line(line) for line in expected]
    return re.fullmatch("".join(parts), "".join(f"{p.rstrip()}\n" for p in printed)) is not None


def _line(line: str) -> str:
    return "[^\n]*?".join(map(re.escape, line.split("…"))) + "\n"
