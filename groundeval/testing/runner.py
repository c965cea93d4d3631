"""Runs the tests of a program: each expectation true, or every sub-value that made it false."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from groundeval.contracts.builder import Contract
from groundeval.diagnostics import Span
from groundeval.engine.evaluator import evaluate
from groundeval.engine.explanation import SubValue, explain
from groundeval.engine.gates import Decision
from groundeval.functions import Host
from groundeval.ir.expressions import Call, Expr, Not
from groundeval.ir.program import Expectation, Program, Test
from groundeval.scoring.scorer import TrackScorer
from groundeval.testing.scene import scene
from groundeval.testing.subject import NoSubjectError, question_of, trace_of


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that did not hold, or a test that could not be set up (`parts` is empty)."""

    span: Span
    message: str
    parts: tuple[SubValue, ...] = ()


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: its name, place, and failures; none means that it passed."""

    name: str
    track: str | None
    span: Span
    failures: tuple[Failure, ...]

    @property
    def passed(self) -> bool:
        return not self.failures


def run_tests(program: Program) -> tuple[Outcome, ...]:
    """The outcome of every test of the program, in the order of their places."""
    ordered = sorted(program.tests, key=lambda t: t.span)
    return tuple(Outcome(t.name, t.track, t.span, tuple(_failures(t, program))) for t in ordered)


def _failures(test: Test, program: Program) -> Iterator[Failure]:
    set_up = scene(test, program)
    if set_up.contract is None:
        for fault in set_up.faults:
            yield Failure(test.span, f"the test's world contradicts itself: {fault.message}")
        return
    contract = set_up.contract
    try:
        host, env = _results(test, contract)
    except NoSubjectError as fault:
        yield Failure(test.span, str(fault))
        return
    for expectation in test.expectations:
        yield from _held(expectation, env, host, contract)


def _results(test: Test, contract: Contract) -> tuple[Host, dict[str, Any]]:
    """What expectations read: nothing but the world's functions where no track is under test."""
    track = contract.program.track(test.track) if test.track is not None else None
    if track is None:
        return contract.host, {}
    question = question_of(test, track, contract)
    trace = trace_of(test, question, contract)
    scorer = TrackScorer(track, contract, recorded_flags=question.as_of is None)
    examined = scorer.examine(question, trace)
    result = examined.result
    counts = Counter(v.gate or v.kind for v in result.violations)
    names = {*(g.name for g in contract.program.gates), "ungrounded", "unproven"}
    env: dict[str, Any] = {
        **examined.env,
        "outcome": result.outcome,
        "correct": result.correct,
        "sound": result.sound,
        "v": result.v,
        "violation_rate": result.v,
        "s_adj": result.s_adj,
        "combined": result.combined,
        "scores": {
            "answer": result.answer.score if result.answer else None,
            "trajectory": result.trajectory.score if result.trajectory else None,
            "combined": result.combined,
        },
        "violations": {name: counts[name] for name in names},
    }
    return examined.host, env


def _held(
    expectation: Expectation, env: Mapping[str, Any], host: Host, contract: Contract
) -> Iterator[Failure]:
    rounded = {k: _rounded(v) for k, v in env.items()}
    if evaluate(expectation.condition, rounded, host) is not True:
        parts = explain(expectation.condition, rounded, host)
        yield Failure(expectation.span, "the expectation does not hold", parts)
    elif expectation.by and (fault := _decided_otherwise(expectation, env, host, contract)):
        yield Failure(expectation.span, fault)


def _decided_otherwise(
    expectation: Expectation, env: Mapping[str, Any], host: Host, contract: Contract
) -> str | None:
    """What decided instead of the gate (and rule) that `by` names; None where that one did."""
    call = _read_call(expectation.condition)
    if call is None:
        return None
    actor, artifact, at = (evaluate(a, env, host) for a in call.arguments[-3:])
    gate, *rule = expectation.by
    decision = contract.gates.read(gate, actor, artifact, at)
    wants_open = not isinstance(expectation.condition, Not)
    if (decision.outcome == "permitted") != wants_open:
        return f"gate `{gate}` says otherwise: {_words(decision)}"
    if rule and (decision.rule is None or decision.rule.name != rule[0]):
        return f"another rule decided in gate `{gate}`: {_words(decision)}"
    return None


def _read_call(condition: Expr) -> Call | None:
    inner = condition.operand if isinstance(condition, Not) else condition
    return inner if isinstance(inner, Call) and len(inner.arguments) >= 3 else None


def _words(decision: Decision) -> str:
    rule = "no rule" if decision.rule is None else f"`{decision.rule.name or decision.rule.where}`"
    missing = f", because `{decision.missing}` is missing" if decision.missing else ""
    return f"{decision.outcome.replace('_', ' ')} by {rule}{missing}"


def _rounded(value: Any) -> Any:
    """Scores compare after rounding to nine digits, as everywhere."""
    if isinstance(value, float):
        return round(value, 9)
    return {k: _rounded(v) for k, v in value.items()} if isinstance(value, dict) else value
