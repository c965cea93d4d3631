"""Matching: the links of every spec, as edges of the causal graph."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any, assert_never

from groundeval.contracts.pairing import Pairing
from groundeval.engine.closures import compile_function
from groundeval.functions.host import Host
from groundeval.graph.builder import CausalEdge
from groundeval.ir.program import Link
from groundeval.world.events import Event


def match_links(link: Link, pairing: Pairing, host: Host) -> Iterator[CausalEdge]:
    """The links of one spec, in the order of its causes (`nearest`: of its effects).

    A pair holds when both `where`s and the join are true, the effect is strictly later and within
    the window, and `unless` does not fire (semantics, section 5); `match` then chooses: `first`
    the earliest effect of each cause, `nearest` the latest cause of each effect, `every` all.
    """
    shows = _evidence(link, host)
    for cause, effect in _pairs(link, pairing):
        yield CausalEdge(link.name, link.necessity, cause, effect, shows(cause, effect))


def _pairs(link: Link, pairing: Pairing) -> Iterator[tuple[Event, Event]]:
    match link.match:
        case "first":
            for cause in pairing.firsts:
                for effect in islice(pairing.following(cause), 1):
                    yield cause, effect
        case "nearest":
            for effect in pairing.seconds:
                yield from ((cause, effect) for cause in islice(pairing.preceding(effect), 1))
        case "every":
            for cause in pairing.firsts:
                yield from ((cause, effect) for effect in pairing.following(cause))
        case _:
            assert_never(link.match)


def _evidence(link: Link, host: Host) -> Any:
    """What shows a pair: its artifacts, or what each alternative of `evidence A or B` names."""
    variables = (link.cause.variable, link.effect.variable)
    alternatives = [compile_function(expr, variables) for expr in link.evidence]

    def shows(cause: Event, effect: Event) -> tuple[frozenset[str], ...]:
        if not alternatives:
            both = frozenset(cause.artifact_ids).union(effect.artifact_ids)
            return (both,) if both else ()
        named = (_ids(read(host, cause, effect)) for read in alternatives)
        return tuple(dict.fromkeys(ids for ids in named if ids))

    return shows


def _ids(value: Any) -> frozenset[str]:
    """The artifact ids of a value: one or several, and none for a missing one."""
    match value:
        case str():
            return frozenset((value,))
        case tuple() | list() | frozenset():
            return frozenset(v for v in value if isinstance(v, str))
    return frozenset()
