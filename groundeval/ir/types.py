"""Types of rule values, and the fields of the things that rules walk over."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType

ID_TYPES = frozenset(
    {"artifact", "actor", "subsystem", "mechanism", "event_id", "spec", "tool", "outcome"}
)
"""Types whose values are ids and words; they compare with each other and with text as text does."""

OBJECT_TYPES = frozenset(
    {"event", "call", "place", "silence", "link", "expectation", "role", "question", "key"}
)
"""Types whose values are objects, compared by identity."""


@dataclass(frozen=True, slots=True)
class Type:
    """The static type of an expression.

    `name` is bool, number, text, time, duration, json, list, set, record, missing (only ever
    None), never (the item of an empty list), or one of ID_TYPES or OBJECT_TYPES. `item` belongs
    to list and set, `fields` to record. `optional`: the value may be missing. `many`: a data field
    of an event, which may hold one value or several, and whose declared type is not verified
    value by value.
    """

    name: str
    item: Type | None = None
    fields: tuple[tuple[str, Type], ...] = ()
    optional: bool = False
    many: bool = False

    def __str__(self) -> str:
        inner = f"<{self.item}>" if self.item is not None else ""
        return f"{self.name}{inner}{'?' if self.optional else ''}"

    @property
    def required(self) -> Type:
        """The same type, never missing."""
        return replace(self, optional=False) if self.optional else self

    @property
    def maybe(self) -> Type:
        """The same type, perhaps missing."""
        return self if self.optional else replace(self, optional=True)

    @property
    def is_collection(self) -> bool:
        return self.name in {"list", "set"}

    @property
    def is_textual(self) -> bool:
        """Whether values are strings: text and every kind of id."""
        return self.name == "text" or self.name in ID_TYPES


BOOL = Type("bool")
NUMBER = Type("number")
TEXT = Type("text")
TIME = Type("time")
DURATION = Type("duration")
JSON = Type("json", optional=True)
MISSING = Type("missing", optional=True)
NEVER = Type("never")
ARTIFACT = Type("artifact")
ACTOR = Type("actor")
SUBSYSTEM = Type("subsystem")
MECHANISM = Type("mechanism")
EVENT_ID = Type("event_id")
SPEC = Type("spec")
TOOL = Type("tool")
OUTCOME = Type("outcome")
EVENT = Type("event")
CALL = Type("call")
PLACE = Type("place")
SILENCE = Type("silence")
LINK = Type("link")
EXPECTATION = Type("expectation")
ROLE = Type("role")
QUESTION = Type("question")
KEY = Type("key")


def list_of(item: Type) -> Type:
    return Type("list", item)


def set_of(item: Type) -> Type:
    return Type("set", item)


OBJECT_FIELDS: Mapping[str, Mapping[str, Type]] = MappingProxyType(
    {
        # `label` and `keys` of an event depend on the contract: see functions.event_label/_keys.
        "event": {
            "id": EVENT_ID,
            "type": TEXT,
            "at": TIME,
            "label": TEXT,
            "keys": list_of(KEY),
            "actors": list_of(ACTOR),
            "artifacts": list_of(ARTIFACT),
            "facts": JSON,
        },
        "call": {
            "n": NUMBER,
            "tool": TOOL,
            "query": TEXT.maybe,
            "subsystem": SUBSYSTEM.maybe,
            "artifact": ARTIFACT.maybe,
            "limit": NUMBER.maybe,
            "results": list_of(ARTIFACT),
        },
        "silence": {
            "id": TEXT,
            "spec": SPEC,
            "trigger": EVENT,
            "expected": EXPECTATION,
            "witnesses": set_of(ARTIFACT),
            "places": list_of(PLACE),
            "window": DURATION.maybe,
            "deadline": TIME.maybe,
        },
        "link": {
            "id": TEXT,
            "cause": EVENT,
            "effect": EVENT,
            "specs": list_of(MECHANISM),
            "verified": BOOL,
            "decisive": BOOL,
            "evidence": list_of(set_of(ARTIFACT)),
            "actors": set_of(ACTOR),
            "known_from": TIME,
        },
        "expectation": {"label": TEXT, "type": TEXT},
        "place": {
            "id": TEXT,
            "fetch": ARTIFACT.maybe,
            "text": TEXT.maybe,
            "subsystems": list_of(SUBSYSTEM),
        },
        "question": {
            "id": TEXT,
            "track": TEXT,
            "as_of": TIME.maybe,
            "actor": ACTOR.maybe,
            "stratum": TEXT.maybe,
        },
        "role": {"id": TEXT},
        "key": {"kind": TEXT, "value": TEXT},
    }
)
"""Fields of objects, read as the attribute of the same name."""

ARTIFACT_FIELDS: Mapping[str, tuple[Type, bool]] = MappingProxyType(
    {
        "id": (ARTIFACT, False),
        "subsystem": (SUBSYSTEM.maybe, False),
        "created": (TIME.maybe, False),
        "deleted": (TIME.maybe, False),
        "participants": (set_of(ACTOR), True),
        "labels": (set_of(TEXT), True),
        "events": (list_of(EVENT), True),
        "title": (TEXT.maybe, True),
        "text": (TEXT.maybe, True),
    }
)
"""Fields of artifacts: their type, and whether they change over time (then an as-of is needed).

Any other name is an attribute of the version: json, changing over time.
"""

ANSWER_TYPES: Mapping[str, Type] = MappingProxyType(
    {
        "bool": BOOL,
        "text": TEXT,
        "number": NUMBER,
        "time": TIME,
        "artifact": ARTIFACT,
        "event": EVENT_ID,
        "actor": ACTOR,
        "subsystem": SUBSYSTEM,
    }
)
"""What may stand as the type of an answer field (an event is named by its id); event fields take
the same less `event`."""
