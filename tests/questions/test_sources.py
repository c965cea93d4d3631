"""What is not asked: texts that decide their truth, records that nobody could find."""

from __future__ import annotations

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

    def askable(contract: Contract) -> list[bool]:
        source = Source(contract, collections(contract))
        return [source.askable(pair, None, pair.known_from or 0) for pair in contract.links]

    assert askable(make.contract(TRACKS + LEADS, events, corpus)) == [True]
    assert not any(askable(make.contract(TRACKS + LEADS, [*events, twin], corpus)))


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
