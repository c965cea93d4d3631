"""Which variables an expression may read, and what else its place allows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from groundeval.functions.registry import Where
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.syntax import ast


@dataclass(frozen=True, slots=True)
class Variable:
    """A variable's unique name in the IR, its type, and for an event what its type can be.

    `event_types` narrows the data fields that `v.name` may mean; empty: any event.
    """

    name: str
    type: Type
    event_types: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Scope:
    """What an expression may read and call in its place.

    `variables` by their written name. `functions`: where calls may stand here. `as_of`: what
    cuts artifacts in time (None: time-dependent fields are refused). `lets`: a track's own lets,
    before the domain's. `definitions`: nullary lets that are read by name (their types).
    `raw_answer`: `as_bool(answer.x)` reads the raw value. `record`: `.name` is allowed.
    `place` says in words where this is, for messages ("a gate", "a score", …).
    `context`: the variables of the place itself, without those that the expression binds; this is
    what a `let` may read (None until the elaborator sets it). `names_as_text`: an unknown bare
    name is its own text. `constants`: the params of a track, by name.
    `zone`: the zone of times that name none, where it is not the contract's.
    """

    variables: Mapping[str, Variable] = field(default_factory=dict)
    functions: frozenset[Where] = frozenset({"anywhere"})
    as_of: Expr | None = None
    lets: Mapping[str, ast.Let] = field(default_factory=dict)
    definitions: Mapping[str, Type] = field(default_factory=dict)
    raw_answer: bool = False
    record: bool = False
    place: str = ""
    context: Mapping[str, Variable] | None = None
    names_as_text: bool = False
    constants: Mapping[str, Expr] = field(default_factory=dict)
    zone: str | None = None

    def with_variable(self, written: str, variable: Variable) -> Scope:
        """This scope and one more variable, which hides another of the same name."""
        return replace(self, variables={**self.variables, written: variable})
