"""The gates of a contract, compiled: hundreds of thousands of decisions in a second."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from groundeval.engine.gates import (
    Action,
    Decision,
    decide,
    missing_in,
    read_env,
    search_env,
)
from groundeval.engine.gates_codegen import Undecided, compile_gate
from groundeval.functions import Host
from groundeval.ir.program import Gate
from groundeval.world.access import Access, Actor, RoleView
from groundeval.world.world import World


class CompiledGates:
    """What `gates.decide` says, for every gate of a contract.

    Conditions on role and subsystem are decided once for each pair that comes up, the rest is
    compiled code. Without an actor or an instant the plain evaluator decides. An artifact that
    the corpus lacks has only missing fields; callers treat it, and the handbook, on their own.
    """

    def __init__(self, gates: Iterable[Gate], world: World, host: Host) -> None:
        self._gates = {gate.name: gate for gate in sorted(gates, key=lambda g: g.name)}
        self._host = host
        self._access = world.access
        self._steps = {actor.id: _steps(world.access, actor) for actor in world.access.actors}
        self._readers = self._compiled("read", bare=False)
        self._searchers = self._compiled("search", bare=False)
        self._opens = self._compiled("read", bare=True)
        self._all = tuple(self._opens.values())

    @property
    def names(self) -> tuple[str, ...]:
        """The gates' names, sorted."""
        return tuple(self._gates)

    def read(self, gate: str, actor: str | None, artifact: str, as_of: int | None) -> Decision:
        """What a gate says of a read; raises KeyError for a gate that does not exist."""
        if actor is None or as_of is None:
            env = read_env(self._host, actor, artifact, as_of)
            return decide(self._gates[gate], "read", env, self._host)
        role = self._role(actor, as_of)
        found = self._readers[gate](self._host, actor, role, as_of, artifact)
        if type(found) is Decision:
            return found
        return self._named(found, read_env(self._host, actor, artifact, as_of))

    def search(
        self, gate: str, actor: str | None, subsystem: str, query: str, as_of: int | None
    ) -> Decision:
        """What a gate says of a search in a subsystem that is named."""
        if actor is None or as_of is None:
            env = search_env(self._host, actor, subsystem, query, as_of)
            return decide(self._gates[gate], "search", env, self._host)
        role = self._role(actor, as_of)
        search = {"subsystem": subsystem, "query": query}
        found = self._searchers[gate](self._host, actor, role, as_of, search)
        if type(found) is Decision:
            return found
        return self._named(found, search_env(self._host, actor, subsystem, query, as_of))

    def visible(
        self,
        actor: str | None,
        artifact: str,
        as_of: int | None,
        gates: Sequence[str] | None = None,
    ) -> bool:
        """Whether every one of `gates` (None: all there are) permits the read."""
        if actor is None or as_of is None:
            return not self.closing(actor, artifact, as_of, gates)
        role, host = self._role(actor, as_of), self._host
        opens = self._all if gates is None else [self._opens[gate] for gate in gates]
        for opened in opens:  # noqa: SIM110 - a generator costs more than the gates
            if not opened(host, actor, role, as_of, artifact):
                return False
        return True

    def closing(
        self,
        actor: str | None,
        artifact: str,
        as_of: int | None,
        gates: Sequence[str] | None = None,
    ) -> tuple[tuple[str, Decision], ...]:
        """Those of `gates` (None: all there are) that do not permit the read, each with why."""
        names = self.names if gates is None else gates
        found = ((name, self.read(name, actor, artifact, as_of)) for name in names)
        return tuple((name, decision) for name, decision in found if not decision.permitted)

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str] | None = None,
    ) -> tuple[tuple[str, Decision], ...]:
        """Those of `gates` (None: all there are) that do not permit the search."""
        names = self.names if gates is None else gates
        found = ((name, self.search(name, actor, subsystem, query, as_of)) for name in names)
        return tuple((name, decision) for name, decision in found if not decision.permitted)

    def search_allowed(
        self, actor: str | None, subsystem: str, as_of: int | None, query: str = ""
    ) -> bool:
        """Whether every gate permits the search."""
        return not self.closing_search(actor, subsystem, query, as_of)

    def _compiled(self, action: Action, *, bare: bool) -> dict[str, Callable[..., Any]]:
        return {
            name: compile_gate(gate, action, self._host, bare=bare)
            for name, gate in self._gates.items()
        }

    def _named(self, found: Undecided, env: dict[str, Any]) -> Decision:
        missing = missing_in(found.rule, env, self._host)
        return Decision(found.outcome, found.rule, missing)

    def _role(self, actor: str, instant: int) -> RoleView:
        """The roles that the actor holds; none for one that nobody knows."""
        steps = self._steps.get(actor)
        if steps is None:
            return self._access.role_at(actor, instant)
        bounds, views = steps
        return views[bisect_right(bounds, instant)]


def _steps(access: Access, actor: Actor) -> tuple[list[int], list[RoleView]]:
    """When the actor's roles change, and its roles before, between and after these instants."""
    ends = {end for stint in actor.stints for end in (stint.start, stint.end) if end is not None}
    bounds = sorted(ends)
    before = bounds[0] - 1 if bounds else 0
    return bounds, [access.role_at(actor.id, at) for at in (before, *bounds)]
