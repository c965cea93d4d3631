"""Which pairs of events a link or silence spec is about: both sides, join, time, exceptions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby

from groundeval.engine.closures import compile_condition, compile_function
from groundeval.engine.joins import JoinIndex
from groundeval.functions.host import Host
from groundeval.ir.program import JoinCondition, Link, Pattern, Silence
from groundeval.world.events import Event
from groundeval.world.time import HOUR, LATEST


class Pairing:
    """One spec over one log. `first` is the cause or trigger, `second` the effect or response."""

    def __init__(self, spec: Link | Silence, host: Host) -> None:
        self.spec = spec
        self._host = host
        self._first, self._second = sides(spec)
        variables = self._first.variable, self._second.variable
        self._unless = None if spec.unless is None else compile_function(spec.unless, variables)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def within(self) -> int | None:
        """The window in microseconds; None is without bound."""
        return self.spec.within

    @cached_property
    def firsts(self) -> Sequence[Event]:
        """The events that the first side takes, in log order."""
        return self._taken(self._first)

    @cached_property
    def seconds(self) -> Sequence[Event]:
        """The events that the second side takes, in log order."""
        return self._taken(self._second)

    def joined(self, first: Event, after: int, until: int) -> Iterable[Event]:
        """The second side's events that join, with `after` < at <= `until`, in log order."""
        return self._forward.matches_between(first, after, until)

    def joins(self, first: Event, second: Event) -> bool:
        """Whether the join is true of the two, whenever they happened."""
        near = self.joined(first, second.at - 1, second.at)
        return any(event is second for event in near)

    def excepted(self, first: Event, second: Event) -> bool:
        """Whether `unless` fires: on true, and on unknown."""
        return self._unless is not None and self._unless(self._host, first, second) is not False

    def following(self, first: Event) -> Iterator[Event]:
        """The second events that hold with `first`, earliest first."""
        until = LATEST if self.within is None else min(first.at + self.within, LATEST)
        after = first.at - 1 if self.spec.ties_in_log_order else first.at
        later: Iterable[Event] = self.joined(first, after, until)
        if self.spec.ties_in_log_order:
            later = (e for e in self._in_order(later) if self.is_later(e, first))
        if self._unless is None:
            return iter(later)
        return (event for event in later if not self.excepted(first, event))

    def preceding(self, second: Event) -> Iterator[Event]:
        """The first events that hold with `second`, latest first."""
        if not self.firsts:
            return
        after = self.firsts[0].at - 1
        if self.within is not None:
            after = max(after, second.at - self.within - 1)
        until = second.at if self.spec.ties_in_log_order else second.at - 1
        span = HOUR
        while until > after:
            # Stretch by longer stretch back in time: the latest is wanted, and is mostly near.
            start = max(after, until - span)
            found = list(self._in_order(self._backward.matches_between(second, start, until)))
            for event in reversed(found):
                if self.is_later(second, event) and not self.excepted(event, second):
                    yield event
            until, span = start, span * 4

    def is_later(self, second: Event, first: Event) -> bool:
        """Whether `second` is strictly later: by instant, or in the line order of one source."""
        if second.at != first.at or not self.spec.ties_in_log_order:
            return second.at > first.at
        if first.rank is None or second.rank is None or first.source != second.source:
            return False
        return second.rank > first.rank

    def holds(self, first: Event, second: Event) -> bool:
        """Whether everything but `match` says that the two belong together."""
        in_time = self.within is None or second.at - first.at <= self.within
        return (
            in_time
            and self.is_later(second, first)
            and self._takes(self._first, first)
            and self._takes(self._second, second)
            and self.joins(first, second)
            and not self.excepted(first, second)
        )

    @cached_property
    def _forward(self) -> JoinIndex:
        first, second = self._first.variable, self._second.variable
        return JoinIndex(self.spec.join, first, second, self.seconds, self._host)

    @cached_property
    def _backward(self) -> JoinIndex:
        first, second = self._first.variable, self._second.variable
        return JoinIndex(turned(self.spec.join), second, first, self.firsts, self._host)

    def _taken(self, side: Pattern) -> tuple[Event, ...]:
        events = self._host.world.log.of_type(side.event_type)
        where = self._where(side)
        return tuple(e for e in events if where is None or where(self._host, e))

    def _takes(self, side: Pattern, event: Event) -> bool:
        where = self._where(side)
        return event.type == side.event_type and (where is None or where(self._host, event))

    def _where(self, side: Pattern) -> Callable[..., bool] | None:
        return self._wheres[side is self._second]

    @cached_property
    def _wheres(self) -> tuple[Callable[..., bool] | None, ...]:
        return tuple(
            None if side.where is None else compile_condition(side.where, (side.variable,))
            for side in (self._first, self._second)
        )

    def _in_order(self, events: Iterable[Event]) -> Iterator[Event]:
        """In the order of the log; for `ties in log order`, equal instants by their rank."""
        if not self.spec.ties_in_log_order:
            yield from events
            return
        for _, group in groupby(events, key=lambda e: e.at):
            yield from sorted(group, key=lambda e: (e.rank is None, e.rank or 0, e.id))


def sides(spec: Link | Silence) -> tuple[Pattern, Pattern]:
    """The two sides of a spec, the earlier one first."""
    if isinstance(spec, Link):
        return spec.cause, spec.effect
    return spec.trigger, spec.expected


def turned(condition: JoinCondition) -> JoinCondition:
    """The same join, asked from the second side."""
    equalities = tuple((second, first) for first, second in condition.equalities)
    return JoinCondition(equalities, condition.residual, condition.pairwise)
