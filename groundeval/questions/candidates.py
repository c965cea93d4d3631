"""Candidates for questions: what a track's `ask for` ranges over, drawn and never enumerated.

The binder that the question is about is walked first, in the order of BLAKE2b(seed, track, id);
within each of its items the other binders are walked likewise, each taking the ids before it into
its digest. So one event more adds candidates and moves none.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from groundeval.engine.evaluator import evaluate
from groundeval.ir.expressions import Expr, Var
from groundeval.ir.program import Ask, Binder, Stratum, Track
from groundeval.questions.sources import Source
from groundeval.world.canonical import blake
from groundeval.world.time import format_instant

PER_BINDER = 12
"""How many items of an inner binder are tried for one outer item."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One way to bind a track's binders, with its truth; `truth` is None only for no truth block.

    `ids` are the bound values' ids in the binders' order. `verdict` is the truth's first bool
    field (None: it has none): the two questions of a matched pair differ in it.
    """

    ids: tuple[str, ...]
    about: Any
    actor: str | None
    as_of: int
    truth: dict[str, Any]
    stratum: str
    verdict: bool | None


class Walk:
    """The candidates of one track, drawn from one source of collections."""

    def __init__(self, track: Track, source: Source, seed: int) -> None:
        self._track = track
        self._source = source
        self._seed = seed

    def outer(self) -> Iterator[tuple[Candidate, ...]]:
        """For each item of the outer binder, in digest order, its candidates; empty ones too."""
        ask = self._track.ask
        if ask is None:
            return
        ordered = self._walking_order(ask)
        for item, ident in self._items(ordered[0], dict(self._source.collections), ()):
            env = {**self._source.collections, ordered[0].variable: item}
            yield tuple(self._below(ask, ordered[1:], env, (ident,)))

    def _walking_order(self, ask: Ask) -> tuple[Binder, ...]:
        """What the question is about first; the others keep their order, as they may depend."""
        about = ask.about
        if isinstance(about, Var):
            first = [b for b in ask.binders if b.variable == about.name]
            if first and not _reads(first[0].collection, {b.variable for b in ask.binders}):
                return (*first, *(b for b in ask.binders if b is not first[0]))
        return ask.binders

    def _below(
        self, ask: Ask, binders: Sequence[Binder], env: dict[str, Any], ids: tuple[str, ...]
    ) -> Iterator[Candidate]:
        if not binders:
            found = self._candidate(ask, env)
            if found is not None:
                yield found
            return
        for item, ident in islice(self._items(binders[0], env, ids), PER_BINDER):
            inner = {**env, binders[0].variable: item}
            yield from self._below(ask, binders[1:], inner, (*ids, ident))

    def _items(
        self, binder: Binder, env: dict[str, Any], ids: tuple[str, ...]
    ) -> list[tuple[Any, str]]:
        items = evaluate(binder.collection, env, self._source.host) or ()
        named = [(item, identity(item)) for item in items]
        return sorted(named, key=lambda n: blake(self._seed, self._track.id, *ids, n[1]))

    def _candidate(self, ask: Ask, env: dict[str, Any]) -> Candidate | None:
        if ask.where is not None and self._value(ask.where, env) is not True:
            return None
        about, actor = self._value(ask.about, env), self._value(ask.actor, env)
        as_of = self._value(ask.as_of, env)
        if as_of is None or not self._source.askable(about, actor, as_of):
            return None
        env = {**env, "about": about, "actor": actor, "as_of": as_of}
        truth = {name: self._value(expr, env) for name, expr in self._track.truth}
        stratum = self._stratum({**env, "truth": truth})
        if stratum is None or not self._source.provable(about, truth):
            return None
        ids = tuple(identity(env[b.variable]) for b in ask.binders)
        return Candidate(ids, about, actor, as_of, truth, stratum.name, self._verdict(truth))

    def _value(self, expr: Expr | None, env: dict[str, Any]) -> Any:
        return None if expr is None else evaluate(expr, env, self._source.host)

    def _stratum(self, env: dict[str, Any]) -> Stratum | None:
        for stratum in self._track.balance:
            if self._value(stratum.condition, env) is True:
                return stratum
        return None

    def _verdict(self, truth: dict[str, Any]) -> bool | None:
        for name, expr in self._track.truth:
            if expr.type.name == "bool":
                value = truth[name]
                return value if isinstance(value, bool) else None
        return None


def identity(value: Any) -> str:
    """The id of a bound value: an instant in ISO 8601, a text or id as it is, an object's `id`."""
    if isinstance(value, int):
        return format_instant(value)
    return value if isinstance(value, str) else str(value.id)


def _reads(expr: Expr, names: set[str]) -> bool:
    """Whether an expression reads one of `names`."""
    if isinstance(expr, Var):
        return expr.name in names
    children = (getattr(expr, field) for field in expr.__dataclass_fields__)
    return any(_reads_any(child, names) for child in children)


def _reads_any(value: Any, names: set[str]) -> bool:
    if isinstance(value, tuple):
        return any(_reads_any(item, names) for item in value)
    return (
        hasattr(value, "__dataclass_fields__") and hasattr(value, "type") and _reads(value, names)
    )
