"""Joining the events of two sides: as a definition by nested loops, and by an index."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from heapq import merge
from itertools import product
from math import prod
from operator import attrgetter
from typing import Any

from groundeval.engine import dynamic
from groundeval.engine.closures import compile_condition, compile_function
from groundeval.engine.evaluator import evaluate
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir.program import JoinCondition
from groundeval.ir.types import BOOL
from groundeval.world.events import Event, in_log_order

_MOST_KEYS = 256
"""An event with more combinations of values than this is compared, not looked up."""
_at = attrgetter("at")
_place = attrgetter("at", "id")


class JoinIndex:
    """The second side's events, to be asked which of them join an event of the first side.

    `first` and `second` are the variables of the two sides; `events` are those that the second
    side takes, whatever their order. Every equality must be true, an equality being that the
    values of the two sides overlap, and so must the residual; when the events happened does not
    matter. Answers come in the log's order, (at, id). Without `compiled`, every pair is evaluated
    by the plain evaluator: the definition.
    """

    def __init__(  # noqa: PLR0913 - the condition, its two variables and what they stand for
        self,
        condition: JoinCondition,
        first: str,
        second: str,
        events: Sequence[Event],
        host: Host,
        *,
        compiled: bool = True,
    ) -> None:
        ordered = in_log_order(events)
        side = _Indexed if compiled else _Nested
        self._side: _Indexed | _Nested = side(condition, (first, second), ordered, host)

    def matches(self, event: Event) -> Iterable[Event]:
        """All second-side events that join `event`, wherever they lie in time."""
        return self._side.matches(event, None, None)

    def matches_between(self, event: Event, after: int, until: int | None) -> Iterable[Event]:
        """Those with `after` < at <= `until` (None: without end)."""
        return self._side.matches(event, after, until)


class _Nested:
    """Every pair, as the definition says."""

    def __init__(
        self,
        condition: JoinCondition,
        variables: tuple[str, str],
        events: Sequence[Event],
        host: Host,
    ) -> None:
        self._variables, self._events, self._host = variables, events, host
        self._tests: list[ir.Expr] = [
            ir.Equal(left.span, BOOL, left, right, negated=False, join=True)
            for left, right in condition.equalities
        ]
        if condition.residual is not None:
            self._tests.append(condition.residual)

    def matches(self, event: Event, after: int | None, until: int | None) -> Iterator[Event]:
        first, second = self._variables
        for other in self._events:
            inside = (after is None or after < other.at) and (until is None or other.at <= until)
            env = {first: event, second: other}
            if inside and all(evaluate(test, env, self._host) is True for test in self._tests):
                yield other


class _Indexed:
    """Second-side events in groups by the values that the equalities compare.

    A group's key holds one value for each equality; an event with several values is in several
    groups. Groups are in the log's order, so that a window is found by bisection.
    """

    def __init__(
        self,
        condition: JoinCondition,
        variables: tuple[str, str],
        events: Sequence[Event],
        host: Host,
    ) -> None:
        first, second = variables
        self._host, self._events = host, events
        self._firsts = [compile_function(left, (first,)) for left, _ in condition.equalities]
        self._seconds = [compile_function(right, (second,)) for _, right in condition.equalities]
        residual = condition.residual
        self._residual = None if residual is None else compile_condition(residual, variables)
        self._groups: dict[tuple[Any, ...], list[Event]] = {}
        self._compared: list[Event] = []
        for event in events:
            keys = _keys(_values(self._seconds, host, event))
            if keys is None:
                self._compared.append(event)
            else:
                for key in keys:
                    self._groups.setdefault(key, []).append(event)

    def matches(self, event: Event, after: int | None, until: int | None) -> Iterable[Event]:
        values = _values(self._firsts, self._host, event)
        keys = _keys(values)
        found: Iterable[Event]
        if keys is None:
            found = self._equal(values, _window(self._events, after, until))
        else:
            groups = map(self._groups.get, keys)
            windows = [_window(group, after, until) for group in groups if group is not None]
            if self._compared:
                windows.append(list(self._equal(values, _window(self._compared, after, until))))
            found = windows[0] if len(windows) == 1 else _merged(windows)
        residual, host = self._residual, self._host
        return found if residual is None else (e for e in found if residual(host, event, e))

    def _equal(self, values: list[Any], others: Iterable[Event]) -> Iterator[Event]:
        """Those of `others` whose values overlap on every equality, compared one by one."""
        for other in others:
            theirs = _values(self._seconds, self._host, other)
            if all(map(dynamic.joined, values, theirs)):
                yield other


def _values(sides: Sequence[Callable[..., Any]], host: Host, event: Event) -> list[Any]:
    if len(sides) == 1:
        return [sides[0](host, event)]
    return [side(host, event) for side in sides]


def _keys(values: list[Any]) -> Iterable[tuple[Any, ...]] | None:
    """The keys of the groups that values belong to; None where they have to be compared.

    That is where there are too many, and where a value is itself a list or a record, whose key
    different ones share.
    """
    if len(values) == 1 and type(values[0]) is str:
        return (tuple(values),)
    listed = []
    for value in values:
        if type(value) is str:
            listed.append((value,))
            continue
        if value is None:
            return ()
        found = [x for x in dynamic.spread(value) if x is not None]
        if not all(map(dynamic.is_single, found)):
            return None
        listed.append(tuple(dict.fromkeys(map(dynamic.key, found))))
    return None if prod(map(len, listed)) > _MOST_KEYS else tuple(product(*listed))


def _window(events: Sequence[Event], after: int | None, until: int | None) -> Iterable[Event]:
    """The events of a window, none of them copied: most who ask want only the first."""
    if len(events) == 1:  # as most groups are
        at = events[0].at
        return events if (after is None or after < at) and (until is None or at <= until) else ()
    low = 0 if after is None else bisect_right(events, after, key=_at)
    high = len(events) if until is None else bisect_right(events, until, key=_at)
    return map(events.__getitem__, range(low, high))


def _merged(windows: list[Iterable[Event]]) -> Iterator[Event]:
    """The events of several groups in the log's order, each once."""
    before = None
    for event in merge(*windows, key=_place):
        if event is not before:
            before = event
            yield event
