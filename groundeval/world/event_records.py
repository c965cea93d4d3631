"""From a raw record to an event, with everything that is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.events import Event
from groundeval.world.findings import Place
from groundeval.world.ids import LONGEST_ID, id_fault, kind_of, shown
from groundeval.world.time import TimeFault, parse_instant

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

NOTHING: Final[Mapping[str, Any]] = {}
"""The one empty object that all events without artifacts, facts or extra fields share."""
_OWN: Final = ("id", "type", "timestamp", "at", "actors", "artifacts", "artifact_ids", "facts")
_SHARED: Final = 1 << 16
SHORT: Final = 32
"""Texts of at most so many characters are kept once."""


class EventReader:
    """Reads the events of one load; equal texts and tuples are kept once for all of them.

    `stream` is the name of the source that all of them belong to, where it is not their file.
    `numbers_as_ids` turns integers that stand where an id is due into their decimal text; only
    `source` blocks ask for it, since there the author chose the field.
    """

    def __init__(
        self, zone: ZoneInfo | None, *, stream: str = "", numbers_as_ids: bool = False
    ) -> None:
        self._zone = zone
        self.stream = stream
        self._numbers_as_ids = numbers_as_ids
        self._texts: dict[str, str] = {}
        self._types: dict[object, str] = {}
        self._single: dict[str, tuple[str, ...]] = {}
        self._tuples: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._problems: list[Diagnostic] = []

    def read(
        self, raw: dict[str, Any], place: Place, rank: int | None = None
    ) -> Event | list[Diagnostic]:
        """The event, or everything that is wrong with the record; takes `raw` over."""
        problems: list[Diagnostic] = []
        self._problems = problems
        event_id = self._id(raw.pop("id", None), "id", place)
        event_type = raw.pop("type", None)
        if type(event_type) is not str or event_type not in self._types:
            event_type = self._type(event_type, place)
        at = self._instant(raw, place)
        actors = self._ids(raw.pop("actors", None), "actors", place)
        artifacts = self._artifacts(raw, place)
        facts = self._facts(raw.pop("facts", None), place)
        if problems or event_id is None or event_type is None or at is None:
            return problems
        return Event(
            id=event_id,
            type=self._types[event_type],
            at=at,
            actors=actors,
            artifacts=artifacts,
            facts=facts,
            extra=self._sharing(raw) if raw else NOTHING,
            source=place.file,
            line=place.line,
            rank=rank,
            stream=self.stream,
        )

    def _type(self, value: Any, place: Place) -> str | None:
        found = self._id(value, "type", place)
        if found is not None:
            self._types[found] = found
        return found

    def _id(self, value: Any, field: str, place: Place) -> str | None:
        if self._numbers_as_ids and type(value) is int:
            value = str(value)
        if type(value) is str:
            if (
                len(value) < LONGEST_ID
                and value.isascii()
                and value.isprintable()
                and value.strip()
            ):
                return value
            fault = id_fault(value)
            if fault is None:
                return value
            self._report(place, codes.BAD_ID, f"`{field}` {fault}")
        elif value is None:
            self._report(place, codes.MISSING_FIELD, f"the record has no `{field}`")
        else:
            message = f"`{field}` is {kind_of(value)} ({shown(value)}), not a text"
            help_ = f"write it in quotes, or map it in a `source` block with `{field} = …`"
            self._report(place, codes.BAD_FIELD, message, help_)
        return None

    def _instant(self, raw: dict[str, Any], place: Place) -> int | None:
        value = raw.pop("timestamp", None)
        if "at" not in raw and type(value) is str:
            instant = parse_instant(value, self._zone)
            if isinstance(instant, int):
                return instant
        other = raw.pop("at", None)
        if value is None:
            value, other, field = other, None, "at"
        else:
            field = "timestamp"
        if value is None:
            self._no_time(place)
            return None
        instant = parse_instant(value, self._zone)
        if isinstance(instant, TimeFault):
            self._problems.append(time_finding(place, field, value, instant))
            return None
        if other is not None and parse_instant(other, self._zone) != instant:
            message = f"`timestamp` says {shown(value)} and `at` says {shown(other)}"
            self._report(place, codes.CONFLICTING_FIELDS, message)
        return instant

    def _no_time(self, place: Place) -> None:
        message, help_ = (
            "the record has no `timestamp`",
            "`timestamp` or `at` says when it happened",
        )
        if self._numbers_as_ids:
            message = "the source block's `at` gives nothing for this record"
            help_ = (
                "what it reads is missing or is no time; one without an offset needs "
                '`timezone "…"` in the contract or `timezone = "…"` in the block'
            )
        self._report(place, codes.MISSING_FIELD, message, help_)

    def _ids(self, value: Any, field: str, place: Place) -> tuple[str, ...]:
        """A text or a list of texts as distinct ids in their order; null items are an error."""
        if type(value) is list and len(value) == 1:
            return self._one(value[0], field, place, "[0]")
        if value is None:
            return ()
        if not isinstance(value, list | tuple):
            return self._one(value, field, place)
        given = tuple(value)
        texts = all(type(item) is str for item in given)
        known = self._tuples.get(given) if texts else None
        if known is not None:
            return known
        each = [self._id(v, f"{field}[{i}]", place) for i, v in enumerate(given)]
        ids = tuple(dict.fromkeys(v for v in each if v is not None))
        if texts and None not in each:
            self._tuples[given] = ids
        return ids

    def _one(self, value: Any, field: str, place: Place, index: str = "") -> tuple[str, ...]:
        """One id as a tuple; a text that was read before needs no second look."""
        known = self._single.get(value) if type(value) is str else None
        if known is not None:
            return known
        found = self._id(value, field + index, place)
        if found is None:
            return ()
        single = (found,)
        self._single[found] = single
        return single

    def _artifacts(self, raw: dict[str, Any], place: Place) -> Mapping[str, tuple[str, ...]]:
        value, field = raw.pop("artifact_ids", None), "artifact_ids"
        other = raw.pop("artifacts", None) if "artifacts" in raw else None
        if value is not None and other is not None:
            message = "the record has both `artifacts` and `artifact_ids`"
            self._report(place, codes.CONFLICTING_FIELDS, message, "keep one of the two")
        if value is None:
            value, field = other, "artifacts"
        if not value and (value is None or value == {}):
            return NOTHING
        if not isinstance(value, Mapping):
            message = f"`{field}` is {kind_of(value)}, not an object"
            help_ = 'name the kinds: `{"jira": "ESC-42", "slack": ["SL-1", "SL-2"]}`'
            self._report(place, codes.BAD_FIELD, message, help_)
            return NOTHING
        kinds: dict[str, tuple[str, ...]] = {}
        single = self._single
        for kind, given in value.items():
            if type(given) is list and len(given) == 1:
                given = given[0]  # noqa: PLW2901 - looked up by its one item; read in full below
            known = single.get(given) if type(given) is str else None
            ids = known or self._ids(value[kind], f"{field}.{kind}", place)
            if ids:
                kinds[kind] = ids
        return kinds

    def _facts(self, value: Any, place: Place) -> Mapping[str, Any]:
        if not value and (value is None or value == {}):
            return NOTHING
        if isinstance(value, dict):
            return self._sharing(value)
        if isinstance(value, Mapping):
            return value
        message = f"`facts` is {kind_of(value)}, not an object"
        self._report(place, codes.BAD_FIELD, message)
        return NOTHING

    def _sharing(self, record: dict[str, Any]) -> dict[str, Any]:
        """The record, its short texts replaced by equal ones that were read before."""
        texts = self._texts
        for name, value in record.items():
            if type(value) is str and len(value) <= SHORT:
                record[name] = texts.setdefault(value, value)
        if len(texts) > _SHARED:
            texts.clear()
        return record

    def _report(self, place: Place, code: Any, message: str, help_: str = "") -> None:
        self._problems.append(place.finding(code, message, help_=help_))


def time_finding(place: Place, field: str, value: object, fault: TimeFault) -> Diagnostic:
    """The finding for a field that holds no instant."""
    match fault:
        case TimeFault.NAIVE:
            help_ = 'say `timezone "…"` in the contract or `timezone = "…"` in the source block'
        case TimeFault.UNREADABLE:
            help_ = "write ISO 8601 with an offset, such as `2026-03-12T10:00:00Z`"
        case TimeFault.RANGE:
            help_ = "a number counts seconds or milliseconds since 1970"
    message = f"`{field}` {shown(value)} {fault.text}"
    return place.finding(codes.BAD_TIME, message, help_=help_)
