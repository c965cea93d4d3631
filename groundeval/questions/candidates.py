"""Candidates for questions: what a track's `ask for` ranges over, drawn and never enumerated.

The binder that the question is about is walked first, in the order of BLAKE2b(seed, track, id);
within each of its items the other binders are walked likewise, each taking the ids before it into
its digest. So one event more adds candidates and moves none.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import nsmallest
from itertools import count
from typing import Any, Final

from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.engine.closures import compile_function
from groundeval.ir.expressions import Expr, Var
from groundeval.ir.program import Ask, Binder, Stratum, Track
from groundeval.ir.walk import reads
from groundeval.questions.causes import Cause, Looked
from groundeval.questions.sources import Source
from groundeval.world.canonical import blake_after
from groundeval.world.events import Event
from groundeval.world.time import EARLIEST, LATEST, format_instant

PER_ITEM = 64
"""How many candidates one outer item may have: the inner binders share it evenly."""


@dataclass(frozen=True, slots=True, eq=False)
class Candidate:
    """One way to bind a track's binders, with its truth; `truth` is None only for no truth block.

    `ids` are the bound values' ids in the binders' order. `verdict` is the truth's first bool
    field (None: it has none): the two questions of a matched pair differ in it. `trait` is what
    half of a stratum should have, see `Source.trait`.
    """

    ids: tuple[str, ...]
    about: Any
    actor: str | None
    as_of: int
    truth: dict[str, Any]
    stratum: str
    verdict: bool | None
    role: str | None = None
    trait: bool | None = None


class Walk:
    """The candidates of one track, drawn from one source of collections.

    `texts` are the wordings of which the question will have one: a candidate for which a hole of
    any is missing is none. `looked` counts what was looked at, and why it became no candidate.
    """

    def __init__(self, track: Track, source: Source, seed: int, texts: Sequence[Expr] = ()) -> None:
        self._track = track
        self.looked = Looked()
        self._texts = texts
        self._source = source
        self._seed = seed
        self._per_binder = PER_ITEM
        self._compiled: dict[int, tuple[tuple[str, ...], Callable[..., Any]]] = {}

    def outer(self, most: int) -> Iterator[tuple[Candidate, ...]]:
        """For each of the first `most` items of the outer binder, in digest order, its candidates.

        Those of an item that has none are empty.
        """
        ask = self._track.ask
        if ask is None:
            return
        ordered = self._walking_order(ask)
        inner = max(1, len(ordered) - 1)
        self._per_binder = max(1, int(PER_ITEM ** (1 / inner) + 1e-9))
        for item, ident in self._items(ordered[0], dict(self._source.collections), (), most):
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
        for item, ident in self._items(binders[0], env, ids, self._per_binder):
            inner = {**env, binders[0].variable: item}
            yield from self._below(ask, binders[1:], inner, (*ids, ident))

    def _items(
        self, binder: Binder, env: dict[str, Any], ids: tuple[str, ...], most: int
    ) -> list[tuple[Any, str]]:
        """Of the first `most` items in digest order each once, with its id; no more are kept."""
        items = self._value(binder.collection, env) or ()
        digests = blake_after(self._seed, self._track.id, *ids)(map(identity, items))
        # Equal digests are of equal ids; they are told apart by the count.
        chosen = nsmallest(most, zip(digests, count(), items, strict=False))
        return [(i, ident) for ident, i in {identity(i): i for _, _, i in chosen}.items()]

    def _candidate(self, ask: Ask, env: dict[str, Any]) -> Candidate | None:
        found = self._judged(ask, env)
        self.looked.at += 1
        if isinstance(found, Candidate):
            return found
        self.looked.left_out[found] += 1
        return None

    def _judged(self, ask: Ask, env: dict[str, Any]) -> Candidate | Cause:
        if ask.where is not None and self._value(ask.where, env) is not True:
            return "ruled_out"
        about, actor = self._value(ask.about, env), self._value(ask.actor, env)
        as_of = self._value(ask.as_of, env)
        if as_of is None:
            return "no_instant"
        unaskable = self._source.unaskable(about, actor, as_of)
        if unaskable is not None:
            return unaskable
        role = None if actor is None else self._source.role(actor, as_of)
        env = {**env, "about": about, "actor": actor, "as_of": as_of, "role": role}
        truth = {name: self._value(expr, env) for name, expr in self._track.truth}
        stratum = self._stratum({**env, "truth": truth})
        if stratum is None:
            return "unclear_truth"
        if not self._source.reached(self._track.id, actor, as_of).proves(about, truth):
            return "out_of_reach"
        if not all(isinstance(self._value(text, env), str) for text in self._texts):
            return "unworded"
        return Candidate(
            ids=tuple(identity(env[b.variable]) for b in ask.binders),
            about=about,
            actor=actor,
            as_of=as_of,
            truth=truth,
            stratum=stratum.name,
            verdict=self._verdict(truth),
            role=None if role is None else role.id,
            trait=self._source.trait(about, actor, as_of),
        )

    def _value(self, expr: Expr | None, env: dict[str, Any]) -> Any:
        """The value of an expression, which is compiled when it is first met."""
        if expr is None:
            return None
        known = self._compiled.get(id(expr))
        if known is None:
            names = tuple(sorted(reads(expr)))
            known = self._compiled[id(expr)] = names, compile_function(expr, names)
        names, function = known
        return function(self._source.host, *[env[name] for name in names])

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


_WITH_ID: Final = frozenset((Event, CausalPair, SilenceCase))


def identity(value: Any) -> str:
    """The id of a bound value, and of no other of its type.

    A text or id as it is, an instant in ISO 8601, an object's `id`; anything else as JSON.
    """
    if type(value) in _WITH_ID:  # by the million, so asked first
        found: str = value.id
        return found
    match value:
        case str():
            return value
        case bool() | float() | None:
            return json.dumps(value)
        case int():
            return format_instant(value) if EARLIEST <= value <= LATEST else str(value)
        case tuple() | list():
            return json.dumps([identity(item) for item in value])
        case frozenset():
            return json.dumps(sorted(map(identity, value)))
        case Mapping():
            return json.dumps(sorted((key, identity(item)) for key, item in value.items()))
    return str(value.id)


def spec_of(about: Any) -> str | None:
    """The link or silence spec; for an event, its type."""
    return about.type if isinstance(about, Event) else getattr(about, "spec", None)


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
