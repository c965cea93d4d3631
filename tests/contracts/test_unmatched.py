"""A link or silence that matches nothing, though the log has such events, is told."""

from __future__ import annotations

from groundeval.contracts.builder import build
from groundeval.diagnostics import codes
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.world.events import Event, MemoryLog
from groundeval.world.world import World

RULES = """gev 1
domain d
timezone "UTC"
subsystem desk
event opened { desk: artifact  severity: text }
event solved { desk: artifact  outcome: text }
link leads "Tickets are solved" {
  cause c: opened
  effect e: solved
  join c.desk == e.%s
  within 7d
}
silence unsolved "Tickets are solved" {
  after t: opened where t.severity == "%s"
  expect r: solved
  join t.desk == r.desk
  within 7d
  fetch t.desk
}
"""
DAY = 86_400_000_000
OPENED = Event(
    id="e1", type="opened", at=0, artifacts={"desk": ("T-1",)}, facts={"severity": "high"}
)
SOLVED = Event(
    id="e2", type="solved", at=DAY, artifacts={"desk": ("T-1",)}, facts={"outcome": "fine"}
)


def found(field: str, severity: str, *events: Event) -> list[str]:
    program = analyse("d.gev", MemoryFiles({"d.gev": RULES % (field, severity)}))
    assert program.value is not None, program.diagnostics
    built = build(program.value, World(MemoryLog(events)), seed=1)
    return [d.message for d in built.diagnostics if d.code is codes.MATCHES_NOTHING]


def test_what_matches_is_not_spoken_of() -> None:
    assert found("desk", "high", OPENED, SOLVED) == []


def test_a_join_that_no_pair_satisfies() -> None:
    (message,) = found("outcome", "high", OPENED, SOLVED)
    assert message == (
        "link `leads` links no pair of events: the log has 1 event of type `opened` "
        "and 1 event of type `solved`"
    )


def test_a_trigger_that_no_event_is() -> None:
    (message,) = found("desk", "hihg", OPENED, SOLVED)
    assert message == (
        "silence `unsolved` has no case: of 1 event of type `opened` none can trigger it"
    )


def test_a_type_that_the_log_has_not_speaks_for_nothing() -> None:
    assert found("outcome", "hihg", OPENED)[1:] == []
    assert found("outcome", "hihg") == []
