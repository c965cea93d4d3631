"""Silences: status, instants and places."""

from __future__ import annotations

from typing import Any

from groundeval.contracts.model import SilenceCase
from groundeval.functions.host import Place

SILENCE = """silence s "Every opening is written up" {{
  after t: opened
  expect r: written
  join t.jira == r.jira
  {rest}
}}
"""
PLACES = """search wiki for "writing {t.jira}"
  fetch t.jira"""


def silence(rest: str = f"within 7d\n {PLACES}") -> str:
    return SILENCE.format(rest=rest)


class TestStatus:
    def cases(self, make: Any, rules: str, until: float, **options: Any) -> dict[str, SilenceCase]:
        events = [
            make.event("t1", "opened", 1, jira=["J1"]),
            make.event("t2", "opened", 2, jira=["J2"]),
            make.event("r1", "written", 3, jira=["J1"], wiki=["W1"]),
            make.event("r2", "written", 4, jira=["J1"], wiki=["W2"]),
            make.event("end", "closed", until),
        ]
        contract = make.contract(rules, events, **options)
        return {case.trigger.id: case for case in contract.silences}

    def test_present_keeps_the_responses_in_order(self, make: Any) -> None:
        case = self.cases(make, silence(), 20)["t1"]
        assert case.status == "present"
        assert [r.id for r in case.responses] == ["r1", "r2"]
        assert case.witnesses == {"J1", "W1"}
        assert case.deadline == make.at(8)
        assert not case.recorded_by(make.at(3) - 1)
        assert case.recorded_by(make.at(3))

    def test_absent_needs_an_observed_deadline(self, make: Any) -> None:
        assert self.cases(make, silence(), 9)["t2"].status == "absent"
        assert self.cases(make, silence(), 8.999)["t2"].status == "undetermined"

    def test_the_observation_period_is_half_open(self, make: Any) -> None:
        def status(until: str) -> str:
            rules = f"observed from 2026-03-01 until {until}\n{silence()}"
            return self.cases(make, rules, 40)["t2"].status

        assert status("2026-03-10") == "undetermined"
        assert status("2026-03-10T00:00:01Z") == "absent"

    def test_the_period_is_that_of_the_responses_source(self, make: Any) -> None:
        events = [
            make.event("t", "opened", 1, jira=["J1"], source="tickets"),
            make.event("r", "written", 5, jira=["J9"], source="pages"),
            make.event("x", "closed", 30, source="tickets"),
        ]
        assert make.contract(silence(), events).silences[0].status == "undetermined"

    def test_a_window_that_began_before_the_period_proves_nothing(self, make: Any) -> None:
        def found(first_page: float, trigger: float = 1) -> Any:
            events = [
                make.event("t", "opened", trigger, jira=["J1"], source="tickets"),
                make.event("r", "written", first_page, jira=["J9"], source="pages"),
                make.event("x", "written", 30, source="pages"),
            ]
            contract = make.contract(silence(), events)
            case = contract.silences[0]
            return case.status, case.deadline in contract.host.instants(case)

        assert found(2) == ("undetermined", False)
        assert found(1) == ("absent", True)
        assert found(0.5) == ("absent", True)

    def test_a_window_that_began_before_the_period_is_never_asked_as_absent(
        self, make: Any
    ) -> None:
        """A response before the period began would have left no record."""
        rules = "observed from 2026-03-04 until 2026-04-01\n" + silence()
        events = [
            make.event("t1", "opened", 1, jira=["J1"]),
            make.event("t2", "opened", 1, jira=["J2"]),
            make.event("r2", "written", 5, jira=["J2"]),
            *(make.event(f"x{day}", "closed", day) for day in (2, 4, 6)),
        ]
        contract = make.contract(rules, events)
        lost, found = (contract.host.instants(case) for case in contract.silences)
        assert lost == ()
        assert found == (make.at(5), make.at(6), make.at(8))

    def test_a_trigger_at_the_very_start_of_the_period_is_observed(self, make: Any) -> None:
        rules = "observed from 2026-03-02 until 2026-04-01\n" + silence()
        early, late = (
            make.contract(rules, [make.event("t", "opened", day, jira=["J"])]).silences[0].status
            for day in (0.9, 1)
        )
        assert (early, late) == ("undetermined", "absent")

    def test_a_response_at_the_trigger_or_past_the_deadline_is_none(self, make: Any) -> None:
        events = [
            make.event("t", "opened", 1, jira=["J1"]),
            make.event("r1", "written", 1, jira=["J1"]),
            make.event("r2", "written", 8.001, jira=["J1"]),
        ]
        assert make.contract(silence(), events).silences[0].status == "absent"

    def test_without_a_window_nothing_is_proven_before_the_end(self, make: Any) -> None:
        cases = self.cases(make, silence(PLACES), 20)
        assert cases["t1"].status == "present"
        assert cases["t2"].status == "undetermined"
        assert cases["t2"].deadline is None

    def test_counts_per_spec_and_status(self, make: Any) -> None:
        events = [
            make.event("t1", "opened", 1, jira=["J1"]),
            make.event("t2", "opened", 1, jira=["J2"]),
            make.event("t3", "opened", 19, jira=["J3"]),
            make.event("r1", "written", 3, jira=["J1"]),
            make.event("end", "closed", 20),
        ]
        report = make.contract(silence(), [*events, make.event("t4", "opened", 1)]).report
        assert report.silences == {"s": {"absent": 2, "present": 1, "undetermined": 1}}
        assert report.unplaced == {"s": 1}


class TestInstants:
    def instants(self, make: Any, rules: str, *days: float) -> list[float]:
        events = [
            make.event("t", "opened", 1, jira=["J1"]),
            make.event("r", "written", 3, jira=["J1"]),
            *(make.event(f"x{n}", "closed", day) for n, day in enumerate(days)),
        ]
        contract = make.contract(rules, events)
        found = contract.host.instants(contract.silences[0])
        return [(t - make.start) / make.day for t in found]

    def test_the_deadline_and_log_instants_inside(self, make: Any) -> None:
        assert self.instants(make, silence(), 0.5, 1.5, 2, 4, 9) == [1.5, 2, 3, 4, 8]

    def test_an_unobserved_deadline_is_never_asked_about(self, make: Any) -> None:
        assert self.instants(make, silence(), 2, 7.5) == [2, 3, 7.5]

    def test_without_a_window_only_from_the_response_on(self, make: Any) -> None:
        assert self.instants(make, silence(PLACES), 2, 9, 30) == [3, 9, 30]

    def test_without_window_and_response_only_the_end(self, make: Any) -> None:
        events = [
            make.event("t", "opened", 1, jira=["J1"]),
            make.event("x", "closed", 2),
            make.event("y", "closed", 9),
        ]
        contract = make.contract(silence(PLACES), events)
        assert contract.host.instants(contract.silences[0]) == (make.at(9),)

    def test_of_many_instants_those_on_either_side_of_the_response_are_kept(
        self, make: Any
    ) -> None:
        found = self.instants(make, silence(), *(1 + n / 100 for n in range(900)))
        assert len(found) == 65
        assert found[-1] == 8
        assert 0 < found[0] - 2.6 < 0.1
        assert 3.3 < found[-2] < 3.4


class TestPlaces:
    def places(self, make: Any, rest: str, **trigger: Any) -> Any:
        fields = {"jira": ["ESC-42"], **trigger}
        contract = make.contract(silence(f"within 7d\n {rest}"), [
            make.event("t", "opened", 1, **fields)
        ])  # fmt: skip
        found = contract.silences[0].places
        assert contract.report.unplaced["s"] == (found == ()), "counted without making them"
        return found

    def test_a_search_and_a_fetch(self, make: Any) -> None:
        search, fetch = self.places(make, PLACES)
        assert search.id == "search:wiki:writing ESC-42"
        assert search.subsystems == ("wiki",)
        assert search.text == "writing ESC-42"
        assert search.keys == (("esc", "42"),)
        assert search.ghost == "writing ESC-42 writing"
        assert (fetch.id, fetch.fetch) == ("fetch:ESC-42", "ESC-42")

    def test_several_values_make_several_places(self, make: Any) -> None:
        places = self.places(make, PLACES, jira=["A-1", "B-2"])
        assert [place.id for place in places] == [
            "search:wiki:writing A-1",
            "search:wiki:writing B-2",
            "fetch:A-1",
            "fetch:B-2",
        ]

    def test_a_hole_written_twice_has_one_value(self, make: Any) -> None:
        places = self.places(make, 'search wiki for "{t.jira} or {t.jira}"', jira=["A-1", "B-2"])
        assert [place.text for place in places] == ["A-1 or A-1", "B-2 or B-2"]

    def test_two_holes_are_multiplied_and_both_are_keys(self, make: Any) -> None:
        rest = 'search wiki for "{t.severity} {t.jira}"'
        places = self.places(make, rest, jira=["A-1", "B-2"], severity="high")
        assert [place.text for place in places] == ["high A-1", "high B-2"]
        assert places[0].keys == (("high",), ("a", "1"))

    def test_a_missing_hole_leaves_no_place_at_all(self, make: Any) -> None:
        assert self.places(make, f'{PLACES}\n search wiki for "{{t.severity}}"') == ()
        assert self.places(make, PLACES, jira=[]) == ()

    def test_what_cannot_be_searched_by_name_has_no_place(self, make: Any) -> None:
        by_severity = 'search wiki for "{t.severity}"'
        for severity in ("---", "?!", "\u200b", " ".join(f"w{n}" for n in range(17))):
            assert self.places(make, by_severity, severity=severity) == ()
        for severity in ("é", "日本", "a-b_c.d", "a" * 40, " ".join(f"w{n}" for n in range(16))):
            assert len(self.places(make, by_severity, severity=severity)) == 1

    def test_too_many_places_are_none(self, make: Any) -> None:
        ids = [f"J-{n}" for n in range(100)]
        assert self.places(make, PLACES, jira=ids) == ()

    def test_names_that_hold_separators_make_different_ids(self) -> None:
        def place(subsystems: tuple[str, ...], text: str) -> str:
            return Place.to_search(subsystems, text, (), "").id

        assert place(("a", "b"), "c") != place(("a,b",), "c")
        assert place(("a",), "b:c") != place(("a:b",), "c")
        assert place(("a\\",), "b:c") != place(("a\\:b",), "c")


def test_cases_of_names_with_spaces_have_different_ids(make: Any) -> None:
    rules = silence() + silence().replace("silence s", "silence `s t`", 1)
    events = [make.event(name, "opened", 1, jira=["J"]) for name in ("t u", "u")]
    contract = make.contract(rules, events)
    ids = [case.id for case in contract.silences]
    assert len(ids) == 4
    assert len(set(ids)) == 4
