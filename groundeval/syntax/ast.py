"""The syntax tree: what was written, where, and nothing about what it means.

Every node is frozen and carries its span. A block keeps its clauses in the order in which they
were written; whether a clause may stand twice or is missing is said by `semantics`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from groundeval.diagnostics import Span


@dataclass(frozen=True, slots=True)
class Node:
    span: Span


@dataclass(frozen=True, slots=True)
class Name(Node):
    """A name as it is used; `quoted` when it stood in backticks (then it is never a keyword)."""

    text: str
    quoted: bool = False


# --- expressions -------------------------------------------------------------------------------

CompareOp: TypeAlias = Literal["==", "!=", "<", "<=", ">", ">="]
BinaryOp: TypeAlias = Literal["+", "-", "|", "&", "*", "/"]
QuantifierKind: TypeAlias = Literal[
    "any", "all", "count", "share", "first", "last", "sum", "mean", "min", "max"
]


@dataclass(frozen=True, slots=True)
class Constant(Node):
    """`true`, `false` (a bool) or `missing` (None)."""

    value: bool | None


@dataclass(frozen=True, slots=True)
class Number(Node):
    text: str


@dataclass(frozen=True, slots=True)
class Duration(Node):
    """`1h30m` as written."""

    text: str


@dataclass(frozen=True, slots=True)
class InstantLiteral(Node):
    """A date or an instant as written; its zone is settled by `semantics`."""

    text: str


@dataclass(frozen=True, slots=True)
class Hole(Node):
    """`{expr}` or `{expr:date}` in a text."""

    expr: Expr
    format: str | None


@dataclass(frozen=True, slots=True)
class Text(Node):
    """A string, with escapes resolved and holes parsed; a plain string has one str part or none."""

    parts: tuple[str | Hole, ...]


@dataclass(frozen=True, slots=True)
class Variable(Node):
    name: str


@dataclass(frozen=True, slots=True)
class RawField(Node):
    """`.name` of the raw record in a `source` block; `name` is None for `.`, the whole record."""

    name: str | None


@dataclass(frozen=True, slots=True)
class Attribute(Node):
    base: Expr
    name: Name


@dataclass(frozen=True, slots=True)
class Index(Node):
    base: Expr
    key: Expr


@dataclass(frozen=True, slots=True)
class Argument(Node):
    name: Name | None
    value: Expr


@dataclass(frozen=True, slots=True)
class Call(Node):
    """`f(x)` or, with an Attribute as `callee`, the method form `s.f(x)`."""

    callee: Expr
    arguments: tuple[Argument, ...]


@dataclass(frozen=True, slots=True)
class Not(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class Negate(Node):
    operand: Expr


@dataclass(frozen=True, slots=True)
class And(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Or(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Coalesce(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Compare(Node):
    op: CompareOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Membership(Node):
    """`x in xs`, `x not in xs`."""

    left: Expr
    right: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Overlaps(Node):
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class Matches(Node):
    left: Expr
    pattern: Text


@dataclass(frozen=True, slots=True)
class IsMissing(Node):
    """`x is missing`, `x is not missing`."""

    operand: Expr
    negated: bool


@dataclass(frozen=True, slots=True)
class Binary(Node):
    op: BinaryOp
    left: Expr
    right: Expr


@dataclass(frozen=True, slots=True)
class If(Node):
    condition: Expr
    then: Expr
    otherwise: Expr


@dataclass(frozen=True, slots=True)
class Quantifier(Node):
    kind: QuantifierKind
    variable: Name
    collection: Expr
    body: Expr


@dataclass(frozen=True, slots=True)
class Comprehension(Node):
    """`[e for x in xs if c]` (kind "list") or `{e for x in xs if c}` (kind "set")."""

    kind: Literal["list", "set"]
    item: Expr
    variable: Name
    collection: Expr
    condition: Expr | None


@dataclass(frozen=True, slots=True)
class ListLiteral(Node):
    items: tuple[Expr, ...]


@dataclass(frozen=True, slots=True)
class Entry(Node):
    key: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Record(Node):
    """`{ key: value … }`: attributes of an actor, lists of a role, what a test is given."""

    entries: tuple[Entry, ...]


Expr: TypeAlias = (
    Constant
    | Number
    | Duration
    | InstantLiteral
    | Text
    | Variable
    | RawField
    | Attribute
    | Index
    | Call
    | Not
    | Negate
    | And
    | Or
    | Coalesce
    | Compare
    | Membership
    | Overlaps
    | Matches
    | IsMissing
    | Binary
    | If
    | Quantifier
    | Comprehension
    | ListLiteral
    | Record
)

# --- declarations: the domain ------------------------------------------------------------------


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


# --- declarations: tracks ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Param(Node):
    name: Name
    value: Expr


@dataclass(frozen=True, slots=True)
class Binder(Node):
    variable: Name
    collection: Expr


@dataclass(frozen=True, slots=True)
class Ask(Node):
    binders: tuple[Binder, ...]
    where: Expr | None
    about: Expr | None
    actor: Expr | None
    as_of: Expr | None


@dataclass(frozen=True, slots=True)
class Enforce(Node):
    """`enforce none`, `enforce all` or gate names, as written."""

    gates: tuple[Name, ...]


@dataclass(frozen=True, slots=True)
class Answer(Node):
    fields: tuple[Field, ...]


@dataclass(frozen=True, slots=True)
class Truth(Node):
    fields: tuple[Mapping, ...]


@dataclass(frozen=True, slots=True)
class Share(Node):
    """A weight: `0.30` or `1/4`, as written."""

    numerator: str
    denominator: str | None


@dataclass(frozen=True, slots=True)
class Stratum(Node):
    name: Text
    share: Share
    condition: Expr


@dataclass(frozen=True, slots=True)
class Balance(Node):
    strata: tuple[Stratum, ...]


@dataclass(frozen=True, slots=True)
class Require(Node):
    condition: Expr


@dataclass(frozen=True, slots=True)
class Component(Node):
    """`"name" WEIGHT of EXPR`; without `of`, the component is 1."""

    name: Text
    weight: Share
    value: Expr | None


@dataclass(frozen=True, slots=True)
class Score(Node):
    """`score answer { … }`, `score trajectory when COND { … }`."""

    name: Name
    when: Expr | None
    items: tuple[Require | Component, ...]


@dataclass(frozen=True, slots=True)
class Weight(Node):
    score: Name
    weight: Share


@dataclass(frozen=True, slots=True)
class Weights(Node):
    weights: tuple[Weight, ...]


@dataclass(frozen=True, slots=True)
class Verdict(Node):
    """`violation when E`, `correct when E`, `sound when E`."""

    keyword: Literal["violation", "correct", "sound"]
    condition: Expr


@dataclass(frozen=True, slots=True)
class Rate(Node):
    """`rate A of B`."""

    numerator: Expr
    denominator: Expr


TrackClause: TypeAlias = (
    Param
    | Ask
    | Enforce
    | Answer
    | Truth
    | Balance
    | Wording
    | Let
    | Score
    | Weights
    | Verdict
    | Rate
    | Because
)


@dataclass(frozen=True, slots=True)
class Track(Node):
    name: Name
    title: Text | None
    clauses: tuple[TrackClause, ...]
    doc: str


# --- declarations: tests -----------------------------------------------------------------------


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
