"""Functions on gates, the causal graph and silences: what truths are made of."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from groundeval.functions.host import Host, Key, Place
from groundeval.functions.registry import function
from groundeval.world.access import RoleView
from groundeval.world.events import Event


@function("visible(actor: actor, artifact: artifact, at: time) -> bool", where="truth")
def visible(host: Host, actor: str, artifact: str, at: int) -> bool:
    """Whether every gate permits `actor` to read `artifact` as of `at`."""
    return host.visible(actor, artifact, at)


@function("opens(gate: text, actor: actor, artifact: artifact, at: time) -> bool", where="truth")
def opens(host: Host, gate: str, actor: str, artifact: str, at: int) -> bool:
    """Whether this one gate permits the read."""
    return host.opens(gate, actor, artifact, at)


@function(
    "closed_by_other_than(gate: text, actor: actor, artifact: artifact, at: time) -> bool",
    where="truth",
)
def closed_by_other_than(host: Host, gate: str, actor: str, artifact: str, at: int) -> bool:
    """Whether some gate other than `gate` closes the read."""
    return host.closed_by_other_than(gate, actor, artifact, at)


@function("subsystems_open(actor: actor, at: time) -> set<subsystem>", where="truth")
def subsystems_open(host: Host, actor: str, at: int) -> frozenset[str]:
    """The subsystems that `actor` may search and of which it may read something, as of `at`."""
    return host.subsystems_open(actor, at)


@function("ghost(event: event, subsystems: set<subsystem>) -> place", where="truth")
def ghost(host: Host, event: Event, subsystems: Collection[str]) -> Place:
    """The place that a search must cover to know that no record of `event` was within reach."""
    return host.ghost(event, frozenset(subsystems))


@function("prevented(effect: event, without: event) -> bool", where="truth")
def prevented(host: Host, effect: Event, without: Event) -> bool:
    """Whether `effect` would not have happened under do(remove `without`), on the causal graph."""
    return host.prevented(effect, without)


@function("paths(effect: event, longest: number) -> list<list<event>>", where="truth")
def paths(host: Host, effect: Event, longest: int) -> tuple[tuple[Event, ...], ...]:
    """The causal paths that end in `effect`, of at most `longest` links, from cause to effect."""
    return host.paths(effect, int(longest))


@function("recorded_by(silence: silence, at: time) -> bool", where="truth", method=True)
def recorded_by(host: Host, silence: Any, at: int) -> bool:
    """Whether the expected event was recorded within its window and at or before `at`."""
    return host.recorded_by(silence, at)


@function("edges(actor: actor, event: event) -> list<time>", where="ask")
def edges(host: Host, actor: str, event: Event) -> tuple[int, ...]:
    """Log instants on either side of a change in what `actor` could know of `event`.

    A change is the event itself, an artifact of it that appears, or a role of the actor.
    """
    return tuple(host.edges(actor, event))


@function("instants(silence: silence) -> list<time>", where="ask")
def instants(host: Host, silence: Any) -> tuple[int, ...]:
    """The silence's deadline (once observed), and the log instants between trigger and deadline."""
    return tuple(host.instants(silence))


@function("holds(role: role, name: text) -> bool", hidden=True)
def holds(_: Host, role: RoleView, name: str) -> bool:
    """`holds(R)` in a gate: whether the actor holds role R, itself or by inheritance."""
    return name in role.includes


@function("label(event: event) -> text", hidden=True)
def label(host: Host, event: Event) -> str:
    """`event.label`: the label of its type."""
    return host.label(event)


@function("keys(event: event) -> list<key>", hidden=True)
def keys(host: Host, event: Event) -> tuple[Key, ...]:
    """`event.keys`: the values by which texts name it."""
    return host.keys(event)
