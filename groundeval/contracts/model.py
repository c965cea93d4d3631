"""What a contract holds once rules have met data: causal pairs, silences, places."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from groundeval.functions.host import Place
from groundeval.world.events import Event

PairKind = Literal[
    "link",
    "no_join",
    "shared_actor",
    "shared_subsystem",
    "effect_first",
    "out_of_reach",
    "any_pair",
]
"""A verified link, or why a near miss is none: semantics, section 5, kinds (a) to (f) in order."""


class CausalPair(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """Two events that a link spec connects, or that only look so (a near miss).

    Rules know both as `link`. `spec` is the first spec (of a near miss: the one it resembles),
    `specs` are the names, then the aliases, of every spec that links this pair; empty for a near
    miss. `decisive`: some spec is not contributing. `evidence` are alternatives, each a set of
    artifact ids that suffices, those that were complete first; `known_from` is when they and both
    events were there (None when no alternative ever is, then the pair is not asked about). The
    gap is negative where the effect came first.
    """

    id: str
    kind: PairKind
    spec: str
    cause: Event
    effect: Event
    specs: tuple[str, ...]
    verified: bool
    decisive: bool
    evidence: tuple[frozenset[str], ...]
    known_from: int | None

    @property
    def actors(self) -> frozenset[str]:
        """The actors of both events."""
        return frozenset(self.cause.actors).union(self.effect.actors)

    @property
    def gap(self) -> int:
        """Microseconds from cause to effect."""
        return self.effect.at - self.cause.at


@dataclass(frozen=True, slots=True)
class Expectation:
    """What a silence waits for: the label and type of the expected event."""

    type: str
    label: str

    @property
    def id(self) -> str:
        return self.type


Status = Literal["absent", "present", "undetermined"]
"""Undetermined: no response, and a part of the window, trigger to deadline, was not observed."""


class Placing(Protocol):
    """The places of one spec's triggers; most are never asked for, so none is made before."""

    def of(self, trigger: Event) -> tuple[Place, ...] | None: ...


class SilenceCase(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """One trigger of a silence spec; rules know it as `silence`.

    `responses` are the joined responses in (trigger, deadline], in log order; `window` and
    `deadline` are None for a spec without a window. `observed_from` and `observed_until` are the
    first and the last instant at which a response would have been recorded. `witnesses` are the
    artifacts of the first response.
    """

    id: str
    spec: str
    trigger: Event
    expected: Expectation
    window: int | None
    deadline: int | None
    observed_from: int
    observed_until: int
    responses: tuple[Event, ...]
    status: Status
    witnesses: frozenset[str]
    placing: Placing

    @property
    def places(self) -> tuple[Place, ...]:
        """What has to be looked at; empty where the trigger lacks a value that a place needs."""
        return self.placing.of(self.trigger) or ()

    @property
    def begins_observed(self) -> bool:
        """Whether a response right after the trigger would have been recorded."""
        return self.observed_from <= self.trigger.at + 1

    def recorded_by(self, at: int) -> bool:
        """Whether a response lies at or before `at` (all lie within the window)."""
        return bool(self.responses) and self.responses[0].at <= at
