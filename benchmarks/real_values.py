"""The independently worked out values, read off contracts: one function per entry of `checks.json`.

A function takes the contracts of its data set by variant ("" is the contract as it stands) and
gives the value in the entry's shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from typing import Any, Final

from groundeval.contracts.contract import Contract
from groundeval.world.events import Event
from groundeval.world.time import DAY, format_instant, parse_instant

Contracts = Mapping[str, Contract]
SHOWN_AT: Final = parse_instant("2017-09-12T00:00:00Z", None)
"""An instant when the namespaces of the audit log were there."""


def _of(contract: Contract, event_type: str) -> tuple[Event, ...]:
    return tuple(contract.world.log.of_type(event_type))


# --- k8s-audit-rbac


def bob_lists_pods(by: Contracts) -> list[Any]:
    log = by[""].world.log
    wanted = ("default/pods/-", "ns1/pods/-")
    found = [
        e.field("code")
        for e in log.of_actor("bob")
        if e.type == "list" and e.field("object") in wanted
    ]
    return found[:4]


def alice_with_her_role(by: Contracts) -> list[bool]:
    host = by[""].host
    asked = [("listing", "ns1"), ("listing", "default"), ("deleting", "ns1")]
    return [host.opens(gate, "alice", f"{ns}/secrets", _instant(SHOWN_AT)) for gate, ns in asked]


def created_and_deleted(by: Contracts) -> list[int]:
    created = {e.field("object") for e in _of(by[""], "create")}
    pairs = (p for p in by[""].links if p.spec == "creation_leads_to_deletion")
    return [len(created), len({p.cause.field("object") for p in pairs})]


# --- beads-tracker


def tracker_counts(by: Contracts) -> list[int]:
    world = by[""].world
    depended, committed = _of(by[""], "depended"), _of(by[""], "committed")
    issues = world.corpus.of_subsystem("tracker")
    labels = world.corpus.of_subsystem("labels")
    events = len(world.log) - len(depended) - len(committed)
    return [events, len(issues), len(depended), len(labels), len(committed)]


def commits_before_closings(by: Contracts) -> list[int]:
    closed = _closings(by[""])
    named = {i for e in _of(by[""], "committed") for i in e.extra.get("issues", ())}
    late, early = _caused(by[""]), _caused(by["as printed"])
    printed = _closings(by["as printed"])
    return [
        len(closed),
        len(named & closed.keys()),
        sum(1 for events in printed.values() if events[0].id in early),
        sum(1 for events in closed.values() if events[0].id in late),
        sum(1 for events in closed.values() if events[-1].id in late),
    ]


def _closings(contract: Contract) -> dict[str, list[Event]]:
    found: dict[str, list[Event]] = {}
    for event in _of(contract, "closed"):
        found.setdefault(str(event.field("issue")), []).append(event)
    return found


def _caused(contract: Contract) -> set[str]:
    return {p.effect.id for p in contract.links if p.spec == "commit_leads_to_closing"}


def reopenings(by: Contracts) -> list[Any]:
    pairs = [p for p in by[""].links if p.spec == "reopening_leads_to_closing"]
    one = next(p for p in pairs if p.cause.field("issue") == "bd-m7sy")
    printed = [one.cause.field("printed"), one.effect.field("printed")]
    return [len(_of(by[""], "reopened")), *printed]


def never_closed(by: Contracts) -> list[str]:
    cases = (c for c in by[""].silences if c.spec == "never_closed" and not c.responses)
    return sorted({str(c.trigger.field("issue")) for c in cases})


def tracker_actors(by: Contracts) -> list[int]:
    log = by[""].world.log
    of_tracker = [e for a in ("beads/polecats/quartz",) for e in log.of_actor(a) if _logged(e)]
    closes = [e for e in log.of_actor("beads/refinery") if e.type == "closed"]
    tested = [e for e in log.of_actor("test") if _logged(e)]
    return [len({e.field("issue") for e in of_tracker}), len(closes), len(tested)]


def _logged(event: Event) -> bool:
    return event.type not in ("committed", "depended")


# --- enterprisebench


def not_employed(by: Contracts) -> list[str]:
    host = by[""].host
    tickets = (
        ticket
        for e in _of(by[""], "ticket_assigned")
        for ticket in e.artifact_ids
        if not host.opens("employed", str(e.field("assignee")), ticket, e.at)
    )
    return sorted((t.removeprefix("ticket ") for t in tickets), key=int)


def chats_after_a_sale(by: Contracts) -> list[int]:
    pairs = [p for p in by[""].links if p.spec == "sale_leads_to_chat"]
    sales: dict[tuple[Any, Any], set[int]] = {}
    for e in _of(by[""], "sold"):
        sales.setdefault(_key(e), set()).add(e.at // DAY)
    same_day = [p for p in pairs if p.effect.at // DAY in sales[_key(p.effect)]]
    return [len({p.effect.id for p in pairs}), len(same_day)]


def sold_and_asked(by: Contracts) -> list[int]:
    sold = {_key(e) for e in _of(by[""], "sold")}
    asked = {_key(e) for e in _of(by[""], "chatted")}
    return [len(sold), len(sold & asked), len(sold - asked)]


def _key(event: Event) -> tuple[Any, Any]:
    return event.field("customer"), event.field("product")


# --- k8s-enhancements


def under_the_rule(by: Contracts) -> list[int]:
    counts = by[""].report.silences
    files, stages = counts["no_approval_file"], counts["no_approver_for_stage"]
    return [sum(files.values()), files["absent"], stages["absent"]]


def approvers_in_their_role(by: Contracts) -> list[int]:
    contract, role = by[""], "prod-readiness-approvers"
    merged = [e for e in _of(contract, "prr_approver_recorded") if e.field("merged") is not None]
    known = contract.world.access.actors
    ever = {a.id for a in known if any(s.role == role for s in a.stints)}
    then = [e for e in merged if _opens_then(contract, e)]
    return [len(merged), len(then), sum(1 for e in merged if e.field("approver") in ever)]


def _opens_then(contract: Contract, event: Event) -> bool:
    at = _instant(parse_instant(event.field("merged"), None))
    asked = next(iter(contract.world.corpus)).id  # the gate asks only about the actor's role
    return contract.host.opens("approver", str(event.field("approver")), asked, at)


def a_role_that_came_back(by: Contracts) -> list[list[str | None]]:
    actor = by[""].world.access.actor("p0046")
    stints = [s for s in actor.stints if s.role == "sig-node-leads"] if actor else []
    return [[None if t is None else format_instant(t) for t in (s.start, s.end)] for s in stints]


def order_of_dates(by: Contracts) -> list[int]:
    events = [e for e in by[""].world.log if "committed" in e.extra]
    committed = [_instant(parse_instant(e.extra["committed"], None)) for e in events]
    swapped = sum(1 for a, b in pairwise(committed) if b < a)
    merged = [(e.at, parse_instant(e.extra["merged"], None)) for e in events if "merged" in e.extra]
    return [swapped, sum(1 for written, then in merged if written > _instant(then))]


def _instant(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(value)
    return value


VALUES: Final[Mapping[str, Callable[[Contracts], Any]]] = {
    "k8s-audit-rbac-01": bob_lists_pods,
    "k8s-audit-rbac-05": alice_with_her_role,
    "k8s-audit-rbac-07": created_and_deleted,
    "beads-tracker-01": tracker_counts,
    "beads-tracker-03": commits_before_closings,
    "beads-tracker-05": reopenings,
    "beads-tracker-07": never_closed,
    "beads-tracker-09": tracker_actors,
    "enterprisebench-01": not_employed,
    "enterprisebench-03": chats_after_a_sale,
    "enterprisebench-05": sold_and_asked,
    "k8s-enhancements-01": under_the_rule,
    "k8s-enhancements-03": approvers_in_their_role,
    "k8s-enhancements-05": a_role_that_came_back,
    "k8s-enhancements-07": order_of_dates,
}
"""The function of each value that loading, gates, links and silences give."""


def comparable(value: Any) -> Any:
    """An expected value with its instants in UTC, so that offsets do not matter."""
    if isinstance(value, list):
        return [comparable(item) for item in value]
    instant = parse_instant(value, None) if isinstance(value, str) and "T" in value else None
    return format_instant(instant) if isinstance(instant, int) else value
