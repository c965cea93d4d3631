"""What the parts of a track may read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from groundeval.diagnostics import Span
from groundeval.ir import program as ir
from groundeval.ir.expressions import Var
from groundeval.ir.types import (
    ACTOR,
    ARTIFACT,
    CALL,
    EVENT,
    LINK,
    MECHANISM,
    NUMBER,
    QUESTION,
    SILENCE,
    SUBSYSTEM,
    TIME,
    Type,
    list_of,
    set_of,
)
from groundeval.semantics.elaborate.types import ERROR
from groundeval.semantics.scope import Scope, Variable

COLLECTIONS: Final[Mapping[str, Type]] = {
    "links": list_of(LINK),
    "near_misses": list_of(LINK),
    "silences": list_of(SILENCE),
    "actors": list_of(ACTOR),
    "events": list_of(EVENT),
    "artifacts": list_of(ARTIFACT),
    "subsystems": list_of(SUBSYSTEM),
    "mechanisms": list_of(MECHANISM),
}
"""What `ask for` ranges over."""

SCORED: Final[Mapping[str, Type]] = {
    "question": QUESTION,
    "calls": list_of(CALL),
    "cited": set_of(ARTIFACT),
    "retrieved": set_of(ARTIFACT),
    "opened": set_of(ARTIFACT),
}
"""What every score expression reads, beside `answer` and `truth`."""

NOWHERE: Final = Span("", 0, 0, 0, 0)
"""The place of what nobody wrote."""

SCORES: Final = Type(
    "record", fields=(("answer", NUMBER), ("trajectory", NUMBER), ("combined", NUMBER))
)


def variables(types: Mapping[str, Type]) -> dict[str, Variable]:
    """Variables that are called in the IR as they are written."""
    return {name: Variable(name, shape) for name, shape in types.items()}


def ask_scope(base: Scope) -> Scope:
    """The collections, for the binders of `ask for` and for `one of`."""
    return replace(
        base,
        variables=variables(COLLECTIONS),
        functions=frozenset({"anywhere", "ask", "truth"}),
        place="`ask for`",
    )


def truth_scope(base: Scope, ask: ir.Ask, binders: Mapping[str, Variable]) -> Scope:
    """The binders and what the question is about; artifacts are seen as of its instant."""
    as_of = Var(NOWHERE, ERROR, "as_of")
    if ask.as_of is not None:
        as_of = Var(ask.as_of.span, TIME, "as_of")
    return replace(
        base,
        variables={**binders, **variables(asked_about(ask))},
        functions=frozenset({"anywhere", "truth"}),
        as_of=as_of,
        place="a truth",
    )


def asked_about(ask: ir.Ask) -> dict[str, Type]:
    """What a question's `about`, `actor` and `as_of` are.

    `about` and `as_of` are there in any case: that one is left out has been reported.
    """
    found = {
        "about": ask.about.type if ask.about is not None else ERROR,
        "as_of": TIME if ask.as_of is not None else ERROR,
    }
    return found if ask.actor is None else {**found, "actor": ACTOR}


def score_scope(base: Scope, answer: Type, truth: Type) -> Scope:
    """What definitions, scores and verdicts all read."""
    return replace(
        base,
        variables=variables({"answer": answer, "truth": truth, **SCORED}),
        functions=frozenset({"anywhere", "score"}),
        raw_answer=True,
        place="a score",
    )


def with_variables(scope: Scope, place: str, more: Mapping[str, Type]) -> Scope:
    """`scope` in another place, where more can be read."""
    return replace(scope, variables={**scope.variables, **variables(more)}, place=place)
