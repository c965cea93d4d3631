"""How a contract's texts name events: by the label of their type and by their keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundeval.functions.host import Key
from groundeval.functions.text import show
from groundeval.ir.program import EventType, Program
from groundeval.ir.types import JSON
from groundeval.world.artifacts import Corpus
from groundeval.world.events import Event


class EventWords:
    """Labels and keys of events under one program."""

    def __init__(self, program: Program, corpus: Corpus) -> None:
        self._types: Mapping[str, EventType] = {t.name: t for t in program.event_types}
        self._corpus = corpus

    def type_of(self, event: Event) -> EventType | None:
        return self._types.get(event.type)

    def label(self, event_type: str) -> str:
        """The label of a type; the name of one that is not declared."""
        found = self._types.get(event_type)
        return found.label if found is not None else event_type

    def keys(self, event: Event) -> tuple[Key, ...]:
        """The artifacts that the event names, then its other key fields, each value once.

        An artifact's kind is its subsystem where the corpus knows it: that is where to look.
        """
        found: dict[str, Key] = {}
        for kind in sorted(event.artifacts):
            for artifact_id in event.artifacts[kind]:
                artifact = self._corpus.get(artifact_id)
                key = Key(kind if artifact is None else artifact.subsystem, artifact_id)
                found.setdefault(artifact_id, key)
        declared = self.type_of(event)
        for name in declared.key_fields if declared is not None else ():
            for value in _scalars(event.field(name)):
                text = show(value, JSON)
                found.setdefault(text, Key(name, text))
        return tuple(found.values())

    def key_values(self, event: Event) -> frozenset[str]:
        """The keys' values alone."""
        declared = self.type_of(event)
        if declared is None or not declared.key_fields:
            return frozenset(event.artifact_ids)
        others = [name for name in declared.key_fields if name not in event.artifacts]
        if not others:
            return frozenset(event.artifact_ids)
        found = set(event.artifact_ids)
        for name in others:
            value = event.field(name)
            if type(value) is str:
                found.add(value)
            else:
                found.update(show(part, JSON) for part in _scalars(value))
        return frozenset(found)


def _scalars(value: Any) -> tuple[Any, ...]:
    """What of a data field can be printed: one or several texts, numbers or truth values."""
    values = value if isinstance(value, tuple) else (value,)
    return tuple(v for v in values if isinstance(v, str | int | float))
