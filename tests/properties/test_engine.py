"""The two evaluators give the same value for every well-typed expression."""

from __future__ import annotations

from random import Random

from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.engine.closures import compile_condition, compile_function
from groundeval.engine.evaluator import evaluate
from tests.properties.engine_cases import PARAMS, alike, environment, expression, rule_host, world


@settings(max_examples=400, deadline=None)
@given(st.integers(0, 2**64))
def test_compiled_code_gives_what_the_walk_gives(seed: int) -> None:
    rng = Random(seed)
    host = rule_host(world(rng))
    for _ in range(3):
        expr = expression(rng)
        function = compile_function(expr, PARAMS)
        condition = compile_condition(expr, PARAMS)
        for _ in range(4):
            env = environment(rng, host.world)
            plain = evaluate(expr, env, host)
            fast = function(host, *env.values())
            assert alike(plain, fast), (expr, env, plain, fast)
            assert condition(host, *env.values()) is (plain is True), expr
