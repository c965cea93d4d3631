"""Truth values as plain JSON and back, by their static type."""

from __future__ import annotations

from typing import Any

from groundeval.functions.host import Place
from groundeval.ir.types import Type
from groundeval.questions.model import PlaceRecord
from groundeval.world.canonical import canonical_json
from groundeval.world.time import format_instant, parse_instant


def encode(value: Any, shape: Type) -> Any:
    """A rule's value as JSON: sets sorted, times as ISO 8601, objects by id, places as records."""
    if value is None:
        return None
    if isinstance(value, Place):
        return place_object(value)
    if isinstance(value, frozenset):
        items = [encode(item, shape.item or shape) for item in value]
        return sorted(items, key=canonical_json)
    if isinstance(value, tuple | list):
        return [encode(item, shape.item or shape) for item in value]
    if isinstance(value, dict):
        fields = dict(shape.fields)
        return {key: encode(item, fields.get(key, shape)) for key, item in value.items()}
    if shape.name == "time" and isinstance(value, int):
        return format_instant(value)
    return value if isinstance(value, str | int | float) else value.id


def decode(value: Any, shape: Type) -> Any:
    """JSON as a rule's value; what does not fit the type is missing (questions may be foreign)."""
    if value is None:
        return None
    match shape.name:
        case "set":
            return frozenset(_items(value, shape))
        case "list":
            return _items(value, shape)
        case "place":
            return place_of(value) if isinstance(value, dict) else None
        case "time":
            instant = parse_instant(value, None)
            return instant if isinstance(instant, int) else None
    return value


def _items(value: Any, shape: Type) -> tuple[Any, ...]:
    listed = value if isinstance(value, list | tuple) else [value]
    items = (decode(item, shape.item or shape) for item in listed)
    return tuple(item for item in items if item is not None)


def place_record(place: Place) -> PlaceRecord:
    """A place as a document holds it."""
    return PlaceRecord(
        fetch=place.fetch,
        search=place.subsystems,
        text=place.text,
        keys=place.keys,
        ghost=place.ghost or None,
    )


def place_object(place: Place) -> dict[str, Any]:
    """A place as a JSON object, without the fields that do not apply."""
    if place.fetch is not None:
        return {"fetch": place.fetch}
    return {
        "search": list(place.subsystems),
        "for": place.text,
        "keys": [list(key) for key in place.keys],
        "ghost": place.ghost,
    }


def place_of(record: dict[str, Any]) -> Place | None:
    """The place that a JSON object states; None where it states none."""
    fetch, text = record.get("fetch"), record.get("for")
    if isinstance(fetch, str):
        return Place.to_fetch(fetch)
    if not isinstance(text, str):
        return None
    subsystems = tuple(s for s in _sequence(record.get("search")) if isinstance(s, str))
    keys = tuple(
        tuple(t for t in _sequence(key) if isinstance(t, str))
        for key in _sequence(record.get("keys"))
    )
    ghost = record.get("ghost")
    return Place.to_search(subsystems, text, keys, ghost if isinstance(ghost, str) else text)


def _sequence(value: Any) -> list[Any] | tuple[Any, ...]:
    return value if isinstance(value, list | tuple) else []
