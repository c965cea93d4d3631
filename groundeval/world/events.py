"""Events and the log: what happened, when, to what."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain, compress, groupby, islice
from operator import attrgetter, eq, le, methodcaller, ne
from typing import Any, NewType, Protocol

import msgspec

EventId = NewType("EventId", str)
EventTypeName = NewType("EventTypeName", str)
Instant = NewType("Instant", int)
"""Microseconds since the Unix epoch, UTC."""
Micros = NewType("Micros", int)
"""A length of time in microseconds."""


class Event(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """One event. Hashed by identity: a log holds each event once.

    `artifacts` maps a kind to the ids it names (in their order, each once), `facts` and `extra`
    (the record's other top-level fields) are decoded JSON. `source` and `line` say where it was
    read; `rank` is its place in a source that says `ordered = true`, else None. `stream` names the
    source that it belongs to where that is not one file, but a `source` block over several.
    """

    id: str
    type: str
    at: int
    actors: tuple[str, ...] = ()
    artifacts: Mapping[str, tuple[str, ...]] = {}
    facts: Mapping[str, Any] = {}
    extra: Mapping[str, Any] = {}
    source: str = ""
    line: int = 0
    rank: int | None = None
    stream: str = ""

    def field(self, name: str) -> Any:
        """The data field `name`: artifacts of that kind, else the fact, else the extra field.

        One value comes as that value, several as a tuple, none (or an empty list) as None.
        """
        found = self.artifacts.get(name)
        if found is not None:
            return found[0] if len(found) == 1 else one_or_many(found)
        value = self.facts.get(name)
        if value is None:
            value = self.extra.get(name)
        return one_or_many(value)

    @property
    def artifact_ids(self) -> tuple[str, ...]:
        """The ids of all kinds, each once, in the order of the kinds' names."""
        named = self.artifacts
        if len(named) == 1:
            for ids in named.values():
                return ids
        if len(named) == 2:
            (one, ids), (other, others) = named.items()
            ids = ids + others if one < other else others + ids
        else:
            ids = tuple(chain.from_iterable(map(named.__getitem__, sorted(named))))
        return ids if len(set(ids)) == len(ids) else tuple(dict.fromkeys(ids))


def one_or_many(value: Any) -> Any:
    """A list of one as its item, an empty list as None, a longer list as a tuple."""
    if isinstance(value, list | tuple):
        if not value:
            return None
        return value[0] if len(value) == 1 else tuple(value)
    return value


_at = attrgetter("at")
_id = attrgetter("id")
_by_time = attrgetter("at", "id")
_origin = attrgetter("stream", "source")
_actors = attrgetter("actors")
_artifacts = attrgetter("artifacts")
_values = methodcaller("values")


def in_log_order(events: Sequence[Event]) -> Sequence[Event]:
    """The events in the order of (at, id): themselves, where they are in it already."""
    instants = list(map(_at, events))
    later = instants[1:]
    if not all(map(le, instants, later)):
        return sorted(events, key=_by_time)
    # In the order of time, as nearly all logs are, there is only something to do about ties.
    ties = list(compress(range(len(later)), map(eq, instants, later)))
    if all(events[n].id <= events[n + 1].id for n in ties):
        return events
    ordered = list(events)
    for _, run in groupby(enumerate(ties), key=lambda tie: tie[1] - tie[0]):
        places = [n for _, n in run]
        tied = slice(places[0], places[-1] + 2)
        ordered[tied] = sorted(ordered[tied], key=_id)
    return ordered


class EventLog(Protocol):
    """The log as everything above sees it, so that a columnar store can stand in for the rows.

    All sequences are in the log's one order, (at, id).
    """

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[Event]: ...

    def get(self, event_id: str) -> Event | None: ...

    def types(self) -> Sequence[str]:
        """The types that occur, sorted."""
        ...

    def of_type(self, event_type: str) -> Sequence[Event]: ...

    def of_artifact(self, artifact_id: str) -> Sequence[Event]:
        """The events that name this artifact."""
        ...

    def artifact_ids(self) -> Collection[str]:
        """The ids of the artifacts that events name, each once."""
        ...

    def of_actor(self, actor_id: str) -> Sequence[Event]: ...

    def instants(self) -> Sequence[int]:
        """The distinct instants, ascending."""
        ...

    def period(self, event_type: str | None = None) -> tuple[int, int] | None:
        """The observation period: of the sources that supply `event_type`, or of the whole log.

        First to last instant, unless the contract's `observed` says otherwise; None for no events.
        """
        ...


class MemoryLog:
    """An `EventLog` of rows in memory."""

    def __init__(self, events: Iterable[Event], observed: tuple[int, int] | None = None) -> None:
        self._events = tuple(in_log_order(tuple(events)))
        self._observed = observed
        self._by_id: dict[str, Event] | None = None
        self._by_type: dict[str, tuple[Event, ...]] | None = None
        self._by_artifact: dict[str, list[Event]] | None = None
        self._by_actor: dict[str, list[Event]] | None = None
        self._instants: tuple[int, ...] | None = None
        self._periods: dict[str, tuple[int, int]] | None = None

    def __len__(self) -> int:
        return len(self._events)

    def __iter__(self) -> Iterator[Event]:
        return iter(self._events)

    def get(self, event_id: str) -> Event | None:
        if self._by_id is None:
            self._by_id = {e.id: e for e in self._events}
        return self._by_id.get(event_id)

    def types(self) -> Sequence[str]:
        return sorted(self._types())

    def of_type(self, event_type: str) -> Sequence[Event]:
        return self._types().get(event_type, ())

    def of_artifact(self, artifact_id: str) -> Sequence[Event]:
        return self._artifacts().get(artifact_id, ())

    def artifact_ids(self) -> Collection[str]:
        return self._artifacts().keys()

    def of_actor(self, actor_id: str) -> Sequence[Event]:
        if self._by_actor is None:
            self._by_actor = _grouped(self._events, zip(map(_actors, self._events), strict=True))
        return self._by_actor.get(actor_id, ())

    def instants(self) -> Sequence[int]:
        if self._instants is None:
            instants = list(map(_at, self._events))
            changes = map(ne, instants, islice(instants, 1, None))
            self._instants = (*instants[:1], *compress(islice(instants, 1, None), changes))
        return self._instants

    def period(self, event_type: str | None = None) -> tuple[int, int] | None:
        if not self._events:
            return self._observed
        if self._observed is not None:
            return self._observed
        if event_type is None:
            return self._events[0].at, self._events[-1].at
        sources = {stream or source for stream, source in map(_origin, self.of_type(event_type))}
        if not sources:
            return self._events[0].at, self._events[-1].at
        spans = [self._source_periods()[s] for s in sources]
        return min(s[0] for s in spans), max(s[1] for s in spans)

    def between(self, event_type: str, after: int, until: int) -> Sequence[Event]:
        """Events of a type with `after` < at <= `until`."""
        events = self.of_type(event_type)
        low = bisect_right(events, after, key=_at)
        return events[low : bisect_left(events, until + 1, key=_at)]

    def _artifacts(self) -> dict[str, list[Event]]:
        if self._by_artifact is None:
            self._by_artifact = _grouped(self._events, map(_values, map(_artifacts, self._events)))
        return self._by_artifact

    def _types(self) -> dict[str, tuple[Event, ...]]:
        if self._by_type is None:
            groups: defaultdict[str, list[Event]] = defaultdict(list)
            for event in self._events:
                groups[event.type].append(event)
            self._by_type = {kind: tuple(group) for kind, group in groups.items()}
        return self._by_type

    def _source_periods(self) -> dict[str, tuple[int, int]]:
        if self._periods is None:
            origins, instants = (list(map(part, self._events)) for part in (_origin, _at))
            last = dict(zip(origins, instants, strict=True))
            first = dict(zip(reversed(origins), reversed(instants), strict=True))
            periods: dict[str, tuple[int, int]] = {}
            for (stream, source), end in last.items():
                name, start = stream or source, first[stream, source]
                known = periods.get(name, (start, end))
                periods[name] = min(known[0], start), max(known[1], end)
            self._periods = periods
        return self._periods


def _grouped(
    events: Iterable[Event], named: Iterable[Iterable[Iterable[str]]]
) -> dict[str, list[Event]]:
    """The events by what each names, in lists beside it; one that names something twice is once."""
    groups: dict[str, list[Event]] = {}
    for event, lists in zip(events, named, strict=True):
        for keys in lists:
            for key in keys:
                group = groups.get(key)
                if group is None:
                    groups[key] = [event]
                elif group[-1] is not event:
                    group.append(event)
    return groups
