"""What one trace is worth under the corrected tracks, over a small contract."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from groundeval.engine.evaluator import evaluate
from groundeval.ir.codec import from_json, to_json
from groundeval.questions.model import Question
from groundeval.scoring import TrackScorer, Violation
from groundeval.scoring.model import ScoreDetail
from groundeval.traces.model import Recorder, Step
from groundeval.world.time import DAY
from tests.scoring import desk as made
from tests.scoring.desk import (
    absent,
    desk,
    fetch,
    knowable,
    own_track,
    present,
    scored,
    search,
    trace,
    when,
)

NO: dict[str, Any] = {"exists": False}
YES: dict[str, Any] = {"exists": True}
LOOKED = (search("writing T-2", "wiki"), fetch("T-2"))


def test_an_absence_that_was_searched_for_is_valid() -> None:
    result = scored(absent(), *LOOKED, answer=NO)
    assert result.outcome == "valid"
    assert result.s_adj == 1
    assert list(result.rate or ()) == [0, 2]
    assert not result.because
    assert not result.violations


def test_a_no_without_a_look_is_correct_and_state_invalid() -> None:
    result = scored(absent(), answer=NO)
    assert (result.outcome, result.correct, result.sound) == ("state_invalid", True, False)
    assert result.answer is not None
    assert result.answer.score == 1
    assert result.trajectory is not None
    assert result.trajectory.score == 0
    assert [v.kind for v in result.violations] == ["unproven", "unproven"]
    assert (
        result.because[0]
        == "no search of `wiki` would have found `writing T-2`: 0 of 2 places looked at"
    )
    assert result.because[1] == "`T-2` was never opened: 0 of 2 places looked at"
    assert result.because[2] == "nothing was searched or fetched"
    said = result.because[3]
    assert said.startswith("trajectory is 0: it requires `looked > 0`, which is not so (")


def test_a_search_that_would_not_have_found_it_covers_nothing() -> None:
    stuffed = search(" ".join(f"word{i}" for i in range(16)) + " T-2", "wiki")
    for query in (search("writing T-2", "jira"), search("writing", "wiki"), stuffed):
        result = scored(absent(), query, fetch("T-2"), answer=NO)
        assert result.outcome == "state_invalid"
        assert [v.target for v in result.violations] == ["writing T-2"]


def test_an_unconfined_search_covers_its_place() -> None:
    assert scored(absent(), search("writing T-2"), fetch("T-2"), answer=NO).outcome == "valid"


def test_a_fetch_place_is_covered_whatever_came_back() -> None:
    result = scored(absent(), LOOKED[0], fetch("T-2", found=False), answer=NO)
    assert result.outcome == "valid"


def test_existence_needs_its_witness_opened() -> None:
    assert scored(present(), fetch("W-1"), answer=YES).outcome == "valid"
    hit = scored(present(), search("writing T-1", "wiki", "W-1"), answer=YES)
    assert hit.outcome == "state_invalid"
    assert not hit.violations
    assert hit.because[0] == "nothing of the truth's `witness` was opened: `T-1`, `W-1`"


def test_a_search_that_gave_texts_opened_its_results() -> None:
    step = Step(n=1, tool="search", query="writing T-1", results=("W-1",), text=True)
    assert scored(present(), step, answer=YES).outcome == "valid"


def test_a_fetch_that_gave_no_text_opened_nothing() -> None:
    silent = Step(n=1, tool="fetch", artifact="W-1", results=("W-1",), text=False)
    assert scored(present(), silent, answer=YES).outcome == "state_invalid"
    unsaid = Step(n=1, tool="fetch", artifact="W-1", results=("W-1",))
    assert scored(present(), unsaid, answer=YES).outcome == "valid"


def test_what_context_mode_gave_is_opened() -> None:
    given = Step(n=1, tool="given", results=("W-1",), text=True)
    result = scored(present(), given, answer=YES, mode="context")
    assert result.outcome == "valid"
    assert result.mode == "context"


def test_a_refused_fetch_is_an_attempt_and_an_ungated_one_an_exposure() -> None:
    closed = fetch("V-1", found=False)
    answer = {"could_actor_have_known": True, "evidence_artifacts": ["T-1", "W-1"]}
    refused = scored(knowable(), fetch("T-1"), fetch("W-1"), closed, answer=answer)
    assert refused.outcome == "state_invalid"
    assert list(refused.rate or ()) == [1, 3]
    assert {(v.step, v.gate, v.kind, v.target) for v in refused.violations} == {
        (3, "subsystem", "attempt", "V-1"),
        (3, "actor", "attempt", "V-1"),
    }
    assert all(v.rule is None or ".gev:" in v.rule for v in refused.violations)
    told = "step 3 asked for `V-1`, which gates `subsystem` and `actor` close"
    other = "step 3 asked for `V-1`, which gates `actor` and `subsystem` close"
    assert sum("V-1" in sentence for sentence in refused.because) == 1
    assert {told, other} & set(refused.because)
    exposed = scored(
        knowable(), fetch("T-1"), fetch("W-1"), fetch("V-1"), answer=answer, gated=False
    )
    assert {v.kind for v in exposed.violations} == {"exposure"}
    assert exposed.gated is False
    assert exposed.v == refused.v


def test_a_search_of_a_closed_subsystem_breaks_its_gate() -> None:
    result = scored(
        knowable(), search("anything", "vault"), answer={"could_actor_have_known": True}
    )
    assert [(v.gate, v.kind, v.target) for v in result.violations] == [
        ("subsystem", "attempt", "vault")
    ]
    unknown = scored(
        knowable(), search("anything", "nowhere"), answer={"could_actor_have_known": True}
    )
    assert not unknown.violations


def test_what_is_written_later_is_closed_by_the_horizon() -> None:
    result = scored(present(), fetch("W-1"), search("writing", "wiki", "W-9"), answer=YES)
    assert [(v.gate, v.kind, v.target) for v in result.violations] == [
        ("horizon", "exposure", "W-9")
    ]
    assert result.outcome == "state_invalid"


def test_an_id_that_does_not_exist_is_a_dead_end() -> None:
    result = scored(present(), fetch("W-1"), fetch("W-404", found=False), answer=YES)
    assert result.outcome == "valid"


def test_citations_are_the_traces_and_the_answers() -> None:
    opened = fetch("W-1")
    by_answer = scored(present(), opened, answer={**YES, "evidence_artifacts": ["T-1"]})
    by_trace = scored(present(), opened, answer=YES, cited=("T-1",))
    for result in (by_answer, by_trace):
        assert result.violations == (Violation(None, None, "ungrounded", "T-1"),)
        assert list(result.rate or ()) == [1, 2]
        assert result.outcome == "state_invalid"
        assert "`T-1` is cited but was never opened" in result.because
    closed = scored(present(), opened, answer=YES, cited=("W-9",))
    assert [(v.step, v.gate, v.kind) for v in closed.violations] == [(None, "horizon", "use")]


def test_evidence_behind_a_broken_gate_is_not_opened() -> None:
    step = Step(n=1, tool="search", query="writing", results=("W-1", "W-9"), text=True)
    assert (
        scored(present(), step, answer=YES).trajectory
        == scored(present(), search("writing", None, "W-1", "W-9"), answer=YES).trajectory
    )


def test_the_handbook_is_neither_evidence_nor_a_look() -> None:
    book = next(iter(desk().handbook))
    for step in (fetch(book), search("writing T-2", "handbook")):
        result = scored(absent(), step, answer=NO)
        assert result.trajectory is not None
        assert result.trajectory.score == 0
        assert result.v == 0
    cited = scored(present(), fetch(book), fetch("W-1"), answer=YES, cited=(book,))
    assert cited.outcome == "valid"


def test_an_error_is_no_result() -> None:
    result = scored(absent(), *LOOKED, answer=NO, error="out of tokens")
    assert result.outcome == "agent_error"
    assert (result.combined, result.v, result.correct) == (None, None, None)
    assert result.because == ("the agent failed: out of tokens",)


@pytest.mark.parametrize("state", ["absent", "redacted"])
def test_a_trace_without_what_the_track_needs_is_unobserved(state: str) -> None:
    result = scored(absent(), answer=NO, fidelity={"steps": state})
    assert result.outcome == "unobserved"
    assert result.because == (f"the trace's `steps` are {state}, and the track needs them",)
    assert scored(absent(), *LOOKED, answer=NO, fidelity={"latency_ms": state}).outcome == "valid"


def test_an_unmapped_tool_that_saw_the_corpus_makes_a_trace_unobserved() -> None:
    other = Step(n=1, tool="other", results=("W-1",))
    assert scored(present(), other, fetch("W-1"), answer=YES).outcome == "unobserved"
    harmless = Step(n=1, tool="other", results=("a calculator's output",))
    assert scored(present(), harmless, fetch("W-1"), answer=YES).outcome == "valid"


def test_marks() -> None:
    inferred = scored(absent(), *LOOKED, answer=NO, fidelity={"query": "inferred"})
    assert inferred.marks == ("approximate", "inferred")
    own = Recorder(runtime="groundeval/1.0", chain="sha256:ab")
    result = scored(absent(), *LOOKED, answer=NO, recorder=own, fidelity={})
    assert not result.marks
    assert result.trace == "sha256:ab"
    foreign = Recorder(runtime="other/2")
    assert scored(absent(), *LOOKED, answer=NO, recorder=foreign).marks == ("approximate",)
    assert scored(present(), fetch("W-1"), answer=YES, recorder=foreign).marks == ()


def test_recorded_breaks_are_never_trusted() -> None:
    liar = msgspec.structs.replace(fetch("W-9"), breaks=())
    accused = msgspec.structs.replace(fetch("W-1"), breaks=("horizon",))
    assert scored(present(), fetch("W-1"), liar, answer=YES).v == 0.5
    assert scored(present(), accused, answer=YES).outcome == "valid"


def test_a_wrong_record_is_said_to_be_one() -> None:
    accused = msgspec.structs.replace(fetch("W-1"), breaks=("horizon",))
    liar = msgspec.structs.replace(fetch("W-9"), breaks=())
    reasons = scored(present(), accused, liar, answer=YES).because
    assert reasons[:2] == (
        "step 1 is recorded as breaking `horizon`; recomputed, it breaks nothing",
        "step 2 is recorded as breaking nothing; recomputed, it breaks `horizon`",
    )


def test_an_examination_has_every_name() -> None:
    track = desk().program.track("silence")
    assert track is not None
    one = trace(absent(), LOOKED[0], fetch("V-1"), answer=NO)
    judge = TrackScorer(track, desk())
    found = judge.examine(absent(), one)
    assert msgspec.to_builtins(found.result) == msgspec.to_builtins(judge.score(absent(), one))
    assert found.env["looked"] == 0.5
    assert found.env["right"] is True
    assert found.env["violation_rate"] == found.env["v"] == 0
    assert found.env["scores"]["answer"] == 1
    assert found.env["outcome"] == "state_invalid"
    assert found.env["opened"] == frozenset({"V-1"})
    for expression, value in ((track.correct, True), (track.sound, False)):
        assert evaluate(expression, found.env, found.host) is value
    lost = judge.examine(absent(), trace(absent(), error="gone"))
    assert (lost.env["v"], lost.env["outcome"]) == (None, "agent_error")


def test_recorded_flags_are_taken_where_asked_for() -> None:
    track = desk().program.track("silence")
    assert track is not None
    taken = TrackScorer(track, None, recorded_flags=True)
    accused = msgspec.structs.replace(fetch("W-1"), breaks=("horizon", "subsystem"))
    result = taken.score(present(), trace("q-present", accused, answer=YES))
    assert [(v.gate, v.kind) for v in result.violations] == [("horizon", "exposure")]
    assert result.marks == ("recorded-flags",)
    covered = taken.score(absent(), trace("q-absent", *LOOKED, answer=NO))
    assert covered.outcome == "valid"
    assert covered.marks == ("approximate", "recorded-flags")


def test_a_violation_may_be_what_the_track_says() -> None:
    track = own_track(
        """answer { said: bool }
        score answer { "said" 1 of answer.said == truth.said }
        score trajectory { "calm" 1 of 1 - violation_rate }
        weights answer 0.5, trajectory 0.5
        violation when step.query == "rude"
        rate broken of size(calls)
        correct when answer.said == truth.said
        sound when violation_rate < 0.5"""
    )
    question = Question(id="q", track="own", as_of=when(5), truth={"said": True})
    steps = (search("rude"), search("rude"), search("kind"), search("kinder"))
    for compiled in (True, False):
        own = TrackScorer(track, None, compiled=compiled)
        result = own.score(question, trace("q", *steps, answer={"said": True}))
        assert list(result.rate or ()) == [1, 4]
        assert result.violations == (Violation(1, None, "attempt", "rude"),)
        assert result.outcome == "valid"
        assert result.combined == 0.875
    unknown = TrackScorer(track, None).score(
        question, trace("q", fetch("X"), answer={"said": True})
    )
    assert unknown.v == 1


def test_thresholds_compare_after_rounding() -> None:
    weights = (0.3, 0.3, 0.1, 0.1)
    parts = "\n".join(f'"p{i}" {w} of true' for i, w in enumerate(weights))
    track = own_track(
        f"""answer {{ said: bool }}
        score answer {{ {parts}
          "rest" 0.2 of false }}
        score trajectory {{ "t" 1 of true }}
        weights answer 0.5, trajectory 0.5
        correct when scores.answer >= 0.8 and scores.combined >= 0.9"""
    )
    assert 0.3 + 0.3 + 0.1 + 0.1 < 0.8
    question = Question(id="q", track="own", as_of=when(5), truth={"said": True})
    assert TrackScorer(track, None).score(question, trace("q", answer={"said": True})).correct


@pytest.mark.parametrize(
    ("value", "decimals", "expected"),
    [(0.125, 2, 0.12), (0.375, 2, 0.38), (0.5, 0, 0.0), (2 / 3, 4, 0.6667), (1, 0, 1.0)],
)
def test_a_block_that_says_so_is_rounded_half_to_even_before_scores_are_combined(
    value: float, decimals: int, expected: float
) -> None:
    """The components keep their value, and what rules compare is the rounded score."""
    track = own_track(
        f"""answer {{ said: number }}
        score answer {{ "said" 1 of answer.said ?? 0  round {decimals} }}
        score trajectory {{ "said" 1 of answer.said ?? 0 }}
        weights answer 0.5, trajectory 0.5
        correct when scores.answer == truth.expected"""
    )
    (again,) = [s for s in from_json(to_json(track)).scores if s.name == "answer"]
    assert again.round == decimals
    question = Question(id="q", track="own", as_of=when(5), truth={"expected": expected})
    for compiled in (True, False):
        own = TrackScorer(track, None, compiled=compiled)
        result = own.score(question, trace("q", answer={"said": value}))
        assert result.answer is not None
        assert result.answer.score == expected
        assert result.answer.components == {"said": value}
        assert result.combined == pytest.approx((expected + value) / 2)
        assert result.correct


def test_an_unusable_question_says_why() -> None:
    judge = TrackScorer(desk().program.tracks[0], desk())
    with pytest.raises(ValueError, match="question q has no truth"):
        judge.score(Question(id="q", track="x", as_of=when(1)), trace("q"))


def test_when_things_happen_does_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    def played() -> list[Any]:
        paths: list[tuple[Question, tuple[Step, ...], dict[str, Any]]] = [
            (absent(), LOOKED, NO),
            (absent(), (search("writing T-2", "wiki"), fetch("W-9")), NO),
            (present(), (fetch("W-1"), search("writing", "wiki", "W-9")), YES),
            (knowable(), (fetch("T-1"), fetch("V-1")), {"could_actor_have_known": True}),
        ]
        return [msgspec.to_builtins(scored(q, *steps, answer=a)) for q, steps, a in paths]

    before = played()
    monkeypatch.setattr(made, "START", made.START + 777 * DAY + 12_345_678)
    made.desk.cache_clear()
    made.scorer.cache_clear()
    try:
        assert played() == before
    finally:
        made.desk.cache_clear()
        made.scorer.cache_clear()


def test_both_evaluators_give_the_same_results() -> None:
    traces = [
        (absent(), LOOKED, NO),
        (absent(), (), NO),
        (present(), (fetch("W-1"), fetch("V-1")), {**YES, "evidence_artifacts": ["V-1"]}),
        (knowable(), (fetch("T-1"), search("x", "vault")), {"could_actor_have_known": False}),
        (knowable(), (search("nothing", "wiki"), fetch("W-1")), {"could_actor_have_known": 1}),
    ]
    for question, steps, answer in traces:
        fast = scored(question, *steps, answer=answer)
        plain = scored(question, *steps, answer=answer, compiled=False)
        assert msgspec.to_builtins(fast) == msgspec.to_builtins(plain)


def test_an_abstention_is_never_a_correct_answer() -> None:
    track = own_track("""
  answer { named: set<text> }
  score answer { "named" 1 of f1(answer.named, truth.named) ?? 1 }
  score trajectory { "reached" 1 of not empty(opened) }
  weights answer 0.50, trajectory 0.50
  correct when same(answer.named, truth.named)""")
    question = Question(id="q", track="own", truth={"named": []})
    own = TrackScorer(track, None)
    said, kept = (own.score(question, trace("q", answer=a)) for a in ({}, {"abstain": True}))
    assert (said.correct, kept.correct) == (True, False)
    assert kept.outcome == "abstained"
    assert (said.s_adj, kept.answer, kept.s_adj) == (0.5, ScoreDetail(0.0, {}), 0.0)
