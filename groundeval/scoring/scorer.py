"""Scoring one trace: what a track says about one agent's answer and path."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

import msgspec

from groundeval.scoring import prepared as preparing
from groundeval.scoring.answers import AnswerReader
from groundeval.scoring.blocks import Evaluated, TrackProgram
from groundeval.scoring.examination import Examined, examined
from groundeval.scoring.grounds import Ground, RecordedGround
from groundeval.scoring.host import TraceHost
from groundeval.scoring.model import Outcome, Result, Violation
from groundeval.scoring.needs import needs_of
from groundeval.scoring.observation import lacking, marks_of
from groundeval.scoring.path import Path, walk
from groundeval.scoring.policy import ContractGround, PolicyBase
from groundeval.scoring.prepared import Prepared, Unusable
from groundeval.scoring.reasons import because
from groundeval.scoring.violations import broken_steps, firing_steps, listed

if TYPE_CHECKING:
    from groundeval.contracts.contract import Contract
    from groundeval.functions import Host, Place
    from groundeval.ir.program import Track
    from groundeval.questions.model import Question
    from groundeval.scoring.answers import Answer
    from groundeval.traces.model import Trace

_MOST_QUESTIONS: Final = 4096
"""How many questions a scorer keeps ready; past that it starts afresh."""


class TrackScorer:
    """Scores traces of one track's questions.

    `contract` gives gates and coverage. Without one, and with `recorded_flags`, the breaks that
    the traces carry are taken instead, and results are marked so. `compiled` False evaluates with
    the plain evaluator, which gives the same results.
    """

    def __init__(
        self,
        track: Track,
        contract: Contract | None,
        *,
        recorded_flags: bool = False,
        compiled: bool = True,
    ) -> None:
        self.track = track
        self._recorded = recorded_flags or contract is None
        self._needs = needs_of(track)
        self._types = preparing.truth_types(track)
        self._reader = AnswerReader(track)
        self._program = TrackProgram(track, compiled=compiled)
        self._base = None if contract is None else PolicyBase(track, contract)
        self._host = None if contract is None else cast("Host", contract.host)
        self._prepared: dict[str, Prepared | Unusable] = {}

    def prepare(self, question: Question) -> Prepared | Unusable:
        """The question made ready, or why it cannot be scored; remembered by its id."""
        known = self._prepared.get(question.id)
        if known is None or (isinstance(known, Prepared) and known.question is not question):
            if len(self._prepared) >= _MOST_QUESTIONS:
                self._prepared.clear()
            known = self._prepared[question.id] = self._prepare(question)
        return known

    def score(self, question: Question, trace: Trace) -> Result:
        """The result of one trace of one question of this track.

        Raises ValueError for a question that `prepare` calls unusable; whatever stands in the
        trace is scored.
        """
        prepared = self.prepare(question)
        if isinstance(prepared, Unusable):
            raise ValueError(f"question {question.id} {prepared.reason}")  # noqa: TRY004
        if trace.error is not None:
            reason = f"the agent failed: {trace.error}"
            return _unscored(prepared, trace, "agent_error", reason)
        lack = lacking(trace, self._needs, prepared.ground)
        if lack is not None:
            return _unscored(prepared, trace, "unobserved", lack)
        return self._judge(prepared, trace, *self._read(prepared, trace))

    def examine(self, question: Question, trace: Trace) -> Examined:
        """The result, with the host and the names that expressions about it are evaluated with.

        For tests and explanations; `score` gives the same result in less time. Raises ValueError
        as it does.
        """
        result = self.score(question, trace)
        prepared = cast("Prepared", self.prepare(question))
        answer, path = self._read(prepared, trace)
        host = cast("Host", TraceHost(path, prepared.ground, self._host))
        inputs = self._inputs(prepared, answer, path)
        return examined(self.track, result, host, inputs)

    def _read(self, prepared: Prepared, trace: Trace) -> tuple[Answer, Path]:
        answer = self._reader.read(trace.answer, prepared.choices)
        return answer, walk(trace, self._cited(trace, answer), prepared.ground)

    def _inputs(self, prepared: Prepared, answer: Answer, path: Path) -> tuple[Any, ...]:
        """The values of INPUTS, in their order."""
        return (
            answer.values, answer.raw, prepared.truth, prepared.view,
            path.calls, path.cited, path.retrieved, path.opened,
        )  # fmt: skip

    def _cited(self, trace: Trace, answer: Answer) -> frozenset[str]:
        """What the trace cites: its own list and the answer's artifact fields.

        A track without a truth block restates how somebody else scored records of their own; its
        `cited` is the record's list alone, as the preprint keeps the two apart.
        """
        return answer.cited.union(trace.cited) if self.track.truth else frozenset(trace.cited)

    def _prepare(self, question: Question) -> Prepared | Unusable:
        truth = preparing.decode_truth(question, self._types)
        if isinstance(truth, Unusable):
            return truth
        as_of = preparing.as_of_of(question)
        if isinstance(as_of, Unusable):
            return as_of
        ground = self._ground(question, as_of)
        if isinstance(ground, Unusable):
            return ground
        return Prepared(
            question=question,
            view=preparing.view_of(question, as_of),
            truth=truth,
            places=preparing.places_in(truth, self._types),
            artifacts=preparing.artifacts_in(truth, self._types),
            choices=self._reader.choices(question),
            ground=ground,
        )

    def _ground(self, question: Question, as_of: int | None) -> Ground | Unusable:
        enforced = self.track.enforce
        recorded = RecordedGround(None if enforced is None else frozenset(enforced))
        if self._base is None:
            return recorded
        if as_of is None:
            return recorded if self._recorded else Unusable("has no `as_of`")
        own = recorded if self._recorded else None
        return ContractGround(self._base, question.actor, as_of, own)

    def _judge(self, prepared: Prepared, trace: Trace, answer: Answer, path: Path) -> Result:
        host = TraceHost(path, prepared.ground, self._host)
        rules = cast("Host", host)
        inputs = self._inputs(prepared, answer, path)
        if self._needs.default_violation:
            steps = broken_steps(path)
        else:
            steps = firing_steps(self._program, rules, inputs, path)
        evaluated = self._program.evaluate(rules, inputs, len(steps), answered=not answer.abstained)
        unproven: tuple[Place, ...] = ()
        if host.sought:
            unproven = tuple(p for p in prepared.places if not host.covered(p))
        violations = listed(steps, path, unproven)
        found = _Findings(
            violations,
            because(prepared, answer, evaluated, violations, path),
            marks_of(trace, prepared.ground, recorded=self._recorded, sought=host.sought),
        )
        outcome = _outcome(answer, trace, evaluated)
        return _result(prepared, trace, outcome, evaluated, found)


class _Findings(msgspec.Struct, frozen=True):
    """What stands beside the numbers of a result."""

    violations: tuple[Violation, ...]
    because: tuple[str, ...]
    marks: tuple[str, ...]


def _outcome(answer: Answer, trace: Trace, evaluated: Evaluated) -> Outcome:
    """The first that applies, from `malformed` on (semantics, section 9)."""
    if answer.faults or trace.answer is None:
        return "malformed"
    if answer.abstained:
        return "abstained"
    if evaluated.correct:
        return "valid" if evaluated.sound else "state_invalid"
    return "wrong_sound" if evaluated.sound else "wrong"


def _unscored(prepared: Prepared, trace: Trace, outcome: Outcome, reason: str) -> Result:
    return _result(prepared, trace, outcome, None, _Findings((), (reason,), ()))


def _result(
    prepared: Prepared,
    trace: Trace,
    outcome: Outcome,
    scored: Evaluated | None,
    found: _Findings,
) -> Result:
    """The result's line; without scores where nothing was scored.

    An abstention is never a correct answer, whatever the track makes of its blank fields.
    """
    question = prepared.question
    return Result(
        question=question.id,
        track=question.track,
        agent=trace.agent,
        epoch=trace.epoch,
        answer=None if scored is None else scored.answer.detail,
        trajectory=None if scored is None else scored.trajectory.detail,
        combined=None if scored is None else scored.combined,
        v=None if scored is None else scored.v,
        rate=None if scored is None else scored.rate,
        s_adj=None if scored is None else scored.s_adj,
        outcome=outcome,
        correct=None if scored is None else scored.correct and outcome != "abstained",
        sound=None if scored is None else scored.sound,
        mode=trace.mode,
        gated=trace.gated,
        actor=question.actor,
        role=question.role,
        spec=question.spec,
        stratum=question.stratum,
        difficulty=question.difficulty,
        pair=question.pair,
        marks=found.marks,
        fidelity=trace.fidelity,
        violations=found.violations,
        because=found.because,
        contract=question.contract,
        trace=None if trace.recorder is None else trace.recorder.chain or None,
    )
