"""What cost points, in plain words: the `because` of a result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Final, TypeVar

from groundeval.contracts.rule_text import rule_text
from groundeval.scoring.violations import place_name
from groundeval.world.canonical import number_text
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from groundeval.functions import Place
    from groundeval.ir.expressions import Expr
    from groundeval.scoring.answers import Answer
    from groundeval.scoring.blocks import Block, Evaluated
    from groundeval.scoring.model import Violation
    from groundeval.scoring.path import Path
    from groundeval.scoring.prepared import Prepared
    from groundeval.traces.model import Step

_SHOWN: Final = 5
"""How many sentences of one kind are written out; one more says how many there were."""
_Item = TypeVar("_Item")


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
    if answer.faults:
        sentences += _few(answer.faults, lambda fault: f"{shown(fault.field)} {fault.reason}")
    if not evaluated.correct and not answer.abstained:
        sentences += _few(_differences(prepared, answer))
    if not prepared.ground.recorded:
        sentences += _misrecorded(path)
    if violations:
        sentences += _violations(prepared, violations)
    if not evaluated.trajectory.whole:
        sentences += _few(_not_opened(prepared, path))
    for name, block in (("answer", evaluated.answer), ("trajectory", evaluated.trajectory)):
        if not block.whole:
            sentences += _block(name, block)
    return tuple(sentences)


def _violations(prepared: Prepared, violations: Sequence[Violation]) -> list[str]:
    """A sentence for each call or citation and what it broke, then one for each unproven place."""
    end = len(violations)
    while end and violations[end - 1].kind == "unproven":  # they stand last
        end -= 1
    alike: dict[tuple[int | None, str, str], list[Violation]] = {}
    for v in violations[:end]:
        alike.setdefault((v.step, v.kind, v.target), []).append(v)
    sentences = _few(alike.values(), _violation)
    return sentences + _few(_unproven(prepared, violations[end:]))


def _few(items: Iterable[_Item], say: Callable[[_Item], str] = str) -> list[str]:
    listed = list(items)
    sentences = [say(item) for item in listed[:_SHOWN]]
    if len(listed) > _SHOWN:
        sentences.append(f"and {len(listed) - _SHOWN} more of this kind")
    return sentences


def _differences(prepared: Prepared, answer: Answer) -> Iterator[str]:
    """Fields of the answer that the truth has by the same name and another value."""
    for name, said in answer.values.items():
        if name not in prepared.truth or isinstance(said, frozenset) or said is None:
            continue
        true = prepared.truth[name]
        if isinstance(said, bool) != isinstance(true, bool) or said != true:
            yield f"{shown(name)} is {shown(said)}, and should be {_truth(true)}"


def _misrecorded(path: Path) -> list[str]:
    """Calls that somebody recorded with other breaks than those that are recomputed."""
    told = [step for step in path.calls if step.refused or step.breaks is not None]
    return _few(_differing(told, path)) if told else []


def _differing(told: Iterable[Step], path: Path) -> Iterator[str]:
    for step in told:
        said = {r.gate for r in step.refused} if step.breaks is None else set(step.breaks)
        broken = {b.gate for b in path.breaches.get(step, ()) if b.gate is not None}
        if broken != said:
            yield (
                f"step {step.n} is recorded as breaking {_gates(said)}; "
                f"recomputed, it breaks {_gates(broken)}"
            )


def _gates(names: set[str]) -> str:
    return " and ".join(map(shown, sorted(names))) or "nothing"


def _truth(value: object) -> str:
    return "left out" if value is None else shown(value)


def _violation(alike: Sequence[Violation]) -> str:
    """The sentence on what one call or citation broke, by however many gates."""
    violation = alike[0]
    target, close = shown(violation.target), _closed_by(alike)
    match violation.kind:
        case "attempt" if close:
            return f"step {violation.step} asked for {target}, which {close}"
        case "exposure":
            return f"step {violation.step} was given {target}, which {close}"
        case "use" if close:
            return f"{target} is cited, which {close}"
        case "ungrounded":
            return f"{target} is cited but was never opened"
        case _:
            where = "a citation" if violation.step is None else f"step {violation.step}"
            return f"{where} of {target} is a violation by the track's own rule"


def _closed_by(alike: Sequence[Violation]) -> str:
    """The gates that close it, each with its rule where one decided; empty where none does."""
    gates = [(shown(v.gate), v.rule) for v in alike if v.gate is not None]
    if len(gates) == 1:
        ((gate, rule),) = gates
        return f"gate {gate} closes" + ("" if rule is None else f" ({rule})")
    named = [gate if rule is None else f"{gate} ({rule})" for gate, rule in gates]
    return f"gates {', '.join(named[:-1])} and {named[-1]} close" if named else ""


def _unproven(prepared: Prepared, violations: Sequence[Violation]) -> Iterator[str]:
    """Each place that no call covered, with how many were."""
    if not violations:
        return
    names = {v.target for v in violations}
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
        yield block.failed
        return
    values = block.detail.components
    for component in block.layout.components:
        value = values[component.name]
        if value == 0.0:
            yield component.loss
        elif value < 1.0:
            yield loss(name, component.name, component.weight, value)


def failure(block: str, requirement: Expr) -> str:
    """That a block's requirement failed: what it says, and where it stands."""
    place = f"{requirement.span.file}:{requirement.span.line}"
    required = shown(rule_text(requirement))
    return f"{block} is 0: it requires {required}, which is not so ({place})"


def loss(block: str, component: str, weight: float, value: float) -> str:
    """What a component cost by not having its whole value."""
    lost = _short(weight * (1 - value))
    return f"{block} lost {lost} on {shown(component)}, which is {_short(value)}"


_DECIMALS: Final = 3


def _short(value: float) -> str:
    """A number between 0 and 1 with three decimals at most; what is not 0 or 1 never reads so."""
    rounded = round(value, _DECIMALS)
    if rounded == 0 < value:
        return "less than 0.001"
    if rounded == 1 > value:
        return "more than 0.999"
    return number_text(rounded)
