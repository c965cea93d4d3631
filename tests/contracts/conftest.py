"""What tests of contracts are made of: events, artifacts, and a contract from rules in text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from groundeval.contracts.builder import Contract, build
from groundeval.diagnostics import Diagnostic, has_errors
from groundeval.ir.program import Program
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.time import DAY, HOUR
from groundeval.world.world import World

START = 1_772_323_200_000_000
"""2026-03-01T00:00:00Z, day 0 of the tests."""

DESK = """gev 1
domain desk "A desk"
timezone "UTC"
subsystem jira, wiki
role engineer { reads: [jira, wiki]  hears: [opened] }
role sales { reads: [wiki] }
actor `ann`: engineer
actor `bob`: sales until 2026-03-10, engineer from 2026-03-10
event opened "opening" { jira: artifact  wiki: artifact  severity: text  found by "ticket {jira}" }
event written "writing" { jira: artifact  wiki: artifact  severity: text }
event closed "closing" { jira: artifact  wiki: artifact }
"""


class Making:
    """Short ways to write down a world and a contract; days count from 2026-03-01."""

    day, hour, start = DAY, HOUR, START

    def at(self, day: float) -> int:
        return START + int(day * DAY)

    def event(self, name: str, kind: str, day: float, **fields: Any) -> Event:
        """An event; `actors` and `rank` are its own, a list is artifacts, anything else a fact."""
        own = {n: fields.pop(n) for n in ("actors", "rank", "source") if n in fields}
        artifacts = {n: tuple(v) for n, v in fields.items() if isinstance(v, list)}
        facts = {n: v for n, v in fields.items() if n not in artifacts}
        return Event(id=name, type=kind, at=self.at(day), artifacts=artifacts, facts=facts, **own)

    def artifact(
        self, name: str, subsystem: str, day: float | None, text: str = "", **fields: Any
    ) -> Artifact:
        created = None if day is None else self.at(day)
        versions = (Version(start=created or 0, title=name, text=text),)
        return Artifact(id=name, subsystem=subsystem, created=created, versions=versions, **fields)

    def program(self, rules: str, heading: str = DESK) -> Program:
        checked = analyse("desk.gev", MemoryFiles({"desk.gev": heading + rules}))
        assert checked.value is not None, checked.diagnostics
        return checked.value

    def world(
        self, program: Program, events: Iterable[Event], artifacts: Iterable[Artifact] = ()
    ) -> World:
        log = MemoryLog(events, program.observed)
        return World(log, Corpus(artifacts), Access(program.actors, program.roles))

    def built(
        self,
        rules: str,
        events: Iterable[Event],
        artifacts: Iterable[Artifact] = (),
        **options: Any,
    ) -> tuple[Contract, tuple[Diagnostic, ...]]:
        """The contract of these rules after DESK, with what was found."""
        program = self.program(rules, options.pop("heading", DESK))
        checked = build(program, self.world(program, events, artifacts), **{"seed": 1, **options})
        assert checked.value is not None
        return checked.value, checked.diagnostics

    def contract(
        self,
        rules: str,
        events: Iterable[Event],
        artifacts: Iterable[Artifact] = (),
        **options: Any,
    ) -> Contract:
        contract, found = self.built(rules, events, artifacts, **options)
        assert not has_errors(found), found
        return contract


@pytest.fixture(scope="session")
def make() -> Making:
    return Making()
