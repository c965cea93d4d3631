"""The preprint's record against the paper tracks: `make parity` prints how far they lie apart.

The record is read from `cases/paper` below the folder that `GROUNDEVAL_SHARED` names.
"""

from __future__ import annotations

import gzip
import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from groundeval.questions.model import Question
from groundeval.scoring import Result, TrackScorer
from groundeval.traces.model import Step, Trace
from tests.scoring.desk import SHARED, paper_program

CASES = SHARED / "cases" / "paper"
TRACES = 3222
TOLERANCE = 0.00006
"""The record has four decimals, each within half a unit of what they are cut from."""


@dataclass(frozen=True, slots=True)
class Compared:
    """One trace: the largest difference of its three scores, and whether the verdicts agree."""

    name: str
    distance: float
    same_verdict: bool

    @property
    def same(self) -> bool:
        return self.distance <= TOLERANCE and self.same_verdict


def compared(*, compiled: bool) -> Iterator[Compared]:
    """Every trace of the record, scored and held against what was recorded for it."""
    questions = {r["id"]: question_of(r) for r in lines("questions")}
    by_track = scorers(compiled=compiled)
    for record, expected in zip(lines("traces"), lines("expected"), strict=True):
        question = questions[record["question"]]
        result = by_track[question.track].score(question, trace_of(record))
        *scores, correct = values(result)
        recorded = (expected["answer"], expected["trajectory"], expected["combined"])
        distance = max(abs(a - b) for a, b in zip(scores, recorded, strict=True))
        name = f"{record['question']} {record['agent']}"
        yield Compared(name, distance, correct == expected["correct"])


def scorers(*, compiled: bool) -> dict[str, TrackScorer]:
    return {
        track.id: TrackScorer(track, None, recorded_flags=True, compiled=compiled)
        for track in paper_program().tracks
    }


def lines(name: str) -> list[dict[str, Any]]:
    with gzip.open(CASES / f"{name}.jsonl.gz", "rt", encoding="utf-8") as stream:
        return [json.loads(line) for line in stream]


def question_of(record: dict[str, Any]) -> Question:
    return Question(id=record["id"], track=record["track"], truth=record["truth"])


def trace_of(record: dict[str, Any]) -> Trace:
    steps = tuple(
        Step(
            n=s["n"],
            tool=s["tool"],
            query=s.get("query"),
            artifact=s.get("artifact"),
            results=tuple(s["results"]),
            breaks=tuple(s["breaks"]),
        )
        for s in record["steps"]
    )
    return Trace(
        question=record["question"],
        agent=record["agent"],
        steps=steps,
        answer=record["answer"],
        cited=tuple(record["cited"]),
    )


def values(result: Result) -> tuple[float, float, float, bool]:
    assert result.answer is not None
    assert result.trajectory is not None
    assert result.combined is not None
    assert result.correct is not None
    return result.answer.score, result.trajectory.score, result.combined, result.correct


def main() -> int:
    """0 when nothing differs, 1 when something does, 2 when there is no record to compare with."""
    if not CASES.is_dir():
        wanted = "set GROUNDEVAL_SHARED to the folder that holds cases/paper"
        sys.stderr.write(f"there is no {CASES}: {wanted}\n")
        return 2
    different = 0
    for way, compiled in (("compiled", True), ("plain", False)):
        found = list(compared(compiled=compiled))
        wrong = [c for c in found if not c.same]
        different += len(wrong)
        most = max(c.distance for c in found)
        counts = f"{len(found)} traces, {len(wrong)} different"
        sys.stdout.write(f"{counts}, largest difference {most:.6f} ({way} evaluator)\n")
        for each in wrong[:5]:
            sys.stdout.write(f"  {each.name}: {each.distance:.6f}\n")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
