"""Tests inside contracts: what is given, and what is expected of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.functions import FUNCTIONS
from groundeval.functions.registry import Where
from groundeval.ir import program as ir
from groundeval.ir.expressions import Call, Const
from groundeval.ir.types import ARTIFACT, BOOL, NUMBER, OUTCOME, Type
from groundeval.ir.walk import nodes
from groundeval.semantics.clauses import plain
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.givens import CONTRACT, Givens, given_artifacts
from groundeval.semantics.scope import Scope
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.semantics.track_questions import truth_type
from groundeval.semantics.track_scopes import SCORES, score_scope, with_variables
from groundeval.syntax import ast

UNGATED: Final = ("ungrounded", "unproven", "use", "attempt")
"""Violations that belong to no gate: a citation never opened, a place that no step covered, and
citations and calls that a track's own `violation when` is about."""

_RESULTS: Final[Mapping[str, Type]] = {
    "violation_rate": NUMBER,
    "scores": SCORES,
    "outcome": OUTCOME,
    "v": NUMBER,
    "s_adj": NUMBER,
    "combined": NUMBER,
    "correct": BOOL,
    "sound": BOOL,
}


@dataclass(frozen=True, slots=True)
class OtherContract:
    """The contract that `given contract` names."""

    program: ir.Program
    symbols: Symbols


LoadContract = Callable[[str, Span], OtherContract | None]
"""From a path as written, and its place, to that contract; None after a finding."""


def test(
    tree: ast.Test, elaborator: Elaborator, tracks: Mapping[str, ir.Track], load: LoadContract
) -> ir.Test:
    """The test, its names looked up in the contract that it is about. `tracks` are by id."""
    findings = elaborator.findings
    givens = [s for s in tree.statements if isinstance(s, ast.Given)]
    other = _other(givens, elaborator, load)
    el = elaborator if other is None else Elaborator(other.symbols, findings)
    known = {**tracks, **({t.id: t for t in other.program.tracks} if other else {})}
    track = _track(tree, known, elaborator)
    el = _with_given_actors(el, givens)
    given = Givens(el, track).all(g for g in givens if g.kind.text != CONTRACT)
    expected = [s for s in tree.statements if isinstance(s, ast.Expect)]
    if not expected:
        message = "the test expects nothing"
        findings.add(codes.NO_EXPECTATION, message, tree.name.span, "", "add `expect …`")
    scope = _scope(el.symbols, track)
    unknown_track = tree.track is not None and track is None
    return ir.Test(
        name=plain(tree.name, findings),
        track=tree.track,
        given=given,
        expectations=() if unknown_track else _expectations(expected, scope, given, el),
        program=other.program if other is not None else None,
        span=tree.span,
    )


def report_repeated(
    trees: Iterable[ast.Test], tests: Iterable[ir.Test], findings: Findings
) -> None:
    """A warning for each test whose name another one of its file has: a report tells neither."""
    first: dict[tuple[str, str], Span] = {}
    for tree, built in zip(trees, tests, strict=True):
        known = first.setdefault((built.span.file, built.name), tree.name.span)
        if known != tree.name.span:
            message = f"the test in line {known.line} has the same name"
            help_ = "say what tells them apart"
            findings.add(codes.REPEATED_TEST, message, tree.name.span, "the second", help_)


def _other(givens: Iterable[ast.Given], el: Elaborator, load: LoadContract) -> OtherContract | None:
    contracts = [g for g in givens if g.kind.text == CONTRACT]
    for again in contracts[1:]:
        message = "a test is about one contract"
        el.report(codes.REPEATED_GIVEN, again.kind.span, message, "the second")
    if not contracts:
        return None
    path = contracts[0].path
    if path is None:
        message = "the contract has no path"
        help_ = 'as in `given contract "./desk.gev"`'
        el.report(codes.BAD_GIVEN, contracts[0].kind.span, message, "", help_)
        return None
    return load(plain(path, el.findings), path.span)


def _track(tree: ast.Test, known: Mapping[str, ir.Track], el: Elaborator) -> ir.Track | None:
    if tree.track is None:
        return None
    found = known.get(tree.track)
    if found is None:
        message = f"no track `{tree.track}` is in use"
        help_ = did_you_mean(tree.track, known) or f"add `use tracks.{tree.track}`"
        el.report(codes.TEST_TRACK, tree.track_span or tree.name.span, message, "", help_)
    return found


def _with_given_actors(el: Elaborator, givens: Iterable[ast.Given]) -> Elaborator:
    """An elaborator that knows the actors and attributes that the test brings along."""
    added = [g for g in givens if g.kind.text == "actor" and g.name is not None]
    if not added:
        return el
    names = {g.name.text: g.name.span for g in added if g.name is not None}
    keys = {e.key.text for g in added if g.record is not None for e in g.record.entries}
    symbols = replace(
        el.symbols,
        actors={**el.symbols.actors, **names},
        actor_attributes=el.symbols.actor_attributes | keys,
    )
    knowing = Elaborator(symbols, el.findings)
    knowing.used_lets = el.used_lets
    return knowing


def _scope(symbols: Symbols, track: ir.Track | None) -> Scope:
    """What an expectation reads: without a track, only what gates and the graph say."""
    if track is None:
        gates_only: frozenset[Where] = frozenset({"anywhere", "truth"})
        return Scope(functions=gates_only, place="a test that is for no track")
    answer = Type("record", fields=tuple((f.name, f.type) for f in track.answer if not f.ignored))
    truth = truth_type(track.truth)
    if track.truth_reads:
        truth = Type("record", fields=track.truth_reads)
    definitions = {d.name: d.value.type for d in track.definitions}
    everything: frozenset[Where] = frozenset({"anywhere", "truth", "score"})
    scope = replace(score_scope(Scope(), answer, truth), functions=everything)
    counts = tuple((name, NUMBER) for name in (*symbols.gates, *UNGATED))
    violations = Type("record", fields=counts)
    own = {n: t for n, t in definitions.items() if n not in _RESULTS}
    return with_variables(scope, "a test", {**own, **_RESULTS, "violations": violations})


def _expectations(
    trees: Iterable[ast.Expect], scope: Scope, given: Iterable[ir.GivenItem], el: Elaborator
) -> tuple[ir.Expectation, ...]:
    found = tuple(_expectation(tree, scope, el) for tree in trees)
    known = given_artifacts(given)
    for node in (n for e in found for n in nodes(e.condition)):
        if known and isinstance(node, Call):
            _hold_given(node, known, el)
    return found


def _hold_given(call: Call, known: frozenset[str], el: Elaborator) -> None:
    """Report an artifact that is asked about and not given: nobody could ever read it."""
    parameters = FUNCTIONS[call.function].parameters
    for parameter, value in zip(parameters, call.arguments, strict=True):
        match value:
            case Const(span=span, value=str(name)) if parameter.type == ARTIFACT:
                if name not in known:
                    message = f"the test is given no artifact `{name}`"
                    help_ = did_you_mean(name, known) or f"add `given artifact {name} {{ … }}`"
                    el.report(codes.NOT_GIVEN, span, message, "not given", help_)
            case _:
                pass


def _expectation(tree: ast.Expect, scope: Scope, el: Elaborator) -> ir.Expectation:
    condition = el.expectation(tree.condition, scope)
    by = tuple(name.text for name in tree.by)
    if tree.by:
        _hold_by(tree, el)
    return ir.Expectation(condition, by, tree.span)


def _hold_by(tree: ast.Expect, el: Elaborator) -> None:
    """`by GATE` or `by GATE.RULE`, of an expectation that something is visible or not."""
    gate, *rule = tree.by
    asked = tree.condition.operand if isinstance(tree.condition, ast.Not) else tree.condition
    match asked:
        case ast.Call(_, ast.Variable(_, "visible" | "opens"), _):
            pass
        case _:
            message = "`by` says which gate decided whether something is visible"
            help_ = "write it behind `visible(…)` or `not visible(…)`"
            el.report(codes.MISPLACED_BY, gate.span, message, "nothing to decide", help_)
            return
    rules = el.symbols.gate_rules.get(gate.text, frozenset())
    if gate.text not in el.symbols.gates:
        message = f"there is no gate `{gate.text}`"
        help_ = did_you_mean(gate.text, el.symbols.gates)
        el.report(codes.UNKNOWN_GATE, gate.span, message, "not declared", help_)
    elif len(rule) > 1 or (rule and rule[0].text not in rules):
        message = f"the gate `{gate.text}` has no rule `{'.'.join(n.text for n in rule)}`"
        help_ = did_you_mean(rule[0].text, rules) or "a rule is named by its text"
        el.report(codes.UNKNOWN_RULE, rule[0].span, message, "unknown rule", help_)
