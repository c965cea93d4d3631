"""The log: its indexes, and the order of its events."""

from __future__ import annotations

from itertools import permutations
from typing import Any

from groundeval.world.events import Event, MemoryLog, in_log_order


def event(event_id: str, at: int = 1, **rest: Any) -> Event:
    return Event(id=event_id, type="opened", at=at, **rest)


def test_an_event_that_names_an_artifact_twice_is_about_it_once() -> None:
    both = event("e1", artifacts={"cause": ("a", "b"), "effect": ("b",)})
    one = event("e2", artifacts={"cause": ("b",)})
    none = event("e3")
    log = MemoryLog([both, one, none])
    assert log.of_artifact("a") == [both]
    assert log.of_artifact("b") == [both, one]
    assert log.of_artifact("c") == ()
    assert set(log.artifact_ids()) == {"a", "b"}


def test_an_event_that_names_an_actor_twice_is_the_actors_once() -> None:
    twice, other = event("e1", actors=("p", "q", "p")), event("e2", actors=("q",))
    log = MemoryLog([twice, other])
    assert log.of_actor("p") == [twice]
    assert log.of_actor("q") == [twice, other]
    assert log.of_actor("r") == ()


def test_any_order_of_reading_gives_one_order() -> None:
    events = [event("b", 1), event("a", 2), event("c", 2), event("d", 2), event("a2", 3)]
    for some in permutations(events):
        assert list(in_log_order(some)) == events
