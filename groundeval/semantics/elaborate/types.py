"""How types meet: what fits where, and what two branches have in common."""

from __future__ import annotations

from dataclasses import replace

from groundeval.ir.types import NEVER, OBJECT_TYPES, Type

ERROR = Type("error", optional=True)
"""The type of what has been reported: every use of it stays silent."""

EVENT_TYPE = Type("event_type")
"""Only ever expected, never had: the text is to be the name of an event type."""

_NAMES = {
    "bool": "true or false",
    "number": "a number",
    "text": "a text",
    "time": "a time",
    "duration": "a length of time",
    "json": "a value of any kind",
    "missing": "`missing`",
    "record": "a record",
    "artifact": "an artifact",
    "actor": "an actor",
    "event": "an event",
    "event_id": "an event's id",
    "event_type": "an event type",
    "spec": "the name of a silence",
    "outcome": "an outcome",
    "any": "a value",
}


def describe(shape: Type) -> str:
    """A type in words, for messages: `a time`, `a set of artifacts`."""
    if shape.is_collection:
        item = shape.item.name if shape.item is not None else "any"
        what = {"any": "values", "never": "nothing", "event_id": "events' ids"}.get(item)
        return f"a {shape.name} of {what or _plural(item)}"
    return _NAMES.get(shape.name, f"a {shape.name}")


def _plural(name: str) -> str:
    return name if name in {"json", "bool"} else f"{name}s"


def is_error(*shapes: Type) -> bool:
    """Whether something has been reported already about one of these."""
    return any(s.name == "error" for s in shapes)


def is_loose(shape: Type) -> bool:
    """Whether the type refuses nothing: undeclared facts and attributes, items of nothing."""
    return shape.name in {"json", "error", "any", "never"}


def comparable(left: Type, right: Type) -> bool:
    """Whether values of the two types can be equal (one of them may be of any kind)."""
    if is_loose(left) or is_loose(right):
        return True
    if left.is_collection and right.is_collection:
        return comparable(left.item or NEVER, right.item or NEVER)
    if left.is_textual and right.is_textual:
        return True
    return left.name == right.name


def unify(left: Type, right: Type) -> Type | None:
    """The type of a value that is of either type; None where they have nothing in common.

    A list and a set make a set, a bool and a number a number, two kinds of ids a text.
    """
    optional = left.optional or right.optional
    if is_error(left, right):
        return ERROR
    for one, other in ((left, right), (right, left)):
        if one.name in {"missing", "never", "json"}:
            wider = other if one.name != "json" else replace(one, many=False)
            return replace(wider, optional=optional)
    many = left.many or right.many
    if left.is_collection and right.is_collection:
        return _unify_collections(left, right, optional)
    if left.is_textual and right.is_textual:
        name = left.name if left.name == right.name else "text"
        return Type(name, optional=optional, many=many)
    if {left.name, right.name} == {"bool", "number"}:
        return Type("number", optional=optional)
    if left.name == right.name:
        return replace(left, optional=optional, many=many)
    return None


def _unify_collections(left: Type, right: Type, optional: bool) -> Type | None:
    item = unify(left.item or NEVER, right.item or NEVER)
    if item is None:
        return None
    if is_error(item):
        return ERROR
    name = "list" if left.name == right.name == "list" else "set"
    return Type(name, item, optional=optional)


def fits(given: Type, wanted: Type) -> bool:
    """Whether a value of `given` may stand where `wanted` is asked for."""
    if is_loose(given) or is_loose(wanted) or given.name in {"missing", "never"}:
        return True
    if wanted.is_collection:
        return given.is_collection and fits(given.item or NEVER, wanted.item or NEVER)
    if wanted.is_textual:
        named = "text" in (given.name, wanted.name) and given.is_textual
        return named or given.name == wanted.name
    return given.name == wanted.name


def is_object(shape: Type) -> bool:
    """Whether values are objects of the model, compared by identity."""
    return shape.name in OBJECT_TYPES
