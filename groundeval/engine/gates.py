"""What a gate decides, in plain steps: the definition that the compiled gates are held to."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from groundeval.engine.evaluator import Env, evaluate
from groundeval.engine.explanation import missing_field
from groundeval.engine.values import truth
from groundeval.functions import Host
from groundeval.ir.program import Gate, Rule
from groundeval.world.access import RoleView

Outcome = Literal["permitted", "forbidden", "not_permitted", "unknown"]
Action = Literal["read", "search"]


@dataclass(frozen=True, slots=True)
class Decision:
    """What a gate says, and why.

    `rule` decided: the permit that opened, the forbid that fired, or the first permit that could
    not be decided; None where no rule is for the action (permitted) or none holds (not_permitted).
    `missing` is the field that left the rule unknown, as rules write it.
    """

    outcome: Outcome
    rule: Rule | None = None
    missing: str | None = None

    @property
    def permitted(self) -> bool:
        return self.outcome == "permitted"


PERMITTED = Decision("permitted")
NOT_PERMITTED = Decision("not_permitted")


def decide(gate: Gate, action: Action, env: Env, host: Host) -> Decision:
    """What `gate` says of an action in `env` (`read_env`, `search_env`).

    Nothing is open that no permit opens. A forbid fires on true or unknown and beats every
    permit; one that is true is named before one that is unknown. A permit needs true. A gate
    without a rule for the action does not constrain it.
    """
    rules = [rule for rule in gate.rules if rule.action == action]
    if not rules:
        return PERMITTED
    verdicts = [(rule, _holds(rule, env, host)) for rule in rules]
    forbids = [(rule, verdict) for rule, verdict in verdicts if rule.effect == "forbid"]
    permits = [(rule, verdict) for rule, verdict in verdicts if rule.effect == "permit"]
    for rule, verdict in forbids:
        if verdict is True:
            return Decision("forbidden", rule)
    for rule, verdict in forbids:
        if verdict is None:
            return Decision("forbidden", rule, missing_in(rule, env, host))
    for rule, verdict in permits:
        if verdict is True:
            return Decision("permitted", rule)
    for rule, verdict in permits:
        if verdict is None:
            return Decision("unknown", rule, missing_in(rule, env, host))
    return NOT_PERMITTED


def _holds(rule: Rule, env: Env, host: Host) -> bool | None:
    return True if rule.when is None else truth(evaluate(rule.when, env, host))


def missing_in(rule: Rule, env: Env, host: Host) -> str | None:
    """The field that leaves the rule's condition unknown."""
    return None if rule.when is None else missing_field(rule.when, env, host)


def role_view(host: Host, actor: str | None, as_of: int | None) -> RoleView:
    """The roles held; nobody in particular holds none, nor does anybody at no instant."""
    if actor is None or as_of is None:
        return RoleView((), frozenset(), {})
    return host.world.access.role_at(actor, as_of)


def read_env(host: Host, actor: str | None, artifact: str, as_of: int | None) -> dict[str, Any]:
    """What the conditions of read rules may read."""
    role = role_view(host, actor, as_of)
    return {"actor": actor, "role": role, "as_of": as_of, "artifact": artifact}


def search_env(
    host: Host, actor: str | None, subsystem: str, query: str, as_of: int | None
) -> dict[str, Any]:
    """What the conditions of search rules may read."""
    role = role_view(host, actor, as_of)
    search = {"subsystem": subsystem, "query": query}
    return {"actor": actor, "role": role, "as_of": as_of, "search": search}
