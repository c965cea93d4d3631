"""The index finds what trying every pair finds, in the same order."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.engine.joins import JoinIndex
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from groundeval.ir.program import JoinCondition
from groundeval.world.events import Event, MemoryLog
from groundeval.world.world import World
from tests.properties.engine_cases import FACTS, MANY, SPAN, Programs, pick, rule_host, world


def side(rng: Random, variable: str) -> Expr:
    event = ir.Var(SPAN, t.EVENT, variable)
    match rng.randrange(4):
        case 0:
            return ir.Attribute(SPAN, t.list_of(t.ACTOR), event, "actors")
        case 1:
            return ir.EventArtifacts(SPAN, t.list_of(t.ARTIFACT), event)
        case _:
            return ir.EventField(SPAN, MANY, event, pick(rng, (*FACTS, "jira", "doc")), "any")


class Pairs(Programs):
    """Draws residuals: expressions over the two events alone."""

    def event_leaf(self, _: int) -> Expr:
        return ir.Var(SPAN, t.EVENT, self.rng.choice(("c", "e")))

    event = event_leaf


def residual(rng: Random) -> Expr:
    left, right = side(rng, "c"), side(rng, "e")
    return ir.Equal(SPAN, t.BOOL, left, right, negated=True, join=True)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**64))
def test_the_index_finds_what_every_pair_finds(seed: int) -> None:
    rng = Random(seed)
    host = rule_host(world(rng, events=20))
    equalities = tuple((side(rng, "c"), side(rng, "e")) for _ in range(rng.randrange(3)))
    condition = JoinCondition(
        equalities, residual(rng) if rng.randrange(2) else None, not equalities
    )
    events = list(host.world.log)
    rng.shuffle(events)
    plain = JoinIndex(condition, "c", "e", events, host, compiled=False)
    index = JoinIndex(condition, "c", "e", events, host)
    for event in events:
        assert list(index.matches(event)) == list(plain.matches(event))
        after, until = rng.randrange(-1, 6), pick(rng, (None, 0, 2, 5))
        expected = list(plain.matches_between(event, after, until))
        assert list(index.matches_between(event, after, until)) == expected
        assert all(after < e.at and (until is None or e.at <= until) for e in expected)


def joined(left: object, right: object) -> bool:
    host = rule_host(World())
    a, b = (Event(id=n, type="x", at=0, facts={"k": v}) for n, v in (("a", left), ("b", right)))
    c, e = (ir.EventField(SPAN, MANY, ir.Var(SPAN, t.EVENT, n), "k", "any") for n in ("c", "e"))
    condition = JoinCondition(((c, e),), None, pairwise=False)
    both = [
        list(JoinIndex(condition, "c", "e", [b], host, compiled=how).matches(a)) == [b]
        for how in (True, False)
    ]
    assert both[0] is both[1]
    return both[0]


def test_what_joins() -> None:
    assert joined("a", "a")
    assert joined(["a", "b"], ["b", "c"])
    assert joined(1, 1.0)
    assert joined({"p": [1]}, {"p": [1]})
    assert joined([{"p": 1}, "x"], "x")
    assert not joined(1, True)
    assert not joined("1", 1)
    assert not joined(None, None)
    assert not joined([None, "a"], [None, "b"])
    assert not joined({"p": 1}, {"p": True})
    assert joined(list(range(500)), [499, "x"])


def test_a_join_over_many_events_is_looked_up() -> None:
    """Every pair of 40,000 events would be 400 million; the windows hold one each."""
    events = [
        Event(id=f"e{n:06}", type="x", at=n, facts={"k": f"key {n % 20000}"}) for n in range(40000)
    ]
    host = rule_host(World(MemoryLog(events)))
    c, e = (ir.EventField(SPAN, MANY, ir.Var(SPAN, t.EVENT, n), "k", "any") for n in ("c", "e"))
    index = JoinIndex(JoinCondition(((c, e),), None, pairwise=False), "c", "e", events, host)
    found = [list(index.matches_between(event, event.at, None)) for event in events]
    assert sum(map(len, found)) == 20000
    assert found[5] == [events[20005]]
