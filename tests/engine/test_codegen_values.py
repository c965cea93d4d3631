"""What compiled code writes in place of a call means what the called function says."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from groundeval.engine.closures import compile_function
from groundeval.engine.codegen_values import _INLINE
from groundeval.engine.evaluator import evaluate
from groundeval.functions import FUNCTIONS
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.traces.model import Step
from tests.properties.engine_cases import SPAN

STEPS = [Step(n=n, tool="fetch") for n in (1, 2, 2)]
VALUES: dict[str, list[Any]] = {
    "set": [frozenset(), frozenset({"a"}), frozenset({"a", "b", "c"}), None],
    "number": [0, 2, 2.5, -1, None],
    "call": [*STEPS, None],
    "text": ["horizon", "other", None],
    "place": ["one", "two", None],
}
HOST: Any = SimpleNamespace(
    breaks=lambda step, gate: step is STEPS[0] and gate in {None, "horizon"},
    covered=lambda place: place == "one",
)


def cases(shapes: list[str]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = [{}]
    for number, shape in enumerate(shapes):
        found = [{**case, f"x{number}": value} for case in found for value in VALUES[shape]]
    return found


@pytest.mark.parametrize("maybe", [True, False], ids=["optional", "required"])
@pytest.mark.parametrize("key", sorted(_INLINE))
def test_inlined_functions_give_what_a_call_gives(key: str, maybe: bool) -> None:
    function = FUNCTIONS[key]
    types = [
        t.Type("set", t.TEXT, optional=maybe)
        if p.type.name == "set"
        else t.Type(p.type.name, optional=maybe)
        for p in function.parameters
    ]
    arguments = tuple(ir.Var(SPAN, shape, f"x{n}") for n, shape in enumerate(types))
    call = ir.Call(SPAN, function.result, key, arguments)
    names = tuple(f"x{n}" for n in range(len(types)))
    compiled = compile_function(call, names)
    seen = set()
    for case in cases([shape.name for shape in types]):
        if not maybe and None in case.values():
            continue
        expected = evaluate(call, case, HOST)
        seen.add(expected)
        assert compiled(HOST, *case.values()) == expected, case
    assert len(seen) > 1


@pytest.mark.parametrize(("op", "expected"), [("|", "ab"), ("&", ""), ("-", "a")])
def test_sets_of_texts_are_combined_unless_one_is_missing(op: Any, expected: str) -> None:
    shape = t.Type("set", t.TEXT, optional=True)
    left, right = ir.Var(SPAN, shape, "x"), ir.Var(SPAN, shape, "y")
    node = ir.SetOperation(SPAN, shape, op, left, right)
    compiled = compile_function(node, ("x", "y"))
    a, b = frozenset("a"), frozenset("b")
    assert compiled(HOST, a, b) == evaluate(node, {"x": a, "y": b}, HOST) == frozenset(expected)
    assert compiled(HOST, a, None) is None
    assert compiled(HOST, None, b) is None
