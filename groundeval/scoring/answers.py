"""What an agent answered, checked against the fields that its track declares."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import msgspec

from groundeval.functions.text import fold_label
from groundeval.ir.expressions import Const, Expr, ListOf
from groundeval.world.ids import kind_of, shown
from groundeval.world.time import parse_instant

if TYPE_CHECKING:
    from groundeval.ir.program import AnswerField, Track
    from groundeval.ir.types import Type
    from groundeval.questions.model import Question

ABSTAIN: Final = "abstain"
"""A field of every answer: true says that the agent gives none."""

_LARGEST: Final = 1e300
"""Numbers past this leave no room for arithmetic."""

Choices = Mapping[str, frozenset[str]]
"""By field: the labels that may be chosen, folded as `same_label` folds them."""


@dataclass(frozen=True, slots=True)
class FieldFault:
    """A field of the answer that cannot be used, and why, in words."""

    field: str
    reason: str


class Answer(msgspec.Struct, frozen=True):
    """An answer as rules read it.

    `values` has every scored field: None where it is missing or at fault, an empty set where a
    set was not given. `raw` is what the agent wrote, for `as_bool`. `cited` are the artifacts
    that its artifact-typed fields name.
    """

    values: Mapping[str, Any]
    raw: Mapping[str, Any]
    faults: tuple[FieldFault, ...]
    abstained: bool
    cited: frozenset[str]


class _Fault(str):
    """Why a value does not fit its field, in place of the value."""

    __slots__ = ()


_Read = Callable[[Any, frozenset[str] | None], Any]


@dataclass(frozen=True, slots=True)
class _Field:
    name: str
    read: _Read
    required: bool
    absent: Any
    cites: bool


class AnswerReader:
    """Reads answers for one track."""

    def __init__(self, track: Track) -> None:
        self._fields = tuple(_field(f) for f in track.answer if not f.ignored)
        self._blank = {f.name: f.absent for f in self._fields}
        self._choosable = tuple(f for f in track.answer if f.choices is not None)

    def choices(self, question: Question) -> Choices:
        """What the `one of` fields may hold.

        The `enum` of the question's answer schema says it; without one a list that the track
        spells out, and where neither is there the field is not in the result: any text will do.
        """
        found: dict[str, frozenset[str]] = {}
        for field in self._choosable:
            listed = _enumerated(question.answer_schema, field.name)
            if listed is None and field.choices is not None:
                listed = _spelled_out(field.choices)
            if listed is not None:
                found[field.name] = frozenset(map(fold_label, listed))
        return found

    def read(self, raw: Mapping[str, Any] | None, choices: Choices) -> Answer:
        """The answer's values and faults. Never raises, whatever the agent wrote.

        No answer at all lacks every required field. An agent that abstains has answered nothing:
        whatever else it wrote is left unread, so an abstention is never a hedge.
        """
        given: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
        stop = given.get(ABSTAIN)
        if stop is True:
            return Answer(self._blank, {}, (), abstained=True, cited=frozenset())
        faults: list[FieldFault] = []
        if stop is not None and stop is not False:
            faults.append(FieldFault(ABSTAIN, f"is not true or false but {kind_of(stop)}"))
        values = dict(self._blank)
        cited: frozenset[str] = frozenset()
        for field in self._fields:
            value = given.get(field.name)
            if value is None:
                if field.required:
                    faults.append(FieldFault(field.name, "is missing"))
                continue
            read = field.read(value, choices.get(field.name))
            if isinstance(read, _Fault):
                faults.append(FieldFault(field.name, str(read)))
                values[field.name] = None
                continue
            values[field.name] = read
            if field.cites:
                cited |= read if isinstance(read, frozenset) else frozenset((read,))
        return Answer(values, given, tuple(faults), abstained=False, cited=cited)


def _field(field: AnswerField) -> _Field:
    shape = field.type
    collection = shape.is_collection
    item = shape.item if collection and shape.item is not None else shape
    return _Field(
        name=field.name,
        read=_collection_reader(item) if collection else _scalar_reader(shape),
        required=not shape.optional and not collection,
        absent=frozenset() if collection else None,
        cites=item.name == "artifact",
    )


def _enumerated(schema: Mapping[str, Any] | None, name: str) -> list[str] | None:
    """The `enum` of a field of a JSON Schema; None where there is none."""
    properties = (schema or {}).get("properties")
    field = properties.get(name) if isinstance(properties, dict) else None
    listed = field.get("enum") if isinstance(field, dict) else None
    return [x for x in listed if isinstance(x, str)] if isinstance(listed, list) else None


def _spelled_out(choices: Expr) -> list[str] | None:
    """The texts of a list of literals; None for any other expression."""
    if isinstance(choices, Const) and isinstance(choices.value, tuple):
        return [x for x in choices.value if isinstance(x, str)]
    if not isinstance(choices, ListOf):
        return None
    literals = [x.value for x in choices.items if isinstance(x, Const)]
    return (
        [x for x in literals if isinstance(x, str)] if len(literals) == len(choices.items) else None
    )


def _scalar_reader(shape: Type) -> _Read:
    match shape.name:
        case "bool":
            return _read_bool
        case "number":
            return _read_number
        case "time":
            return _read_time
        case _:
            word = "a text" if shape.name == "text" else f"the id of {_article(shape.name)}"
            return lambda value, choices: _read_text(value, choices, word)


def _article(name: str) -> str:
    noun = name.removesuffix("_id").replace("_", " ")
    return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def _collection_reader(item: Type) -> _Read:
    scalar = _scalar_reader(item)

    def read(value: Any, choices: frozenset[str] | None) -> Any:
        if not isinstance(value, list | tuple):
            return _Fault(f"is not a list but {kind_of(value)}")
        items: list[Any] = []
        for entry in value:
            one = scalar(entry, choices)
            if isinstance(one, _Fault):
                return _Fault(f"holds something that {one}")
            items.append(one)
        return frozenset(items)

    return read


def _read_bool(value: Any, _: frozenset[str] | None) -> bool | _Fault:
    return value if isinstance(value, bool) else _Fault(_not("true or false", value))


def _read_number(value: Any, _: frozenset[str] | None) -> float | _Fault:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return _Fault(_not("a number", value))
    return value if -_LARGEST <= value <= _LARGEST else _Fault("is too large, or no number at all")


def _read_time(value: Any, _: frozenset[str] | None) -> int | _Fault:
    instant = parse_instant(value, None)
    if isinstance(instant, int):
        return instant
    return _Fault(instant.text if isinstance(value, str) else _not("an instant", value))


def _read_text(value: Any, choices: frozenset[str] | None, word: str) -> str | _Fault:
    if not isinstance(value, str):
        return _Fault(_not(word, value))
    text = value if value.isascii() else unicodedata.normalize("NFC", value)
    if choices is None or (text.isascii() and text in choices):
        return text
    if fold_label(text) not in choices:
        return _Fault(f"is none of the choices: {shown(text)}")
    return text


def _not(wanted: str, value: Any) -> str:
    scalar = isinstance(value, str | int | float)
    return f"is not {wanted} but {shown(value) if scalar else kind_of(value)}"
