"""How long scoring takes over many traces: new ones and known ones, compiled and plain.

A pass scores some traces one after another, each once, as a run does: nothing of a new trace is at
hand in any cache, neither ours nor the machine's.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from time import process_time

from benchmarks.traces import traces
from groundeval import api
from groundeval.scoring.stream import Scorers
from groundeval.traces.model import Trace

MADE = 2_000
"""How many traces a pass has."""
PASSES = 5


@dataclass(frozen=True, slots=True)
class Timed:
    """Microseconds of processor time per trace, the median over passes of `traces` traces.

    The plain evaluator gets a quarter of them where there are many.
    """

    compiled: float
    plain: float
    traces: int
    passes: int

    @property
    def ratio(self) -> float:
        """How many times as fast as the plain evaluator."""
        return self.plain / self.compiled


class Project:
    """A compiled project with traces over its questions."""

    def __init__(self, folder: Path) -> None:
        project = api.open_project(folder).value
        assert project is not None
        compiled = api.compile_project(project).value
        assert compiled is not None
        self.about = api.scoring_of(compiled)
        self.questions = compiled.drawn.questions
        self._corpus = [artifact.id for artifact in compiled.loaded.world.corpus]

    def made(self, seed: int, count: int = MADE) -> list[Trace]:
        """Traces of ten steps, the questions in turn; each seed makes others."""
        return list(traces(self.questions, self._corpus, count, steps=10, seed=seed))

    def scorers(self, *, compiled: bool) -> Scorers:
        """Scorers that know no question yet, with the rules of every track made ready."""
        made = self.bare_scorers(compiled=compiled)
        for track in self.about.tracks:
            made.of(track.id)
        return made

    def bare_scorers(self, *, compiled: bool) -> Scorers:
        """Scorers that have yet to make everything ready."""
        return Scorers(self.about.tracks, self.about.contract, compiled=compiled)

    def spent(self, scorers: Scorers, some: Sequence[Trace]) -> float:
        """Microseconds per trace of one pass."""
        before = process_time()
        for trace in some:
            question = self.about.questions[trace.question]
            scorer = scorers.of(question.track)
            assert scorer is not None
            scorer.score(question, trace)
        return (process_time() - before) / len(some) * 1e6


def measured(project: Project) -> dict[str, Timed]:
    """By what is new about the traces: how long they take.

    `trace` are new traces of questions that were scored before, what scoring a run is like;
    `question` is one trace of each question, by scorers that know none; `nothing` are traces that
    were scored before, so that every decision is remembered. The contract was asked before.
    """
    seen, count = project.made(7), len(project.questions)
    known = {compiled: project.scorers(compiled=compiled) for compiled in (True, False)}
    for scorers in known.values():
        project.spent(scorers, seen)

    def trace(compiled: bool, seed: int) -> float:
        return project.spent(known[compiled], project.made(seed, _size(compiled)))

    def question(compiled: bool, seed: int) -> float:
        return project.spent(project.scorers(compiled=compiled), project.made(seed, count))

    def nothing(compiled: bool, _: int) -> float:
        return project.spent(known[compiled], seen[: _size(compiled)])

    return {
        "trace": _timed(trace, MADE),
        "question": _timed(question, count),
        "nothing": _timed(nothing, MADE),
    }


def _size(compiled: bool) -> int:
    return MADE if compiled else MADE // 4


def _timed(one: Callable[[bool, int], float], traces: int) -> Timed:
    """The medians of the passes, each of which gets a seed of its own: the two take turns."""
    pairs = [(one(True, seed), one(False, seed)) for seed in range(8, 8 + PASSES)]
    compiled, plain = map(median, zip(*pairs, strict=True))
    return Timed(compiled, plain, traces, PASSES)
