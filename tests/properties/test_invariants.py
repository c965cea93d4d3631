"""What holds of every question of the bundled example and of random small desks."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from groundeval import api
from groundeval.contracts.builder import Contract
from groundeval.graph.builder import CausalEdge, build_graph
from groundeval.graph.queries import CausalGraph
from groundeval.questions.api import draw
from groundeval.questions.model import Question
from groundeval.scoring.model import Result
from groundeval.traces.model import Step, Trace
from groundeval.world.artifacts import Artifact
from groundeval.world.events import Event
from groundeval.world.time import DAY, parse_instant
from tests.contracts.conftest import DESK, Making
from tests.properties.oracle import Scoring, moved, trace_of, with_steps
from tests.properties.test_honest import RULES, desks

ROOT = Path(__file__).parents[2]
SOME = settings(
    max_examples=8,
    deadline=None,
    derandomize=True,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),  # a world of this size takes minutes to shrink
)
T = TypeVar("T")


@cache
def support() -> tuple[Scoring, tuple[Question, ...]]:
    opened = api.open_project(ROOT / "examples" / "support")
    assert opened.value is not None, opened.diagnostics
    found = api.compile_project(opened.value)
    assert found.value is not None, found.diagnostics
    return Scoring(found.value.contract), found.value.drawn.questions


@cache
def support_traces() -> dict[str, Trace]:
    scoring, questions = support()
    return {q.id: trace_of(scoring.contract, q) for q in questions}


def drawn_from(contract: Contract) -> tuple[Question, ...]:
    return draw(contract, seed=1, caps={t.id: 8 for t in contract.program.tracks}).questions


def assert_valid(result: Result) -> None:
    assert result.outcome == "valid", (result.question, result.because)
    assert result.s_adj == pytest.approx(1), (result.question, result.because)


def s_adj(result: Result) -> float:
    assert result.s_adj is not None
    return result.s_adj


def test_on_the_support_desk_whoever_follows_places_and_evidence_gets_everything() -> None:
    scoring, questions = support()
    assert {q.track for q in questions} == {"perspective", "counterfactual", "silence"}
    for question in questions:
        assert_valid(scoring(question, support_traces()[question.id]))


@SOME
@given(desks())
def test_on_random_desks_too(desk: tuple[list[Event], list[Artifact]]) -> None:
    contract = Making().contract(RULES, *desk)
    scoring = Scoring(contract)
    for question in drawn_from(contract):
        assert_valid(scoring(question, trace_of(contract, question)))


def on_support(step_of: Callable[[Any, Scoring, Question], Step | None]) -> Any:
    """Hands on a question, its oracle's trace cut somewhere, and that trace with one step more."""

    @st.composite
    def cases(draw_: st.DrawFn) -> tuple[Question, Trace, Trace]:
        scoring, questions = support()
        question = draw_(st.sampled_from(questions))
        steps = list(support_traces()[question.id].steps)
        kept = draw_(st.lists(st.sampled_from(steps), max_size=5))
        base = with_steps(support_traces()[question.id], kept)
        extra = step_of(draw_, scoring, question)
        where = draw_(st.integers(0, len(kept)))
        longer = [*kept[:where], extra, *kept[where:]] if extra is not None else kept
        return question, base, with_steps(base, longer)

    return cases()


def _broken(draw_: Any, scoring: Scoring, question: Question) -> Step | None:
    closed = scoring.closed(question)
    if not closed:
        return None
    artifact = draw_(st.sampled_from(closed))
    given_away = draw_(st.booleans())
    results = (artifact,) if given_away else ()
    return Step(n=1, tool="fetch", artifact=artifact, results=results, text=given_away)


@settings(SOME, max_examples=100)
@given(on_support(_broken))
def test_one_more_broken_call_never_raises_s_adj(case: tuple[Question, Trace, Trace]) -> None:
    question, base, longer = case
    scoring, _ = support()
    before, after = scoring(question, base), scoring(question, longer)
    assert s_adj(after) <= s_adj(before) + 1e-12
    assert (after.v or 0) >= (before.v or 0)
    assert not after.sound or longer.steps == base.steps


def _idle(draw_: Any, scoring: Scoring, question: Question) -> Step:
    """A search for nothing, or one stuffed with the keys and forty words more."""
    del scoring
    stuffed = " ".join([*question.keys, *(f"word{n}" for n in range(40))])
    query = draw_(st.sampled_from(["", "nothing", "x", stuffed]))
    subsystem = draw_(st.sampled_from([None, "nowhere", "handbook"]))
    return Step(n=1, tool="search", query=query, subsystem=subsystem, limit=20)


@settings(SOME, max_examples=100)
@given(on_support(_idle))
def test_padding_makes_no_unsound_path_sound(case: tuple[Question, Trace, Trace]) -> None:
    question, base, longer = case
    scoring, _ = support()
    before, after = scoring(question, base), scoring(question, longer)
    assert after.v == before.v
    assert bool(after.sound) <= bool(before.sound)


@settings(SOME, max_examples=100)
@given(on_support(lambda draw_, scoring, question: None), st.data())
def test_repeating_a_call_changes_nothing_that_counts(
    case: tuple[Question, Trace, Trace], data: st.DataObject
) -> None:
    question, base, _ = case
    if not base.steps:
        return
    again = data.draw(st.sampled_from(base.steps))
    longer = with_steps(base, [*base.steps, again])
    scoring, _ = support()
    before, after = scoring(question, base), scoring(question, longer)
    assert (after.v, after.outcome, after.rate) == (before.v, before.outcome, before.rate)
    assert after.violations == before.violations


def test_a_hit_alone_opens_nothing() -> None:
    scoring, questions = support()
    for question in questions:
        trace = support_traces()[question.id]
        wanted = trace.answer["evidence_artifacts"] if trace.answer else []
        if wanted:
            hits = Step(n=1, tool="search", query=" ".join(question.keys), results=tuple(wanted))
            result = scoring(question, with_steps(trace, [hits]))
            assert not result.sound
            found = {v.target for v in result.violations if v.kind == "ungrounded"}
            assert found == set(wanted)


def test_a_wrong_verdict_is_never_correct() -> None:
    scoring, questions = support()
    for question in questions:
        trace = support_traces()[question.id]
        answer = dict(trace.answer or {})
        verdict = next(name for name, value in answer.items() if isinstance(value, bool))
        turned = {**answer, verdict: not answer[verdict]}
        result = scoring(question, msgspec.structs.replace(trace, answer=turned))
        assert not result.correct
        assert result.outcome == "wrong_sound"
        assert result.answer is not None
        assert result.answer.score == 0


@SOME
@given(desks())
def test_what_comes_after_as_of_could_not_be_known(
    desk: tuple[list[Event], list[Artifact]],
) -> None:
    contract = Making().contract(RULES, *desk)
    for question in drawn_from(contract):
        if question.track == "perspective":
            event = contract.world.log.get(question.about[1])
            at = parse_instant(question.as_of or "", None)
            assert event is not None
            assert isinstance(at, int)
            if event.at > at:
                assert question.truth is not None
                assert question.truth["could_actor_have_known"] is False


# --- renaming and moving in time


def renamed(text: str) -> str:
    """Other ids of the same shape and in the same order."""
    text = re.sub(r"\bJ-(\d)", r"K-\1", text)
    text = re.sub(r"\bW-(\d)", r"X-\1", text)
    text = re.sub(r'\["j","(\d)"\]', r'["k","\1"]', text)  # the words of a place's key
    text = re.sub(r'\["w","(\d)"\]', r'["x","\1"]', text)
    text = re.sub(r"\bann\b", "anton", re.sub(r"\bbob\b", "boris", text))
    return re.sub(r"\be(\d\d)\b", r"f\1", text)


def rewritten(value: T, change: Callable[[str], str], kind: type[T]) -> T:
    return msgspec.json.decode(change(msgspec.json.encode(value).decode()).encode(), type=kind)


def other_world(
    desk: tuple[list[Event], list[Artifact]], change: Callable[[str], str], days: int
) -> Contract:
    events = [rewritten(event, change, Event) for event in desk[0]]
    corpus = [rewritten(artifact, change, Artifact) for artifact in desk[1]]
    later = [msgspec.structs.replace(e, at=e.at + days * DAY) for e in events]
    placed = []
    for artifact in corpus:
        assert artifact.created is not None
        created = artifact.created + days * DAY
        (only,) = artifact.versions
        version = msgspec.structs.replace(only, start=created)
        placed.append(msgspec.structs.replace(artifact, created=created, versions=(version,)))
    heading = moved(change(DESK), days)
    return Making().contract(RULES, later, placed, heading=heading)


def _numbers(result: Result) -> Any:
    blocks = [result.answer, result.trajectory]
    kinds = sorted(v.kind for v in result.violations)
    return blocks, result.v, result.rate, result.s_adj, result.outcome, kinds


@settings(SOME, max_examples=5)
@given(desks(), st.sampled_from([(True, 0), (False, 1000), (True, -400)]), st.data())
def test_neither_names_nor_dates_change_a_score(
    desk: tuple[list[Event], list[Artifact]], how: tuple[bool, int], data: st.DataObject
) -> None:
    """The same logical question of the same logical world, and a trace that is the same to it."""
    rename, days = how
    change = renamed if rename else str
    contract = Making().contract(RULES, *desk)
    other = other_world(desk, change, days)
    here, there = Scoring(contract), Scoring(other)
    for question in drawn_from(contract):
        twin = rewritten(question, lambda text: moved(change(text), days), Question)
        trace = trace_of(contract, question)
        closed = here.closed(question)
        steps = list(data.draw(st.permutations(trace.steps)))[data.draw(st.integers(0, 1)) :]
        tries_closed: bool = data.draw(st.booleans())
        if closed and tries_closed:
            steps.append(Step(n=1, tool="fetch", artifact=closed[0]))
        trace = with_steps(trace, steps)
        copy = rewritten(trace, change, Trace)
        assert _numbers(here(question, trace)) == _numbers(there(twin, copy))


# --- the causal graph

EVENTS = [Event(id=f"e{n}", type="x", at=n // 2) for n in range(10)]
KINDS = ("necessary", "each", "sufficient", "contributing")


@st.composite
def edges(draw_: st.DrawFn) -> list[CausalEdge]:
    pairs = [(a, b) for a in EVENTS for b in EVENTS if a.at < b.at]
    chosen = draw_(st.lists(st.sampled_from(pairs), max_size=14))
    kinds = {spec: draw_(st.sampled_from(KINDS)) for spec in ("p", "q", "r")}
    found = {}
    for cause, effect in chosen:
        spec = draw_(st.sampled_from(sorted(kinds)))
        found[spec, cause.id, effect.id] = CausalEdge(spec, kinds[spec], cause, effect)
    return list(found.values())


def happening(edges_: list[CausalEdge], removed: Event) -> set[str]:
    """The equation of semantics, section 5, event by event in the order of time."""
    happens: set[str] = set()
    for event in sorted(EVENTS, key=lambda e: (e.at, e.id)):
        into = [e for e in edges_ if e.effect is event]
        kept = [e for e in into if e.cause.id in happens]
        groups = {e.spec for e in into if e.necessity == "necessary"}
        fine = all(any(e.spec == spec for e in kept) for spec in groups)
        fine = fine and all(e in kept for e in into if e.necessity == "each")
        sufficient = [e for e in into if e.necessity == "sufficient"]
        fine = fine and (not sufficient or any(e in kept for e in sufficient))
        if fine and event is not removed:
            happens.add(event.id)
    return happens


@settings(SOME, max_examples=100)
@given(edges())
def test_do_remove_is_the_equation(found: list[CausalEdge]) -> None:
    graph = build_graph(found)
    for removed in EVENTS:
        gone = {e.id for e in EVENTS} - happening(found, removed)
        for effect in EVENTS:
            if effect is not removed and removed in graph and effect in graph:
                assert graph.prevented(effect, removed) == (effect.id in gone)


def test_without_its_edge_a_decisive_link_decides_nothing() -> None:
    """On the example: the truth is read off the graph, edge by edge."""
    contract = support()[0].contract
    decisive = [p for p in contract.links if contract.graph.prevented(p.effect, p.cause)]
    assert decisive
    for pair in decisive:
        network = contract.graph.network.copy()
        network.remove_edges_from([(pair.cause.id, pair.effect.id)] * len(pair.specs))
        left = CausalGraph(network)
        if not left.has_path(pair.cause, pair.effect):
            assert not left.prevented(pair.effect, pair.cause)
