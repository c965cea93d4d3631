"""The benchmark of scoring: what its passes score, and how its figures are set side by side."""

from __future__ import annotations

import pytest

from benchmarks import passes
from benchmarks.desk import Size
from benchmarks.generate import write_project
from benchmarks.passes import Project, Timed
from benchmarks.scoring import pass_row


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    folder = tmp_path_factory.mktemp("desk")
    write_project(folder, Size.of(2_500))
    return Project(folder)


def test_a_pass_goes_through_the_questions_with_new_traces(project: Project) -> None:
    some, others = project.made(1, 7), project.made(2, 7)
    assert [trace.question for trace in some] == [q.id for q in project.questions[:7]]
    assert all(len(trace.steps) == 10 for trace in some)
    assert [trace.steps for trace in some] != [trace.steps for trace in others]


def test_every_pass_is_measured_against_the_plain_evaluator(
    project: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(passes, "MADE", 40)
    monkeypatch.setattr(passes, "PASSES", 1)
    found = passes.measured(project)
    assert set(found) == {"trace", "question", "nothing"}
    assert all(timed.compiled > 0 and timed.plain > 0 for timed in found.values())
    assert found["question"].traces == len(project.questions)
    assert found["trace"].traces == 40


def test_a_row_says_the_ratio_the_target_and_how_often() -> None:
    assert pass_row(Timed(40.0, 100.0, 2_000, 5), aimed=True).split() == [
        "40.0", "100.0", "2.5", "yes", "5", "of", "2,000",
    ]  # fmt: skip
    assert "NO" in pass_row(Timed(50.1, 100.0, 2_000, 5), aimed=True)
    assert "NO" not in pass_row(Timed(50.1, 100.0, 120, 5), aimed=False)
