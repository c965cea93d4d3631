from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from benchmarks import worker
from benchmarks.desk import PER_CASE, Size, artifact_lines, event_lines, expected
from benchmarks.generate import write_project
from benchmarks.traces import traces, write_traces
from groundeval import api
from groundeval.scoring.model import Result

if TYPE_CHECKING:
    from collections.abc import Mapping

SIZE = Size.of(1_000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("generated")
    write_project(made, SIZE, cap=16)
    return made


def compiled(folder: Path) -> api.Compiled:
    project = api.open_project(folder)
    assert project.value is not None, project.diagnostics
    found = api.compile_project(project.value)
    assert found.value is not None, found.diagnostics
    assert not found.diagnostics
    return found.value


def counts(found: api.Compiled) -> Mapping[str, object]:
    report = api.compile_report(found)
    return {
        "events": report.events,
        "artifacts": report.artifacts,
        "links": report.links,
        "silences": report.silences,
    }


def known(size: Size) -> Mapping[str, object]:
    sure = expected(size)
    return {
        "events": sure.events,
        "artifacts": sure.artifacts,
        "links": sure.links,
        "silences": sure.silences,
    }


def test_the_seed_alone_decides() -> None:
    assert list(event_lines(SIZE, 7)) == list(event_lines(SIZE, 7))
    assert list(artifact_lines(SIZE, 7)) == list(artifact_lines(SIZE, 7))
    assert list(event_lines(SIZE, 7)) != list(event_lines(SIZE, 8))
    assert list(artifact_lines(SIZE, 7)) != list(artifact_lines(SIZE, 8))


def test_the_log_is_in_the_order_of_time_and_complete() -> None:
    events = [json.loads(line) for line in event_lines(SIZE, 7)]
    assert len(events) == SIZE.events == len({e["id"] for e in events})
    times = [e["timestamp"] for e in events]
    assert times == sorted(times)


def test_each_artifact_is_named_by_events_none_of_them_earlier() -> None:
    created = {a["id"]: a["timestamp"] for a in map(json.loads, artifact_lines(SIZE, 7))}
    assert len(created) == SIZE.artifacts
    named: Counter[str] = Counter()
    for event in map(json.loads, event_lines(SIZE, 7)):
        for artifact in event["artifact_ids"].values():
            assert created[artifact] <= event["timestamp"]
            named[artifact] += 1
    assert named.keys() == created.keys()
    assert min(named.values()) >= 2


@pytest.mark.parametrize(("events", "artifacts"), [(PER_CASE - 1, None), (100, 11)])
def test_a_size_that_holds_no_case_is_refused(events: int, artifacts: int | None) -> None:
    with pytest.raises(ValueError, match="at least"):
        Size.of(events, artifacts)


def test_compiling_counts_what_the_cases_say(folder: Path) -> None:
    found = compiled(folder)
    assert counts(found) == known(SIZE)
    assert {t: sum(n.values()) for t, n in found.drawn.counts.items()} == {
        "counterfactual": 16,
        "perspective": 16,
        "silence": 16,
    }


def test_traces_are_the_seed_s_and_of_every_outcome(folder: Path) -> None:
    found = compiled(folder)
    corpus = [artifact.id for artifact in found.loaded.world.corpus]
    made = list(traces(found.drawn.questions, corpus, 96, steps=10, seed=7))
    again = list(traces(found.drawn.questions, corpus, 96, steps=10, seed=7))
    assert [t.answer for t in made] == [t.answer for t in again]
    assert [[s.artifact for s in t.steps] for t in made] == [
        [s.artifact for s in t.steps] for t in again
    ]
    assert write_traces(folder, 96, seed=7) == 96
    results = list(api.score_files(api.scoring_of(found), [folder / "traces.jsonl"]))
    outcomes = Counter(r.outcome for r in results if isinstance(r, Result))
    assert outcomes.total() == 96
    assert {"valid", "state_invalid", "wrong"} <= outcomes.keys()


def test_the_scan_finds_the_same_absences(folder: Path) -> None:
    silences = expected(SIZE).silences.values()
    assert worker.absences(folder)["absences"] == sum(found["absent"] for found in silences)


@pytest.mark.soak
def test_a_million_events_compile_and_count_right(tmp_path: Path) -> None:
    size = Size.of(1_000_000)
    write_project(tmp_path, size)
    found = compiled(tmp_path)
    assert counts(found) == known(size)
    assert not found.drawn.shortfalls
