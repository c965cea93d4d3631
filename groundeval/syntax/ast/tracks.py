"""Declarations of tracks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from groundeval.syntax.ast.base import Name, Node
from groundeval.syntax.ast.domain import Because, Field, Let, Mapping, Wording
from groundeval.syntax.ast.expressions import Expr, Text


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
class Rounding(Node):
    """`round N`: the block's score to N decimals."""

    decimals: Expr


@dataclass(frozen=True, slots=True)
class Score(Node):
    """`score answer { … }`, `score trajectory when COND { … }`."""

    name: Name
    when: Expr | None
    items: tuple[Require | Component | Rounding, ...]


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
