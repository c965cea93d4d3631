"""Conditions on an artifact that a look into a memory decides.

Events about an artifact only ever get more as `as_of` moves on. So `actor in
artifact.participants`, and `any e in artifact.events: …` with a body that reads the event and the
role alone, are true from one instant on, and that instant depends on neither actor nor `as_of`:
it is remembered. And `"a label" in artifact.labels` is false at any instant for the many artifacts
that never carry it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from groundeval.engine.closures import compile_function
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import EVENT, list_of
from groundeval.ir.walk import reads
from groundeval.world.access import RoleView
from groundeval.world.events import Event

_MOST_REMEMBERED = 1 << 19
"""How many instants one condition remembers before it forgets them all."""
ALWAYS, NEVER = float("-inf"), float("inf")
_EVENTS = "events about it"
"""The variable that stands for the events of the artifact in question; no rule can name it so."""


class Joined(dict[str, dict[str, float]]):
    """For each artifact that has come up, the instant from which each actor takes part in it."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._artifact = host.world.corpus.get
        self._events = host.world.log.of_artifact

    def __missing__(self, artifact_id: str) -> dict[str, float]:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        since: dict[str, float] = {}
        for event in reversed(self._events(artifact_id)):  # so that the earliest is what stays
            at = event.at
            for actor in event.actors:
                since[actor] = at
        artifact = self._artifact(artifact_id)
        if artifact is not None and artifact.participants:
            since.update(dict.fromkeys(artifact.participants, ALWAYS))
        self[artifact_id] = since
        return since


class Happened(dict[RoleView, "_Instants"]):
    """By role, and by artifact that has come up: when the first event was that satisfies.

    `first(host, role, events)` is that event of some in the log's order, or None.
    """

    def __init__(self, first: Callable[..., Event | None], host: Host) -> None:
        super().__init__()
        self.first, self.host = first, host
        self.events = host.world.log.of_artifact
        self.room = _MOST_REMEMBERED

    def __missing__(self, role: RoleView) -> _Instants:
        found = self[role] = _Instants(role, self)
        return found

    def forget(self) -> None:
        """Forgets every instant, which makes room for others."""
        for instants in self.values():
            instants.clear()
        self.room = _MOST_REMEMBERED


class _Instants(dict[str, float]):
    """What one role makes of each artifact that has come up."""

    __slots__ = ("_memory", "_role")

    def __init__(self, role: RoleView, memory: Happened) -> None:
        super().__init__()
        self._role, self._memory = role, memory

    def __missing__(self, artifact_id: str) -> float:
        memory = self._memory
        if memory.room == 0:
            memory.forget()
        memory.room -= 1
        events = memory.events(artifact_id)
        found = memory.first(memory.host, self._role, events) if events else None
        since = self[artifact_id] = NEVER if found is None else found.at
        return since


class Labelled:
    """Which artifacts carry a label."""

    def __init__(self, label: str, host: Host) -> None:
        self._label, self._corpus = label, host.world.corpus

    @cached_property
    def ever(self) -> frozenset[str]:
        """Those of which any version carries it: all of the corpus is looked through, once."""
        label = self._label
        return frozenset(a.id for a in self._corpus if any(label in v.labels for v in a.versions))

    def at(self, artifact_id: str, instant: int) -> bool:
        """Whether an artifact of `ever` carries it at this instant."""
        artifact = self._corpus.get(artifact_id)
        version = None if artifact is None else artifact.at(instant)
        return version is not None and self._label in version.labels


class Memories:
    """The memories of one world's gates; a condition that is compiled twice has one for both."""

    def __init__(self, host: Host) -> None:
        self._host = host
        self._joined = Joined(host)
        self._happened: list[tuple[ir.Quantifier, Happened]] = []
        self._labelled: dict[str, Labelled] = {}

    def of(self, node: Expr) -> tuple[str, Any] | None:
        """The Python text for such a condition and the memory that its `{memory}` stands for.

        The text also names `{actor}`, `{role}`, `{artifact}` and `{as_of}`. None for other nodes.
        """
        match node:
            case ir.Membership(item=ir.Const(value=str(label)), collection=collection):
                if _of_artifact(collection, "labels"):
                    carries = "{artifact} in {memory}.ever and {memory}.at({artifact}, {as_of})"
                    text = f"(not ({carries}))" if node.negated else f"({carries})"
                    return text, self._labelled.setdefault(label, Labelled(label, self._host))
            case ir.Membership(item=ir.Var(name="actor"), collection=collection):
                if _of_artifact(collection, "participants"):
                    sign = ">" if node.negated else "<="
                    text = f"({{memory}}[{{artifact}}].get({{actor}}, NEVER) {sign} {{as_of}})"
                    return text, self._joined
            case ir.Quantifier(kind="any", collection=collection, body=body):
                settled = reads(body) <= {node.variable, "role"}
                if settled and _of_artifact(collection, "events"):
                    text = "({memory}[{role}][{artifact}] <= {as_of})"
                    return text, self._happening(node)
            case _:
                pass
        return None

    def _happening(self, node: ir.Quantifier) -> Happened:
        known = next((memory for of, memory in self._happened if of is node), None)
        if known is None:
            known = Happened(_first(node), self._host)
            self._happened.append((node, known))
        return known


def _first(node: ir.Quantifier) -> Callable[..., Event | None]:
    """A function of host, role and events: the first of them on which the body is true."""
    events = ir.Var(node.span, list_of(EVENT), _EVENTS)
    first = ir.Quantifier(node.span, EVENT.maybe, "first", node.variable, events, node.body)
    return compile_function(first, ("role", _EVENTS))


def _of_artifact(node: Expr, name: str) -> bool:
    """Whether `node` is that field of the artifact in question, as of the instant in question."""
    match node:
        case ir.ArtifactField(base=ir.Var(name="artifact"), at=ir.Var(name="as_of")):
            return node.name == name
        case _:
            return False
