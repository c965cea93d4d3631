"""What is not asked: texts that decide their truth, records that nobody could find."""

from __future__ import annotations

import pytest

from groundeval.contracts.builder import Contract
from groundeval.questions.api import draw
from groundeval.questions.model import Question
from tests.contracts.conftest import Making

TRACKS = """
use policies.horizon, policies.rbac, policies.participation
use tracks.perspective, tracks.counterfactual, tracks.silence
"""
REVIEW = """
silence review "Every opening is written up" {
  after  t: opened
  expect r: written
  join   t.jira == r.jira
  within 3d
  search wiki for "writing {t.jira}"
  fetch  t.jira
}
"""
LEADS = """
link leads "It leads there" {
  cause  c: opened
  effect e: written
  join   c.jira == e.jira
  within 3d
}
"""


def asked(contract: Contract, track: str) -> list[Question]:
    return [q for q in draw(contract, seed=1, caps={}).questions if q.track == track]


def test_an_event_with_an_artifact_that_is_lost_is_not_asked_about(make: Making) -> None:
    events = [
        make.event("e0", "closed", 0, actors=("ann",), jira=["J-0"]),
        make.event("e1", "opened", 1, actors=("ann",), jira=["J-1"]),
        make.event("e2", "opened", 2, actors=("ann",), jira=["J-2"]),
        make.event("e3", "closed", 9, actors=("ann",), jira=["J-1"]),
    ]
    corpus = [make.artifact("J-0", "jira", 0), make.artifact("J-1", "jira", 1)]
    contract = make.contract(TRACKS, events, corpus)
    about = {q.about[1] for q in asked(contract, "perspective")}
    assert contract.report.incomplete_events == {"e2"}
    assert "e1" in about
    assert "e2" not in about


def test_an_event_whose_text_fits_one_on_the_other_side_is_dropped(make: Making) -> None:
    """Opened on day 2 and again on day 4: as of day 3 the text would fit both."""
    events = [
        make.event("e1", "opened", 2, actors=("ann",), jira=["J-1"]),
        make.event("e2", "opened", 4, actors=("ann",), jira=["J-1"]),
        make.event("e3", "closed", 3, actors=("ann",), jira=["J-1"]),
        make.event("e0", "closed", 1, actors=("ann",), jira=["J-0"]),
    ]
    corpus = [make.artifact("J-1", "jira", 1), make.artifact("J-0", "jira", 1)]
    questions = asked(make.contract(TRACKS, events, corpus), "perspective")
    opened = [q for q in questions if q.spec == "opened"]
    assert all(not "2026-03-03" <= (q.as_of or "") < "2026-03-05" for q in opened)


def test_a_pair_with_a_twin_is_not_asked_about(make: Making) -> None:
    first = make.event("e1", "opened", 1, jira=["J-1"])
    events = [first, make.event("e2", "written", 2, jira=["J-1"])]
    corpus = [make.artifact("J-1", "jira", 0)]
    twin = make.event("e9", "opened", 1, jira=["J-1"])
    from groundeval.questions.api import collections  # noqa: PLC0415
    from groundeval.questions.sources import Source  # noqa: PLC0415

    def unaskable(contract: Contract) -> set[str | None]:
        source = Source(contract, collections(contract))
        return {source.unaskable(pair, None, pair.known_from or 0) for pair in contract.links}

    assert unaskable(make.contract(TRACKS + LEADS, events, corpus)) == {None}
    assert unaskable(make.contract(TRACKS + LEADS, [*events, twin], corpus)) == {"ambiguous"}


def test_an_undetermined_silence_is_asked_inside_the_log_only(make: Making) -> None:
    events = [
        make.event("e1", "opened", 1, jira=["J-1"]),
        make.event("e2", "written", 2, jira=["J-1"]),
        make.event("e3", "opened", 3, jira=["J-2"]),
        make.event("e4", "closed", 4, jira=["J-2"]),
    ]
    corpus = [make.artifact("J-1", "jira", 1), make.artifact("J-2", "jira", 3)]
    contract = make.contract(TRACKS + REVIEW, events, corpus)
    assert contract.report.silences["review"]["undetermined"] == 1
    late = [q for q in asked(contract, "silence") if q.about[0] == "review e3"]
    assert all((q.as_of or "") <= "2026-03-05T00:00:00Z" for q in late)


def test_a_record_that_is_not_there_to_be_opened_is_not_asked_for(make: Making) -> None:
    """It is recorded on day 2, but its page is only written on day 6."""
    events = [
        make.event("e1", "opened", 1, jira=["J-1"]),
        make.event("e2", "written", 2, wiki=["W-1"], jira=["J-9"]),
        make.event("e3", "closed", 9, jira=["J-1"]),
    ]
    rules = REVIEW.replace("t.jira == r.jira", "t.severity == r.severity").replace(
        "  fetch  t.jira\n", ""
    )
    for event in events[:2]:
        event.facts["severity"] = "high"  # type: ignore[index]
    soon = [
        make.artifact("J-1", "jira", 1),
        make.artifact("J-9", "jira", 6),
        make.artifact("W-1", "wiki", 6),
    ]
    contract = make.contract(TRACKS + rules, events, soon)
    present = [q for q in asked(contract, "silence") if q.stratum == "present"]
    assert all((q.as_of or "") >= "2026-03-07" for q in present)


def test_a_place_that_is_closed_as_of_the_question_is_not_asked_for(make: Making) -> None:
    """The ticket itself is only filed on day 3: before, nobody can open it."""
    events = [
        make.event("e1", "opened", 1, jira=["J-1"], wiki=["W-1"]),
        make.event("e2", "closed", 2, jira=["J-1"]),
        make.event("e3", "closed", 3.5, jira=["J-1"]),
        make.event("e4", "written", 3.9, jira=["J-1"]),
        make.event("e5", "closed", 9, jira=["J-1"]),
    ]
    corpus = [make.artifact("J-1", "jira", 3), make.artifact("W-1", "wiki", 1)]
    questions = asked(make.contract(TRACKS + REVIEW, events, corpus), "silence")
    assert questions
    assert all((q.as_of or "") >= "2026-03-04" for q in questions)


def test_who_may_use_no_subsystem_is_not_asked_about(make: Making) -> None:
    events = [make.event("e1", "opened", 1, actors=("ann", "bob"), jira=["J-1"])]
    corpus = [make.artifact("J-1", "jira", 0, participants=("ann", "bob"))]
    questions = asked(make.contract(TRACKS, events, corpus), "perspective")
    assert {q.actor for q in questions} <= {"ann"}, "bob reads the wiki alone, and it is empty"


def test_an_agent_sees_nothing_of_the_truth(make: Making) -> None:
    from groundeval.questions.model import visible_part  # noqa: PLC0415

    events = [
        make.event("e1", "opened", 1, actors=("ann",), jira=["J-1"]),
        make.event("e2", "closed", 3, actors=("ann",), jira=["J-1"]),
    ]
    contract = make.contract(TRACKS, events, [make.artifact("J-1", "jira", 1)])
    hidden = {"truth", "about", "stratum", "difficulty", "spec", "pair", "places"}
    for question in asked(contract, "perspective"):
        assert hidden.isdisjoint(visible_part(question))
        assert (
            "2026-03-02T00:00:00Z" not in question.text or question.as_of == "2026-03-02T00:00:00Z"
        )


UPSIDE_DOWN = """
use policies.horizon
track missing "Is it missing?" {
  ask for s in silences, t in instants(s)
    about s
    as_of t
  enforce horizon
  answer { lacks: bool }
  truth { lacks = not s.recorded_by(t)  places = s.places }
  text "For {about.trigger.label} {about.trigger.keys} at {as_of}: is {about.expected.label} lacking?"
  score answer { "verdict" 1 of answer.lacks == truth.lacks }
  score trajectory { "coverage" 1 of share p in truth.places: covered(p) }
  weights answer 0.50, trajectory 0.50
  correct when answer.lacks == truth.lacks
  sound   when violation_rate == 0
}
"""


def test_what_proves_a_silence_does_not_hang_on_how_its_answer_is_called(make: Making) -> None:
    """The page that answers comes into the corpus after the deadline: present is never asked."""
    events = [
        make.event("t1", "opened", 1, jira=["J-1"]),
        make.event("r1", "written", 2, jira="J-1", wiki=["W-1"]),
        make.event("x1", "closed", 1.5, jira=["J-1"]),
        make.event("x2", "closed", 3, jira=["J-1"]),
        make.event("t2", "opened", 3, jira=["J-2"]),
        make.event("r2", "written", 4, jira="J-2", wiki=["W-2"]),
        make.event("x3", "closed", 30, jira=["J-1"]),
    ]
    corpus = [make.artifact(name, "jira", 1) for name in ("J-1", "J-2")]
    corpus += [make.artifact("W-1", "wiki", 9), make.artifact("W-2", "wiki", 4)]
    contract = make.contract(UPSIDE_DOWN + REVIEW, events, corpus)
    lacking = {(q.about[0], (q.truth or {})["lacks"]) for q in asked(contract, "missing")}
    assert lacking == {("review t1", True), ("review t2", False)}


def test_the_keys_hold_what_the_places_name_whatever_field_it_is_from(make: Making) -> None:
    events = [
        make.event("t1", "opened", 1, actors=("ann", "bob"), jira=["J-1"]),
        make.event("x1", "closed", 2, jira=["J-1"]),
        make.event("r1", "written", 3, jira=["J-1"], wiki=["W-1"]),
        make.event("x2", "closed", 9, jira=["J-1"]),
    ]
    corpus = [make.artifact("J-1", "jira", 1), make.artifact("W-1", "wiki", 3)]
    by_whom = REVIEW.replace("writing {t.jira}", "writing of {t.actors} on {t.at:date}")
    questions = asked(make.contract(TRACKS + by_whom, events, corpus), "silence")
    assert {(q.truth or {})["exists"] for q in questions} == {True, False}
    assert {q.keys for q in questions} == {("J-1", "ann", "2026-03-02", "bob")}


LEVEL = """
use policies.horizon
track level "How bad was it?" {{
  ask for e in events, n in {values}
    about e
    as_of e.at
  enforce horizon
  answer {{ level: text }}
  truth {{ level = e.facts.severity }}
  text "How bad was {{about.label}} {{about.keys}}?"
  score answer {{ "level" 1 of answer.level == truth.level }}
  score trajectory {{ "calls" 1 of not empty(calls) }}
  weights answer 0.50, trajectory 0.50
  correct when answer.level == truth.level
  sound   when violation_rate == 0
}}
"""


@pytest.mark.parametrize(
    "values",
    [
        "[1.5, 1.25]",
        "[true, false]",
        "[[1], [2]]",
        "[9999999999999999999, 99999999999999999999]",
        '[{a: "x"}, {a: "y"}]',
        "[3, 4, 3]",
    ],
)
def test_whatever_is_asked_for_has_an_id_of_its_own(make: Making, values: str) -> None:
    events = [make.event("e1", "opened", 1, jira=["J-1"], severity="high")]
    corpus = [make.artifact("J-1", "jira", 1)]
    contract = make.contract(LEVEL.format(values=values), events, corpus)
    questions = asked(contract, "level")
    assert len(questions) == 2
    assert len({q.id for q in questions}) == 2


ACTING = """
use policies.horizon, policies.rbac
track acting "Did this one look?" {
  ask for s in silences, a in actors, t in instants(s)
    about s
    actor a
    as_of t
  enforce all
  answer { exists: bool }
  truth { exists = s.recorded_by(t)  places = s.places }
  text "{actor}: for {about.trigger.label} {about.trigger.keys}, was there {about.expected.label} by {as_of}?"
  score answer { "verdict" 1 of answer.exists == truth.exists }
  score trajectory { "coverage" 1 of (share p in truth.places: covered(p)) ?? 1 }
  weights answer 0.50, trajectory 0.50
  correct when answer.exists == truth.exists
  sound   when violation_rate == 0
}
silence review "Every opening is written up" {
  after  t: opened
  expect r: written
  join   t.wiki == r.wiki
  within 3d
  search jira for "writing {t.wiki}"
}
"""


def test_a_place_that_its_actor_may_not_search_is_not_asked_about(make: Making) -> None:
    """Bob reads the wiki alone until day 9, and could cover no search of jira before."""
    events = [
        make.event("t1", "opened", 1, wiki=["W-1"]),
        make.event("x1", "closed", 2, wiki=["W-1"]),
        make.event("r1", "written", 3, wiki=["W-1"]),
        make.event("x2", "closed", 9, wiki=["W-1"]),
    ]
    contract = make.contract(ACTING, events, [make.artifact("W-1", "wiki", 1)])
    assert {q.actor for q in asked(contract, "acting")} == {"ann"}


ANY = """
actor `cid`: sales until 2026-03-01
track any "Anything that may be asked" {
  ask for a in actors, e in events
    where e.severity is not missing
    about e
    actor a
    as_of e.at
  enforce none
  answer { said: bool }
  truth { true_there = e.severity == "high" }
  balance { "high" 1 when truth.true_there }
  text "{about.keys}?"
  score answer { "said" 1 of answer.said ?? false }
  score trajectory { "path" 1 of empty(calls) }
  weights answer 1, trajectory 0
  correct when answer.said == truth.true_there
}
"""


def test_what_is_left_out_is_counted_by_its_cause(make: Making) -> None:
    """Three actors, of whom one holds no role and one finds nothing; each event has its fate."""
    events = [
        make.event("e1", "opened", 1, jira=["J-1"], severity="high"),
        make.event("e2", "opened", 2, jira=["J-2"], severity="low"),
        make.event("e3", "opened", 3, jira=["J-3"]),
        make.event("e4", "opened", 4, jira=["lost"], severity="high"),
    ]
    corpus = [make.artifact(f"J-{n}", "jira", 0) for n in (1, 2, 3)]
    drawn = draw(make.contract(TRACKS + ANY, events, corpus), seed=1, caps={"any": 4})
    looked = drawn.looked["any"]
    assert looked.at == 12
    assert looked.by_cause() == {
        "no_role": 3, "nothing_open": 3, "ruled_out": 3, "incomplete": 1, "unclear_truth": 1,
    }  # fmt: skip
    (short,) = (s for s in drawn.shortfalls if s.track == "any")
    assert (short.wanted, short.drawn, short.candidates, short.unmatched) == (4, 0, 1, 1)


def test_a_silence_without_a_place_is_left_out_as_such(make: Making) -> None:
    events = [make.event(f"e{n}", "opened", n, wiki=["W-1"]) for n in (1, 2)]
    log_end = make.event("z", "closed", 20, jira=["J-1"])
    corpus = [make.artifact("W-1", "wiki", 0), make.artifact("J-1", "jira", 0)]
    contract = make.contract(TRACKS + REVIEW, [*events, log_end], corpus)
    looked = draw(contract, seed=1, caps={}).looked["silence"]
    assert looked.at > 0
    assert looked.by_cause() == {"no_place": looked.at}
