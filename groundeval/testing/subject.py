"""The question that a test is about, and the trace that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from groundeval.contracts.builder import Contract
from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.engine.evaluator import evaluate
from groundeval.ir.expressions import Var
from groundeval.ir.program import Ask, Test, Track
from groundeval.questions.api import collections
from groundeval.questions.candidates import identity
from groundeval.questions.model import Question
from groundeval.questions.values import encode
from groundeval.questions.wording import question_id
from groundeval.runs.tools import Tools
from groundeval.testing.scene import instant
from groundeval.traces.model import Step, Trace
from groundeval.world.time import format_instant


class NoSubjectError(Exception):
    """The test does not say which question it is about; the message says how to."""


def question_of(test: Test, track: Track, contract: Contract) -> Question:
    """The one question of `track` that fits what the test gives.

    `given truth` replaces fields of the truth; a track that asks nothing has its truth from there
    alone. Raises NoSubjectError where no question fits, or several do.
    """
    asked = _given(test, "question")
    stated = _given(test, "truth")
    if track.ask is None:
        return Question(id="test", track=track.id, truth=_stated_truth(track, stated))
    fitting = list(_bindings(track.ask, asked, contract))
    if len(fitting) != 1:
        count = "no question fits" if not fitting else f"{len(fitting)} questions fit"
        raise NoSubjectError(f"{count} the test: say `given question {{ about: … as_of: … }}`")
    env = fitting[0]
    truth: dict[str, Any] = {}
    for name, expr in track.truth:
        value = stated[name] if name in stated else evaluate(expr, env, contract.host)
        truth[name] = encode(value, expr.type)
    return Question(
        id=question_id(
            track.id, [identity(env[b.variable]) for b in track.ask.binders], env["as_of"]
        ),
        track=track.id,
        actor=env["actor"],
        as_of=format_instant(env["as_of"]),
        truth=truth,
    )


def trace_of(test: Test, question: Question, contract: Contract) -> Trace:
    """The trace that the test gives; a step that says nothing of its results is played for real."""
    given = _given(test, "trace")
    tools = Tools(contract, question, gated=given.get("gated", True)) if question.as_of else None
    steps = tuple(_step(n, raw, tools) for n, raw in enumerate(given.get("steps", ()), start=1))
    answer = given.get("answer")
    return Trace(
        question=question.id,
        agent="test",
        mode=given.get("mode", "tool"),
        gated=given.get("gated", True),
        steps=steps,
        answer=dict(answer) if isinstance(answer, Mapping) else None,
        cited=tuple(given.get("cited", ())),
        error=given.get("error"),
    )


def _step(number: int, raw: Mapping[str, Any], tools: Tools | None) -> Step:
    played = None
    if tools is not None and "results" not in raw and "breaks" not in raw:
        if raw.get("tool") == "search":
            tools.search(raw.get("query", ""), raw.get("subsystem"), raw.get("limit"))
            played = tools.steps[-1]
        elif raw.get("tool") == "fetch":
            tools.fetch(raw.get("artifact", ""))
            played = tools.steps[-1]
    if played is not None:
        return msgspec.structs.replace(played, n=number)
    return msgspec.convert({**raw, "n": number}, Step)


def _bindings(ask: Ask, asked: Mapping[str, Any], contract: Contract) -> Iterable[dict[str, Any]]:
    """Every way to bind the track's binders that fits what is asked."""
    env = collections(contract)
    for bound in _below(ask, 0, env, asked, contract):
        about = None if ask.about is None else evaluate(ask.about, bound, contract.host)
        actor = None if ask.actor is None else evaluate(ask.actor, bound, contract.host)
        as_of = None if ask.as_of is None else evaluate(ask.as_of, bound, contract.host)
        if as_of is None or not _fits(asked, about, actor, as_of):
            continue
        if ask.where is not None and evaluate(ask.where, bound, contract.host) is not True:
            continue
        yield {**bound, "about": about, "actor": actor, "as_of": as_of}


def _below(
    ask: Ask, depth: int, env: dict[str, Any], asked: Mapping[str, Any], contract: Contract
) -> Iterable[dict[str, Any]]:
    if depth == len(ask.binders):
        yield env
        return
    binder = ask.binders[depth]
    at = instant(asked["as_of"]) if "as_of" in asked else None
    if at is not None and isinstance(ask.as_of, Var) and ask.as_of.name == binder.variable:
        items: Iterable[Any] = (at,)
    else:
        items = evaluate(binder.collection, env, contract.host) or ()
    for item in items:
        yield from _below(ask, depth + 1, {**env, binder.variable: item}, asked, contract)


def _fits(asked: Mapping[str, Any], about: Any, actor: str | None, as_of: int) -> bool:
    if "actor" in asked and asked["actor"] != actor:
        return False
    if "as_of" in asked and instant(asked["as_of"]) != as_of:
        return False
    if "about" not in asked:
        return not isinstance(about, CausalPair) or about.verified
    wanted = asked["about"]
    names = _names(about)
    return wanted in names if isinstance(wanted, str) else tuple(wanted) in names


def _names(about: Any) -> set[Any]:
    """What a test may call the thing that a question is about."""
    match about:
        case CausalPair(cause=cause, effect=effect):
            return {about.id, (cause.id, effect.id)}
        case SilenceCase(trigger=trigger):
            return {about.id, trigger.id}
    return {identity(about)} if about is not None else set()


def _stated_truth(track: Track, stated: Mapping[str, Any]) -> dict[str, Any]:
    types = dict(track.truth_reads)
    return {name: encode(stated.get(name), shape) for name, shape in types.items()}


def _given(test: Test, kind: str) -> Mapping[str, Any]:
    for item in test.given:
        if item.kind == kind and isinstance(item.values, Mapping):
            return item.values
    return {}
