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
from groundeval.engine.gates_firsts import Memories
from groundeval.functions import Host
from groundeval.ir.program import Gate, Rule
from groundeval.ir.walk import reads
from groundeval.world.access import Access, Actor, RoleView
from groundeval.world.world import World

Closed = tuple[str, Rule | None]
"""A gate that does not permit something, and the rule that decided, where one did."""


class CompiledGates:
    """What `gates.decide` says, for every gate of a contract.

    Conditions on role and subsystem are decided once for each pair that comes up, the rest is
    compiled code. Without an instant the plain evaluator decides, and for nobody where a gate asks
    who it is. An artifact that the corpus lacks has only missing fields; callers treat it, and the
    handbook, on their own.
    """

    def __init__(self, gates: Iterable[Gate], world: World, host: Host) -> None:
        self._gates = {gate.name: gate for gate in sorted(gates, key=lambda g: g.name)}
        self._host = host
        self._access = world.access
        self._steps = {actor.id: _steps(world.access, actor) for actor in world.access.actors}
        self._memories = Memories(host)
        self._readers = self._compiled("read", bare=False)
        self._searchers = self._compiled("search", bare=False)
        self._opens = self._compiled("read", bare=True)
        self._all = tuple(self._opens.values())
        self._impersonal = frozenset(g.name for g in self._gates.values() if _is_impersonal(g))

    @property
    def names(self) -> tuple[str, ...]:
        """The gates' names, sorted."""
        return tuple(self._gates)

    def read(self, gate: str, actor: str | None, artifact: str, as_of: int | None) -> Decision:
        """What a gate says of a read; raises KeyError for a gate that does not exist."""
        if as_of is None or (actor is None and gate not in self._impersonal):
            env = read_env(self._host, actor, artifact, as_of)
            return decide(self._gates[gate], "read", env, self._host)
        steps = self._steps.get(actor) if actor is not None else None  # `_role`, without a call
        role = steps[1][bisect_right(steps[0], as_of)] if steps else self._role(actor, as_of)
        found = self._readers[gate](self._host, actor, role, as_of, artifact)
        if type(found) is Decision:
            return found
        return self._named(found, read_env(self._host, actor, artifact, as_of))

    def search(
        self, gate: str, actor: str | None, subsystem: str, query: str, as_of: int | None
    ) -> Decision:
        """What a gate says of a search in a subsystem that is named."""
        if as_of is None or (actor is None and gate not in self._impersonal):
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
        if as_of is None or (actor is None and not self._are_impersonal(gates)):
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
    ) -> tuple[Closed, ...]:
        """Those of `gates` (None: all there are) that do not permit the read."""
        names = self.names if gates is None else gates
        if as_of is None or (actor is None and not self._are_impersonal(gates)):
            return _closed((name, self.read(name, actor, artifact, as_of)) for name in names)
        role, host = self._role(actor, as_of), self._host
        shut: list[Closed] = []
        for name in names:
            if not self._opens[name](host, actor, role, as_of, artifact):
                decided = self._readers[name](host, actor, role, as_of, artifact)
                shut.append((name, decided.rule))
        return tuple(shut)

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str] | None = None,
    ) -> tuple[Closed, ...]:
        """Those of `gates` (None: all there are) that do not permit the search."""
        names = self.names if gates is None else gates
        return _closed((name, self.search(name, actor, subsystem, query, as_of)) for name in names)

    def search_allowed(
        self, actor: str | None, subsystem: str, as_of: int | None, query: str = ""
    ) -> bool:
        """Whether every gate permits the search."""
        return not self.closing_search(actor, subsystem, query, as_of)

    def _compiled(self, action: Action, *, bare: bool) -> dict[str, Callable[..., Any]]:
        return {
            name: compile_gate(gate, action, self._host, self._memories, bare=bare)
            for name, gate in self._gates.items()
        }

    def _named(self, found: Undecided, env: dict[str, Any]) -> Decision:
        missing = missing_in(found.rule, env, self._host)
        return Decision(found.outcome, found.rule, missing)

    def _are_impersonal(self, gates: Sequence[str] | None) -> bool:
        return self._impersonal.issuperset(self._gates if gates is None else gates)

    def _role(self, actor: str | None, instant: int) -> RoleView:
        """The roles that the actor holds; none for nobody, and for one that nobody knows."""
        if actor is None:
            return _NO_ROLES
        steps = self._steps.get(actor)
        if steps is None:
            return self._access.role_at(actor, instant)
        bounds, views = steps
        return views[bisect_right(bounds, instant)]


_NO_ROLES = RoleView((), frozenset(), {})
"""One object, since roles are keys by identity."""


def _is_impersonal(gate: Gate) -> bool:
    """Whether no rule of the gate asks who it is that reads."""
    conditions = (rule.when for rule in gate.rules if rule.when is not None)
    return not any(reads(condition) & {"actor", "role"} for condition in conditions)


def _closed(decisions: Iterable[tuple[str, Decision]]) -> tuple[Closed, ...]:
    return tuple((name, decided.rule) for name, decided in decisions if not decided.permitted)


def _steps(access: Access, actor: Actor) -> tuple[list[int], list[RoleView]]:
    """When the actor's roles change, and its roles before, between and after these instants."""
    ends = {end for stint in actor.stints for end in (stint.start, stint.end) if end is not None}
    bounds = sorted(ends)
    before = bounds[0] - 1 if bounds else 0
    return bounds, [access.role_at(actor.id, at) for at in (before, *bounds)]
