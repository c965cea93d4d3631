"""The declarations of the IR: a whole contract's rules, resolved and typed.

The variables that each expression may read are named at the field that holds it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from groundeval.diagnostics import Span
from groundeval.ir.expressions import Expr, Text
from groundeval.ir.types import Type
from groundeval.world.access import Actor, RoleDefinition


@dataclass(frozen=True, slots=True)
class EventType:
    """`found_by` reads `event`. `fields` are the declared data fields.

    `key_fields` are the fields by which texts tell one such event from another: those that a
    join, a place or an artifact-typed declaration uses, sorted.
    """

    name: str
    label: str
    doc: str
    fields: tuple[tuple[str, Type], ...]
    key_fields: tuple[str, ...]
    found_by: Text | None
    span: Span


@dataclass(frozen=True, slots=True)
class Source:
    """A `source` block; the expressions read `record` (json), `file` (text) and `line` (number)."""

    kind: Literal["events", "artifacts", "versions", "actors", "stints", "roles"]
    pattern: str
    fields: tuple[tuple[str, Expr], ...]
    skips: tuple[Expr, ...]
    zone: str | None
    ordered: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Rule:
    """`when` (absent: always) reads actor, role, as_of, and artifact (read) or search (search).

    `search` is a record with subsystem and query. `id` is the name as a text, or the rule's place
    `file:line`; `where` is always that place.
    """

    effect: Literal["permit", "forbid"]
    action: Literal["read", "search"]
    name: str | None
    when: Expr | None
    because: str | None
    span: Span

    @property
    def where(self) -> str:
        """The rule's place, `file:line`."""
        return f"{self.span.file}:{self.span.line}"


@dataclass(frozen=True, slots=True)
class Gate:
    """`needs_actor`: some rule reads the actor or its role."""

    name: str
    title: str
    doc: str
    rules: tuple[Rule, ...]
    needs_actor: bool
    span: Span


@dataclass(frozen=True, slots=True)
class Pattern:
    """One side of a link or silence: events of a type, bound to `variable`, which `where` reads."""

    variable: str
    event_type: str
    where: Expr | None


@dataclass(frozen=True, slots=True)
class JoinCondition:
    """What joins two events: all `equalities` (each side reads its own variable) and `residual`.

    `residual` reads both variables; `pairwise` says that there may be no equality.
    """

    equalities: tuple[tuple[Expr, Expr], ...]
    residual: Expr | None
    pairwise: bool


@dataclass(frozen=True, slots=True)
class Link:
    """A causal link spec. `unless`, `premise`, `outcome` and `evidence` read both variables.

    `within` is in microseconds (None: no bound). `evidence` holds alternatives, each an artifact
    or a collection of them; empty means the pair's artifacts.
    """

    name: str
    title: str
    doc: str
    cause: Pattern
    effect: Pattern
    join: JoinCondition
    within: int | None
    unless: Expr | None
    match: Literal["first", "nearest", "every"]
    necessity: Literal["necessary", "each", "sufficient", "contributing"]
    ties_in_log_order: bool
    evidence: tuple[Expr, ...]
    aliases: tuple[str, ...]
    premise: Text | None
    outcome: Text | None
    outcome_changed: bool | None
    because: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class SearchPlace:
    """`search SUBSYSTEM for TEXT`; the text reads the trigger's variable."""

    subsystem: str
    text: Text


@dataclass(frozen=True, slots=True)
class Silence:
    """A silence spec. `unless` reads both variables, `searches` and `fetches` the trigger's."""

    name: str
    title: str
    doc: str
    trigger: Pattern
    expected: Pattern
    join: JoinCondition
    within: int | None
    unless: Expr | None
    ties_in_log_order: bool
    searches: tuple[SearchPlace, ...]
    fetches: tuple[Expr, ...]
    because: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class Binder:
    """`variable in collection`; the collection reads the binders before it."""

    variable: str
    collection: Expr


@dataclass(frozen=True, slots=True)
class Ask:
    """What a track asks about; `where`, `about`, `actor` and `as_of` read the binders."""

    binders: tuple[Binder, ...]
    where: Expr | None
    about: Expr | None
    actor: Expr | None
    as_of: Expr | None


@dataclass(frozen=True, slots=True)
class AnswerField:
    """One field of an answer.

    `choices` (for `one of`) is an expression over the collections that `ask` may use; its type is
    a list of text or mechanism.
    """

    name: str
    type: Type
    choices: Expr | None
    ignored: bool
    doc: str


@dataclass(frozen=True, slots=True)
class Stratum:
    """`condition` reads the binders and `truth`; `share` is of 1."""

    name: str
    share: float
    condition: Expr


@dataclass(frozen=True, slots=True)
class Component:
    """`value` is a number or bool, clamped to 0…1; None is 0."""

    name: str
    weight: float
    value: Expr
    span: Span


@dataclass(frozen=True, slots=True)
class Score:
    """One score block; blocks of one name are tried in order, the one without `when` last.

    `round` is how many decimals the block's score is rounded to (None: not at all).
    """

    name: Literal["answer", "trajectory"]
    when: Expr | None
    requires: tuple[Expr, ...]
    components: tuple[Component, ...]
    span: Span
    round: int | None = None


@dataclass(frozen=True, slots=True)
class Definition:
    """A nullary `let` of a track that its scores read by name; in an order that works."""

    name: str
    value: Expr


@dataclass(frozen=True, slots=True)
class Track:
    """A track.

    Score expressions read: answer, raw_answer, truth, question, calls, cited,
    retrieved, opened, broken, violation_rate, scores (record answer, trajectory, combined), and
    the definitions; `violation` also `step`. Of these, `broken` only in `rate`, `violation_rate`
    in scores and verdicts, `scores` in `correct` and `sound`.

    `enforce` is None for all gates. `truth` reads the binders, `about`, `actor`, `as_of`; where a
    track has no truth block, `truth_reads` still names each `truth.X` that its scores read.
    """

    id: str
    title: str
    doc: str
    ask: Ask | None
    enforce: tuple[str, ...] | None
    answer: tuple[AnswerField, ...]
    truth: tuple[tuple[str, Expr], ...]
    truth_reads: tuple[tuple[str, Type], ...]
    balance: tuple[Stratum, ...]
    wordings: tuple[Text, ...]
    definitions: tuple[Definition, ...]
    scores: tuple[Score, ...]
    weights: tuple[tuple[str, float], ...]
    violation: Expr
    rate: tuple[Expr, Expr]
    correct: Expr
    sound: Expr
    because: str | None
    span: Span


@dataclass(frozen=True, slots=True)
class GivenItem:
    """`given artifact|event|actor|question|truth|trace …`: plain values, already evaluated.

    Instants in `values` are microseconds. `name` is the id (None for question, truth and trace).
    """

    kind: Literal["artifact", "event", "actor", "question", "truth", "trace"]
    name: str | None
    values: Any
    span: Span


@dataclass(frozen=True, slots=True)
class Expectation:
    """What must hold; `by` is a gate, or a gate and a rule's name.

    `condition` reads what score expressions read, and outcome, v, s_adj, combined, scores,
    correct, sound, violations.
    """

    condition: Expr
    by: tuple[str, ...]
    span: Span


@dataclass(frozen=True, slots=True)
class Test:
    """A test block; `program` is the other contract that `given contract` names."""

    name: str
    track: str | None
    given: tuple[GivenItem, ...]
    expectations: tuple[Expectation, ...]
    program: Program | None
    span: Span


@dataclass(frozen=True, slots=True)
class InputFile:
    """A rule file that the program was made of: its name relative to the root file, its hash."""

    name: str
    digest: str


@dataclass(frozen=True, slots=True)
class Program:
    """Everything that the rule files say. Declarations are in the order of their names."""

    domain: str
    title: str
    doc: str
    timezone: str | None
    observed: tuple[int, int] | None
    subsystems: tuple[str, ...]
    roles: tuple[RoleDefinition, ...]
    actors: tuple[Actor, ...]
    event_types: tuple[EventType, ...]
    sources: tuple[Source, ...]
    gates: tuple[Gate, ...]
    links: tuple[Link, ...]
    silences: tuple[Silence, ...]
    tracks: tuple[Track, ...]
    wordings: tuple[tuple[str, tuple[Text, ...]], ...]
    tests: tuple[Test, ...]
    files: tuple[InputFile, ...]

    def event_type(self, name: str) -> EventType | None:
        return next((t for t in self.event_types if t.name == name), None)

    def gate(self, name: str) -> Gate | None:
        return next((g for g in self.gates if g.name == name), None)

    def track(self, track_id: str) -> Track | None:
        return next((t for t in self.tracks if t.id == track_id), None)
