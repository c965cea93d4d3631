"""Matching, and the pairs that come of it."""

from __future__ import annotations

from time import process_time
from typing import Any, cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.contracts.builder import Contract
from groundeval.contracts.host import ContractHost
from groundeval.contracts.links import match_links
from groundeval.contracts.pairing import Pairing
from groundeval.contracts.pairs import pair_id
from groundeval.diagnostics import codes
from groundeval.world.events import Event

LINK = """link l "opened, so written" {{
  cause c: opened{where}
  effect e: written
  join c.jira == e.jira
  {rest}
}}
"""


def link(rest: str = "within 7d", where: str = "") -> str:
    return LINK.format(rest=rest, where=where and f" where {where}")


def linked(contract: Contract) -> list[tuple[str, str]]:
    return [(pair.cause.id, pair.effect.id) for pair in contract.links]


class TestMatching:
    def test_join_window_and_order(self, make: Any) -> None:
        events = [
            make.event("c1", "opened", 1, jira=["J1"]),
            make.event("e0", "written", 0.5, jira=["J1"]),
            make.event("e1", "written", 1, jira=["J1"]),
            make.event("e2", "written", 2, jira=["J2"]),
            make.event("e3", "written", 8, jira=["J1"]),
            make.event("c2", "opened", 1, jira=["J3"]),
            make.event("e4", "written", 8.00001, jira=["J3"]),
        ]
        assert linked(make.contract(link(), events)) == [("c1", "e3")]

    def test_first_is_the_earliest_effect_of_each_cause(self, make: Any) -> None:
        events = [
            make.event("c1", "opened", 1, jira=["J1"]),
            make.event("c2", "opened", 2, jira=["J1"]),
            make.event("e1", "written", 3, jira=["J1"]),
            make.event("e2", "written", 4, jira=["J1"]),
        ]
        assert linked(make.contract(link(), events)) == [("c1", "e1"), ("c2", "e1")]
        nearest = make.contract(link("within 7d match nearest"), events)
        assert linked(nearest) == [("c2", "e1"), ("c2", "e2")]
        every = make.contract(link("within 7d match every"), events)
        assert linked(every) == [("c1", "e1"), ("c1", "e2"), ("c2", "e1"), ("c2", "e2")]

    def test_lists_overlap_and_missing_keys_never_join(self, make: Any) -> None:
        events = [
            make.event("c1", "opened", 1, jira=["J1", "J2"]),
            make.event("c2", "opened", 1),
            make.event("e1", "written", 2, jira=["J2", "J3"]),
            make.event("e2", "written", 2),
        ]
        assert linked(make.contract(link(), events)) == [("c1", "e1")]

    def test_where_needs_true(self, make: Any) -> None:
        events = [
            make.event("c1", "opened", 1, jira=["J1"], severity="high"),
            make.event("c2", "opened", 1, jira=["J2"], severity="low"),
            make.event("c3", "opened", 1, jira=["J3"]),
            *(make.event(f"e{n}", "written", 2, jira=[f"J{n}"]) for n in (1, 2, 3)),
        ]
        assert linked(make.contract(link(where='c.severity == "high"'), events)) == [("c1", "e1")]

    def test_unless_fires_on_true_and_unknown_and_lets_the_next_one_in(self, make: Any) -> None:
        events = [
            make.event("c1", "opened", 1, jira=["J1"], severity="high"),
            make.event("c2", "opened", 1, jira=["J2"]),
            make.event("e1", "written", 2, jira=["J1"], wiki=["W1"]),
            make.event("e2", "written", 3, jira=["J1"], wiki=["W2"]),
            make.event("e3", "written", 3, jira=["J2"], wiki=["W2"]),
        ]
        contract = make.contract(link('within 7d unless e.wiki == "W1"'), events)
        assert linked(contract) == [("c1", "e2"), ("c2", "e3")]
        unknown = make.contract(link('within 7d unless c.severity == "low"'), events)
        assert linked(unknown) == [("c1", "e1")]

    def test_ties_are_broken_by_line_order_of_one_ordered_source_alone(self, make: Any) -> None:
        def at_once(**cause: Any) -> list[Any]:
            return [
                make.event("z", "opened", 1, jira=["J1"], **{"rank": 1, "source": "a", **cause}),
                make.event("a", "written", 1, jira=["J1"], rank=2, source="a"),
            ]

        rules = link("within 7d ties in log order")
        assert linked(make.contract(rules, at_once())) == [("z", "a")]
        assert linked(make.contract(link(), at_once())) == []
        assert linked(make.contract(rules, at_once(rank=3))) == []
        assert linked(make.contract(rules, at_once(rank=None))) == []
        assert linked(make.contract(rules, at_once(source="b"))) == []

    def test_equal_instants_are_taken_in_the_order_of_ids(self, make: Any) -> None:
        events = [
            make.event("c", "opened", 1, jira=["J1"]),
            make.event("e2", "written", 2, jira=["J1"]),
            make.event("e1", "written", 2, jira=["J1"]),
        ]
        assert linked(make.contract(link(), events)) == [("c", "e1")]

    @given(order=st.permutations(range(12)))
    def test_the_order_of_the_log_does_not_show(self, make: Any, order: list[int]) -> None:
        kinds = ("opened", "written", "opened", "closed")
        events = [make.event(f"v{n}", kinds[n % 4], n // 2, jira=[f"J{n % 3}"]) for n in range(12)]
        expected = linked(make.contract(link(), events))
        assert linked(make.contract(link(), [events[n] for n in order])) == expected


SIDES = st.tuples(
    st.sampled_from(["opened", "written"]),
    st.integers(0, 12),
    st.lists(st.sampled_from(["J1", "J2", "J3"]), unique=True, max_size=2),
    st.sampled_from([None, "x", "none"]),
)


def by_the_book(events: list[Any], match: str, days: int, day: int) -> set[tuple[str, str]]:
    """Semantics, section 5, by trying every pair."""
    ordered = sorted(events, key=lambda e: (e.at, e.id))
    pairs = [
        (c, e)
        for c in ordered
        for e in ordered
        if (c.type, e.type) == ("opened", "written")
        and 0 < e.at - c.at <= days * day
        and set(c.artifact_ids) & set(e.artifact_ids)
        and e.facts.get("severity") == "x"
    ]
    if match == "first":
        pairs = [next(p for p in pairs if p[0] is c) for c in {p[0] for p in pairs}]
    if match == "nearest":
        pairs = [next(p for p in pairs[::-1] if p[1] is e) for e in {p[1] for p in pairs}]
    return {(c.id, e.id) for c, e in pairs}


@settings(max_examples=150, deadline=None)
@given(
    drawn=st.lists(SIDES, max_size=14),
    match=st.sampled_from(["first", "nearest", "every"]),
    days=st.integers(1, 6),
)
def test_matching_is_by_the_book(make: Any, drawn: list[Any], match: str, days: int) -> None:
    events = []
    for n, (kind, day, jira, severity) in enumerate(drawn):
        fields = {} if severity is None else {"severity": severity}
        events.append(make.event(f"v{n:02}", kind, day, jira=jira, **fields))
    rules = link(f'within {days}d match {match} unless e.severity == "none"')
    assert set(linked(make.contract(rules, events))) == by_the_book(events, match, days, make.day)


@pytest.mark.soak
@pytest.mark.parametrize("match", ["first", "nearest"])
def test_one_key_for_everything_stays_near_linear(make: Any, match: str) -> None:
    def seconds(size: int) -> float:
        kinds = ("opened", "written")
        events = [make.event(f"v{n:06}", kinds[n % 2], n / 24, jira=["J"]) for n in range(size)]
        program = make.program(link(f"match {match} necessity contributing"))
        host = ContractHost(program, make.world(program, events))
        pairing = Pairing(program.links[0], host)
        began = process_time()
        assert sum(1 for _ in match_links(program.links[0], pairing, host)) >= size / 2 - 1
        return process_time() - began

    assert seconds(40_000) < 12 * seconds(10_000)


class TestPairs:
    def test_specs_of_one_pair_are_merged_with_their_aliases(self, make: Any) -> None:
        other = link('within 2d\n aka "follow-up"').replace("link l", "link k")
        events = [
            make.event("c", "opened", 1, jira=["J1"], actors=("ann",)),
            make.event("e", "written", 2, jira=["J1"], wiki=["W1"], actors=("bob",)),
        ]
        pair, *others = make.contract(link() + other, events).links
        assert not others
        assert pair.spec == "k"
        assert pair.specs == ("k", "l", "follow-up")
        assert pair.verified
        assert pair.decisive
        assert pair.evidence == (frozenset({"J1", "W1"}),)
        assert pair.actors == {"ann", "bob"}
        assert pair.gap == make.day

    def test_known_from_is_when_events_and_evidence_were_there(self, make: Any) -> None:
        events = [
            make.event("c", "opened", 1, jira=["J1"]),
            make.event("e", "written", 2, jira=["J1"], wiki=["W1"]),
        ]

        def known(wiki: Any) -> int | None:
            artifacts = [make.artifact("J1", "jira", 0), *wiki]
            pair = make.contract(link(), events, artifacts).links[0]
            return cast("int | None", pair.known_from)

        assert known([make.artifact("W1", "wiki", 1)]) == make.at(2)
        assert known([make.artifact("W1", "wiki", 5)]) == make.at(5)
        assert known([]) is None
        assert known([make.artifact("W1", "wiki", None)]) is None
        assert known([make.artifact("W1", "wiki", 0, deleted=make.at(1.5))]) is None

    def test_alternatives_and_the_one_that_is_complete_first(self, make: Any) -> None:
        events = [
            make.event("c", "opened", 1, jira=["J1"]),
            make.event("e", "written", 2, jira=["J1"], wiki=["W1", "W2"]),
        ]
        rules = link("within 7d evidence e.wiki or c.jira")

        def shown(*wiki: Any) -> Any:
            pair = make.contract(rules, events, [make.artifact("J1", "jira", 4), *wiki]).links[0]
            return [sorted(ids) for ids in pair.evidence], pair.known_from

        def pages(first: float, second: float, **fields: Any) -> Any:
            return make.artifact("W1", "wiki", first), make.artifact("W2", "wiki", second, **fields)

        never = pages(0, 0, deleted=make.at(1))
        assert shown(make.artifact("W1", "wiki", 5)) == ([["J1"]], make.at(4))
        assert shown(*never) == ([["J1"]], make.at(4))
        assert shown(*pages(5, 1)) == ([["J1"]], make.at(4))
        assert shown(*pages(3, 1)) == ([["W1", "W2"]], make.at(3))
        assert shown(*pages(4, 1)) == ([["J1"], ["W1", "W2"]], make.at(4))
        assert make.contract(rules, events).links[0].known_from is None

    def test_an_overdetermined_effect_is_shown_with_a_surviving_cause(self, make: Any) -> None:
        events = [
            make.event("c1", "opened", 1, jira=["J", "A"]),
            make.event("c2", "opened", 2, jira=["J", "B"]),
            make.event("c3", "opened", 3, jira=["J", "C"]),
            make.event("e", "written", 4, jira=["J"], wiki=["W"]),
        ]
        first = make.contract(link(), events).links[0]
        assert first.evidence == (frozenset("ABJW"), frozenset("ACJW"))

    def test_too_many_surviving_causes_leave_no_evidence(self, make: Any) -> None:
        causes = [make.event(f"c{n:03}", "opened", 1, jira=["J", f"X{n}"]) for n in range(70)]
        contract = make.contract(link(), [*causes, make.event("e", "written", 2, jira=["J"])])
        assert contract.report.too_many_ways == 70
        assert all(pair.evidence == () and pair.known_from is None for pair in contract.links)

    def test_contributing_links_are_not_decisive(self, make: Any) -> None:
        events = [
            make.event("c", "opened", 1, jira=["J"]),
            make.event("e", "written", 2, jira=["J"]),
        ]
        contract = make.contract(link("within 7d necessity contributing"), events)
        pair = contract.links[0]
        assert not pair.decisive
        assert not contract.host.prevented(pair.effect, pair.cause)


class TestOverrides:
    events = (("c1", "opened", 1), ("c2", "opened", 2), ("e", "written", 3))

    @pytest.mark.parametrize(
        ("rest", "confirmed"),
        [
            ("outcome_changed true", False),
            ("outcome_changed false", True),
            ("necessity each\n outcome_changed true", True),
            ("necessity each\n outcome_changed false", False),
        ],
    )
    def test_the_graph_must_confirm_an_override(
        self, make: Any, rest: str, confirmed: bool
    ) -> None:
        events = [make.event(*event, jira=["J"]) for event in self.events]
        _, found = make.built(link(f"within 7d\n{rest}"), events)
        about = [d for d in found if d.code is codes.UNCONFIRMED_OUTCOME]
        assert len(about) == (0 if confirmed else 1)
        if about:
            assert "`c1` and `e` and for 1 more" in about[0].message

    def test_a_shared_necessary_effect_is_a_warning(self, make: Any) -> None:
        events = [make.event(*event, jira=["J"]) for event in self.events]
        _, found = make.built(link(), events)
        assert [d.code for d in found] == [codes.SHARED_EFFECT]
        _, found = make.built(link("within 7d necessity sufficient"), events)
        assert found == ()


def test_pairs_of_events_with_arrows_in_their_ids_have_different_ids() -> None:
    def event(name: str) -> Event:
        return Event(id=name, type="opened", at=0)

    pairs = [("a", "-> b"), ("a ->", "b"), ("a", "b"), ("a -> a", "b"), ("a", "a -> b")]
    assert len({pair_id(event(c), event(e)) for c, e in pairs}) == len(pairs)
    assert pair_id(event("a-1"), event("b 2")) == "a-1 -> b 2"
