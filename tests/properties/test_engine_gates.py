"""Compiled gates decide what the definition decides, with the same rule and the same reason."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Span
from groundeval.engine.gates import Decision, decide, read_env, search_env
from groundeval.engine.gates_compiled import CompiledGates
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from groundeval.ir.program import Gate, Rule
from tests.properties.engine_cases import (
    ACTORS,
    ARTIFACTS,
    SPAN,
    SUBSYSTEMS,
    VARIABLES,
    Programs,
    pick,
    rule_host,
    world,
)

INSIDE = frozenset({"actor", "role", "as_of", "artifact"})
SEARCH = ir.Var(SPAN, t.Type("record"), "search")


def searching(rng: Random) -> Expr:
    role = ir.Var(SPAN, VARIABLES["role"], "role")
    subsystem = ir.RecordField(SPAN, t.SUBSYSTEM, SEARCH, "subsystem")
    reads = ir.Membership(
        SPAN, t.BOOL, subsystem, ir.RoleList(SPAN, t.set_of(t.SUBSYSTEM), role, "reads"), False
    )
    query = ir.Matches(SPAN, t.BOOL, ir.RecordField(SPAN, t.TEXT, SEARCH, "query"), "a")
    level = ir.Order(
        SPAN,
        t.BOOL,
        "<",
        ir.ActorField(SPAN, t.JSON, ir.Var(SPAN, t.ACTOR, "actor"), "level"),
        ir.Const(SPAN, t.NUMBER, 2),
    )
    drawn: Expr = pick(
        rng,
        (
            reads,
            query,
            level,
            ir.And(SPAN, t.BOOL, reads, query),
            ir.Or(SPAN, t.BOOL, ir.Not(SPAN, t.BOOL, reads), level),
        ),
    )
    return drawn


def heard(rng: Random) -> Expr:
    event = ir.Var(SPAN, t.EVENT, "heard")
    artifact, as_of = (ir.Var(SPAN, VARIABLES[n], n) for n in ("artifact", "as_of"))
    hears = ir.RoleList(SPAN, t.set_of(t.TEXT), ir.Var(SPAN, t.ROLE, "role"), "hears")
    body = ir.Membership(
        SPAN, t.BOOL, ir.Attribute(SPAN, t.TEXT, event, "type"), hears, bool(rng.randrange(2))
    )
    events = ir.ArtifactField(SPAN, t.list_of(t.EVENT), artifact, "events", as_of)
    return ir.Quantifier(SPAN, t.BOOL, "any", "heard", events, body)


def rule(rng: Random, line: int) -> Rule:
    action: Any = pick(rng, ("read", "read", "read", "search"))
    when: Expr | None
    match rng.randrange(8):
        case 0:
            when = None
        case 1:
            when = searching(rng) if action == "search" else heard(rng)
        case _:
            drawn = Programs(rng, only=INSIDE).draw("bool", 3)
            when = searching(rng) if action == "search" else drawn
    effect: Any = pick(rng, ("permit", "permit", "forbid"))
    return Rule(effect, action, None, when, None, Span("g.gev", line, 1, line, 2))


def gate(rng: Random, name: str) -> Gate:
    rules = tuple(rule(rng, line) for line in range(rng.randrange(5)))
    return Gate(name, "", "", rules, True, SPAN)


@settings(max_examples=150, deadline=None)
@given(st.integers(0, 2**64))
def test_compiled_gates_decide_as_the_definition(seed: int) -> None:
    rng = Random(seed)
    around = world(rng)
    host = rule_host(around)
    gates = [gate(rng, name) for name in ("b", "a", "c")]
    compiled = CompiledGates(gates, around, host)
    for _ in range(25):
        actor, artifact, as_of = (
            pick(rng, (*ACTORS, None)),
            pick(rng, ARTIFACTS),
            pick(rng, (0, 1, 2, 3, 4, 6, None)),
        )
        env = read_env(host, actor, artifact, as_of)
        expected = {g.name: decide(g, "read", env, host) for g in gates}
        for name, decision in expected.items():
            found = compiled.read(name, actor, artifact, as_of)
            assert found == decision
            assert found.rule is decision.rule
        closing = tuple((n, d.rule) for n, d in sorted(expected.items()) if not d.permitted)
        assert compiled.closing(actor, artifact, as_of) == closing
        assert compiled.closing(actor, artifact, as_of, ("a",)) == tuple(
            (n, rule) for n, rule in closing if n == "a"
        )
        assert compiled.visible(actor, artifact, as_of) is (not closing)
        assert compiled.visible(actor, artifact, as_of, ("a",)) is expected["a"].permitted
        searched = pick(rng, SUBSYSTEMS), pick(rng, ("a", "b"))
        env = search_env(host, actor, *searched, as_of)
        for g in gates:
            assert compiled.search(g.name, actor, *searched, as_of) == decide(
                g, "search", env, host
            )


CREATED = ir.ArtifactField(
    SPAN,
    t.TIME.maybe,
    ir.Var(SPAN, t.ARTIFACT, "artifact"),
    "created",
    ir.Var(SPAN, t.TIME, "as_of"),
)
HORIZON = ir.Order(SPAN, t.BOOL, "<=", CREATED, ir.Var(SPAN, t.TIME, "as_of"))


def truth(value: bool | None) -> Expr:
    return ir.Const(SPAN, t.BOOL.maybe, value)


def ruled(*rules: tuple[str, Expr | None]) -> Gate:
    listed = tuple(
        Rule(effect, "read", None, when, None, Span("g.gev", line, 1, line, 2))  # type: ignore[arg-type]
        for line, (effect, when) in enumerate(rules, 1)
    )
    return Gate("g", "", "", listed, False, SPAN)


@pytest.mark.parametrize(
    ("rules", "outcome", "line"),
    [
        ((), "permitted", None),
        ((("permit", None),), "permitted", 1),
        ((("permit", truth(False)),), "not_permitted", None),
        ((("permit", truth(None)),), "unknown", 1),
        ((("permit", truth(None)), ("permit", truth(True))), "permitted", 2),
        ((("permit", truth(True)), ("forbid", truth(False))), "permitted", 1),
        ((("permit", truth(True)), ("forbid", truth(True))), "forbidden", 2),
        ((("permit", truth(True)), ("forbid", truth(None))), "forbidden", 2),
        ((("forbid", truth(None)), ("forbid", truth(True))), "forbidden", 2),
        ((("forbid", truth(False)),), "not_permitted", None),
        ((("permit", ir.Const(SPAN, t.JSON, "yes")),), "unknown", 1),
        ((("forbid", ir.Const(SPAN, t.JSON, 1)),), "forbidden", 1),
    ],
)  # fmt: skip
def test_deny_by_default_and_forbid_first(
    rules: tuple[tuple[str, Expr | None], ...], outcome: str, line: int | None
) -> None:
    around = world(Random(1))
    host, declared = rule_host(around), ruled(*rules)
    for decision in (
        decide(declared, "read", read_env(host, "ann", "A1", 3), host),
        CompiledGates([declared], around, host).read("g", "ann", "A1", 3),
    ):
        assert decision.outcome == outcome
        assert (decision.rule and decision.rule.span.line) == line


def test_the_missing_field_is_named() -> None:
    around = world(Random(1))
    host = rule_host(around)
    secret = ir.ActorField(SPAN, t.JSON, ir.Var(SPAN, t.ACTOR, "actor"), "none")
    unknown = ir.Equal(SPAN, t.BOOL, secret, ir.Const(SPAN, t.TEXT, "x"), False, False)
    replaced = ir.Coalesce(SPAN, t.BOOL, unknown, truth(True))
    gates = (ruled(("permit", HORIZON)), ruled(("permit", truth(True)), ("forbid", unknown)))
    after = ruled(("permit", ir.And(SPAN, t.BOOL, replaced, HORIZON)))
    for declared, expected in zip(
        (*gates, after), ("artifact.created", "actor.none", "artifact.created"), strict=True
    ):
        found = CompiledGates([declared], around, host).read("g", "ann", "gone", 3)
        assert found.missing == expected
        assert found == decide(declared, "read", read_env(host, "ann", "gone", 3), host)
    assert CompiledGates([gates[0]], around, host).read("g", "ann", "A1", 9) != Decision("unknown")


def test_gates_that_ask_for_nobody_are_compiled_for_nobody_as_well() -> None:
    around = world(Random(1))
    host = rule_host(around)
    horizon, anyone = ruled(("permit", HORIZON)), replace(ruled(("permit", None)), name="anyone")
    named = ir.Equal(
        SPAN, t.BOOL, ir.Var(SPAN, t.ACTOR, "actor"), ir.Const(SPAN, t.ACTOR, "ann"), False, False
    )
    own = replace(ruled(("permit", named)), name="own")
    compiled = CompiledGates([horizon, anyone, own], around, host)
    for artifact in ARTIFACTS:
        for as_of in (0, 3, 9):
            env = read_env(host, None, artifact, as_of)
            for gate in (horizon, anyone, own):
                expected = decide(gate, "read", env, host)
                assert compiled.read(gate.name, None, artifact, as_of) == expected
                closed = () if expected.permitted else ((gate.name, expected.rule),)
                assert compiled.closing(None, artifact, as_of, (gate.name,)) == closed
                assert compiled.visible(None, artifact, as_of, (gate.name,)) is (not closed)
