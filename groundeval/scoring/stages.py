"""A track's expressions in the three stages in which they can be evaluated.

The rate needs what is broken, the score blocks need the rate's quotient, and the verdicts may need
the scores; those that do not are worked out with the score blocks. A `let` that an earlier stage
has worked out is handed on, so nothing is done twice.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from groundeval.engine.closures import compile_block
from groundeval.engine.evaluator import evaluate
from groundeval.ir.expressions import Var
from groundeval.ir.walk import reads

if TYPE_CHECKING:
    from groundeval.functions import Host
    from groundeval.ir.expressions import Expr
    from groundeval.ir.program import Definition, Track

Block: TypeAlias = Callable[..., tuple[Any, ...]]
"""`block(host, *parameters)`: the values of its outputs, in order."""

INPUTS: Final = (
    "answer", "raw_answer", "truth", "question", "calls", "cited", "retrieved", "opened",
)  # fmt: skip
"""What every stage reads, in this order."""
_LATER: Final = {"violation_rate": 1, "scores": 2}
"""The first stage that knows the name; everything else is known in stage 0."""


@dataclass(frozen=True, slots=True)
class Stages:
    """The blocks of a track.

    `violation(host, *INPUTS, step)` → whether it fires, `rate(host, *INPUTS, broken)` → A, B and
    what is handed on, `scores(host, *INPUTS, *handed, violation_rate)` → every output of the score
    blocks and what is handed on from there, `verdicts(host, *INPUTS, *handed, violation_rate,
    *handed again, scores)` → correct and sound. Where `verdicts` is None, these two end what
    `scores` gives, in place of what it hands on.
    """

    violation: Block
    rate: Block
    scores: Block
    verdicts: Block | None


def stages_of(track: Track, outputs: Sequence[Expr], *, compiled: bool) -> Stages:
    """The stages of `track`, whose score blocks have the expressions `outputs`.

    `compiled` False takes the plain evaluator instead, which gives the same values.
    """
    make = compile_block if compiled else plain_block
    ready = _ready_at(track.definitions)
    verdicts = (track.correct, track.sound)
    wanted_last = _wanted(track.definitions, verdicts)
    late = "scores" in wanted_last
    wanted = wanted_last | _wanted(track.definitions, outputs)
    handed = [d for d in track.definitions if ready[d.name] == 0 and d.name in wanted]
    again = [d for d in track.definitions if ready[d.name] == 1 and d.name in wanted_last]
    first = [d for d in track.definitions if ready[d.name] == 0]
    second = [d for d in track.definitions if ready[d.name] == 1]
    third = [d for d in track.definitions if ready[d.name] == 2]
    names, more = (tuple(d.name for d in group) for group in (handed, again))
    known = (*INPUTS, *names, "violation_rate")
    given = (*outputs, *map(_variable, again)) if late else (*outputs, *verdicts)
    return Stages(
        violation=make(_needed(first, (track.violation,)), (track.violation,), (*INPUTS, "step")),
        rate=make(
            _needed(first, track.rate, names),
            (*track.rate, *map(_variable, handed)),
            (*INPUTS, "broken"),
        ),
        scores=make(_needed(second, given), given, known, handed),
        verdicts=make(
            _needed(third, verdicts), verdicts, (*known, *more, "scores"), (*handed, *again)
        )
        if late
        else None,
    )


def plain_block(
    definitions: Sequence[Definition],
    outputs: Sequence[Expr],
    parameters: Sequence[str],
    handed: Sequence[Definition] = (),
) -> Block:
    """The block by the evaluator that defines what rules mean; it asks nothing of `handed`."""
    del handed
    names = tuple(parameters)

    def block(host: Host, *values: Any) -> tuple[Any, ...]:
        env: dict[str, Any] = dict(zip(names, values, strict=True))
        for definition in definitions:
            env[definition.name] = evaluate(definition.value, env, host)
        return tuple(evaluate(output, env, host) for output in outputs)

    return block


def _variable(definition: Definition) -> Expr:
    return Var(definition.value.span, definition.value.type, definition.name)


def _ready_at(definitions: Iterable[Definition]) -> dict[str, int]:
    """By definition: the first stage in which everything that it reads is known."""
    ready: dict[str, int] = {}
    for definition in definitions:
        names = reads(definition.value)
        ready[definition.name] = max(
            (ready.get(name, _LATER.get(name, 0)) for name in names), default=0
        )
    return ready


def _wanted(
    definitions: Sequence[Definition], outputs: Iterable[Expr], also: Iterable[str] = ()
) -> set[str]:
    """The names that `outputs` read, directly or through definitions, and those of `also`."""
    wanted = set(also).union(*(reads(output) for output in outputs))
    for definition in reversed(definitions):
        if definition.name in wanted:
            wanted |= reads(definition.value)
    return wanted


def _needed(
    definitions: Sequence[Definition], outputs: Iterable[Expr], also: Iterable[str] = ()
) -> tuple[Definition, ...]:
    wanted = _wanted(definitions, outputs, also)
    return tuple(d for d in definitions if d.name in wanted)
