"""Functions of the language: their documented examples run, and they are total."""

from __future__ import annotations

import ast
import re
from itertools import product
from random import Random
from typing import Any

import pytest

from groundeval.functions import FUNCTIONS, Function
from groundeval.functions.frozen import DEEPEST, Frozen, freeze
from groundeval.functions.text import show, sort_key
from groundeval.ir import types as t
from groundeval.world.time import DAY, LATEST
from tests.properties.engine_cases import HUGE, json_value, rule_host, world
from tests.properties.engine_sweep import DEEP, JSON_VALUES

HOST: Any = rule_host(world(Random(0)))
PURE = [f for f in FUNCTIONS.values() if f.where == "anywhere" and not f.hidden]
WORDS = {"true": True, "false": False, "missing": None}


def examples(function: Function) -> list[str]:
    return [" ".join(e.split()) for e in re.findall(r"Example: `([^`]+)`", function.doc)]


def worth(node: ast.expr) -> Any:
    """The value of an example: calls, lists, literals, `==`, `and` and `not` read the same in
    rules and in Python."""
    match node:
        case ast.Constant(value=value):
            return value
        case ast.Name(id=name):
            return WORDS[name]
        case ast.List(elts=items):
            return tuple(map(worth, items))
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return not worth(operand)
        case ast.BoolOp(op=ast.And(), values=values):
            return all(map(worth, values))
        case ast.Compare(left=left, ops=[ast.Eq()], comparators=[right]):
            return FUNCTIONS["same/2"].call(HOST, worth(left), worth(right))
        case ast.Call(func=ast.Name(id=name), args=arguments):
            found = next(f for f in PURE if f.name == name and len(f.written) == len(arguments))
            zone = ("UTC",) if found.zoned else ()
            return found.call(HOST, *map(worth, arguments), *zone)
        case _:
            raise AssertionError(ast.dump(node))


@pytest.mark.parametrize("function", PURE, ids=lambda f: f.key)
def test_documented_examples_hold(function: Function) -> None:
    listed = examples(function)
    assert listed, f"{function.key} documents no example"
    for example in listed:
        assert f"{function.name}(" in example
        assert worth(ast.parse(example, mode="eval").body) is True


def test_every_function_is_documented_and_listed_by_its_signature() -> None:
    assert len(PURE) == 18
    for key, function in FUNCTIONS.items():
        assert key == f"{function.name}/{len(function.parameters)}"
        assert len(function.doc) > 15
        assert function.signature.startswith(f"{function.name}(")


FITTING = {"set": tuple, "text": str, "number": (int, float)}


def test_functions_are_total_on_what_their_types_allow() -> None:
    rng = Random(3)
    values = [*JSON_VALUES, *(json_value(rng, 3) for _ in range(30)), DEEP]
    for function in PURE:
        zone = ("UTC",) if function.zoned else ()
        for written in product(values, repeat=len(function.written)):
            if fits(function, (*written, *zone)):
                function.call(HOST, *written, *zone)


def fits(function: Function, arguments: tuple[Any, ...]) -> bool:
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        if argument is None and not function.takes_missing:
            return False
        if parameter.type.is_collection and not isinstance(argument, tuple | list | frozenset):
            return False
        number = isinstance(argument, int | float) and not isinstance(argument, bool)
        if parameter.type.name == "number" and not number:
            return False
    return True


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (None, None, True),
        (None, 0, False),
        (1, True, False),
        ([1], [True], False),
        ({"p": [1]}, {"p": [1.0]}, True),
        ({"p": 1}, {"q": 1}, False),
        (("a", "b"), ["a", "b"], True),
        (("a", "b"), ("b", "a"), False),
        (frozenset({"a", "b"}), ("b", "a"), True),
        (frozenset({"a"}), ("a", None), False),
        (frozenset({"a"}), "a", False),
    ],
)
def test_same(a: Any, b: Any, expected: bool) -> None:
    assert FUNCTIONS["same/2"].call(HOST, a, b) is expected
    assert FUNCTIONS["same/2"].call(HOST, b, a) is expected


def test_overlaps_of_collections_count_each_value_once() -> None:
    call = {name: FUNCTIONS[f"{name}/2"].call for name in ("recall", "precision", "f1")}
    a, b = ("a", "a", "x"), ["a", "b", None]
    assert [call[name](HOST, a, b) for name in call] == [0.5, 0.5, 0.5]
    assert [call[name](HOST, (), ()) for name in call] == [None, None, None]
    assert [call[name](HOST, (), ("a",)) for name in call] == [0.0, None, 0.0]
    assert call["recall"](HOST, ({"p": [1]},), [{"p": [1]}, 1, True]) == pytest.approx(1 / 3)


@pytest.mark.parametrize(
    ("value", "shape", "form", "expected"),
    [
        (0, t.TIME, None, "1970-01-01T00:00:00Z"),
        (0, t.TIME, "date", "1970-01-01"),
        (LATEST + 1, t.TIME, None, str(LATEST + 1)),
        (7 * DAY, t.DURATION, None, "7d"),
        (HUGE, t.DURATION, None, str(HUGE)),
        (2.0, t.NUMBER, None, "2"),
        (0.5, t.NUMBER, None, "0.5"),
        (True, t.JSON, None, "true"),
        (("b", "a"), t.list_of(t.TEXT), None, "b, a"),
        (frozenset({"b", "a", "c"}), t.set_of(t.TEXT), None, "a, b, c"),
        (("2026", 3), t.TIME, None, "2026, 1970-01-01T00:00:00.000003Z"),
        ({"q": [1, None], "p": 'x"'}, t.JSON, None, '{"p": "x\\"", "q": [1, null]}'),
        ([], t.JSON, None, ""),
    ],
)
def test_show(value: Any, shape: t.Type, form: str | None, expected: str) -> None:
    assert show(value, shape, form) == expected


def test_a_number_too_long_for_digits_is_shown_all_the_same() -> None:
    assert show(10**5000, t.NUMBER) == hex(10**5000)


def test_sets_of_anything_have_one_order() -> None:
    values = [freeze(v) for v in JSON_VALUES]
    rng = Random(5)
    expected = sorted(values, key=sort_key)
    for _ in range(20):
        rng.shuffle(values)
        assert [sort_key(v) for v in sorted(values, key=sort_key)] == [
            sort_key(v) for v in expected
        ]


def test_frozen_values_are_the_same_values() -> None:
    value = {"p": [1, {"q": ()}], "r": "x"}
    frozen = freeze(value)
    assert isinstance(frozen, Frozen)
    assert frozen == {"p": (1, {"q": ()}), "r": "x"}
    assert hash(frozen) == hash(freeze(dict(reversed(value.items()))))
    assert len({frozen, freeze(value)}) == 1
    levels, found = 0, freeze(DEEP)
    while found is not None:
        levels, found = levels + 1, found[0] if found else None
    assert levels == DEEPEST
