"""The benchmark of a run's tools: what it asks for, and how its figures are set side by side."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.desk import Size
from benchmarks.generate import write_project
from benchmarks.runtime import FULL, _compared
from benchmarks.runtime_worker import WORDS, calls_of, in_process
from groundeval import OpenContract
from groundeval.questions.model import Question


def test_a_question_is_searched_and_fetched_for_by_its_keys() -> None:
    calls = calls_of(Question(id="q", track="t", keys=("T-7", "I-7")))
    assert [tool for tool, _, _ in calls] == ["search"] * len(WORDS) + ["fetch"] * len(WORDS)
    assert calls[0] == ("search", "answer T-7", "chat")
    assert [what for tool, what, _ in calls if tool == "fetch"] == ["T-7", "I-7"] * 2


def test_the_other_engine_stands_beside_in_every_row() -> None:
    own = {
        "search": 200.0,
        "fetch": 1_000.0,
        "http": 50.0,
        "ready": 0.5,
        "index": 3.0,
        "before": 9.0,
    }
    other = {**own, "search": 100.0}
    table = list(_compared("7 artifacts", own, other))
    assert [row.figure for row in table[:3]] == ["200 a second", "1,000 a second", "50 a second"]
    assert table[0].against == "2.00x sqlite's 100"
    assert table[3].figure == "0.50 s, 3 MiB beside 9 MiB of contract"
    assert [artifacts for _, artifacts in FULL] == [1_000, 100_000]


@pytest.mark.parametrize("engine", ["index", "sqlite"])
def test_both_engines_answer_on_a_generated_desk(engine: str, tmp_path: Path) -> None:
    write_project(tmp_path, Size.of(2_500))
    with OpenContract(tmp_path, backend=engine) as held:
        asked = held.compiled.drawn.questions[:4]
        rates = in_process(held.compiled.contract, asked, held.searcher)
    assert set(rates) == {"search", "fetch"}
    assert all(rate > 0 for rate in rates.values())
