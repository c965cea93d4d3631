"""What a track reads of a trace: what has to be computed, and what has to have been observed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from groundeval.ir.expressions import Attribute, Call, Expr, Var
from groundeval.ir.walk import nodes

if TYPE_CHECKING:
    from groundeval.ir.program import Track

_STEP_NAMES: Final = frozenset({"calls", "retrieved", "opened", "broken", "step", "violation_rate"})
_STEP_FUNCTIONS: Final = frozenset({"breaks", "covered", "covers_any", "recovered"})
_COVERAGE: Final = frozenset({"covered", "covers_any"})


@dataclass(frozen=True, slots=True)
class Needs:
    """What has to be there.

    `fields` are the trace's fields that a fidelity record may say are not there; `coverage`
    says whether places are looked at, `default_violation` whether a violation is any break.
    """

    fields: frozenset[str]
    coverage: bool
    default_violation: bool


def needs_of(track: Track) -> Needs:
    """What the scores, the rate and the verdicts of `track` read."""
    names, functions, attributes = set[str](), set[str](), set[str]()
    for expression in score_expressions(track):
        for node in nodes(expression):
            match node:
                case Var(name=name):
                    names.add(name)
                case Call(function=key):
                    functions.add(key.split("/")[0])
                case Attribute(name=name):
                    attributes.add(name)
                case _:
                    pass
    steps = bool(names & _STEP_NAMES or functions & _STEP_FUNCTIONS)
    fields = {
        "answer": any(not f.ignored for f in track.answer),
        "steps": steps,
        "results": "retrieved" in names or "opened" in names or "results" in attributes,
        "query": bool(functions & _COVERAGE) or "query" in attributes,
    }
    return Needs(
        frozenset(name for name, needed in fields.items() if needed),
        coverage=bool(functions & _COVERAGE),
        default_violation=is_any_break(track.violation),
    )


def is_any_break(violation: Expr) -> bool:
    """Whether the expression is `breaks(step)`, which every trace's path already knows."""
    match violation:
        case Call(function="breaks/1", arguments=(Var(name="step"),)):
            return True
        case _:
            return False


def score_expressions(track: Track) -> Iterator[Expr]:
    """Every expression that is evaluated while a trace is scored."""
    for definition in track.definitions:
        yield definition.value
    yield track.violation
    yield from track.rate
    for score in track.scores:
        if score.when is not None:
            yield score.when
        yield from score.requires
        yield from (component.value for component in score.components)
    yield track.correct
    yield track.sound
