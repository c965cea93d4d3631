"""Read decisions per second: compiled gates against the plain evaluator, on one synthetic world.

Run with `python benchmarks/access.py [SECONDS]`; prints both figures and their ratio.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal, cast

from groundeval.diagnostics import Span
from groundeval.engine.gates import decide, read_env
from groundeval.engine.gates_compiled import CompiledGates
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.program import Gate, Rule
from groundeval.world.access import Access, Actor, RoleDefinition, Stint
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.world import World

SPAN = Span("benchmark.gev", 1, 1, 1, 2)
DAYS = 90
SUBSYSTEMS = ("crm", "git", "jira", "mail", "slack", "wiki")
TYPES = ("escalation", "incident", "release", "review")
ACTOR, ROLE, AS_OF = (
    ir.Var(SPAN, shape, name)
    for name, shape in (("actor", t.ACTOR), ("role", t.ROLE), ("as_of", t.TIME))
)
ARTIFACT = ir.Var(SPAN, t.ARTIFACT, "artifact")


@dataclass(frozen=True)
class WorldOnly:
    """All that these rules ask of a host."""

    world: World


def field(name: str) -> ir.ArtifactField:
    return ir.ArtifactField(SPAN, t.ARTIFACT_FIELDS[name][0], ARTIFACT, name, AS_OF)


def rule(effect: Literal["permit", "forbid"], when: ir.Expr) -> Rule:
    return Rule(effect, "read", None, when, None, SPAN)


def gates() -> list[Gate]:
    """Horizon, subsystem and participation, as the language page writes them."""
    heard = ir.Membership(
        SPAN,
        t.BOOL,
        ir.Attribute(SPAN, t.TEXT, ir.Var(SPAN, t.EVENT, "e"), "type"),
        ir.RoleList(SPAN, t.set_of(t.TEXT), ROLE, "hears"),
        negated=False,
    )
    privileged = ir.Membership(
        SPAN, t.BOOL, ir.Const(SPAN, t.TEXT, "privileged"), field("labels"), negated=False
    )
    lead = ir.Call(SPAN, t.BOOL, "holds/2", (ROLE, ir.Const(SPAN, t.TEXT, "lead")))
    reads = ir.RoleList(SPAN, t.set_of(t.SUBSYSTEM), ROLE, "reads")
    listed = {
        "horizon": [rule("permit", ir.Order(SPAN, t.BOOL, "<=", field("created"), AS_OF))],
        "subsystem": [
            rule("permit", ir.Membership(SPAN, t.BOOL, field("subsystem"), reads, negated=False))
        ],
        "actor": [
            rule(
                "permit",
                ir.Membership(SPAN, t.BOOL, ACTOR, field("participants"), negated=False),
            ),
            rule("permit", ir.Quantifier(SPAN, t.BOOL, "any", "e", field("events"), heard)),
            rule("forbid", ir.And(SPAN, t.BOOL, privileged, ir.Not(SPAN, t.BOOL, lead))),
        ],
    }
    return [Gate(name, "", "", tuple(rules), True, SPAN) for name, rules in listed.items()]


def world(rng: Random, artifacts: int = 20_000, events: int = 50_000) -> World:
    names = [f"A-{n}" for n in range(artifacts)]
    people = [f"p{n}" for n in range(300)]
    roles = [
        RoleDefinition(
            f"role{n}" if n else "lead",
            frozenset({f"role{n}" if n else "lead"}),
            {
                "reads": frozenset(rng.sample(SUBSYSTEMS, 3)),
                "hears": frozenset(rng.sample(TYPES, 1)),
            },
        )
        for n in range(12)
    ]
    actors = [
        Actor(
            who,
            (
                Stint(rng.choice(roles).name, None, DAYS // 2),
                Stint(rng.choice(roles).name, DAYS // 2 if rng.random() < 0.3 else None, None),
            ),
        )
        for who in people
    ]
    corpus = [
        Artifact(
            id=name,
            subsystem=rng.choice(SUBSYSTEMS),
            created=created,
            participants=(rng.choice(people),),
            versions=(
                Version(start=created, labels=("privileged",) if rng.random() < 0.05 else ()),
            ),
        )
        for name, created in ((name, rng.randrange(DAYS)) for name in names)
    ]
    log = [
        Event(
            id=f"e{n}",
            type=rng.choice(TYPES),
            at=rng.randrange(DAYS),
            actors=(rng.choice(people),),
            artifacts={"about": (rng.choice(names),)},
        )
        for n in range(events)
    ]
    return World(MemoryLog(log), Corpus(corpus), Access(actors, roles))


Read = tuple[str, str, str, int]


def rate(ask: Callable[[str, str, str, int], object], reads: list[Read], seconds: float) -> float:
    """Decisions per second of processor time, over whole rounds of `reads`."""
    done, start = 0, time.process_time()
    while (taken := time.process_time() - start) < seconds or not done:
        for read in reads:
            ask(*read)
        done += len(reads)
    return done / taken


def main(seconds: float) -> None:
    rng = Random(7)
    around = world(rng)
    host, declared = cast("Host", WorldOnly(around)), gates()
    compiled = CompiledGates(declared, around, host)
    by_name = {gate.name: gate for gate in declared}
    people = [actor.id for actor in around.access.actors]
    ids = [artifact.id for artifact in around.corpus]
    reads = [
        (name, rng.choice(people), rng.choice(ids), rng.randrange(DAYS))
        for _ in range(20_000)
        for name in by_name
    ]

    def plainly(gate: str, actor: str, artifact: str, as_of: int) -> object:
        env = read_env(host, actor, artifact, as_of)
        return decide(by_name[gate], "read", env, host)

    for read in reads[:3000]:
        if compiled.read(*read) != plainly(*read):
            raise SystemExit(f"the evaluators differ on {read}")
    first = rate(compiled.read, reads, 0)
    fast = rate(compiled.read, reads, seconds)
    plain = rate(plainly, reads[:3000], seconds)
    print(f"compiled  {fast:>12,.0f} read decisions per second and core, each with its rule")
    print(f"          {first:>12,.0f} when role and artifact come up for the first time")
    print(f"plain     {plain:>12,.0f} read decisions per second")
    print(f"ratio     {fast / plain:>12.1f}")
    for name in by_name:
        some = [read for read in reads if read[0] == name]
        print(f"  {name:<10}{rate(compiled.read, some, seconds / 3):>12,.0f}")


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 2.0)
