"""Conditions that turn true once and stay so: remembered as the instant from which they hold.

Events about an artifact only ever get more as `as_of` moves on. So `actor in
artifact.participants`, and `any e in artifact.events: …` with a body that reads the event and the
role alone, are true from one instant on, and that instant depends on neither actor nor `as_of`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from groundeval.engine.closures import compile_condition
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.walk import reads
from groundeval.world.access import RoleView

_MOST_REMEMBERED = 1 << 19
"""How many instants one condition remembers before it forgets them all."""
ALWAYS, NEVER = float("-inf"), float("inf")


class Joined(dict[str, dict[str, float]]):
    """For each artifact that has come up, the instant from which each actor takes part in it."""

    def __init__(self, host: Host) -> None:
        super().__init__()
        self._world = host.world

    def __missing__(self, artifact_id: str) -> dict[str, float]:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        artifact = self._world.corpus.get(artifact_id)
        since: dict[str, float] = dict.fromkeys(artifact.participants if artifact else (), ALWAYS)
        for event in self._world.log.of_artifact(artifact_id):
            for actor in event.actors:
                since.setdefault(actor, event.at)
        self[artifact_id] = since
        return since


class Happened(dict[tuple[RoleView, str], float]):
    """For each role and artifact that have come up, when the first event was that satisfies."""

    def __init__(self, satisfies: Callable[..., bool], host: Host) -> None:
        super().__init__()
        self._satisfies, self._host = satisfies, host

    def __missing__(self, key: tuple[RoleView, str]) -> float:
        if len(self) >= _MOST_REMEMBERED:
            self.clear()
        role, artifact_id = key
        events = self._host.world.log.of_artifact(artifact_id)
        found = (e.at for e in events if self._satisfies(self._host, role, e))
        first = self[key] = next(found, NEVER)
        return first


def remembered(node: Expr, host: Host) -> tuple[str, Any] | None:
    """The Python text for such a condition and the memory that its `{memory}` stands for.

    The text also names `{actor}`, `{role}`, `{artifact}` and `{as_of}`. None for other nodes.
    """
    match node:
        case ir.Membership(item=ir.Var(name="actor"), collection=collection):
            if _of_artifact(collection, "participants"):
                sign = ">" if node.negated else "<="
                text = f"({{memory}}[{{artifact}}].get({{actor}}, NEVER) {sign} {{as_of}})"
                return text, Joined(host)
        case ir.Quantifier(kind="any", collection=collection, body=body):
            settled = reads(body) <= {node.variable, "role"}
            if settled and _of_artifact(collection, "events"):
                satisfies = compile_condition(body, ("role", node.variable))
                text = "({memory}[({role}, {artifact})] <= {as_of})"
                return text, Happened(satisfies, host)
        case _:
            pass
    return None


def _of_artifact(node: Expr, name: str) -> bool:
    """Whether `node` is that field of the artifact in question, as of the instant in question."""
    match node:
        case ir.ArtifactField(base=ir.Var(name="artifact"), at=ir.Var(name="as_of")):
            return node.name == name
        case _:
            return False
