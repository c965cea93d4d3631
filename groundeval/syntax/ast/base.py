"""What every node of the tree has: its span; and names."""

from __future__ import annotations

from dataclasses import dataclass

from groundeval.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name as it is used; `quoted` when it stood in backticks (then it is never a keyword)."""

    text: str
    quoted: bool = False
