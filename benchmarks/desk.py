"""A service desk of any size: what happens in each of its cases, and what must be counted of it.

A case is 25 events about a ticket and an issue of its own, and about pages, changes, threads and
accounts that neighbouring cases share: ten steps that links and silences are about, and fifteen of
routine. Which steps a case takes depends on its number alone, so the links and silences of a whole
log are known without matching it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from heapq import heappop, heappush
from random import Random
from typing import Final, NamedTuple

from groundeval.world.time import DAY, HOUR, MINUTE, format_instant

START: Final = 1_735_689_600_000_000
"""2025-01-01T00:00:00Z, when the first case begins."""
BETWEEN: Final = 45 * MINUTE
"""From the beginning of one case to that of the next."""
PER_CASE: Final = 25
OWN: Final = {"desk": "T", "tracker": "I"}
"""Subsystems in which each case has an artifact of its own, with the letter of its ids."""
SHARED: Final = {"wiki": "W", "code": "C", "chat": "H", "crm": "A"}
"""Subsystems whose artifacts are shared by neighbouring cases."""
SEVERITIES: Final = ("low", "medium", "high", "critical")
ACTORS: Final = (24, 400)
"""At least and at most so many actors, one for each twenty cases between the two."""


class Step(NamedTuple):
    """One event of a case: its type, when after the case's beginning, and whose artifacts."""

    type: str
    after: int
    kinds: tuple[str, ...]


ROUTINE: Final = tuple(
    Step(kind, DAY * (1 + n * 2 // 3) + HOUR, named)
    for n, (kind, named) in enumerate(
        (("message_sent", ("chat",)), ("change_pushed", ("code",)), ("page_viewed", ("wiki",))) * 5
    )
)
"""What happens in every case besides."""


@dataclass(frozen=True, slots=True)
class Size:
    """How large a desk is: its whole cases, and its artifacts in all."""

    cases: int
    artifacts: int

    @classmethod
    def of(cls, events: int, artifacts: int | None = None) -> Size:
        """The desk of so many events, rounded down to whole cases; by default artifacts a tenth.

        Raises ValueError where there would be no case, or fewer artifacts than the cases' own.
        """
        cases = events // PER_CASE
        least = len(OWN) * cases + len(SHARED)
        wanted = max(least, events // 10) if artifacts is None else artifacts
        if cases < 1 or wanted < least:
            raise ValueError(
                f"{events} events need at least {PER_CASE} events and {least} artifacts"
            )
        return cls(cases, wanted)

    @property
    def events(self) -> int:
        return self.cases * PER_CASE

    @property
    def actors(self) -> int:
        return max(ACTORS[0], min(ACTORS[1], self.cases // 20))

    def count(self, subsystem: str) -> int:
        """How many artifacts a subsystem holds."""
        if subsystem in OWN:
            return self.cases
        rest = self.artifacts - len(OWN) * self.cases
        place = list(SHARED).index(subsystem)
        return rest // len(SHARED) + (place < rest % len(SHARED))

    def artifact(self, subsystem: str, case: int) -> str:
        """The artifact of a case in a subsystem."""
        letter = OWN.get(subsystem) or SHARED[subsystem]
        return f"{letter}-{case * self.count(subsystem) // self.cases}"

    def begins(self, subsystem: str, number: int) -> int:
        """When the first case that uses an artifact begins."""
        first = -(-number * self.cases // self.count(subsystem))
        return START + first * BETWEEN


def answered(case: int) -> bool:
    return case % 4 != 0


def fixed_in_time(case: int) -> bool:
    return case % 5 != 0


def reviewed(case: int) -> bool:
    return case % 3 != 0


def credited(case: int) -> bool:
    return case % 7 != 0


def steps(case: int) -> tuple[Step, ...]:
    """The events of a case, in the order in which they are listed, not of their times."""
    desk, tracker = ("desk",), ("tracker",)
    fixed = (3 if fixed_in_time(case) else 9) * DAY
    return (
        Step("ticket_opened", 0, desk),
        Step("ticket_answered", 6 * HOUR, ("desk", "chat"))
        if answered(case)
        else Step("note_added", 6 * HOUR, desk),
        Step("ticket_escalated", 10 * HOUR, ("desk", "tracker")),
        Step("incident_declared", DAY, ("tracker", "chat")),
        Step("work_logged", 2 * DAY, tracker),
        Step("fix_deployed", fixed, ("tracker", "code")),
        Step("review_published", 5 * DAY, ("tracker", "wiki"))
        if reviewed(case)
        else Step("work_logged", 5 * DAY, tracker),
        Step("account_flagged", 4 * DAY, ("desk", "crm")),
        Step("credit_granted", 6 * DAY, ("desk", "crm"))
        if credited(case)
        else Step("survey_answered", 14 * DAY, desk),
        Step("ticket_closed", 12 * DAY, desk),
        *ROUTINE,
    )


def event_lines(size: Size, seed: int) -> Iterator[str]:
    """The events as JSON lines in the order of time; memory does not grow with the log.

    Each happens up to 59 minutes after its step's due time, by the seed.
    """
    draw = Random(f"events {seed}")
    waiting: list[tuple[int, int, str]] = []
    for case in range(size.cases):
        began = START + case * BETWEEN
        while waiting and waiting[0][0] < began:
            yield heappop(waiting)[2]
        for place, step in enumerate(steps(case)):
            at = began + step.after + MINUTE * int(draw.random() * 60)
            number = case * PER_CASE + place
            heappush(waiting, (at, number, _line(size, number, step, at, draw)))
    while waiting:
        yield heappop(waiting)[2]


def _line(size: Size, number: int, step: Step, at: int, draw: Random) -> str:
    case = number // PER_CASE
    named = ", ".join(f'"{kind}": "{size.artifact(kind, case)}"' for kind in step.kinds)
    actor = f"p{int(draw.random() * size.actors)}"
    severity = SEVERITIES[case % 4]
    return (
        f'{{"id": "E-{number}", "type": "{step.type}", "timestamp": "{format_instant(at)}", '
        f'"actors": ["{actor}"], "artifact_ids": {{{named}}}, '
        f'"facts": {{"severity": "{severity}", "account": "acme-{case % 997}", '
        f'"minutes": {int(draw.random() * 240)}}}}}\n'
    )


_WORDS: Final = (
    "the", "order", "was", "late", "and", "nobody", "answered", "so", "we", "looked", "at",
    "the", "queue", "again", "after", "lunch", "while", "printer", "voucher", "invoice",
    "refund", "login", "mail", "server", "backup", "release", "window", "shift", "customer",
    "asked",
)  # fmt: skip


def artifact_lines(size: Size, seed: int) -> Iterator[str]:
    """The corpus as JSON lines, a record an artifact, each created before its first event."""
    draw = Random(f"artifacts {seed}")
    for subsystem, letter in (OWN | SHARED).items():
        for number in range(size.count(subsystem)):
            created = size.begins(subsystem, number) - MINUTE * int(draw.random() * 30)
            name = f"{letter}-{number}"
            yield _artifact_line(size, name, subsystem, format_instant(created), draw)


def _artifact_line(size: Size, name: str, subsystem: str, created: str, draw: Random) -> str:
    body = " ".join(draw.choices(_WORDS, k=24))
    labels = '["privileged"]' if draw.random() < 0.02 else "[]"
    who = f"p{int(draw.random() * size.actors)}"
    return (
        f'{{"id": "{name}", "timestamp": "{created}", "subsystem": "{subsystem}", '
        f'"title": "{subsystem} {name}", "body": "{body}", "labels": {labels}, '
        f'"participants": ["{who}"]}}\n'
    )


@dataclass(frozen=True, slots=True)
class Expected:
    """What compiling a whole desk must count: see `compile.json`."""

    events: int
    artifacts: int
    links: dict[str, int]
    silences: dict[str, dict[str, int]]


def expected(size: Size) -> Expected:
    """The counts, worked out from the numbers of the cases."""

    def having(test: Callable[[int], bool]) -> int:
        return sum(map(test, range(size.cases)))

    def silent(test: Callable[[int], bool]) -> dict[str, int]:
        present = having(test)
        return {"absent": size.cases - present, "present": present, "undetermined": 0}

    return Expected(
        events=size.events,
        artifacts=size.artifacts,
        links={
            "escalation_leads_to_fix": having(fixed_in_time),
            "incident_leads_to_review": having(reviewed),
            "escalation_leads_to_warning": size.cases,
            "warning_helps_credit": having(credited),
            "warning_closes": size.cases,
            "answer_closes": having(answered),
        },
        silences={
            "unanswered_ticket": silent(answered),
            "unfixed_escalation": silent(fixed_in_time),
            "missing_review": silent(reviewed),
        },
    )
