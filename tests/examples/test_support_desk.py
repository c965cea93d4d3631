"""The bundled example: clean, rich, and true to its own times."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from pathlib import Path

import msgspec
import pytest

from examples.support.record import AGENTS, HERE, TRACES, play, recorded
from groundeval import api
from groundeval.questions.model import Question
from groundeval.scoring.model import Result
from groundeval.testing.runner import run_tests
from groundeval.traces.model import Trace


def test_nothing_is_found_in_it() -> None:
    opened = api.open_project(HERE)
    assert opened.value is not None
    assert api.check_project(opened.value) == ()


def test_it_has_what_it_says(support: api.Compiled) -> None:
    contract = support.contract
    assert len(contract.world.log) == 81
    assert len(contract.world.corpus) == 58
    assert len(contract.world.access.actors) == 6
    assert contract.report.links.keys() == {
        "escalation_leads_to_fix",
        "escalation_leads_to_warning",
        "incident_leads_to_review",
        "warning_helps_credit",
    }
    for counted in contract.report.silences.values():
        assert counted["absent"]
        assert counted["present"]
    assert contract.report.missing_artifacts == ()


@pytest.mark.parametrize("gate", ["actor", "horizon", "privilege", "retention", "subsystem"])
def test_each_gate_decides_somewhere_alone(support: api.Compiled, gate: str) -> None:
    contract = support.contract
    gates = [g.name for g in contract.program.gates]
    assert gate in gates
    alone = [
        (actor.id, artifact.id, at)
        for at in contract.world.log.instants()
        for actor in contract.world.access.actors
        for artifact in contract.world.corpus
        if [name for name, _ in contract.closing(actor.id, artifact.id, at, gates)] == [gate]
    ]
    assert alone


def test_no_text_names_what_comes_later(support: api.Compiled) -> None:
    """Where a text names another artifact, that one is not younger than the text."""
    corpus = support.contract.world.corpus
    named = 0
    for artifact in corpus:
        for version in artifact.versions:
            for word in version.text.replace(",", " ").replace(".", " ").split():
                other = corpus.get(word)
                if other is not None and other is not artifact:
                    named += 1
                    assert other.created is not None
                    assert other.created <= version.start, (artifact.id, word)
    assert named > 10


def test_every_event_names_what_exists(support: api.Compiled) -> None:
    """But for what was deleted later, an event's artifacts are there when it happens."""
    corpus = support.contract.world.corpus
    for event in support.contract.world.log:
        for artifact_id in event.artifact_ids:
            artifact = corpus.get(artifact_id)
            assert artifact is not None
            assert artifact.exists_at(event.at), (event.id, artifact_id)


def results(compiled: api.Compiled) -> list[tuple[Trace, Result]]:
    from groundeval.scoring.scorer import TrackScorer  # noqa: PLC0415

    contract = compiled.contract
    scorers = {t.id: TrackScorer(t, contract) for t in contract.program.tracks}
    questions = {q.id: q for q in compiled.drawn.questions}
    found = []
    for trace in play(compiled, AGENTS):
        question = questions[trace.question]
        found.append((trace, scorers[question.track].score(question, trace)))
    return found


def test_the_recorded_traces_are_what_the_agents_do() -> None:
    assert TRACES.read_bytes() == recorded(), "run `python -m examples.support.record`"


def test_agents_come_out_as_they_are(support: api.Compiled) -> None:
    outcomes: dict[str, Counter[str]] = {}
    for trace, result in results(support):
        outcomes.setdefault(trace.agent, Counter())[result.outcome] += 1
        if trace.agent == "careful":
            assert result.outcome == "valid", result
            assert result.s_adj == pytest.approx(1)
        elif result.outcome == "state_invalid":
            assert result.because, "a point that is lost is explained"
    assert len(outcomes) == len(AGENTS) == 6
    for agent in AGENTS.keys() - {"careful"}:
        assert outcomes[agent]["state_invalid"], f"{agent} is now and then right, by a wrong path"


def edited(tmp_path: Path, file: str, old: str, new: str) -> api.Compiled:
    folder = tmp_path / "desk"
    shutil.copytree(HERE, folder)
    text = (folder / file).read_text()
    assert text.count(old) == 1
    (folder / file).write_text(text.replace(old, new))
    opened = api.open_project(folder)
    assert opened.value is not None
    compiled = api.compile_project(opened.value)
    assert compiled.value is not None, compiled.diagnostics
    return compiled.value


def question_about(compiled: api.Compiled, *about: str) -> Question:
    return next(q for q in compiled.drawn.questions if set(about) <= set(q.about))


def outcome(compiled: api.Compiled, question: Question, agent: str) -> Result:
    """What comes of the recorded trace of an agent on a question, under a contract."""
    lines = map(json.loads, TRACES.read_bytes().splitlines())
    line = next(t for t in lines if (t["question"], t["agent"]) == (question.id, agent))
    from groundeval.scoring.scorer import TrackScorer  # noqa: PLC0415

    track = compiled.contract.program.track(question.track)
    assert track is not None
    return TrackScorer(track, compiled.contract).score(question, msgspec.convert(line, Trace))


def test_a_rule_that_moves_moves_the_verdict(support: api.Compiled, tmp_path: Path) -> None:
    """Dana may not read privileged advice; were leads cleared for it, prying would be no break."""
    question = question_about(support, "dana", "ev-025")
    before = outcome(support, question, "prying")
    assert before.outcome == "state_invalid"
    assert {v.gate for v in before.violations if v.target in question.keys} == {"privilege"}
    cleared = edited(
        tmp_path,
        "support.gev",
        "  hears: [ticket_escalated, review_published]\n",
        '  hears: [ticket_escalated, review_published]\n  clearances: ["privileged"]\n',
    )
    after = outcome(cleared, question, "prying")
    assert not [v for v in after.violations if v.gate == "privilege"]


def test_a_date_that_moves_moves_the_verdict(support: api.Compiled, tmp_path: Path) -> None:
    """The ticket's page as written a month later: whoever opened it broke the horizon."""
    question = question_about(support, "unanswered_ticket ev-024")
    assert outcome(support, question, "careful").outcome == "valid"
    later = edited(
        tmp_path, "artifacts/desk/T-1006.md",
        "created: 2026-03-06T13:15:00Z", "created: 2026-04-06T13:15:00Z",
    )  # fmt: skip
    after = outcome(later, question, "careful")
    assert after.outcome == "state_invalid"
    assert {v.gate for v in after.violations} >= {"horizon"}


def test_its_own_tests_pass(support: api.Compiled) -> None:
    run = run_tests(support.loaded.program)
    assert len(run) == 9
    assert all(case.passed for case in run)
