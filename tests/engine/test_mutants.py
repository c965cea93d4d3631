"""The differential cases notice every one of the listed mistakes in either evaluator."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from random import Random
from typing import Any

import pytest

from groundeval.engine.closures import compile_condition, compile_function
from groundeval.engine.evaluator import evaluate
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.world.world import World
from tests.engine.mutants import COMPILED, OF_THE_COMPILED, OF_THE_WALK, PLAIN, Mutant, loaded
from tests.properties.engine_cases import (
    KINDS,
    PARAMS,
    alike,
    environment,
    expression,
    rule_host,
    world,
)
from tests.properties.engine_sweep import fields, sweep

CASES = 600


@dataclass(frozen=True)
class Case:
    expr: Expr
    params: tuple[str, ...]
    host: Host
    envs: tuple[dict[str, Any], ...]
    values: tuple[Any, ...]


@cache
def cases() -> tuple[Case, ...]:
    """The fixed cases and what they are worth: every operator, then drawn expressions."""
    empty = rule_host(World())
    found = []
    for seed, expr in enumerate(fields()):
        rng = Random(f"fields {seed}")
        host = rule_host(world(rng))
        envs = tuple(environment(rng, host.world) for _ in range(20))
        found.append(_case(expr, PARAMS, host, envs))
    for seed in range(CASES):
        rng = Random(f"mutants {seed}")
        host = rule_host(world(rng))
        expr = expression(rng, 2 + seed % 3, KINDS[seed % len(KINDS)])
        envs = tuple(environment(rng, host.world) for _ in range(4))
        found.append(_case(expr, PARAMS, host, envs))
    found += [_case(expr, ("x", "y"), empty, envs) for expr, envs in sweep()]
    return tuple(found)


def _case(
    expr: Expr, params: tuple[str, ...], host: Host, envs: tuple[dict[str, Any], ...]
) -> Case:
    return Case(expr, params, host, envs, tuple(evaluate(expr, env, host) for env in envs))


def differences(value_of: Callable[[Case], Iterator[Any]]) -> Iterator[Case]:
    """The cases in which a value is another, or cannot be got at all."""
    for case in cases():
        try:
            if not all(map(alike, case.values, value_of(case))):
                yield case
        except Exception:  # noqa: BLE001 - a mutant may fail in any way
            yield case


def walked(walk: Callable[..., Any]) -> Callable[[Case], Iterator[Any]]:
    return lambda case: (walk(case.expr, env, case.host) for env in case.envs)


def compiled(compiler: Any) -> Callable[[Case], Iterator[Any]]:
    """The value, by the value's code; where the code of the verdict differs, no value at all."""

    def values(case: Case) -> Iterator[Any]:
        function = compiler.compile_function(case.expr, case.params)
        condition = compiler.compile_condition(case.expr, case.params)
        opposite = ir.Not(case.expr.span, case.expr.type, case.expr)
        refuted = compiler.compile_condition(opposite, case.params)
        for env in case.envs:
            value = function(case.host, *env.values())
            agree = condition(case.host, *env.values()) is (value is True)
            disagree = refuted(case.host, *env.values()) is (value is False)
            yield value if agree and disagree else NotImplemented

    def plain_values(case: Case) -> Iterator[Any]:
        function = compiler.compile_function(case.expr, case.params)
        return (function(case.host, *env.values()) for env in case.envs)

    return lambda case: values(case) if case.expr.type.name == "bool" else plain_values(case)


class Compiler:
    compile_function = staticmethod(compile_function)
    compile_condition = staticmethod(compile_condition)


def test_without_a_mistake_nothing_differs() -> None:
    assert not list(differences(walked(evaluate)))
    assert not list(differences(compiled(Compiler)))


@pytest.mark.parametrize("mutant", OF_THE_WALK, ids=str)
def test_a_mistake_in_the_walk_shows(mutant: Mutant) -> None:
    with loaded(PLAIN, mutant, "evaluator") as module:
        assert next(differences(walked(module.evaluate)), None), f"unnoticed: {mutant}"


@pytest.mark.parametrize("mutant", OF_THE_COMPILED, ids=str)
def test_a_mistake_in_the_compiled_code_shows(mutant: Mutant) -> None:
    with loaded(COMPILED, mutant, "closures") as module:
        assert next(differences(compiled(module)), None), f"unnoticed: {mutant}"
