"""An honest agent is always valid; an answer that never changes is never right on both of a pair.

On the bundled example, on small random desks, and on the peer domains where they are at hand.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from groundeval import api
from groundeval.contracts.builder import Contract
from groundeval.questions.api import draw
from groundeval.questions.model import Question, visible_part
from groundeval.runs.tools import Tools
from groundeval.scoring.model import Result
from groundeval.scoring.scorer import TrackScorer
from groundeval.scripted import always_no, always_yes, careful, guessing
from groundeval.world.artifacts import Artifact
from groundeval.world.events import Event
from tests.contracts.conftest import Making

ROOT = Path(__file__).parents[2]
SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared"))
PEERS = ("cybersecurity", "enterprise-support", "finance")

Agent = Callable[[Mapping[str, Any], Tools], dict[str, Any]]
CONSTANT: tuple[Agent, ...] = (always_yes, always_no, guessing)

RULES = """
use policies.horizon, policies.rbac, policies.participation
use tracks.perspective, tracks.counterfactual, tracks.silence
link leads "An opening leads to a writing" {
  cause  c: opened where c.severity != "low"
  effect e: written
  join   c.jira == e.jira
  within 3d
  necessity sufficient
}
link helps "A writing helps to close" {
  cause  c: written
  effect e: closed
  join   c.jira == e.jira
  within 4d
  match  every
  necessity contributing
}
link closes "An opening is closed" {
  cause  c: opened
  effect e: closed
  join   c.jira == e.jira
  within 6d
  match  nearest
}
silence review "Every opening is written up" {
  after  t: opened
  expect r: written
  join   t.jira == r.jira
  within 3d
  search wiki for "writing {t.jira}"
  fetch  t.jira
}
"""


def played(contract: Contract, questions: tuple[Question, ...], agent: Agent) -> dict[str, Result]:
    """The result of one agent on every question, by the question's id."""
    scorers = {t.id: TrackScorer(t, contract) for t in contract.program.tracks}
    results = {}
    for question in questions:
        tools = Tools(contract, question)
        trace = tools.finish(agent(visible_part(question), tools))
        results[question.id] = scorers[question.track].score(question, trace)
    return results


def assert_constants_fail(contract: Contract, questions: tuple[Question, ...]) -> None:
    for agent in CONSTANT:
        results = played(contract, questions, agent)
        for question in questions:
            if question.pair is not None:
                both = results[question.id], results[question.pair]
                assert not all(r.correct for r in both), (agent.__name__, question.id)
                assert not any(r.outcome == "valid" for r in both)


def compiled(folder: Path) -> api.Compiled:
    opened = api.open_project(folder)
    assert opened.value is not None, opened.diagnostics
    found = api.compile_project(opened.value)
    assert found.value is not None, found.diagnostics
    return found.value


def test_on_the_support_desk_the_careful_agent_has_full_marks() -> None:
    support = compiled(ROOT / "examples" / "support")
    questions = support.drawn.questions
    for question_id, result in played(support.contract, questions, careful).items():
        assert result.outcome == "valid", (question_id, result.because)
        assert result.combined == pytest.approx(1), (question_id, result.because)
        assert result.s_adj == pytest.approx(1)
    assert_constants_fail(support.contract, questions)


@st.composite
def desks(draw_: st.DrawFn) -> tuple[list[Event], list[Artifact]]:
    """A small log over a few tickets, and a corpus in which some pages are written late."""
    make = Making()
    tickets = [f"J-{n}" for n in range(1, draw_(st.integers(2, 5)) + 1)]
    pages = [f"W-{n}" for n in range(1, 4)]
    count = draw_(st.integers(6, 24))
    events = []
    for number in range(count):
        kind = draw_(st.sampled_from(["opened", "opened", "written", "closed"]))
        fields: dict[str, Any] = {"jira": [draw_(st.sampled_from(tickets))]}
        if kind == "written" or draw_(st.integers(0, 3)) == 0:
            fields["wiki"] = [draw_(st.sampled_from(pages))]
        if kind != "closed":
            fields["severity"] = draw_(st.sampled_from(["low", "high"]))
        actors = tuple(sorted(draw_(st.sets(st.sampled_from(["ann", "bob"]), max_size=2))))
        day = draw_(st.integers(0, 14 * 8)) / 8
        events.append(make.event(f"e{number:02}", kind, day, actors=actors, **fields))
    corpus = []
    for name in (*tickets, *pages):
        first = min((e.at for e in events if name in e.artifact_ids), default=make.start)
        day = (first - make.start) / make.day + draw_(st.sampled_from([0, 0, 0, -1, 1, 2]))
        text = f"About {name}."
        where = "jira" if name.startswith("J") else "wiki"
        corpus.append(make.artifact(name, where, day, text))
    return events, corpus


@settings(
    max_examples=25,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),  # a desk is no smaller for shrinking
)
@given(desk=desks(), seed=st.integers(0, 3))
def test_on_small_random_desks(desk: tuple[list[Event], list[Artifact]], seed: int) -> None:
    events, corpus = desk
    contract = Making().contract(RULES, events, corpus)
    drawn = draw(contract, seed=seed, caps={t.id: 8 for t in contract.program.tracks})
    for question_id, result in played(contract, drawn.questions, careful).items():
        assert result.outcome == "valid", (question_id, result.because, result.violations)
    assert_constants_fail(contract, drawn.questions)


@pytest.fixture(scope="module", params=PEERS)
def peer(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    source = SHARED / "data" / "peer" / request.param
    if not source.is_dir():
        pytest.skip(f"the peer domain {request.param} is not at hand: {source} (GROUNDEVAL_SHARED)")
    folder = tmp_path_factory.mktemp(request.param)
    command = [sys.executable, "-m", "groundeval", "import", "config", str(source / "config.yaml")]
    subprocess.run([*command, "-o", str(folder)], check=True, capture_output=True)
    return source, compiled(folder)


def test_on_the_peer_domains_links_and_silences_are_the_expected_ones(peer: Any) -> None:
    source, found = peer
    expected = json.loads((source / "expected.json").read_text())
    edges = found.contract.graph.network.edges(keys=True)
    links = sorted([spec, cause, effect] for cause, effect, spec in edges)
    assert links == sorted(expected["links"])
    silences = sorted(
        [c.spec, c.trigger.id, c.status, c.responses[0].id if c.responses else None]
        for c in found.contract.silences
    )
    assert silences == sorted(expected["silences"])


def test_on_the_peer_domains_the_careful_agent_is_valid(peer: Any) -> None:
    _, found = peer
    for shortfall in found.drawn.shortfalls:
        sys.stdout.write(
            f"{shortfall.track}: {shortfall.drawn} of {shortfall.wanted} {shortfall.stratum}\n"
        )
    questions = found.drawn.questions
    assert {q.track for q in questions} == {"perspective", "counterfactual", "silence"}
    for question_id, result in played(found.contract, questions, careful).items():
        assert result.outcome == "valid", (question_id, result.because, result.violations)
    assert_constants_fail(found.contract, questions)
