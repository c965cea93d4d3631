"""Silences: what was to be expected after a trigger, and whether it came."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import islice
from typing import Final

from groundeval.contracts.model import Expectation, SilenceCase, Status
from groundeval.contracts.pairing import Pairing
from groundeval.contracts.places import Places
from groundeval.functions.host import Host
from groundeval.ir.program import Silence
from groundeval.world.events import Event
from groundeval.world.ids import escaped
from groundeval.world.time import LATEST

MOST_RESPONSES: Final = 16
"""How many responses of one trigger are kept, the first ones: no more are ever needed."""
MOST_INSTANTS: Final = 64
"""How many log instants of one silence may be asked about."""

Period = tuple[int, int]


@dataclass(frozen=True, slots=True)
class MatchedSilences:
    """The cases of one spec in the order of their triggers; `unplaced` counts those not asked.

    A case without places is one whose trigger lacks a value that a place needs.
    """

    cases: tuple[SilenceCase, ...]
    unplaced: int

    @property
    def statuses(self) -> dict[str, int]:
        """How many cases are absent, present and undetermined."""
        counted = Counter(case.status for case in self.cases)
        return {status: counted[status] for status in ("absent", "present", "undetermined")}


def match_silences(
    silence: Silence, label: str, observed: Period | None, host: Host
) -> MatchedSilences:
    """Every trigger of the spec with its responses, status and places.

    `observed` is the observation period of the response's source (None: nothing was observed),
    both ends inclusive. `label` is that of the expected event.
    """
    pairing = Pairing(silence, host)
    places = Places(silence, label, host)
    expected = Expectation(silence.expected.event_type, label)
    name = escaped(silence.name, " ")
    cases: list[SilenceCase] = []
    unplaced = 0
    for trigger in pairing.firsts:
        unplaced += not places.are_there(trigger)
        responses = tuple(islice(pairing.following(trigger), MOST_RESPONSES))
        within = silence.within
        deadline = None if within is None else min(trigger.at + within, LATEST)
        cases.append(
            SilenceCase(
                id=f"{name} {trigger.id}",
                spec=silence.name,
                trigger=trigger,
                expected=expected,
                window=silence.within,
                deadline=deadline,
                observed_from=trigger.at if observed is None else observed[0],
                observed_until=trigger.at if observed is None else observed[1],
                responses=responses,
                status=_status(trigger.at, responses, deadline, observed),
                witnesses=frozenset(responses[0].artifact_ids if responses else ()),
                placing=places,
            )
        )
    return MatchedSilences(tuple(cases), unplaced)


def _status(
    triggered: int, responses: Sequence[Event], deadline: int | None, observed: Period | None
) -> Status:
    """Absent only where the whole window, from trigger to deadline, was observed.

    Before the period begins or after it ends a response may have come and left no record.

    Without a window there is no deadline, so nothing is ever proven absent.
    """
    if responses:
        return "present"
    if deadline is None or observed is None:
        return "undetermined"
    if triggered < observed[0] - 1 or deadline > observed[1]:
        return "undetermined"
    return "absent"


def instants_of(case: SilenceCase, log: Sequence[int]) -> tuple[int, ...]:
    """The instants as of which the silence may be asked about, ascending.

    They are its deadline, where that was observed, and log instants after the trigger and up to the
    deadline or the end of the observation: those nearest to the response, or to the end where none
    came. Without a window an absence is only known at the end, and where the observation began
    after the trigger it never is: there no instant is before a response. `log` are the log's
    distinct instants, ascending.
    """
    if not (case.responses or case.begins_observed):
        return ()
    end = case.observed_until if case.deadline is None else min(case.deadline, case.observed_until)
    start = case.trigger.at
    if case.deadline is None or not case.begins_observed:
        start = case.responses[0].at - 1 if case.responses else case.observed_until - 1
    low, high = bisect_right(log, start), bisect_right(log, end)
    focus = case.responses[0].at if case.responses else end
    middle = bisect_left(log, focus)
    nearby = range(max(low, middle - MOST_INSTANTS), min(high, middle + MOST_INSTANTS))
    chosen = nsmallest(MOST_INSTANTS, nearby, key=lambda n: (abs(2 * n + 1 - 2 * middle), n))
    found = {log[n] for n in chosen}
    if case.deadline is not None and case.deadline <= case.observed_until:
        found.add(case.deadline)
    return tuple(sorted(found))
