"""A candidate as a question: its text, its answer schema, what the agent is told."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.engine.evaluator import evaluate
from groundeval.ir.expressions import Expr
from groundeval.ir.program import AnswerField, Track
from groundeval.ir.types import Type
from groundeval.questions.candidates import Candidate, spec_of
from groundeval.questions.model import Question
from groundeval.questions.sources import Source
from groundeval.questions.values import encode, place_record
from groundeval.world.canonical import blake
from groundeval.world.events import Event
from groundeval.world.time import format_instant

INSTRUCTIONS = (
    "Answer only from what you look up with `search` and `fetch`, going by what there was at the "
    "question's as-of time. Asking for something that is closed by a gate that the question's "
    "track enforces counts against the answer, whether or not it is refused. The `handbook` "
    "subsystem, always open, says what each role may use, what each kind of event is, and which "
    "mechanisms there are; it is searched only when it is named."
)

_JSON_TYPES = {"bool": "boolean", "number": "number"}


def question_id(track: str, ids: Sequence[str], as_of: int) -> str:
    """The track's id and 16 hex digits of BLAKE2b over the track, the bound ids and the as-of."""
    state = hashlib.blake2b(digest_size=8)
    for part in (track, *ids, format_instant(as_of)):
        data = part.encode()
        state.update(len(data).to_bytes(8, "big") + data)
    return f"{track}-{state.hexdigest()}"


class Writer:
    """Writes the questions of one track."""

    def __init__(self, track: Track, texts: Sequence[Expr], source: Source, seed: int) -> None:
        self._track = track
        self._texts = tuple(texts)
        self._source = source
        self._seed = seed
        self._schema = answer_schema(track, source)
        self._vocabulary = vocabulary(track, source)

    def write(
        self, candidate: Candidate, sibling: Candidate | None, worded_as: Candidate
    ) -> Question:
        """The question. Both of a pair are `worded_as` the same candidate: nothing else differs."""
        types = {name: expr.type for name, expr in self._track.truth}
        truth = {name: encode(value, types[name]) for name, value in candidate.truth.items()}
        return Question(
            id=self._id(candidate),
            track=self._track.id,
            text=self._text(candidate, worded_as),
            actor=candidate.actor,
            role=candidate.role,
            as_of=format_instant(candidate.as_of),
            instructions=INSTRUCTIONS,
            answer_schema=self._schema,
            keys=tuple(dict.fromkeys(keys_of(candidate.about, self._source))),
            vocabulary=self._vocabulary,
            truth=truth,
            about=candidate.ids,
            stratum=candidate.stratum,
            spec=spec_of(candidate.about),
            pair=None if sibling is None else self._id(sibling),
            places=tuple(place_record(p) for p in places_in(candidate.truth, types)),
            difficulty=self._difficulty(candidate, types),
        )

    def _id(self, candidate: Candidate) -> str:
        return question_id(self._track.id, candidate.ids, candidate.as_of)

    def _text(self, candidate: Candidate, worded_as: Candidate) -> str:
        """One of the wordings, drawn by what the question is about, never by its truth."""
        if not self._texts:
            return ""
        about = getattr(worded_as.about, "id", str(worded_as.about))
        draw = int.from_bytes(blake(self._seed, self._track.id, "wording", about)[:8], "big")
        env = {
            "about": candidate.about,
            "actor": candidate.actor,
            "role": None
            if candidate.actor is None
            else self._source.role(candidate.actor, candidate.as_of),
            "as_of": candidate.as_of,
        }
        text = evaluate(self._texts[draw % len(self._texts)], env, self._source.host)
        assert isinstance(text, str), "a candidate is one only when every wording fits it"
        return text

    def _difficulty(self, candidate: Candidate, types: Mapping[str, Type]) -> str:
        """By how much there is to do: gates crossed, hops, look-alikes to tell apart, places.

        One point for each place beyond the first, each subsystem of the evidence beyond the first,
        each gate that closes some of it to the actor, and each doubling of the events of the same
        type beyond eight; 0 is easy, up to 3 medium, more is hard.
        """
        events = events_of(candidate.about)
        world = self._source.host.world
        alike = max((len(world.log.of_type(e.type)) for e in events), default=1)
        evidence = {a for e in events for a in e.artifact_ids}
        subsystems = {a.subsystem for a in map(world.corpus.get, evidence) if a}
        places = len(places_in(candidate.truth, types))
        gates = self._source.closing_gates(candidate.actor, evidence, candidate.as_of)
        points = max(0, places - 1) + max(0, len(subsystems) - 1) + max(0, alike.bit_length() - 4)
        points += len(gates)
        return "easy" if points == 0 else "medium" if points <= 3 else "hard"


def events_of(about: Any) -> tuple[Event, ...]:
    """The events that a question names."""
    match about:
        case Event():
            return (about,)
        case CausalPair():
            return about.cause, about.effect
        case SilenceCase():
            return (about.trigger,)
    return ()


def keys_of(about: Any, source: Source) -> Iterator[str]:
    """The values by which the text names its events, then those that a silence's places need.

    They are the same whatever the truth is.
    """
    for event in events_of(about):
        yield from (key.value for key in source.host.keys(event))
    if isinstance(about, SilenceCase):
        for place in about.places:
            yield from place.values


def places_in(truth: Mapping[str, Any], types: Mapping[str, Type]) -> list[Any]:
    """The places that a truth holds, in whichever field of type list<place>."""
    found = []
    for name, value in truth.items():
        item = types[name].item
        if value and item is not None and item.name == "place":
            found += list(value)
    return found


def vocabulary(track: Track, source: Source) -> dict[str, tuple[str, ...]]:
    """For each kind of name that an answer uses and that is a closed list: the names."""
    kinds = {(f.type.item or f.type).name for f in track.answer if not f.ignored}
    if "subsystem" not in kinds:
        return {}
    return {"subsystem": tuple(sorted(source.collections["subsystems"]))}


def answer_schema(track: Track, source: Source) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12 vocabulary) of an answer, with `abstain` added."""
    properties = {f.name: _field_schema(f, source) for f in track.answer}
    properties["abstain"] = {
        "type": "boolean",
        "description": "true: no answer is given, the other fields are not needed",
    }
    required = [f.name for f in track.answer if not f.type.optional and not f.ignored]
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _field_schema(field: AnswerField, source: Source) -> dict[str, Any]:
    if field.choices is not None:
        choices = evaluate(field.choices, dict(source.collections), source.host) or ()
        schema: dict[str, Any] = {"type": "string", "enum": [*dict.fromkeys([*choices, "none"])]}
        if field.choices.type.item is None or field.choices.type.item.name != "mechanism":
            schema["enum"] = [*choices]
    elif field.type.item is not None:
        items = {"type": _json_type(field.type.item)}
        schema = {"type": "array", "items": items, "uniqueItems": True}
    else:
        schema = {"type": _json_type(field.type)}
        if field.type.name == "time":
            schema["format"] = "date-time"
    return {**schema, "description": field.doc} if field.doc else schema


def _json_type(shape: Type) -> str:
    return _JSON_TYPES.get(shape.name, "string")
