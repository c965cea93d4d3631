"""What no trace may change: see `docs/explanation/semantics.md`, scores and outcomes."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.questions.model import Question
from groundeval.scoring import Result
from groundeval.traces.model import Step, Trace
from tests.scoring.desk import absent, fetch, knowable, present, scorer, search, trace

IDS = ["T-1", "T-2", "W-1", "W-9", "V-1", "X-404"]
CLOSED = {"T-3", "V-1", "W-9"}
STEPS = st.one_of(
    st.builds(lambda i: fetch(i, found=i in {"T-1", "T-2", "W-1"}), st.sampled_from(IDS)),
    st.builds(
        lambda q, s, r: search(q, s, *r),
        st.sampled_from(["writing T-2", "T-1", "nothing", ""]),
        st.sampled_from([None, "jira", "wiki", "vault", "nowhere"]),
        st.lists(st.sampled_from(["T-1", "T-2", "W-1", "W-9"]), max_size=3, unique=True),
    ),
)
PATHS = st.lists(STEPS, max_size=6)
QUESTIONS = st.sampled_from([absent(), present(), knowable()])
MISFITS = st.sampled_from(["T-1", 5, True, {"a": 1}, [1], [None], [["T-1"]]])
"""What no field of artifacts or subsystems can hold."""
ANSWERS = st.fixed_dictionaries(
    {},
    optional={
        "exists": st.sampled_from([True, False, 1, "no", None]),
        "could_actor_have_known": st.sampled_from([True, False, 0, "yes"]),
        "evidence_artifacts": st.lists(st.sampled_from(IDS), max_size=4) | MISFITS,
        "blocked_subsystems": st.lists(st.sampled_from(["jira", "vault"]), max_size=2) | MISFITS,
        "abstain": st.booleans(),
    },
)
CITED = st.lists(st.sampled_from(IDS), max_size=2).map(tuple)
BREAKS = st.tuples(st.booleans(), st.integers(0, 6))
"""Whether one more call gets what it asks for, and where in the path it stands."""
SOME = settings(max_examples=150, deadline=None)


def score(
    question: Question, path: list[Step], answer: dict[str, Any], cited: tuple[str, ...] = ()
) -> Result:
    return scorer(question.track).score(
        question, trace(question, *path, answer=answer, cited=cited)
    )


def s_adj(result: Result) -> float:
    assert result.s_adj is not None
    return result.s_adj


@SOME
@given(QUESTIONS, PATHS, ANSWERS, CITED)
def test_every_number_lies_between_0_and_1(
    question: Question, path: list[Step], answer: dict[str, Any], cited: tuple[str, ...]
) -> None:
    result = score(question, path, answer, cited)
    assert result.answer is not None
    assert result.trajectory is not None
    for block in (result.answer, result.trajectory):
        assert 0 <= block.score <= 1
        assert all(0 <= value <= 1 for value in block.components.values())
    assert all(0 <= x <= 1 for x in (result.combined or 0, result.v or 0, s_adj(result)))


@SOME
@given(QUESTIONS, PATHS, ANSWERS, CITED)
def test_both_evaluators_agree(
    question: Question, path: list[Step], answer: dict[str, Any], cited: tuple[str, ...]
) -> None:
    one = trace(question, *path, answer=answer, cited=cited)
    fast = scorer(question.track).score(question, one)
    plain = scorer(question.track, compiled=False).score(question, one)
    assert msgspec.to_builtins(fast) == msgspec.to_builtins(plain)


@SOME
@given(QUESTIONS, PATHS, ANSWERS, st.sampled_from(sorted(CLOSED)), BREAKS)
def test_one_more_broken_call_never_raises_s_adj(
    question: Question,
    path: list[Step],
    answer: dict[str, Any],
    closed: str,
    more: tuple[bool, int],
) -> None:
    """Refused or (ungated) not, wherever it is put, and also as the only call there is.

    The vault's gate is enforced in questions that have an actor alone; elsewhere a fetch from it is
    one more call that brings nothing.
    """
    found, where = more
    broken = closed != "V-1" or question.actor is not None
    longer = [*path[:where], fetch(closed, found=found and broken), *path[where:]]
    before, after = score(question, path, answer), score(question, longer, answer)
    assert s_adj(after) <= s_adj(before) + 1e-12
    assert (after.v or 0) >= (before.v or 0)
    assert not (after.sound and broken)


@SOME
@given(QUESTIONS, PATHS, ANSWERS, CITED, st.integers(1, 20))
def test_padding_makes_no_unsound_path_sound(
    question: Question, path: list[Step], answer: dict[str, Any], cited: tuple[str, ...], n: int
) -> None:
    padding = [search(f"idle {i}", "jira") for i in range(n)]
    before = score(question, path, answer, cited)
    after = score(question, [*path, *padding], answer, cited)
    assert after.v == before.v
    assert bool(after.sound) <= bool(before.sound)


@SOME
@given(QUESTIONS, PATHS, ANSWERS, CITED, st.data())
def test_a_repeated_call_changes_neither_v_nor_the_outcome(
    question: Question,
    path: list[Step],
    answer: dict[str, Any],
    cited: tuple[str, ...],
    data: st.DataObject,
) -> None:
    if not path:
        return
    again = data.draw(st.sampled_from(path))
    before = score(question, path, answer, cited)
    after = score(question, [*path, again], answer, cited)
    assert (after.v, after.outcome) == (before.v, before.outcome)
    assert after.violations == before.violations


@SOME
@given(QUESTIONS, st.lists(st.sampled_from(["T-1", "T-2", "W-1"]), min_size=1, unique=True))
def test_a_hit_alone_opens_nothing(question: Question, hits: list[str]) -> None:
    answer = {"exists": True, "could_actor_have_known": True, "evidence_artifacts": hits}
    result = score(question, [search("T-1 T-2", None, *hits)], answer)
    assert not result.sound
    assert {v.target for v in result.violations if v.kind == "ungrounded"} == set(hits)


@SOME
@given(QUESTIONS, PATHS, ANSWERS, CITED)
def test_a_wrong_verdict_is_never_correct(
    question: Question, path: list[Step], answer: dict[str, Any], cited: tuple[str, ...]
) -> None:
    assert question.truth is not None
    field = "exists" if "exists" in question.truth else "could_actor_have_known"
    result = score(question, path, answer, cited)
    right = answer.get(field) is question.truth[field] and not answer.get("abstain")
    assert result.correct == right
    if not right:
        assert result.answer is not None
        assert result.answer.score == 0
        assert result.outcome not in {"valid", "state_invalid"}


@SOME
@given(QUESTIONS, PATHS, ANSWERS, CITED)
def test_a_trace_reads_back_to_the_same_result(
    question: Question, path: list[Step], answer: dict[str, Any], cited: tuple[str, ...]
) -> None:
    one = trace(question, *path, answer=answer, cited=cited)
    again = msgspec.json.decode(msgspec.json.encode(one), type=Trace)
    first, second = (scorer(question.track).score(question, t) for t in (one, again))
    assert msgspec.to_builtins(first) == msgspec.to_builtins(second)
