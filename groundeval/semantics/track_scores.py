"""What a track makes of a trace: scores, weights, and the verdicts."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import expressions as ex
from groundeval.ir import program as ir
from groundeval.ir.types import BOOL, CALL, NUMBER
from groundeval.semantics.clauses import place, plain
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.elaborate.types import describe, is_error
from groundeval.semantics.elaborate.values import number
from groundeval.semantics.missing import Known, may_be_missing
from groundeval.semantics.scope import Scope
from groundeval.semantics.track_questions import lacks, repeated
from groundeval.semantics.track_scopes import SCORES, with_variables
from groundeval.semantics.track_shares import hold_sum, share
from groundeval.syntax import ast

ScoreName = Literal["answer", "trajectory"]
NAMES: Final[tuple[ScoreName, ...]] = ("answer", "trajectory")
MOST_DECIMALS: Final = 9
"""Rules compare scores after rounding to so many decimals; finer ones would say nothing."""


@dataclass(frozen=True, slots=True)
class Verdicts:
    """`violation when`, `rate A of B`, `correct when`, `sound when`, with their defaults."""

    violation: ex.Expr
    rate: tuple[ex.Expr, ex.Expr]
    correct: ex.Expr
    sound: ex.Expr

    def __iter__(self) -> Iterator[ex.Expr]:
        yield from (self.violation, *self.rate, self.correct, self.sound)


class Scoring:
    """Elaborates the score side of one track in `scope` (see `track_scopes.score_scope`)."""

    def __init__(
        self, el: Elaborator, scope: Scope, definitions: Mapping[str, ex.Expr], span: Span
    ) -> None:
        self._el = el
        self._scope = with_variables(scope, "a score", {"violation_rate": NUMBER})
        self._base = scope
        self._definitions = definitions
        self._span = span

    # --- scores

    def scores(self, trees: Sequence[ast.Score]) -> tuple[ir.Score, ...]:
        """The blocks as written; of each name the plain one comes last."""
        found: list[ir.Score] = []
        closed: set[str] = set()
        for tree in trees:
            name = next((n for n in NAMES if n == tree.name.text), None)
            if name is None:
                self._unknown(tree.name)
            elif name in closed:
                message = f"this block of `{name}` is never used"
                help_ = "put blocks with a `when` first: the one without counts wherever none holds"
                label = "after the one without `when`"
                self._el.report(codes.UNREACHED_SCORE, tree.name.span, message, label, help_)
            else:
                found.append(self._score(name, tree))
                closed |= {name} if tree.when is None else set()
        for name in NAMES:
            if name not in closed:
                self._unscored(name, guarded=any(score.name == name for score in found))
        return tuple(found)

    def _unscored(self, name: ScoreName, *, guarded: bool) -> None:
        """Report that in some case, or in any, nothing says what a score is."""
        message = f"nothing says how `{name}` is scored"
        help_ = f'add a block, as in `score {name} {{ "right" 1 of … }}`'
        if guarded:
            message += " where no `when` holds"
            help_ = f"add a `score {name}` without `when`: it counts where no other does"
        lacks(message, self._span, self._el.findings, help_)

    def _unknown(self, name: ast.Name) -> None:
        help_ = did_you_mean(name.text, NAMES)
        message = f"there is no score `{name.text}`"
        self._el.report(codes.UNKNOWN_SCORE, name.span, message, "unknown score", help_)

    def _score(self, name: ScoreName, tree: ast.Score) -> ir.Score:
        el, scope = self._el, self._scope
        when = None if tree.when is None else el.condition(tree.when, scope)
        required = [i for i in tree.items if isinstance(i, ast.Require)]
        requires = tuple(el.condition(r.condition, scope) for r in required)
        known = Known(self._definitions)
        for held in (*requires, *(() if when is None else (when,))):
            known = known.where(held)
        parts = [i for i in tree.items if isinstance(i, ast.Component)]
        components = self._components(tree, parts, known)
        return ir.Score(name, when, requires, components, tree.span, self._rounding(tree))

    def _rounding(self, tree: ast.Score) -> int | None:
        """How many decimals the block's score is rounded to."""
        found = [i for i in tree.items if isinstance(i, ast.Rounding)]
        for again in found[1:]:
            message = f"`round` stands twice in `score {tree.name.text}`"
            help_ = f"the first is at {place(found[0].span)}"
            self._el.report(codes.REPEATED_TRACK_CLAUSE, again.span, message, "the second", help_)
        if not found:
            return None
        decimals = found[0].decimals
        before = len(self._el.findings.all)
        value = self._el.constant(decimals, self._scope, NUMBER)
        if isinstance(value, int) and 0 <= value <= MOST_DECIMALS:
            return value
        if len(self._el.findings.all) == before:
            message = f"`round` takes a whole number from 0 to {MOST_DECIMALS}"
            help_ = "as in `round 4`: four decimals"
            self._el.report(codes.BAD_ROUNDING, decimals.span, message, "decimals", help_)
        return None

    def _components(
        self, tree: ast.Score, trees: Sequence[ast.Component], known: Known
    ) -> tuple[ir.Component, ...]:
        findings = self._el.findings
        weights = [share(c.weight, findings) for c in trees]
        hold_sum("weights", weights, tree.name.span, findings)
        if not trees:
            message = f"`score {tree.name.text}` says nothing that earns points"
            help_ = 'as in `"verdict" 1 of answer.exists == truth.exists`'
            lacks(message, tree.span, findings, help_)
        found: dict[str, ir.Component] = {}
        for component, weight in zip(trees, weights, strict=True):
            name = plain(component.name, findings)
            if name in found:
                repeated("component", ast.Name(component.name.span, name), findings)
                continue
            value = self._component(component, name, known)
            found[name] = ir.Component(name, float(weight or 0), value, component.span)
        return tuple(found.values())

    def _component(self, tree: ast.Component, name: str, known: Known) -> ex.Expr:
        if tree.value is None:
            return ex.Const(tree.span, NUMBER, 1)
        found = self._el.expr(tree.value, self._scope)
        shape = found.type
        if is_error(shape) or shape.name == "missing":
            return found
        measured = found if shape.name == "bool" and not shape.many else number(found)
        if measured is None:
            message = f"a component is a number, or true or false, not {describe(shape)}"
            self._el.report(codes.TYPE_MISMATCH, found.span, message, describe(shape))
            return self._el.bad(found.span)
        if may_be_missing(measured, known):
            message = f"the component `{name}` has no value in some case, and then counts 0"
            help_ = "say what the empty case is worth: `… ?? 0` or `… ?? 1`"
            self._el.report(codes.MAY_BE_MISSING, tree.value.span, message, "may be missing", help_)
        return measured

    # --- weights and verdicts

    def weights(self, tree: ast.Weights | None) -> tuple[tuple[str, float], ...]:
        """The share of each score in the combined one."""
        findings = self._el.findings
        if tree is None:
            help_ = "as in `weights answer 0.5, trajectory 0.5`"
            lacks("nothing says how much each score weighs", self._span, findings, help_)
            return ()
        shares = [share(w.weight, findings) for w in tree.weights]
        hold_sum("weights", shares, tree.span, findings)
        found: dict[str, float] = {}
        for weight, part in zip(tree.weights, shares, strict=True):
            if weight.score.text not in NAMES:
                self._unknown(weight.score)
            elif weight.score.text in found:
                repeated("weight of", weight.score, findings)
            else:
                found[weight.score.text] = float(part or 0)
        for name in NAMES:
            if name not in found and all(w.score.text in NAMES for w in tree.weights):
                help_ = f"a score that is not to count has the weight 0: `{name} 0`"
                lacks(f"`weights` leaves out `{name}`", tree.span, findings, help_)
        return tuple((name, found[name]) for name in NAMES if name in found)

    def verdicts(self, trees: Mapping[str, ast.Verdict | None], rate: ast.Rate | None) -> Verdicts:
        """What is said, and the default where nothing is."""
        el = self._el
        last = with_variables(self._scope, "a verdict", {"scores": SCORES})
        step = with_variables(self._base, "`violation when`", {"step": CALL})
        correct, sound, violation = (trees.get(k) for k in ("correct", "sound", "violation"))
        if correct is None:
            help_ = "as in `correct when answer.exists == truth.exists`"
            lacks("nothing says when an answer is correct", self._span, el.findings, help_)
        return Verdicts(
            violation=el.condition(violation.condition, step)
            if violation is not None
            else ex.Call(self._span, BOOL, "breaks/1", (ex.Var(self._span, CALL, "step"),)),
            rate=self._rate(rate),
            correct=el.bad(self._span)
            if correct is None
            else el.condition(correct.condition, last),
            sound=self._unbroken() if sound is None else el.condition(sound.condition, last),
        )

    def _unbroken(self) -> ex.Expr:
        span = self._span
        rate = ex.Var(span, NUMBER, "violation_rate")
        return ex.Equal(span, BOOL, rate, ex.Const(span, NUMBER, 0), negated=False, join=False)

    def _rate(self, tree: ast.Rate | None) -> tuple[ex.Expr, ex.Expr]:
        scope = with_variables(self._base, "`rate`", {"broken": NUMBER})
        if tree is None:
            broken = ex.Var(self._span, NUMBER, "broken")
            one = ex.Const(self._span, NUMBER, 1)
            return broken, ex.Arithmetic(self._span, NUMBER, "+", broken, one)
        return self._counted(tree.numerator, scope), self._counted(tree.denominator, scope)

    def _counted(self, node: ast.Expr, scope: Scope) -> ex.Expr:
        found = self._el.expr(node, scope, NUMBER)
        if is_error(found.type):
            return found
        counted = number(found) if found.type.name != "bool" else None
        if counted is not None:
            return counted
        message = f"`rate` takes two numbers, not {describe(found.type)}"
        self._el.report(codes.TYPE_MISMATCH, found.span, message, describe(found.type))
        return self._el.bad(found.span)
