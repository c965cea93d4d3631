"""The question that a test is about, and the trace that answers it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
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


class SetUpError(Exception):
    """A test cannot be played: the message says why, `help` how to mend it."""

    def __init__(self, message: str, help: str = "") -> None:  # noqa: A002 - the field's name
        super().__init__(message)
        self.help = help


def question_of(test: Test, track: Track, contract: Contract) -> Question:
    """The one question of `track` that fits what the test gives.

    `given truth` replaces fields of the truth; a track that asks nothing has its truth from there
    alone. Raises SetUpError where no question fits, or several do.
    """
    stated = _given(test, "truth")
    if track.ask is None:
        return Question(id="test", track=track.id, truth=_stated_truth(track, stated))
    env = _the_one(track, track.ask, _given(test, "question"), contract)
    truth: dict[str, Any] = {}
    for name, expr in track.truth:
        value = stated[name] if name in stated else evaluate(expr, env, contract.host)
        truth[name] = encode(value, expr.type)
    ids = [identity(env[b.variable]) for b in track.ask.binders]
    return Question(
        id=question_id(track.id, ids, env["as_of"]),
        track=track.id,
        actor=env["actor"],
        as_of=format_instant(env["as_of"]),
        truth=truth,
    )


_SHOWN = 4
"""How many questions a message names."""


def _the_one(
    track: Track, ask: Ask, asked: Mapping[str, Any], contract: Contract
) -> dict[str, Any]:
    """What the track's binders are bound to; raises SetUpError where that is not clear."""
    fitting = list(islice(_bindings(ask, asked, contract), _SHOWN + 1))
    if len(fitting) == 1:
        return fitting[0]
    if fitting:
        several = "several" if len(fitting) > _SHOWN else str(len(fitting))
        message = f"{several} questions of `{track.id}` fit the test: {_listed(fitting)}"
        raise SetUpError(message, f"pick one, as in `given question {{ {_spelled(fitting[0])} }}`")
    there = list(islice(_bindings(ask, {}, contract), _SHOWN + 1))
    if there:
        raise SetUpError(
            f"no question of `{track.id}` fits `given question`",
            f"there are questions with: {_listed(there)}",
        )
    raise SetUpError(
        f"nothing that is given can be asked about by `{track.id}`",
        "give the events that it asks about, and the artifacts that they name",
    )


def _listed(bindings: Sequence[Mapping[str, Any]]) -> str:
    spelled = [f"`{_spelled(env)}`" for env in bindings[:_SHOWN]]
    return ", ".join([*spelled, "…"] if len(bindings) > _SHOWN else spelled)


def _spelled(env: Mapping[str, Any]) -> str:
    """What a test writes into `given question` to mean this one."""
    parts = [f"about: {_spelled_about(env['about'])}"] if env["about"] is not None else []
    if env["actor"] is not None:
        parts.append(f"actor: {_word(env['actor'])}")
    return "  ".join([*parts, f"as_of: {format_instant(env['as_of'])}"])


def _spelled_about(about: Any) -> str:
    match about:
        case CausalPair(cause=cause, effect=effect):
            return f"[{_word(cause.id)}, {_word(effect.id)}]"
        case SilenceCase(trigger=trigger):
            return _word(trigger.id)
    return _word(identity(about))


def _word(text: str) -> str:
    """A name as rules write it, in backticks where it is no plain word."""
    return text if text.isidentifier() else f"`{text}`"


def trace_of(test: Test, question: Question, contract: Contract) -> Trace:
    """The trace that the test gives; a step that says nothing of its results is played for real.

    Raises SetUpError for one that no recorder could have written.
    """
    given = _given(test, "trace")
    tools = Tools(contract, question, gated=given.get("gated", True)) if question.as_of else None
    steps = tuple(_step(n, raw, tools) for n, raw in enumerate(given.get("steps", ()), start=1))
    said = {key: value for key, value in given.items() if key != "steps"}
    try:
        trace = msgspec.convert({"agent": "test", **said, "question": question.id}, Trace)
    except msgspec.ValidationError as fault:
        raise SetUpError(f"the trace is none: {_plain(fault)}") from fault
    return msgspec.structs.replace(trace, steps=steps)


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
    try:
        return msgspec.convert({**raw, "n": number}, Step)
    except msgspec.ValidationError as fault:
        help_ = "leave `results` and `breaks` out, and the step is played on the test's world"
        raise SetUpError(f"step {number} of the trace is none: {_plain(fault)}", help_) from fault


def _plain(fault: Exception) -> str:
    """A library's message as ours are worded."""
    text = str(fault).rstrip(".")
    return text[:1].lower() + text[1:]


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
