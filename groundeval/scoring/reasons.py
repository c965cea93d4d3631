"""What cost points, in plain words: the `because` of a result."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from groundeval.scoring.violations import place_name
from groundeval.world.canonical import number_text
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from groundeval.functions import Place
    from groundeval.scoring.answers import Answer
    from groundeval.scoring.blocks import Block, Evaluated
    from groundeval.scoring.model import Violation
    from groundeval.scoring.path import Path
    from groundeval.scoring.prepared import Prepared

_SHOWN: Final = 5
"""How many sentences of one kind are written out; one more says how many there were."""


def because(
    prepared: Prepared,
    answer: Answer,
    evaluated: Evaluated,
    violations: Sequence[Violation],
    path: Path,
) -> tuple[str, ...]:
    """Sentences on the answer, on violations, on what was not looked at, and on what was lost.

    Deterministic: they follow the order of fields, steps, places and components.
    """
    sentences: list[str] = []
    if answer.abstained:
        sentences.append("the agent abstained")
    sentences += _few(f"{shown(f.field)} {f.reason}" for f in answer.faults)
    if not evaluated.correct and not answer.abstained:
        sentences += _few(_differences(prepared, answer))
    if not prepared.ground.recorded:
        sentences += _few(_misrecorded(path))
    if violations:
        sentences += _few(_violation(v) for v in violations if v.kind != "unproven")
        sentences += _few(_unproven(prepared, violations))
    if evaluated.trajectory.failed is not None or evaluated.trajectory.losses:
        sentences += _few(_not_opened(prepared, path))
    sentences += _block("answer", evaluated.answer)
    sentences += _block("trajectory", evaluated.trajectory)
    return tuple(sentences)


def _few(sentences: Iterable[str]) -> list[str]:
    listed = list(sentences)
    if len(listed) <= _SHOWN:
        return listed
    return [*listed[:_SHOWN], f"and {len(listed) - _SHOWN} more of this kind"]


def _differences(prepared: Prepared, answer: Answer) -> Iterator[str]:
    """Fields of the answer that the truth has by the same name and another value."""
    for name, said in answer.values.items():
        if name not in prepared.truth or isinstance(said, frozenset) or said is None:
            continue
        true = prepared.truth[name]
        if isinstance(said, bool) != isinstance(true, bool) or said != true:
            yield f"{shown(name)} is {shown(said)}, and should be {_truth(true)}"


def _misrecorded(path: Path) -> Iterator[str]:
    """Calls that somebody recorded with other breaks than those that are recomputed."""
    for step in path.calls:
        if step.breaks is None:
            continue
        broken = {b.gate for b in path.breaches.get(step, ()) if b.gate is not None}
        if broken != set(step.breaks):
            said, found = _gates(set(step.breaks)), _gates(broken)
            yield f"step {step.n} is recorded as breaking {said}; recomputed, it breaks {found}"


def _gates(names: set[str]) -> str:
    return " and ".join(map(shown, sorted(names))) or "nothing"


def _truth(value: object) -> str:
    return "left out" if value is None else shown(value)


def _violation(violation: Violation) -> str:
    target = shown(violation.target)
    by = f" gate {shown(violation.gate)}" if violation.gate is not None else ""
    rule = f" ({violation.rule})" if violation.rule is not None else ""
    match violation.kind:
        case "attempt" if by:
            return f"step {violation.step} asked for {target}, which{by} closes{rule}"
        case "exposure":
            return f"step {violation.step} was given {target}, which{by} closes{rule}"
        case "use" if by:
            return f"{target} is cited, which{by} closes{rule}"
        case "ungrounded":
            return f"{target} is cited but was never opened"
        case _:
            where = "a citation" if violation.step is None else f"step {violation.step}"
            return f"{where} of {target} is a violation by the track's own rule"


def _unproven(prepared: Prepared, violations: Sequence[Violation]) -> Iterator[str]:
    """Each place that no call covered, with how many were."""
    names = {v.target for v in violations if v.kind == "unproven"}
    missed = [place for place in prepared.places if place_name(place) in names]
    total = len(prepared.places)
    for place in missed:
        yield f"{_not_looked(place)}: {total - len(missed)} of {total} places looked at"


def _not_opened(prepared: Prepared, path: Path) -> Iterator[str]:
    """Artifacts of the truth that were never opened, by the truth's fields that hold them."""
    if not path.calls and not path.opened:
        yield "nothing was searched or fetched"
    for name, wanted in prepared.artifacts:
        missed = sorted(wanted - path.opened)
        if missed and len(missed) == len(wanted):
            yield f"nothing of the truth's {shown(name)} was opened: {_listed(missed)}"
        elif missed:
            yield f"not all of the truth's {shown(name)} was opened: {_listed(missed)} is missing"


def _listed(ids: Sequence[str]) -> str:
    more = f" and {len(ids) - _SHOWN} more" if len(ids) > _SHOWN else ""
    return ", ".join(map(shown, ids[:_SHOWN])) + more


def _not_looked(place: Place) -> str:
    if place.fetch is not None:
        return f"{shown(place.fetch)} was never opened"
    where = " or ".join(map(shown, place.subsystems))
    of_it = f" of {where}" if where else ""
    return f"no search{of_it} would have found {shown(place.text)}"


def _block(name: str, block: Block) -> Iterator[str]:
    if block.failed is not None:
        place = f"{block.failed.file}:{block.failed.line}"
        yield f"{name} is 0: what it requires is not so ({place})"
        return
    for loss in block.losses:
        value, lost = number_text(loss.value), number_text(loss.weight * (1 - loss.value))
        yield f"{name} lost {lost} on {shown(loss.component)}, which is {value}"
