"""Tracks: from the clauses of one to its IR."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import TypeVar

from groundeval.diagnostics import codes
from groundeval.functions import FUNCTION_NAMES
from groundeval.ir import program as ir
from groundeval.ir.expressions import Call, Const, Expr, Text
from groundeval.ir.types import Type
from groundeval.ir.walk import nodes
from groundeval.semantics.clauses import place, plain
from groundeval.semantics.elaborate import ERROR, Elaborator
from groundeval.semantics.elaborate.reads import TruthReads
from groundeval.semantics.scope import Scope
from groundeval.semantics.symbols import Findings
from groundeval.semantics.track_lets import Defined, definitions
from groundeval.semantics.track_params import TrackParams, constants, report_unused
from groundeval.semantics.track_questions import (
    Asked,
    answer_fields,
    asked,
    enforced,
    lacks,
    repeated,
    strata,
    truth_fields,
    truth_type,
)
from groundeval.semantics.track_scopes import COLLECTIONS, SCORED, score_scope
from groundeval.semantics.track_scores import Scoring, Verdicts
from groundeval.semantics.wordings import wording_scope
from groundeval.syntax import ast

N = TypeVar("N", bound=ast.Node)

_TAKEN = frozenset(
    {*SCORED, *COLLECTIONS, "answer", "truth", "about", "actor", "as_of"}
    | {"step", "broken", "violation_rate", "scores"}
)
"""Names that a let of a track cannot take: scores and truths read something else by them."""


def track(tree: ast.Track, track_id: str, elaborator: Elaborator, params: TrackParams) -> ir.Track:
    """The track, with every default filled in; `params` are what the project sets.

    It may be faulty where an error has been reported.
    """
    return _Track(tree, _Clauses(tree, elaborator.findings), elaborator).build(track_id, params)


@dataclass(frozen=True, slots=True)
class _Clauses:
    """The clauses of a track, by kind."""

    tree: ast.Track
    findings: Findings

    def all(self, kind: type[N]) -> tuple[N, ...]:
        return tuple(c for c in self.tree.clauses if isinstance(c, kind))

    def one(self, kind: type[N], written: str, keyword: str | None = None) -> N | None:
        """The one clause of that kind; a second one is a finding."""
        found = [c for c in self.all(kind) if keyword in {None, getattr(c, "keyword", None)}]
        for again in found[1:]:
            self.findings.add(
                codes.REPEATED_TRACK_CLAUSE,
                f"`{written}` stands twice in one track",
                again.span,
                "the second",
                f"the first is at {place(found[0].span)}",
            )
        return found[0] if found else None


@dataclass(frozen=True, slots=True)
class _Scored:
    """The score side of a track."""

    defined: Defined
    scores: tuple[ir.Score, ...]
    weights: tuple[tuple[str, float], ...]
    verdicts: Verdicts

    @property
    def expressions(self) -> tuple[Expr, ...]:
        inside = (
            e
            for s in self.scores
            for e in (s.when, *s.requires, *(c.value for c in s.components))
            if e is not None
        )
        return (*inside, *self.verdicts)


@dataclass(frozen=True, slots=True)
class _Track:
    tree: ast.Track
    clauses: _Clauses
    el: Elaborator

    def build(self, track_id: str, params: TrackParams) -> ir.Track:
        tree, el, clauses = self.tree, self.el, self.clauses
        enforce = enforced(clauses.one(ast.Enforce, "enforce"), el)
        base = self._base(params)
        answer = self._answer(base)
        question = self._question(base)
        truth = self._truth(question)
        balance = clauses.one(ast.Balance, "balance")
        answer_type = _answer_type(answer) if clauses.all(ast.Answer) else ERROR
        reads = () if question is not None else self._reads(base, answer_type)
        record = Type("record", fields=reads)
        if question is not None:
            record = truth_type(truth) if clauses.all(ast.Truth) else ERROR
        scored = self._scored(el, score_scope(base, answer_type, record))
        kept = scored.defined.read_by(scored.expressions)
        asked_scope = question.scope if question is not None else None
        because = clauses.one(ast.Because, "because")
        found = ir.Track(
            id=track_id,
            title=plain(tree.title, el.findings) or tree.name.text,
            doc=tree.doc,
            ask=question.ask if question is not None else None,
            enforce=enforce,
            answer=answer,
            truth=truth,
            truth_reads=reads,
            balance=strata(balance, asked_scope, record, el, tree.span) if asked_scope else (),
            wordings=self._wordings(question, base),
            definitions=kept,
            scores=scored.scores,
            weights=scored.weights,
            violation=scored.verdicts.violation,
            rate=scored.verdicts.rate,
            correct=scored.verdicts.correct,
            sound=scored.verdicts.sound,
            because=plain(because.text, el.findings) if because is not None else None,
            span=tree.span,
        )
        self._hold_balance(balance, question)
        self._hold_gates(enforce, (*scored.expressions, *(d.value for d in kept)))
        self._report_unused(base.lets, scored.defined, kept)
        return found

    def _base(self, params: TrackParams) -> Scope:
        """The params and lets that every expression of the track may use."""
        written = self.clauses.all(ast.Param)
        values = constants(written, params, self.tree, self.el)
        report_unused(written, self.tree, self.el.findings)
        lets: dict[str, ast.Let] = {}
        for let in self.clauses.all(ast.Let):
            name = let.name.text
            if name in lets or name in values:
                repeated("let", let.name, self.el.findings)
            elif name in _TAKEN or name in FUNCTION_NAMES:
                meaning = (
                    "a function" if name in FUNCTION_NAMES else "something else that tracks read"
                )
                message = f"a let cannot be called `{name}`: that is {meaning}"
                self.el.report(codes.RESERVED_NAME, let.name.span, message, "taken")
            else:
                lets[name] = let
        return Scope(lets=lets, constants=values, place="a track")

    def _answer(self, base: Scope) -> tuple[ir.AnswerField, ...]:
        block = self.clauses.one(ast.Answer, "answer")
        if block is None:
            help_ = "list the fields of an answer, as in `answer { exists: bool }`"
            message = "nothing says what an answer looks like"
            lacks(message, self.tree.name.span, self.el.findings, help_)
        return answer_fields(block.fields if block is not None else (), base, self.el)

    def _question(self, base: Scope) -> Asked | None:
        ask = self.clauses.one(ast.Ask, "ask for")
        return asked(ask, base, self.el) if ask is not None else None

    def _truth(self, question: Asked | None) -> tuple[tuple[str, Expr], ...]:
        block = self.clauses.one(ast.Truth, "truth")
        if question is not None and block is not None:
            return truth_fields(block.fields, question.scope, self.el)
        if question is not None:
            help_ = "add what is so, as in `truth { exists = s.recorded_by(t) }`"
            message = "the track asks, but no `truth` says what the right answer is"
            lacks(message, self.tree.name.span, self.el.findings, help_)
        elif block is not None:
            help_ = "without `ask for`, questions come from outside and bring their truth along"
            message = "there is a `truth` but no `ask for`"
            lacks(message, block.span, self.el.findings, help_)
        return ()

    def _reads(self, base: Scope, answer: Type) -> tuple[tuple[str, Type], ...]:
        """What scores read of a truth from outside; a second pass knows what the first saw."""
        reads = TruthReads()
        for _ in range(2):
            trial = self.el.trial(reads)
            self._scored(trial, score_scope(base, answer, Type("record")))
        return reads.types

    def _scored(self, el: Elaborator, scope: Scope) -> _Scored:
        clauses = self.clauses if el is self.el else _Clauses(self.tree, el.findings)
        defined = definitions(el, scope)
        inner = replace(scope, definitions=defined.types)
        values = {d.name: d.value for d in defined.definitions}
        scoring = Scoring(el, inner, values, self.tree.name.span)
        return _Scored(
            defined,
            scoring.scores(clauses.all(ast.Score)),
            scoring.weights(clauses.one(ast.Weights, "weights")),
            scoring.verdicts(
                {
                    keyword: clauses.one(ast.Verdict, f"{keyword} when", keyword)
                    for keyword in ("violation", "correct", "sound")
                },
                clauses.one(ast.Rate, "rate"),
            ),
        )

    def _wordings(self, question: Asked | None, base: Scope) -> tuple[Text, ...]:
        """The track's own texts, which may name its params too."""
        scope = wording_scope(question.ask if question is not None else None)
        scope = replace(scope, constants=base.constants)
        return tuple(self.el.text(w.text, scope) for w in self.clauses.all(ast.Wording))

    def _hold_balance(self, balance: ast.Balance | None, question: Asked | None) -> None:
        if balance is not None and question is None:
            help_ = "`balance` shares out the questions that `ask for` draws: leave it out"
            message = "there is a `balance` but no `ask for`"
            lacks(message, balance.span, self.el.findings, help_)

    def _hold_gates(self, enforced: tuple[str, ...] | None, read: Iterable[Expr]) -> None:
        """Report `breaks(x, "gate")` of a gate that is not enforced: nothing ever breaks it."""
        if enforced is None:
            return
        for node in (n for e in read for n in nodes(e)):
            match node:
                case Call(function="breaks/2", arguments=(_, Const(span=span, value=gate))):
                    if gate not in enforced and gate in self.el.symbols.gates:
                        message = f"this track does not enforce `{gate}`, so nothing breaks it"
                        help_ = f"add `{gate}` to `enforce`"
                        self.el.report(codes.UNENFORCED_GATE, span, message, "never broken", help_)
                case _:
                    pass

    def _report_unused(
        self, lets: Mapping[str, ast.Let], defined: Defined, kept: tuple[ir.Definition, ...]
    ) -> None:
        """A warning for each let that nothing reads, unless its name is at fault already."""
        for definition in kept:
            self.el.used_lets |= defined.used[definition.name]
        for let in lets.values():
            if let.span not in self.el.used_lets:
                message = f"the let `{let.name.text}` is never used"
                self.el.report(codes.UNUSED_LET, let.name.span, message, "never used")


def _answer_type(fields: tuple[ir.AnswerField, ...]) -> Type:
    """What scores see of an answer: nothing that is `ignored`."""
    return Type("record", fields=tuple((f.name, f.type) for f in fields if not f.ignored))
