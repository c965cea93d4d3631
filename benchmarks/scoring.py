"""How long scoring one trace takes: `python -m benchmarks.scoring`.

Prints microseconds of processor time per trace of ten steps, over a generated project and over
cases of a small contract, several of which break gates. First for traces that are timed again and
again, so that their decisions are remembered, the medians over traces: reading, scoring with
compiled and with plain evaluation, adding up, writing. Then for passes over traces that are new,
of known and of unknown questions, and for adding up, with how often each was repeated.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time
from typing import TYPE_CHECKING, Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from benchmarks.desk import Size
from benchmarks.generate import write_project
from benchmarks.passes import Project, Timed, measured
from groundeval.reports.json_files import encode_result
from groundeval.scoring import TrackScorer, summarise
from groundeval.scoring.totals import Totals
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace
from tests.scoring.desk import absent, desk, fetch, knowable, present, search, trace

if TYPE_CHECKING:
    from groundeval.contracts.contract import Contract
    from groundeval.ir.program import Track
    from groundeval.questions.model import Question
    from groundeval.scoring import Result

TARGET = 50.0
"""Microseconds that scoring a trace may take, without reading it."""
EVENTS = 10_000
SAMPLE = 240
"""How many traces of the generated project are measured one by one."""
COLUMNS = ("read", "compiled", "plain", "ratio", f"<= {TARGET:.0f}", "add up", "write")
RUNS = 1000
"""How often a case of the small contract is timed in each of five rounds."""
PADDING = [search(f"anything {i}", "wiki", "W-1") for i in range(7)]


@dataclass(frozen=True, slots=True)
class Scored:
    """A trace with the scorers of its question's track."""

    question: Question
    trace: Trace
    fast: TrackScorer
    plain: TrackScorer


Case = tuple[str, list[Scored]]


def cases() -> list[tuple[str, Question, Trace]]:
    """Named traces of ten steps: valid ones, and ones that break gates."""
    looks = [search("writing T-2", "wiki"), fetch("T-2"), fetch("T-1")]
    opened = [fetch("T-1"), fetch("W-1"), search("ticket T-1", "jira", "T-1")]
    broken = [fetch("V-1", found=False), search("x", "vault"), fetch("W-1")]
    closed = [fetch(i) for i in ("V-1", "W-9", "T-3")]
    many = [*closed, *(search(f"x {i}", "vault", "V-1", "W-9") for i in range(7))]
    known = {"could_actor_have_known": True, "evidence_artifacts": ["T-1", "W-1"]}
    wrong = {"could_actor_have_known": False, "evidence_artifacts": ["V-1", "W-9"]}
    return [
        ("absence, valid", absent(), trace(absent(), *looks, *PADDING, answer={"exists": False})),
        (
            "presence, valid",
            present(),
            trace(present(), *opened, *PADDING, answer={"exists": True}),
        ),
        ("perspective, valid", knowable(), trace(knowable(), *opened, *PADDING, answer=known)),
        ("perspective, broken", knowable(), trace(knowable(), *broken, *PADDING, answer=known)),
        ("perspective, all broken", knowable(), trace(knowable(), *many, answer=wrong)),
    ]


def small() -> Iterator[Case]:
    """The cases, each with its scorers."""
    for name, question, one in cases():
        track = desk().program.track(question.track)
        assert track is not None
        yield name, [_scored(question, one, *_scorers([track], desk()))]


def generated(project: Project) -> Iterator[Case]:
    """Traces over a generated project: all, and those of each manner by itself."""
    by_track = _scorers(project.about.tracks, project.about.contract)
    found = [
        _scored(project.about.questions[one.question], one, *by_track)
        for one in project.made(7, SAMPLE)
    ]
    yield "generated, all", found
    for manner in sorted({s.trace.agent for s in found}):
        yield f"generated, {manner}", [s for s in found if s.trace.agent == manner]


Scorers = dict[str, TrackScorer]


def _scorers(tracks: Sequence[Track], contract: Contract | None) -> tuple[Scorers, Scorers]:
    """By track: the scorer with compiled, and the one with plain evaluation."""
    return (
        {track.id: TrackScorer(track, contract) for track in tracks},
        {track.id: TrackScorer(track, contract, compiled=False) for track in tracks},
    )


def _scored(question: Question, one: Trace, fast: Scorers, plain: Scorers) -> Scored:
    return Scored(question, one, fast[question.track], plain[question.track])


def timed(work: Callable[[], Any], runs: int) -> float:
    """Microseconds per call, the best of five rounds, since the machine is shared."""
    work()
    rounds = []
    for _ in range(5):
        start = process_time()
        for _ in range(runs):
            work()
        rounds.append((process_time() - start) / runs * 1e6)
    return min(rounds)


def figures(one: Scored, runs: int) -> tuple[float, ...]:
    """Reading, compiled, plain, adding up and writing: microseconds each."""
    line = encode_trace(one.trace)
    decoder = msgspec.json.Decoder(Trace)
    result = one.fast.score(one.question, one.trace)
    totals = Totals()
    return (
        timed(lambda: decoder.decode(line), runs),
        timed(lambda: one.fast.score(one.question, one.trace), runs),
        timed(lambda: one.plain.score(one.question, one.trace), max(1, runs // 4)),
        timed(lambda: totals.add(result), runs),
        timed(lambda: encode_result(result), runs),
    )


def row(name: str, measured: Sequence[tuple[float, ...]]) -> str:
    """A line of the table: the medians over some traces."""
    read, compiled, plain, added, written = map(median, zip(*measured, strict=True))
    cells = [f"{x:.1f}" for x in (read, compiled, plain, plain / compiled)]
    cells += ["yes" if compiled <= TARGET else "NO", f"{added:.1f}", f"{written:.1f}"]
    return name.ljust(24) + "".join(cell.rjust(9) for cell in cells)


def again_and_again(project: Project) -> Iterator[str]:
    """The table of traces that were scored before."""
    yield "us, scored before".ljust(24) + "".join(name.rjust(9) for name in COLUMNS)
    (_, everything), *manners = generated(project)
    by_trace = {one.trace: figures(one, 20) for one in everything}
    for name, found in (("generated, all", everything), *manners):
        yield row(name, [by_trace[one.trace] for one in found])
    for name, found in small():
        yield row(name, [figures(one, RUNS) for one in found])


def new_ones(project: Project) -> Iterator[str]:
    """The table of passes: each trace is scored once."""
    names = {
        "trace": "new traces, known questions",
        "nothing": "known traces and questions",
        "question": "new traces, new questions",
    }
    heads = ("compiled", "plain", "ratio", f"<= {TARGET:.0f}", "passes of traces")
    yield "us, each scored once".ljust(42) + "".join(h.rjust(max(9, len(h) + 2)) for h in heads)
    found = measured(project)
    for key, name in names.items():
        yield name.ljust(42) + pass_row(found[key], aimed=key != "question")


def pass_row(found: Timed, *, aimed: bool) -> str:
    met = "" if not aimed else "yes" if found.compiled <= TARGET else "NO"
    cells = [f"{x:.1f}" for x in (found.compiled, found.plain, found.ratio)]
    repeated = f"{found.passes} of {found.traces:,}"
    return "".join(cell.rjust(9) for cell in (*cells, met)) + repeated.rjust(18)


def adding() -> Iterator[str]:
    """The table of adding up, beside the time that plain evaluation takes for the same result."""
    heads = ("us", "plain", "ratio", "each violation", "rounds of calls")
    yield "adding a result up".ljust(42) + "".join(h.rjust(max(9, len(h) + 2)) for h in heads)
    none: float | None = None
    for name, found in small():
        one, totals = found[0], Totals()
        result = one.fast.score(one.question, one.trace)
        spent = timed(lambda r=result, t=totals: t.add(r), RUNS)  # type: ignore[misc]
        plain = timed(lambda o=one: o.plain.score(o.question, o.trace), RUNS // 4)  # type: ignore[misc]
        none = spent if none is None else none
        number = len(result.violations)
        each = f"{max(0.0, spent - none) / number:.1f}" if number else ""
        title = f"{name} ({number} violations)" if number else name
        cells = "".join(f"{x:.1f}".rjust(9) for x in (spent, plain, plain / spent))
        yield title.ljust(42) + cells + each.rjust(16) + f"5 of {RUNS:,}".rjust(17)


def results(found: Sequence[Scored]) -> list[Result]:
    return [one.fast.score(one.question, one.trace) for one in found]


def main() -> None:
    with TemporaryDirectory() as scratch:
        write_project(Path(scratch), Size.of(EVENTS))
        project = Project(Path(scratch))
    for table in (again_and_again(project), new_ones(project), adding()):
        for line in table:
            print(line)
        print()
    (_, everything), *_ = generated(project)
    several = results(everything) * 4
    start = process_time()
    summarise(several)
    print(f"summary of {len(several)} results: {process_time() - start:.2f} s, once")


if __name__ == "__main__":
    main()
