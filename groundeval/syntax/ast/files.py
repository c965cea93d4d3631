"""Tests inside contracts, and the file as a whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from groundeval.diagnostics import Span
from groundeval.syntax.ast.base import Name, Node
from groundeval.syntax.ast.domain import (
    Actor,
    Domain,
    EventType,
    Gate,
    Let,
    Link,
    Observed,
    QuestionBlock,
    Role,
    Silence,
    SourceBlock,
    Subsystems,
    Timezone,
    Use,
)
from groundeval.syntax.ast.expressions import Expr, Record, Text
from groundeval.syntax.ast.tracks import Track


@dataclass(frozen=True, slots=True)
class Given(Node):
    """`given artifact X { … }`; `kind` is artifact, event, actor, question, truth, trace, contract.

    `given contract "./desk.gev"` has the path in `path`; the others have a record.
    """

    kind: Name
    name: Name | None
    record: Record | None
    path: Text | None


@dataclass(frozen=True, slots=True)
class Expect(Node):
    """`expect COND by gate.rule`; `by` holds the dotted names as written."""

    condition: Expr
    by: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Test(Node):
    name: Text
    track: str | None
    track_span: Span | None
    statements: tuple[Given | Expect, ...]


Declaration: TypeAlias = (
    Domain
    | Timezone
    | Observed
    | Use
    | Subsystems
    | Role
    | Actor
    | EventType
    | SourceBlock
    | Gate
    | Link
    | Silence
    | QuestionBlock
    | Let
    | Track
    | Test
)


@dataclass(frozen=True, slots=True)
class Comment(Node):
    """One comment with its `#`; `doc` comments start with `##`."""

    text: str


@dataclass(frozen=True, slots=True)
class File(Node):
    """One `.gev` file: its declarations in their order, and every comment."""

    version: int
    declarations: tuple[Declaration, ...]
    comments: tuple[Comment, ...]
