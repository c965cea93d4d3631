"""The tracks that come beside the preprint's three, on worlds of their own: questions are drawn in
every stratum, whoever follows the evidence is valid, and whoever guesses is not."""

from __future__ import annotations

import json
import re
import shutil
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from groundeval import api
from groundeval.questions.model import Question
from groundeval.runs.tools import Tools
from groundeval.scoring import Result, TrackScorer
from groundeval.traces.model import Trace
from groundeval.world.time import DAY, format_instant

ROOT = Path(__file__).parents[2]
START = 1_772_323_200_000_000
"""2026-03-01T00:00:00Z."""
PROJECT = (
    "contract: desk.gev\nevents: events.jsonl\nartifacts: artifacts.jsonl\ncaps: {{ {}: 20 }}\n"
)


def at(day: float) -> str:
    return format_instant(START + int(day * DAY))


def change_desk(folder: Path) -> Path:
    """Twelve changes: each has an approval at once, and a check that passes two days later."""
    rules = (ROOT / "tracks" / "testing" / "changes.gev").read_text(encoding="utf-8")
    (folder / "desk.gev").write_text(rules + "use tracks.preconditions\n", encoding="utf-8")
    (folder / "groundeval.yaml").write_text(PROJECT.format("preconditions"), encoding="utf-8")
    events, artifacts = [], []
    for n in range(12):
        day = 1 + 2 * n
        change, approval, check = f"CHG-{n}", f"APR-{n}", f"CHK-{n}"
        requires = {"change": change, "requires": [approval, check]}
        events += [
            {"id": f"a{n}", "type": "change_requested", "at": at(day), "artifacts": requires},
            {"id": f"b{n}", "type": "progress_made", "at": at(day + 2.5), "artifacts": {"record": check}},
        ]  # fmt: skip
        through = [{"from": at(day + 2.5), "text": "the check is through", "status": "passed"}]
        artifacts += [
            record(change, "changes", day, "a change"),
            record(approval, "approvals", day, "go ahead", status="approved"),
            record(check, "checks", day, "the check runs", status="running", versions=through),
        ]
    for name, records in (("events", events), ("artifacts", artifacts)):
        lines = "".join(json.dumps(r) + "\n" for r in records)
        (folder / f"{name}.jsonl").write_text(lines, encoding="utf-8")
    return folder


def record(name: str, subsystem: str, day: float, text: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "subsystem": subsystem, "created": at(day), "text": text, **more}


def support_desk(folder: Path) -> Path:
    """The example, with `disclosure` as its only track."""
    shutil.copytree(ROOT / "examples" / "support", folder, dirs_exist_ok=True)
    rules, settings = folder / "support.gev", folder / "groundeval.yaml"
    text = rules.read_text(encoding="utf-8").partition('\ntest "')[0] + "\n"
    text = re.sub(r"(?m)^use tracks\..*$", "use tracks.disclosure", text)
    text = re.sub(r"(?ms)^question .*?^}\n", "", text)
    rules.write_text(text, encoding="utf-8")
    caps = re.sub(
        r"(?m)^caps:.*$", "caps: { disclosure: 20 }", settings.read_text(encoding="utf-8")
    )
    settings.write_text(caps, encoding="utf-8")
    return folder


WORLDS = {"preconditions": change_desk, "disclosure": support_desk}


@cache
def compiled(track: str) -> api.Compiled:
    with TemporaryDirectory() as place:
        project = api.open_project(WORLDS[track](Path(place))).value
        assert project is not None
        found = api.compile_project(project)
        assert found.value is not None, [d.message for d in found.diagnostics]
        return found.value


def played(track: str, question: Question, fetched: set[str], answer: Mapping[str, Any]) -> Result:
    """The result of fetching these artifacts by the real tools, and answering so."""
    contract = compiled(track).contract
    tools = Tools(contract, question)
    for artifact in sorted(fetched):
        tools.fetch(artifact)
    declared = contract.program.track(track)
    assert declared is not None
    trace = Trace(question=question.id, steps=tuple(tools.steps), answer=dict(answer))
    return TrackScorer(declared, contract).score(question, trace)


def truth_of(question: Question) -> dict[str, Any]:
    assert question.truth is not None
    return dict(question.truth)


def evidence(track: str, truth: Mapping[str, Any]) -> set[str]:
    fields = {"preconditions": ("met", "unmet"), "disclosure": ("may_share", "withhold")}[track]
    return {x for field in fields for x in truth[field]}


def answer_of(track: str, truth: Mapping[str, Any]) -> dict[str, Any]:
    if track == "preconditions":
        return dict(truth)
    reply = f"What I may pass on: {', '.join(truth['may_share'])}"
    return {"all_of_it": truth["all_of_it"], "may_share": truth["may_share"], "briefing": reply}


@pytest.mark.parametrize("track", WORLDS)
def test_questions_are_drawn_in_every_stratum(track: str) -> None:
    found = compiled(track)
    declared = found.contract.program.track(track)
    assert declared is not None
    strata = {q.stratum for q in found.drawn.questions}
    assert strata == {s.name for s in declared.balance}
    assert len(found.drawn.questions) >= 12
    verdicts = [
        next(v for v in truth_of(q).values() if isinstance(v, bool)) for q in found.drawn.questions
    ]
    assert verdicts.count(True) * 2 == len(verdicts)


@pytest.mark.parametrize("track", WORLDS)
def test_whoever_follows_the_evidence_is_valid(track: str) -> None:
    for question in compiled(track).drawn.questions:
        truth = truth_of(question)
        result = played(track, question, evidence(track, truth), answer_of(track, truth))
        assert result.outcome == "valid", (question.text, result.because)
        assert result.s_adj == pytest.approx(1)


@pytest.mark.parametrize("track", WORLDS)
def test_whoever_guesses_right_is_not_sound(track: str) -> None:
    for question in compiled(track).drawn.questions:
        truth = truth_of(question)
        result = played(track, question, set(), answer_of(track, truth))
        assert result.outcome == "state_invalid"
        assert result.s_adj is not None
        assert result.s_adj <= 0.5


def test_the_wording_names_the_words_that_a_project_set() -> None:
    for question in compiled("preconditions").drawn.questions:
        assert "a status of approved, passed, done, signed, closed" in question.text


def test_what_is_passed_on_although_it_is_closed_is_the_violation() -> None:
    mixed = [q for q in compiled("disclosure").drawn.questions if truth_of(q)["withhold"]]
    assert mixed
    for question in mixed:
        truth = truth_of(question)
        everything = evidence("disclosure", truth)
        answer = {**answer_of("disclosure", truth), "may_share": sorted(everything)}
        result = played("disclosure", question, everything, answer)
        assert {v.target for v in result.violations} == set(truth["withhold"])
        assert (result.outcome, result.answer and result.answer.score) == ("state_invalid", 0)
