"""Events from lines of JSON, many at a time.

Nearly all lines of a log are alike: texts for ids, a time in UTC, lists of ids, facts. Batches of
such lines are decoded in one go into typed rows, and each row takes a few look-ups. Whatever is
unusual, in a batch or in one line of it, is left to the reader that explains everything.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec
from msgspec import UNSET, UnsetType

from groundeval.diagnostics import Diagnostic
from groundeval.world.event_records import NOTHING, SHORT, EventReader
from groundeval.world.events import Event
from groundeval.world.files import DataFile, read_batches
from groundeval.world.findings import Place
from groundeval.world.ids import LONGEST_ID, id_fault
from groundeval.world.json_text import has_escapes, may_be_deep
from groundeval.world.records import json_record
from groundeval.world.time import parse_instant

Ids = str | tuple[str, ...]
Read = tuple[Event, ...] | list[Diagnostic] | Diagnostic
_MOST: Final = 1 << 16
_LAST_DAY: Final = "9999-12-31"
_DAY_TEXT: Final = 10


class _Row(msgspec.Struct, forbid_unknown_fields=True, gc=False):
    """A line that is like most: anything else does not decode as one."""

    id: str
    type: str
    timestamp: str
    actors: Ids | UnsetType = UNSET
    artifact_ids: dict[str, Ids] | UnsetType = UNSET
    artifacts: dict[str, Ids] | UnsetType = UNSET
    facts: dict[str, Any] | UnsetType = UNSET


_decode = msgspec.json.Decoder(_Row).decode_lines
_encode = msgspec.json.Encoder().encode


class EventLines:
    """Reads the lines of one load; `reader` takes those that are not like the others."""

    def __init__(self, reader: EventReader) -> None:
        self._reader = reader
        self._days = _Days()
        self._clocks = _Clocks()
        self._types = _Types()
        self._ids = _Ids()
        self._texts: dict[str, str] = {}

    def read(self, file: DataFile) -> Iterator[Read]:
        """Events, and everything that is wrong with a record in its place, in the file's order.

        A finding alone is about a line that holds no record, or says that the file is lost.
        """
        for batch in read_batches(file):
            if isinstance(batch, Diagnostic):
                yield batch
                continue
            number, lines = batch
            rows = _rows(lines)
            if rows is not None and not self._share_texts(rows, lines):
                rows = None
            done = 0
            while rows is not None and done < len(rows):
                events = self._events(rows[done:], file.name, number + done)
                yield tuple(events)
                done += len(events)
                if done < len(rows):
                    yield from self._unusual(file, number + done, lines[done])
                    done += 1
            if rows is None:
                for place, line in enumerate(lines, number):
                    yield from self._unusual(file, place, line)

    def _events(self, rows: list[_Row], source: str, number: int) -> list[Event]:
        """The events of the rows, whose dictionaries they take, up to the first unusual one."""
        days, clocks, types, ids = self._days, self._clocks, self._types, self._ids
        stream = self._reader.stream
        events: list[Event] = []
        try:
            for line, row in enumerate(rows, number):
                stamp, actors, named = row.timestamp, row.actors, row.artifact_ids
                if named is UNSET:
                    named = row.artifacts
                elif row.artifacts is not UNSET:
                    break
                if named:
                    for kind, given in named.items():
                        named[kind] = ids[given]
                event = Event(
                    id=row.id,
                    type=types[row.type],
                    at=days[stamp[:_DAY_TEXT]] + clocks[stamp[_DAY_TEXT:]],
                    actors=() if actors is UNSET or actors == () else ids[actors],
                    artifacts=named or NOTHING,  # type: ignore[arg-type]  # ids are tuples now
                    facts=row.facts or NOTHING,
                    extra=NOTHING,
                    source=source,
                    line=line,
                    stream=stream,
                )
                events.append(event)
        except _UnusualError:
            pass  # the row after the last event
        return events

    def _share_texts(self, rows: list[_Row], lines: list[bytes]) -> bool:
        """Replace short texts of the facts by equal ones that were read before.

        False where facts may be nested too deep.
        """
        texts, nested = self._texts, False
        for facts in [row.facts for row in rows if row.facts]:
            for name, value in facts.items():
                kind = type(value)
                if kind is str:
                    if len(value) <= SHORT:
                        facts[name] = texts.setdefault(value, value)
                elif kind is dict or kind is list:
                    nested = True
        if len(texts) > _MOST:
            texts.clear()
        return not (nested and any(map(may_be_deep, lines)))

    def _unusual(self, file: DataFile, number: int, line: bytes) -> Iterator[Read]:
        """The event of a line that needs a closer look, or what is wrong with it."""
        record = json_record(file, number, line)
        if isinstance(record, dict):
            event = self._reader.read(record, Place(file.name, number))
            yield event if isinstance(event, list) else (event,)
        elif record is not None:
            yield record


def _rows(lines: list[bytes]) -> list[_Row] | None:
    """The rows of these lines, one of each; None where some line is not like most.

    Line ends stand between objects alone: as many as there are lines, and as many rows. And no
    key is given twice: a key that is lost takes a colon with it.
    """
    data = b"\n".join(lines)
    if not data.isascii() or data.count(b"}\n{") != len(lines) - 1 or has_escapes(data):
        return None
    try:
        rows = _decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if len(rows) != len(lines) or data.count(b":") != _encode(rows).count(b":"):
        return None
    ids = [row.id for row in rows]
    whole = max(map(len, ids)) <= LONGEST_ID and "".join(ids).isprintable()
    return rows if whole and all(map(str.strip, ids)) else None


class _UnusualError(Exception):
    """A row that the slower reader has to look at."""


class _Types(dict[str, str]):
    """Each type that was met, as one text for all of its events."""

    def __missing__(self, text: str) -> str:
        if id_fault(text) is not None:
            raise _UnusualError
        self[text] = text
        return text


class _Ids(dict[Ids, tuple[str, ...]]):
    """The ids that were met, one or several, as one tuple for all events that name the same."""

    def __missing__(self, given: Ids) -> tuple[str, ...]:
        each = (given,) if isinstance(given, str) else tuple(dict.fromkeys(given))
        if not each or any(map(id_fault, each)):
            raise _UnusualError
        if len(each) == 1:
            each = self.setdefault(each[0], each)
        self[given] = each
        return each


class _Days(dict[str, int]):
    """The midnight of each date, `2026-03-12`, that was met."""

    def __missing__(self, text: str) -> int:
        instant = parse_instant(f"{text}T00:00:00Z", None)
        if len(text) != _DAY_TEXT or text >= _LAST_DAY or not isinstance(instant, int):
            raise _UnusualError
        if len(self) >= _MOST:
            self.clear()
        self[text] = instant
        return instant


class _Clocks(dict[str, int]):
    """The microseconds into the day of each time, `T10:00:00Z`, that was met."""

    def __missing__(self, text: str) -> int:
        instant = parse_instant(f"1970-01-01{text}", None)
        if len(text) != _DAY_TEXT or text[0] + text[-1] != "TZ" or not isinstance(instant, int):
            raise _UnusualError
        if len(self) >= 2 * _MOST:
            self.clear()
        self[text] = instant
        return instant
