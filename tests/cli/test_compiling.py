"""`groundeval compile`: what it tells of a track that falls short."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from groundeval.cli import compiling
from groundeval.questions.causes import Cause
from groundeval.reports.documents import CompileReport, LookedAt, ShortStratum
from tests.cli.running import cli


def report(**more: object) -> CompileReport:
    nothing: dict[str, object] = {
        "links": {}, "silences": {}, "questions": {"t": {}}, "shortfalls": [], "looked": {},
        "missing_artifacts": [], "incomplete_events": [], "unplaced": {}, "unshown": 0,
        "too_many_ways": 0, "hashes": {}, "events": 1, "artifacts": 0, "skipped": 0,
    }  # fmt: skip
    return CompileReport(**{**nothing, **more})  # type: ignore[arg-type]


def test_every_cause_has_its_words() -> None:
    for cause in get_args(Cause):
        looked = {"t": LookedAt(9, {cause: 4})}
        *_, line = compiling._summary(report(looked=looked))
        assert line.startswith("    looked at for t: 9; left out: 4 ")
        assert cause not in line


def test_a_shortfall_says_what_became_of_the_candidates() -> None:
    short = [ShortStratum("t", "yes", 5, 1, 3, 2), ShortStratum("t", "", 5, 1, 1, 0)]
    lines = list(compiling._summary(report(shortfalls=short, looked={"t": LookedAt(4, {})})))
    unmatched = "(2 without a partner of the other answer)"
    assert lines[-3:] == [
        f"  short of t `yes`: 1 of 5 could be drawn, of 3 candidates {unmatched}",
        "  short of t: 1 of 5 could be drawn, of 1 candidate",
        "    looked at for t: 4; left out: none",
    ]


def test_the_causes_stand_in_the_report_and_on_the_screen(desk: Path) -> None:
    project = desk / "groundeval.yaml"
    project.write_text(project.read_text().replace("silence: 4", "silence: 400"))
    done = cli("compile", desk, "-o", desk / "out")
    assert done.code == 0
    assert "  short of silence `absent`: " in done.err
    assert "    looked at for silence: " in done.err
    document = cli("compile", desk, "-o", desk / "out", "--json").document
    looked = document["looked"]["silence"]
    candidates = sum(s["candidates"] for s in document["shortfalls"])
    assert looked["looked_at"] == candidates + sum(looked["left_out"].values())
