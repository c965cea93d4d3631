"""A question made ready for scoring: its truth as rules read it, its places, its gates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from groundeval.questions.values import decode
from groundeval.world.ids import shown
from groundeval.world.time import parse_instant

if TYPE_CHECKING:
    from groundeval.functions import Place
    from groundeval.ir.program import Track
    from groundeval.ir.types import Type
    from groundeval.questions.model import Question
    from groundeval.scoring.answers import Choices
    from groundeval.scoring.grounds import Ground


@dataclass(frozen=True, slots=True, eq=False)
class QuestionView:
    """A question as rules see it; `as_of` in microseconds."""

    id: str
    track: str
    as_of: int | None
    actor: str | None
    stratum: str | None


@dataclass(frozen=True, slots=True, eq=False)
class Prepared:
    """What scoring any trace of one question shares.

    `places` are those that the truth holds, `artifacts` its fields that hold artifacts, where they
    hold any.
    """

    question: Question
    view: QuestionView
    truth: Mapping[str, Any]
    places: tuple[Place, ...]
    artifacts: tuple[tuple[str, frozenset[str]], ...]
    choices: Choices
    ground: Ground


@dataclass(frozen=True, slots=True)
class Unusable:
    """Why a question cannot be scored, in words that follow its name."""

    reason: str


def truth_types(track: Track) -> dict[str, Type]:
    """By field of the truth: its type, as the track's truth block or its scores say."""
    if track.truth:
        return {name: expression.type for name, expression in track.truth}
    return dict(track.truth_reads)


def decode_truth(question: Question, types: Mapping[str, Type]) -> Mapping[str, Any] | Unusable:
    """The truth's fields as rule values: sets, tuples, microseconds, places.

    A question whose truth lacks a field that its track needs cannot be scored: a missing truth
    would make honest answers wrong.
    """
    given = question.truth
    if given is None:
        return Unusable("has no truth")
    lacking = sorted(n for n, t in types.items() if n not in given and not t.optional)
    if lacking:
        return Unusable(f"lacks {', '.join(map(shown, lacking))} in its truth")
    truth: dict[str, Any] = {}
    for name, shape in types.items():
        value = given.get(name)
        try:
            truth[name] = _empty(shape) if value is None else decode(value, shape)
        except TypeError:
            return Unusable(f"has a truth in which {shown(name)} does not hold plain values")
        if value is not None and (truth[name] is None or not _fits(truth[name], shape)):
            return Unusable(f"has a truth in which {shown(name)} is no {shape.required}")
    return truth


def as_of_of(question: Question) -> int | Unusable | None:
    """The question's instant in microseconds; None where it has none."""
    if question.as_of is None:
        return None
    instant = parse_instant(question.as_of, None)
    if isinstance(instant, int):
        return instant
    return Unusable(f"has an `as_of` of {shown(question.as_of)}, which {instant.text}")


def view_of(question: Question, as_of: int | None) -> QuestionView:
    return QuestionView(question.id, question.track, as_of, question.actor, question.stratum)


def places_in(truth: Mapping[str, Any], types: Mapping[str, Type]) -> tuple[Place, ...]:
    """Every place that the truth holds, each once, in its order."""
    found: dict[str, Place] = {}
    for name, shape in types.items():
        item = shape.item if shape.item is not None else shape
        if item.name == "place" and truth[name] is not None:
            places = truth[name] if shape.is_collection else (truth[name],)
            for place in places:
                found.setdefault(place.id, place)
    return tuple(found.values())


def artifacts_in(
    truth: Mapping[str, Any], types: Mapping[str, Type]
) -> tuple[tuple[str, frozenset[str]], ...]:
    """The truth's fields that are collections of artifacts; of alternatives, the smallest."""
    found: list[tuple[str, frozenset[str]]] = []
    for name, shape in types.items():
        value, item = truth[name], shape.item
        if not value or item is None:
            continue
        if item.name == "artifact":
            found.append((name, frozenset(value)))
        elif item.item is not None and item.item.name == "artifact":
            found.append((name, min(map(frozenset, value), key=_by_size)))
    return tuple(found)


def _by_size(ids: frozenset[str]) -> tuple[int, list[str]]:
    return len(ids), sorted(ids)


def _empty(shape: Type) -> Any:
    """Null in a truth: an empty collection, or a missing scalar."""
    match shape.name:
        case "set":
            return frozenset()
        case "list":
            return ()
        case _:
            return None


def _fits(value: Any, shape: Type) -> bool:
    """Whether a decoded value is of the type; items are looked at as well."""
    if shape.is_collection:
        item = shape.item
        return item is None or all(_fits(x, item) for x in value)
    if shape.name == "bool":
        return isinstance(value, bool)
    if shape.name in {"number", "time", "duration"}:
        return isinstance(value, int | float) and not isinstance(value, bool)
    return not shape.is_textual or isinstance(value, str)
