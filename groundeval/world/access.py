"""Actors, the roles they hold and for how long, and what a role lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NewType

ActorId = NewType("ActorId", str)
RoleName = NewType("RoleName", str)


@dataclass(frozen=True, slots=True)
class Stint:
    """A role held in `[start, end)`; None is without bound."""

    role: str
    start: int | None = None
    end: int | None = None

    def covers(self, instant: int) -> bool:
        """Whether the role was held at `instant`."""
        return (self.start is None or self.start <= instant) and (
            self.end is None or instant < self.end
        )


@dataclass(frozen=True, slots=True)
class Actor:
    """One actor with its stints in their written order, and its attributes (decoded JSON)."""

    id: str
    stints: tuple[Stint, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class RoleDefinition:
    """A role with its own lists and those of the roles it inherits, already added up.

    `includes` is the role itself and everything it inherits.
    """

    name: str
    includes: frozenset[str]
    lists: Mapping[str, frozenset[str]] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class RoleView:
    """The union of the roles that an actor holds at an instant: what rules call `role`.

    Equal holdings give the same object (see `Access.role_at`), so it can be a key by identity.
    """

    names: tuple[str, ...]
    includes: frozenset[str]
    lists: Mapping[str, frozenset[str]]

    @property
    def id(self) -> str:
        """The roles' names, joined by a comma: how texts show it."""
        return ", ".join(self.names)

    def list(self, name: str) -> frozenset[str]:
        """The union of that list over the roles held; empty where none has it."""
        return self.lists.get(name, frozenset())


class Access:
    """Who is who: actors and roles, asked as of an instant."""

    def __init__(self, actors: Iterable[Actor] = (), roles: Iterable[RoleDefinition] = ()) -> None:
        self._actors = {a.id: a for a in sorted(actors, key=lambda a: a.id)}
        self._roles = {r.name: r for r in sorted(roles, key=lambda r: r.name)}
        self._views: dict[tuple[str, ...], RoleView] = {}

    @property
    def actors(self) -> Sequence[Actor]:
        """All actors, in the order of their ids."""
        return tuple(self._actors.values())

    @property
    def roles(self) -> Sequence[RoleDefinition]:
        """All roles, in the order of their names."""
        return tuple(self._roles.values())

    def actor(self, actor_id: str) -> Actor | None:
        return self._actors.get(actor_id)

    def role(self, name: str) -> RoleDefinition | None:
        return self._roles.get(name)

    def role_at(self, actor_id: str, instant: int) -> RoleView:
        """The union of the roles that the actor holds at `instant`; empty for an unknown actor."""
        actor = self._actors.get(actor_id)
        held = {s.role for s in actor.stints if s.covers(instant)} if actor else set()
        names = tuple(sorted(held))
        view = self._views.get(names)
        if view is None:
            view = self._views[names] = self._union(names)
        return view

    def _union(self, names: tuple[str, ...]) -> RoleView:
        includes: set[str] = set()
        lists: dict[str, frozenset[str]] = {}
        for name in names:
            role = self._roles.get(name)
            includes |= role.includes if role else {name}
            for key, values in (role.lists if role else {}).items():
                lists[key] = lists.get(key, frozenset()) | values
        return RoleView(names, frozenset(includes), lists)
