"""Runs the tests of a program: each expectation true, or every sub-value that made it false."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from groundeval.contracts.builder import Contract
from groundeval.diagnostics import Diagnostic, Span
from groundeval.engine.evaluator import evaluate
from groundeval.engine.explanation import SubValue, explain
from groundeval.engine.gates import Decision
from groundeval.functions import Host
from groundeval.ir.expressions import Call, Expr, Not
from groundeval.ir.program import Expectation, Program, Test
from groundeval.scoring.model import Result
from groundeval.scoring.prepared import Unusable
from groundeval.scoring.scorer import TrackScorer
from groundeval.semantics.tests import UNGATED
from groundeval.testing.scene import scene
from groundeval.testing.subject import SetUpError, question_of, trace_of


@dataclass(frozen=True, slots=True)
class Failure:
    """One expectation that did not hold, or a test that could not be set up (`parts` is empty).

    `help` says how to mend a set-up.
    """

    span: Span
    message: str
    parts: tuple[SubValue, ...] = ()
    help: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """One test: its name, place, and failures; none means that it passed.

    `because` are the sentences of the trace's result, where a trace was scored.
    """

    name: str
    track: str | None
    span: Span
    failures: tuple[Failure, ...]
    because: tuple[str, ...] = ()

    @property
    def passed(self) -> bool:
        return not self.failures


@dataclass(frozen=True, slots=True)
class _Played:
    """What expectations read, with the host that evaluates them."""

    env: Mapping[str, Any]
    host: Host
    because: tuple[str, ...] = ()


def run_tests(program: Program) -> tuple[Outcome, ...]:
    """The outcome of every test of the program, in the order of their places."""
    return tuple(_outcome(test, program) for test in sorted(program.tests, key=lambda t: t.span))


def _outcome(test: Test, program: Program) -> Outcome:
    set_up = scene(test, program)
    contract = set_up.contract
    if contract is None:
        return _not_set_up(test, *(_contradiction(test, fault) for fault in set_up.faults))
    try:
        played = _played(test, contract)
    except SetUpError as fault:
        return _not_set_up(test, Failure(test.span, str(fault), help=fault.help))
    held = (_held(expectation, played, contract) for expectation in test.expectations)
    failures = tuple(f for found in held for f in found)
    return Outcome(test.name, test.track, test.span, failures, played.because)


def _not_set_up(test: Test, *failures: Failure) -> Outcome:
    return Outcome(test.name, test.track, test.span, failures)


def _contradiction(test: Test, fault: Diagnostic) -> Failure:
    """What is wrong with the world that the test gives, at the `given` that is to blame."""
    lines = {item.span.line: item.span for item in test.given}
    span = lines.get(fault.span.line, test.span)
    return Failure(span, f"the test's world contradicts itself: {fault.message}", help=fault.help)


def _played(test: Test, contract: Contract) -> _Played:
    """What expectations read: nothing but the world's functions where no track is under test."""
    track = contract.program.track(test.track) if test.track is not None else None
    if track is None:
        return _Played({}, contract.host)
    question = question_of(test, track, contract)
    trace = trace_of(test, question, contract)
    scorer = TrackScorer(track, contract, recorded_flags=question.as_of is None)
    unusable = scorer.prepare(question)
    if isinstance(unusable, Unusable):
        raise SetUpError(f"the question {unusable.reason}", "change what `given truth` says")
    examined = scorer.examine(question, trace)
    env = {**examined.env, "violations": _violations(examined.result, contract)}
    return _Played(env, examined.host, examined.result.because)


def _violations(result: Result, contract: Contract) -> dict[str, int]:
    """How many there are of each gate, and of what belongs to none."""
    counts = Counter(v.gate or v.kind for v in result.violations)
    names = {*(g.name for g in contract.program.gates), *UNGATED}
    return {name: counts[name] for name in sorted(names)}


def _held(expectation: Expectation, played: _Played, contract: Contract) -> Iterator[Failure]:
    condition, span = expectation.condition, expectation.span
    decided = _decisions(condition, played, contract)
    if evaluate(condition, played.env, played.host) is not True:
        parts = explain(condition, played.env, played.host)
        why = f": {_closing(decided)}" if decided else ""
        yield Failure(span, f"this does not hold{why}", parts)
    elif expectation.by:
        gate, *rule = expectation.by
        fault = _decided_otherwise(decided[gate], rule, open_=not isinstance(condition, Not))
        if fault:
            yield Failure(span, f"in gate `{gate}`, {fault}")


def _decisions(condition: Expr, played: _Played, contract: Contract) -> dict[str, Decision]:
    """By gate: what it decides on the read that `visible(…)` or `not visible(…)` is about."""
    call = condition.operand if isinstance(condition, Not) else condition
    if not isinstance(call, Call) or call.function not in _READS:
        return {}
    actor, artifact, at = (evaluate(a, played.env, played.host) for a in call.arguments[-3:])
    gates = contract.program.gates
    return {gate.name: contract.gates.read(gate.name, actor, artifact, at) for gate in gates}


_READS: Final = frozenset({"visible/3", "opens/4"})


def _closing(decided: Mapping[str, Decision]) -> str:
    """The gates that close it, and how; or that none does."""
    closed = {g: d for g, d in decided.items() if d.outcome != "permitted"}
    if not closed:
        return "every gate permits it"
    return ", ".join(f"closed by gate `{gate}` ({_words(d)})" for gate, d in closed.items())


def _decided_otherwise(decision: Decision, rule: Sequence[str], *, open_: bool) -> str | None:
    """What the gate says instead of what is expected of it, or which rule decided instead."""
    if (decision.outcome == "permitted") != open_:
        return f"it is otherwise: {_words(decision)}"
    if rule and (decision.rule is None or decision.rule.name != rule[0]):
        return f"`{rule[0]}` did not decide: {_words(decision)}"
    return None


def _words(decision: Decision) -> str:
    missing = f", because `{decision.missing}` is missing" if decision.missing else ""
    if decision.rule is None:
        return "it has no rule for this" if decision.permitted else f"no rule permits it{missing}"
    rule = decision.rule.name or decision.rule.where
    return f"{decision.outcome.replace('_', ' ')} by `{rule}`{missing}"
