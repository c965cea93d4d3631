"""Near misses: their kinds, what never is one, and that they stay where they are."""

from __future__ import annotations

from collections import Counter
from typing import Any

from groundeval.contracts.builder import Contract
from groundeval.graph.near_misses import KINDS

RULES = """link l "opened, so written" {
  cause c: opened
  effect e: written
  join c.jira == e.jira
  within 3d
  unless e.severity == "none"
}
"""


def misses(contract: Contract) -> dict[tuple[str, str], str]:
    return {(m.cause.id, m.effect.id): m.kind for m in contract.near_misses}


def corpus(make: Any, events: list[Any]) -> list[Any]:
    ids = {(i, kind) for e in events for kind, listed in e.artifacts.items() for i in listed}
    return [make.artifact(i, kind, 0) for i, kind in sorted(ids)]


class TestKinds:
    def drawn(self, make: Any, *events: Any, rules: str = RULES) -> dict[tuple[str, str], str]:
        contract = make.contract(rules, events, corpus(make, list(events)))
        return misses(contract)

    def test_the_join_fails(self, make: Any) -> None:
        cause = make.event("c", "opened", 1, jira=["J1"], severity="high", actors=("ann",))
        plain = make.event("e", "written", 2, wiki=["W"], severity="high")
        assert self.drawn(make, cause, plain) == {("c", "e"): "no_join"}
        shared = make.event("e", "written", 2, wiki=["W"], severity="high", actors=("ann",))
        assert self.drawn(make, cause, shared) == {("c", "e"): "shared_actor"}
        same = make.event("e", "written", 2, jira=["J2"], severity="high")
        assert self.drawn(make, cause, same) == {("c", "e"): "shared_subsystem"}

    def test_the_right_key_at_the_wrong_time(self, make: Any) -> None:
        cause = make.event("c", "opened", 5, jira=["J1"])
        early = make.event("e", "written", 4, jira=["J1"], severity="x")
        assert self.drawn(make, cause, early) == {("c", "e"): "effect_first"}
        late = make.event("e", "written", 8.1, jira=["J1"], severity="x")
        assert self.drawn(make, cause, late) == {("c", "e"): "out_of_reach"}
        excepted = make.event("e", "written", 6, jira=["J1"], severity="none")
        assert self.drawn(make, cause, excepted) == {("c", "e"): "out_of_reach"}

    def test_any_cause_with_any_effect(self, make: Any) -> None:
        other = 'link m "M" { cause c: opened  effect e: closed  join c.jira == e.jira  within 1d }'
        cause = make.event("c", "opened", 1, jira=["J1"])
        far = make.event("e", "written", 8, jira=["J2"], severity="x")
        assert self.drawn(make, cause, far, rules=RULES + other) == {("c", "e"): "any_pair"}

    def test_a_shared_key_is_found_however_far_it_lies(self, make: Any) -> None:
        cause = make.event("c", "opened", 1, jira=["J1"], wiki=["W1"])
        between = [
            make.event(f"e{n:02}", "written", 1 + n / 10, jira=["J2"], severity="x")
            for n in range(1, 60)
        ]
        far = make.event("far", "written", 30, jira=["J2"], wiki=["W1"], severity="x")
        assert self.drawn(make, cause, *between, far)["c", "far"] == "any_pair"
        apart = make.event("far", "written", 30, jira=["J2"], wiki=["W2"], severity="x")
        assert ("c", "far") not in self.drawn(make, cause, *between, apart)

    def test_never_a_link_nor_an_equal_instant(self, make: Any) -> None:
        cause = make.event("c", "opened", 1, jira=["J1"])
        link = make.event("e", "written", 2, jira=["J1"], severity="x")
        at_once = make.event("f", "written", 1, jira=["J2"], severity="x")
        assert self.drawn(make, cause, link, at_once) == {}

    def test_never_the_right_key_at_the_same_instant(self, make: Any) -> None:
        cause = make.event("c", "opened", 1, jira=["J1"])
        effect = make.event("e", "written", 1, jira=["J1"], severity="x")
        assert self.drawn(make, cause, effect) == {}

    def test_never_what_another_spec_would_link_but_for_match(self, make: Any) -> None:
        other = (
            'link m "M" { cause c: opened  effect e: written  join c.wiki == e.wiki  within 3d }'
        )
        cause = make.event("c", "opened", 1, jira=["J1"], wiki=["W1"])
        events = [
            make.event("e", "written", 2, jira=["J2"], wiki=["W1"], severity="x"),
            make.event("f", "written", 3, jira=["J3"], wiki=["W1"], severity="x"),
            make.event("g", "written", 3, jira=["J3"], wiki=["W2"], severity="x"),
        ]
        drawn = self.drawn(make, cause, *events, rules=RULES + other)
        assert drawn == {("c", "g"): "shared_subsystem"}

    def test_never_what_only_match_left_unlinked(self, make: Any) -> None:
        cause = make.event("c", "opened", 1, jira=["J1"])
        effects = [
            make.event(n, "written", d, jira=["J1"], severity="x") for n, d in (("e", 2), ("f", 3))
        ]
        assert self.drawn(make, cause, *effects) == {}

    def test_never_with_a_path_between(self, make: Any) -> None:
        chain = (
            'link m "M" { cause c: written  effect e: closed  join c.jira == e.jira  within 3d }'
        )
        events = [
            make.event("c", "opened", 1, jira=["J1"]),
            make.event("e", "written", 2, jira=["J1"], severity="x"),
            make.event("z", "closed", 3, jira=["J1"]),
        ]
        assert ("c", "z") not in self.drawn(make, *events, rules=RULES + chain)

    def test_never_without_an_artifact_or_with_an_unknown_one(self, make: Any) -> None:
        cause = make.event("c", "opened", 1, jira=["J1"])
        events = [cause, make.event("e", "written", 2, severity="x")]
        assert self.drawn(make, *events) == {}
        lost = [cause, make.event("e", "written", 2, jira=["J9"], severity="x")]
        assert misses(make.contract(RULES, lost, [make.artifact("J1", "jira", 0)])) == {}


def busy(make: Any, size: int = 120) -> list[Any]:
    """A log in which every kind occurs: keys, actors and gaps repeat with different periods."""
    events = []
    for n in range(size):
        jira = [] if n % 4 == 1 else [f"J{n % 17}"]
        wiki = [] if n % 4 == 0 else [f"W{n % 13}"]
        who = (("ann", "bob", "eve")[n % 3],)
        kind = ("opened", "written", "closed")[n % 7 % 3]
        fields = {"severity": "none" if n % 5 == 0 else "x", "actors": who}
        events.append(make.event(f"v{n:03}", kind, n / 5, jira=jira, wiki=wiki, **fields))
    return events


TWO = RULES + 'link m "M" { cause c: written  effect e: closed  join c.wiki == e.wiki  within 5d }'


class TestDraw:
    def test_every_kind_is_drawn_and_half_share_a_key(self, make: Any) -> None:
        events = busy(make)
        contract = make.contract(TWO, events, corpus(make, events))
        drawn = contract.draw_near_misses(60)
        assert len(drawn) == 60
        assert {miss.kind for miss in drawn} == set(KINDS)
        keys = contract.host.words.key_values
        shared = sum(not keys(m.cause).isdisjoint(keys(m.effect)) for m in drawn)
        assert shared >= 30
        assert max(Counter(m.kind for m in drawn).values()) <= 25

    def test_what_they_say(self, make: Any) -> None:
        events = busy(make)
        contract = make.contract(TWO, events, corpus(make, events))
        linked = {(pair.cause, pair.effect) for pair in contract.links}
        for miss in contract.near_misses:
            assert (miss.cause, miss.effect) not in linked
            assert not contract.graph.has_path(miss.cause, miss.effect)
            assert miss.gap == miss.effect.at - miss.cause.at != 0
            assert miss.specs == ()
            assert not miss.verified
            both = {*miss.cause.artifact_ids, *miss.effect.artifact_ids}
            assert miss.evidence == (both,)
            assert miss.known_from == max(miss.cause.at, miss.effect.at)

    def test_the_seed_and_the_log_decide_alone(self, make: Any) -> None:
        events = busy(make)
        artifacts = corpus(make, events)
        one = misses(make.contract(TWO, events, artifacts, seed=7))
        assert misses(make.contract(TWO, events[::-1], artifacts[::-1], seed=7)) == one

    def test_one_event_more_leaves_most_where_they_are(self, make: Any) -> None:
        events = busy(make)
        before = set(misses(make.contract(TWO, events, corpus(make, events))))
        more = [*events, make.event("extra", "written", 11.13, jira=["J3"], severity="x")]
        after = set(misses(make.contract(TWO, more, corpus(make, more))))
        assert len(before & after) >= 0.8 * len(before)
