"""Scoring many traces: each result in the order of its trace, or a finding in its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.scoring.parallel import score_in_processes
from groundeval.scoring.prepared import Unusable
from groundeval.scoring.scorer import TrackScorer
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from groundeval.contracts.contract import Contract
    from groundeval.diagnostics import Code
    from groundeval.ir.program import Track
    from groundeval.questions.model import Question
    from groundeval.scoring.model import Result
    from groundeval.traces.model import Trace

Attempt = tuple[str, str, int, str, bool]
"""Question, agent, epoch, mode, gated: what no two traces may have in common."""


class Scorers:
    """One scorer for each track, made when a question first needs it."""

    def __init__(
        self,
        tracks: Iterable[Track],
        contract: Contract | None,
        *,
        recorded_flags: bool = False,
        compiled: bool = True,
    ) -> None:
        self._tracks = {track.id: track for track in tracks}
        self._contract = contract
        self._recorded_flags = recorded_flags
        self._compiled = compiled
        self._scorers: dict[str, TrackScorer] = {}

    def of(self, track_id: str) -> TrackScorer | None:
        """The scorer of a track; None where there is no such track."""
        known = self._scorers.get(track_id)
        if known is None and track_id in self._tracks:
            known = self._scorers[track_id] = TrackScorer(
                self._tracks[track_id],
                self._contract,
                recorded_flags=self._recorded_flags,
                compiled=self._compiled,
            )
        return known


def score_traces(
    traces: Iterable[Trace | Diagnostic],
    questions: Mapping[str, Question],
    scorers: Scorers,
    *,
    source: str = "traces",
    workers: int = 1,
) -> Iterator[Result | Diagnostic]:
    """The result of every trace, in their order, whatever the number of `workers`.

    Findings among `traces` are handed on. In place of a result stands a finding where a trace is
    about no known question, or a question cannot be scored (said once), or the same agent has
    attempted the same question in the same epoch, mode and gating before. Findings point at the
    trace by its number in `source`, from 1.
    """
    checked = _checked(traces, questions, scorers, source)
    if workers > 1:
        yield from score_in_processes(checked, _scoring(questions, scorers), workers)
        return
    score = _scoring(questions, scorers)
    for item in checked:
        yield item if isinstance(item, Diagnostic) else score(item)


def _scoring(questions: Mapping[str, Question], scorers: Scorers) -> _Score:
    return _Score(questions, scorers)


class _Score:
    """Scores traces whose question is known to be usable."""

    def __init__(self, questions: Mapping[str, Question], scorers: Scorers) -> None:
        self._questions = questions
        self._scorers = scorers

    def __call__(self, trace: Trace) -> Result:
        question = self._questions[trace.question]
        scorer = self._scorers.of(question.track)
        assert scorer is not None
        return scorer.score(question, trace)


def _checked(
    traces: Iterable[Trace | Diagnostic],
    questions: Mapping[str, Question],
    scorers: Scorers,
    source: str,
) -> Iterator[Trace | Diagnostic]:
    seen: set[Attempt] = set()
    complained: set[str] = set()
    for number, item in enumerate(traces, start=1):
        if isinstance(item, Diagnostic):
            yield item
            continue
        fault = _fault(item, questions, scorers)
        if fault is not None:
            if item.question not in complained:
                complained.add(item.question)
                yield _finding(fault, source, number)
            continue
        attempt = (item.question, item.agent, item.epoch, item.mode, item.gated)
        if attempt in seen:
            yield _finding(_duplicate(item), source, number)
            continue
        seen.add(attempt)
        yield item


_Fault = tuple["Code", str, str]


def _fault(trace: Trace, questions: Mapping[str, Question], scorers: Scorers) -> _Fault | None:
    """Why a trace cannot be scored: code, message, help."""
    question = questions.get(trace.question)
    if question is None:
        message = f"no question is called {shown(trace.question)}"
        return codes.UNKNOWN_QUESTION, message, "score it with the questions that it was made for"
    scorer = scorers.of(question.track)
    name = f"question {shown(question.id)}"
    if scorer is None:
        message = f"{name} is of track {shown(question.track)}, which is not in use"
        return codes.UNSCORABLE_QUESTION, message, "bring the track in with `use`"
    prepared = scorer.prepare(question)
    if isinstance(prepared, Unusable):
        help_ = "`truth` needs a value for each field of its track's truth block"
        return codes.UNSCORABLE_QUESTION, f"{name} {prepared.reason}", help_
    return None


def _duplicate(trace: Trace) -> _Fault:
    message = (
        f"agent {shown(trace.agent)} has attempted question {shown(trace.question)} "
        f"in epoch {trace.epoch} before"
    )
    return codes.DUPLICATE_ATTEMPT, message, "number repeated attempts with `epoch`"


def _finding(fault: _Fault, source: str, number: int) -> Diagnostic:
    code, message, help_ = fault
    return Diagnostic(code, message, Span.at(source, number), help=help_)
