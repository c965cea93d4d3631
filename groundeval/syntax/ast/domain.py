"""Declarations of a domain, and the clauses of links and silences."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from groundeval.diagnostics import Span
from groundeval.syntax.ast.base import Name, Node
from groundeval.syntax.ast.expressions import Expr, Record, Text


@dataclass(frozen=True, slots=True)
class Domain(Node):
    name: Name
    title: Text | None
    doc: str


@dataclass(frozen=True, slots=True)
class Timezone(Node):
    zone: Text


@dataclass(frozen=True, slots=True)
class Observed(Node):
    start: Expr
    end: Expr


@dataclass(frozen=True, slots=True)
class Module(Node):
    """One entry of a `use`: a dotted name of a bundled file, or a path in quotes."""

    name: str
    is_path: bool


@dataclass(frozen=True, slots=True)
class Use(Node):
    modules: tuple[Module, ...]


@dataclass(frozen=True, slots=True)
class Subsystems(Node):
    names: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Role(Node):
    name: Name
    inherits: tuple[Name, ...]
    lists: Record
    doc: str


@dataclass(frozen=True, slots=True)
class Stint(Node):
    role: Name
    start: Expr | None
    end: Expr | None


@dataclass(frozen=True, slots=True)
class Actor(Node):
    name: Name
    stints: tuple[Stint, ...]
    attributes: Record | None
    doc: str


@dataclass(frozen=True, slots=True)
class NamedType(Node):
    """`text`, `set<artifact>`."""

    name: Name
    item: TypeExpr | None


@dataclass(frozen=True, slots=True)
class OneOf(Node):
    values: Expr


TypeExpr: TypeAlias = NamedType | OneOf


@dataclass(frozen=True, slots=True)
class Field(Node):
    """A field of an event type or of an answer; `ignored` is for answers only."""

    name: Name
    type: TypeExpr
    optional: bool
    ignored: bool
    doc: str


@dataclass(frozen=True, slots=True)
class EventType(Node):
    name: Name
    label: Text | None
    fields: tuple[Field, ...]
    found_by: Text | None
    doc: str


@dataclass(frozen=True, slots=True)
class Mapping(Node):
    """`key = expr` in a `source`, `truth` or `param`."""

    key: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Skip(Node):
    condition: Expr
    because: Text | None


@dataclass(frozen=True, slots=True)
class SourceBlock(Node):
    """`source events "glob" { … }`; `kind` is events, artifacts, versions, actors or stints."""

    kind: Name
    path: Text
    mappings: tuple[Mapping, ...]
    skips: tuple[Skip, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class Rule(Node):
    effect: Literal["permit", "forbid"]
    action: Name
    name: Text | None
    when: Expr | None
    because: Text | None


@dataclass(frozen=True, slots=True)
class Gate(Node):
    """`gate NAME { … }`, or `extend gate NAME { … }` where `extends`."""

    name: Name
    title: Text | None
    rules: tuple[Rule, ...]
    extends: bool
    doc: str


# Clauses of links and silences. `keyword` of a Binding: cause, effect, after, expect.


@dataclass(frozen=True, slots=True)
class Binding(Node):
    keyword: Literal["cause", "effect", "after", "expect"]
    variable: Name
    event_type: Name
    where: Expr | None


@dataclass(frozen=True, slots=True)
class Join(Node):
    condition: Expr
    pairwise: bool


@dataclass(frozen=True, slots=True)
class Within(Node):
    duration: Expr


@dataclass(frozen=True, slots=True)
class Unless(Node):
    condition: Expr


@dataclass(frozen=True, slots=True)
class Option(Node):
    """`match first`, `necessity each`, `outcome_changed true`: a keyword and one word."""

    keyword: Literal["match", "necessity", "outcome_changed"]
    value: Name


@dataclass(frozen=True, slots=True)
class TiesInLogOrder(Node):
    pass


@dataclass(frozen=True, slots=True)
class Evidence(Node):
    alternatives: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Aka(Node):
    names: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class Wording(Node):
    """`premise "…"`, `outcome "…"` of a link, `text "…"` of a track or a `question` block."""

    keyword: Literal["premise", "outcome", "text"]
    text: Text


@dataclass(frozen=True, slots=True)
class Because(Node):
    text: Text


@dataclass(frozen=True, slots=True)
class SearchPlace(Node):
    """`search SUBSYSTEM for TEXT`."""

    subsystem: Name
    text: Expr


@dataclass(frozen=True, slots=True)
class FetchPlace(Node):
    """`fetch X`."""

    artifact: Expr


LinkClause: TypeAlias = (
    Binding | Join | Within | Unless | Option | TiesInLogOrder | Evidence | Aka | Wording | Because
)
SilenceClause: TypeAlias = (
    Binding | Join | Within | Unless | Option | TiesInLogOrder | SearchPlace | FetchPlace | Because
)


@dataclass(frozen=True, slots=True)
class Link(Node):
    name: Name
    title: Text | None
    clauses: tuple[LinkClause, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class Silence(Node):
    name: Name
    title: Text | None
    clauses: tuple[SilenceClause, ...]
    doc: str


@dataclass(frozen=True, slots=True)
class QuestionBlock(Node):
    """A domain's own wordings for a track: `question TRACK { text "…" }`."""

    track: str
    track_span: Span
    wordings: tuple[Wording, ...]


@dataclass(frozen=True, slots=True)
class Let(Node):
    name: Name
    parameters: tuple[Name, ...]
    value: Expr
