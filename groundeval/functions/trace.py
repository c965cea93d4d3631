"""Functions on the trace at hand: what scores are made of."""

from __future__ import annotations

from collections.abc import Collection

from groundeval.functions.host import Host, Place
from groundeval.functions.registry import function
from groundeval.traces.model import Step


@function("visible(artifact: artifact) -> bool", where="score")
def visible_now(host: Host, artifact: str) -> bool:
    """Whether the question's actor could read `artifact` as of the question's instant."""
    return host.visible_now(artifact)


@function("breaks(step: call) -> bool", where="score")
def breaks(host: Host, step: Step) -> bool:
    """Whether a call or citation breaks any enforced gate (a citation also when never opened)."""
    return host.breaks(step, None)


@function("breaks(step: call, gate: text) -> bool", where="score")
def breaks_gate(host: Host, step: Step, gate: str) -> bool:
    """Whether a call or citation breaks this gate."""
    return host.breaks(step, gate)


@function("covered(place: place) -> bool", where="score")
def covered(host: Host, place: Place) -> bool:
    """Whether some call covers `place`."""
    return host.covered(place)


@function("covers_any(call: call, places: list<place>) -> bool", where="score")
def covers_any(host: Host, call: Step, places: Collection[Place]) -> bool:
    """Whether `call` covers at least one of `places`."""
    for place in places:  # noqa: SIM110 - a generator takes longer than the looks
        if host.covers(call, place):
            return True
    return False


@function("recovered(call: call) -> bool", where="score")
def recovered(host: Host, call: Step) -> bool:
    """Whether the search or fetch right after `call` brought something back."""
    return host.recovered(call)


@function("before(a: call, b: call) -> bool", where="score")
def before(_: Host, a: Step, b: Step) -> bool:
    """Whether call `a` was made before call `b`."""
    return a.n < b.n
