"""What functions of rules are told about gates, instants, words and places."""

from __future__ import annotations

from typing import Any

import pytest

from groundeval.contracts.builder import Contract
from groundeval.functions.host import Key
from groundeval.traces.model import Step

GATES = """gate horizon "it was there" {
  permit read when artifact.created <= as_of
  forbid read when artifact.deleted <= as_of and not (artifact.deleted is missing)
}
gate subsystem "the role may use it" {
  permit read when artifact.subsystem in role.reads
  permit search when search.subsystem in role.reads
}
gate actor "took part or heard of it" {
  permit read when actor in artifact.participants
  permit read when any e in artifact.events: e.type in role.hears
}
"""


@pytest.fixture(scope="module")
def desk(make: Any) -> Contract:
    events = [
        make.event("o1", "opened", 1, jira=["J-1"], actors=("bob",)),
        make.event("o2", "opened", 2, jira=["J-2"]),
        make.event("w2", "written", 5, jira=["J-2"], wiki=["W-2"], actors=("ann", "bob")),
        make.event("gone", "opened", 7, jira=["J-404"]),
        make.event("end", "closed", 20),
    ]
    artifacts = [
        make.artifact("J-1", "jira", 1),
        make.artifact("J-2", "jira", 2, deleted=make.at(15)),
        make.artifact("W-2", "wiki", 4),
    ]
    return make.contract(GATES, events, artifacts)  # type: ignore[no-any-return]


class TestGates:
    def test_visible_is_every_gate(self, desk: Contract, make: Any) -> None:
        host = desk.host
        assert host.visible("ann", "J-1", make.at(1))
        assert not host.visible("ann", "J-1", make.at(0.9))
        assert not host.visible("bob", "J-1", make.at(8))
        assert host.visible("bob", "J-1", make.at(9))
        assert not host.visible("ann", "W-2", make.at(4.5))
        assert host.visible("ann", "W-2", make.at(5))

    def test_one_gate_and_the_others(self, desk: Contract, make: Any) -> None:
        host = desk.host
        assert not host.opens("subsystem", "bob", "J-1", make.at(8))
        assert host.opens("horizon", "bob", "J-1", make.at(8))
        assert host.closed_by_other_than("horizon", "bob", "J-1", make.at(8))
        assert not host.closed_by_other_than("subsystem", "bob", "J-1", make.at(8))

    def test_what_is_not_in_the_corpus_is_closed_to_all(self, desk: Contract, make: Any) -> None:
        assert not desk.host.visible("ann", "J-404", make.at(10))
        assert not desk.host.opens("horizon", "ann", "J-404", make.at(10))
        assert not desk.host.closed_by_other_than("horizon", "ann", "J-404", make.at(10))

    def test_the_handbook_is_exempt(self, desk: Contract, make: Any) -> None:
        page = next(iter(desk.handbook))
        assert desk.host.visible("nobody", page, make.at(0))
        assert desk.host.opens("subsystem", None, page, make.at(0))
        assert not desk.host.closed_by_other_than("horizon", None, page, make.at(0))

    def test_a_subsystem_is_open_when_searched_and_when_something_is_to_be_read(
        self, desk: Contract, make: Any
    ) -> None:
        opened = desk.host.subsystems_open
        assert opened("ann", make.at(0.5)) == frozenset()
        assert opened("ann", make.at(1)) == {"jira"}
        assert opened("ann", make.at(5)) == {"jira", "wiki"}
        assert opened("bob", make.at(4)) == frozenset()
        assert opened("bob", make.at(5)) == {"wiki"}
        assert opened("bob", make.at(10)) == {"jira", "wiki"}
        assert opened("nobody", make.at(10)) == frozenset()


class TestEdges:
    def test_either_side_of_every_change_in_instants_of_the_log(
        self, desk: Contract, make: Any
    ) -> None:
        event = desk.world.log.get("w2")
        assert event is not None
        edges = desk.host.edges("ann", event)
        assert set(edges) <= set(desk.world.log.instants())
        days = [(t - make.start) / make.day for t in edges]
        # created on 2 and 4, the event on 5, deleted on 15; the role never changes
        assert days == [1, 2, 5, 7, 20]

    def test_a_change_of_role_is_an_edge(self, desk: Contract, make: Any) -> None:
        event = desk.world.log.get("o1")
        assert event is not None
        days = [(t - make.start) / make.day for t in desk.host.edges("bob", event)]
        assert days == [1, 7, 20]

    def test_an_event_that_lets_somebody_in_is_an_edge(self, make: Any) -> None:
        events = [
            make.event("o", "opened", 1, wiki=["W"]),
            make.event("x", "closed", 2),
            make.event("c", "closed", 3, wiki=["W"], actors=("bob",)),
            make.event("end", "closed", 4),
        ]
        contract = make.contract(GATES, events, [make.artifact("W", "wiki", 1)])
        event = contract.world.log.get("o")
        assert event is not None
        assert make.at(2) in contract.host.edges("bob", event)
        assert make.at(3) in contract.host.edges("bob", event)
        assert make.at(2) not in contract.host.edges("ann", event)


class TestWords:
    def test_labels_and_keys(self, desk: Contract) -> None:
        event = desk.world.log.get("w2")
        assert event is not None
        assert desk.host.label(event) == "writing"
        assert desk.host.keys(event) == (Key("jira", "J-2"), Key("wiki", "W-2"))

    def test_a_field_that_joins_is_a_key(self, make: Any) -> None:
        rules = """link l "L" {
          cause c: opened  effect e: written  join c.severity == e.severity  within 7d
        }"""
        events = [make.event("o", "opened", 1, jira=["J-1"], severity="high")]
        contract = make.contract(rules, events)
        assert contract.host.keys(events[0]) == (Key("jira", "J-1"), Key("severity", "high"))


class TestGhost:
    def test_found_by_is_the_text(self, desk: Contract) -> None:
        event = desk.world.log.get("o2")
        assert event is not None
        place = desk.host.ghost(event, frozenset({"wiki", "jira"}))
        assert place.id == "search:jira,wiki:ticket J-2"
        assert place.subsystems == ("jira", "wiki")
        assert place.ghost == "ticket J-2"
        assert place.keys == (("j", "2"),)

    def test_by_default_label_and_ids(self, desk: Contract) -> None:
        event = desk.world.log.get("w2")
        assert event is not None
        place = desk.host.ghost(event, frozenset({"wiki"}))
        assert place.ghost == "writing J-2 W-2"
        assert place.keys == (("j", "2"), ("w", "2"))

    def test_without_any_id_the_label_is_the_key(self, desk: Contract) -> None:
        event = desk.world.log.get("end")
        assert event is not None
        assert desk.host.ghost(event, frozenset({"wiki"})).keys == (("closing",),)


def test_there_is_no_trace(desk: Contract) -> None:
    host, step = desk.host, Step(n=1, tool="search")
    assert not host.breaks(step, None)
    assert not host.recovered(step)
    assert not host.visible_now("J-1")
    place = host.ghost(next(iter(desk.world.log)), frozenset({"wiki"}))
    assert not host.covered(place)
    assert not host.covers(step, place)


def test_events_with_unknown_artifacts_are_reported(desk: Contract) -> None:
    assert desk.report.missing_artifacts == ("J-404",)
    assert desk.report.incomplete_events == {"gone"}


def test_the_values_of_keys_are_those_of_the_keys(desk: Contract) -> None:
    words = desk.host.words
    for event in desk.world.log:
        assert words.key_values(event) == {key.value for key in words.keys(event)}
    assert words.key_values(next(iter(desk.world.log))) == {"J-1"}
