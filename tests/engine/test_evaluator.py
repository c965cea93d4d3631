"""The plain evaluator says what the nodes' descriptions say."""

from __future__ import annotations

from itertools import product
from typing import Any

import pytest

from groundeval.engine.closures import compile_function
from groundeval.engine.evaluator import evaluate
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from groundeval.world.time import DAY, EARLIEST, LATEST
from groundeval.world.world import World
from tests.properties.engine_cases import HUGE, MANY, SPAN, alike, rule_host
from tests.properties.engine_sweep import DEEP, sweep

HOST = rule_host(World())
BOOLS = (True, False, None)


def const(value: Any) -> Expr:
    return ir.Const(SPAN, t.JSON, value)


def both(expr: Expr) -> Any:
    """The value, which the compiled code has to give too."""
    plain = evaluate(expr, {}, HOST)
    assert alike(plain, compile_function(expr, ())(HOST))
    return plain


@pytest.mark.parametrize(("a", "b"), list(product(BOOLS, BOOLS)))
def test_and_or_not_are_kleenes(a: bool | None, b: bool | None) -> None:
    if a is False or b is False:
        conjunction: bool | None = False
    else:
        conjunction = None if a is None or b is None else True
    if a is True or b is True:
        disjunction: bool | None = True
    else:
        disjunction = None if a is None or b is None else False
    assert both(ir.And(SPAN, t.BOOL, const(a), const(b))) is conjunction
    assert both(ir.Or(SPAN, t.BOOL, const(a), const(b))) is disjunction
    assert both(ir.Not(SPAN, t.BOOL, const(a))) is (None if a is None else not a)


@pytest.mark.parametrize(("a", "b", "c"), list(product(BOOLS, BOOLS, BOOLS)))
def test_chains_and_conditionals_over_all_truth_values(
    a: bool | None, b: bool | None, c: bool | None
) -> None:
    known = [x for x in (a, b, c) if x is not None]
    conjunction = False if False in known else (True if len(known) == 3 else None)
    chain = ir.And(SPAN, t.BOOL, ir.And(SPAN, t.BOOL, const(a), const(b)), const(c))
    assert both(chain) is conjunction
    expected = b if a is True else c if a is False else None
    assert both(ir.If(SPAN, t.BOOL, const(a), const(b), const(c))) is expected


EQUALITIES = [
    (1, 1.0, True, True),
    (1, True, False, False),
    (0, False, False, False),
    ("a", "A", False, False),
    (None, None, None, None),
    (None, "a", None, None),
    (("a", "b"), "b", False, True),
    (("a", "b"), ("b", "a"), False, True),
    (("a", "b"), ["a", "b"], True, True),
    ([True], [1], False, False),
    (frozenset({"a", "b"}), ("b", "a", "b"), True, True),
    ({"p": [1]}, {"p": [1.0]}, True, True),
    ({"p": None}, {}, False, False),
    ((), "a", False, False),
    ((None,), (None,), True, False),
    (HUGE, HUGE + 1, False, False),
    (2**53, 2.0**53, True, True),
    (2**53 + 1, 2.0**53, False, False),
]


def spelled(value: object) -> str:
    """A value as a test's name: the same under every hash seed."""
    return f"set{sorted(value, key=repr)}" if isinstance(value, frozenset) else repr(value)


@pytest.mark.parametrize(("left", "right", "equal", "overlap"), EQUALITIES, ids=spelled)
def test_equality_and_join_equality(
    left: Any, right: Any, equal: bool | None, overlap: bool | None
) -> None:
    for a, b in ((left, right), (right, left)):
        for join, expected in ((False, equal), (True, overlap)):
            for negated in (False, True):
                expr = ir.Equal(SPAN, t.BOOL, const(a), const(b), negated, join)
                assert both(expr) is (expected if expected is None else expected != negated)


VALUES: list[tuple[Expr, Any]] = [
    (ir.Arithmetic(SPAN, t.NUMBER, "/", const(1), const(0)), None),
    (ir.Arithmetic(SPAN, t.NUMBER, "/", const(HUGE), const(3)), None),
    (ir.Arithmetic(SPAN, t.NUMBER, "*", const(1e308), const(10)), None),
    (ir.Arithmetic(SPAN, t.NUMBER, "+", const(True), const(1)), None),
    (ir.Arithmetic(SPAN, t.DURATION, "*", const(3), const(0.5)), 2),
    (ir.Order(SPAN, t.BOOL, "<", const(True), const(2)), None),
    (ir.Order(SPAN, t.BOOL, "<", const("a"), const(2)), None),
    (ir.Order(SPAN, t.BOOL, "<=", const("a"), const("a")), True),
    (ir.Item(SPAN, t.JSON, const([7, 8]), const(1)), 8),
    (ir.Item(SPAN, t.JSON, const([7, 8]), const(-1)), None),
    (ir.Item(SPAN, t.JSON, const([7, 8]), const(2)), None),
    (ir.Item(SPAN, t.JSON, const([7, 8]), const(True)), None),
    (ir.Item(SPAN, t.JSON, const({"k": 1}), const("k")), 1),
    (ir.Item(SPAN, t.JSON, const({"k": 1}), const([])), None),
    (ir.AsList(SPAN, t.list_of(t.JSON), const(None)), ()),
    (ir.AsList(SPAN, t.list_of(t.JSON), const("a")), ("a",)),
    (ir.AsList(SPAN, t.list_of(t.TEXT), const(frozenset({"b", "a"}))), ("a", "b")),
    (ir.Coalesce(SPAN, t.JSON, const(False), const(True)), False),
    (ir.Membership(SPAN, t.BOOL, const(("x", "b")), const(("a", "b")), False), True),
    (ir.Membership(SPAN, t.BOOL, const(1), const((True,)), False), False),
    (ir.Membership(SPAN, t.BOOL, const(None), const(()), False), None),
    (ir.SetOperation(SPAN, t.list_of(t.TEXT), "|", const(("b", "a")), const(("a", "c"))), ("b", "a", "c")),
    (ir.SetOperation(SPAN, t.set_of(t.TEXT), "-", const(("b", "a")), const("a")), frozenset({"b"})),
    (ir.Matches(SPAN, t.BOOL, const(("x", "ya")), "a$"), True),
    (ir.Matches(SPAN, t.BOOL, const((1, None)), "a"), None),
    (ir.Matches(SPAN, t.BOOL, const("\ud800"), "a"), None),
]  # fmt: skip


@pytest.mark.parametrize(("expr", "expected"), VALUES, ids=lambda v: type(v).__name__)
def test_values_of_operators(expr: Expr, expected: Any) -> None:
    assert alike(both(expr), expected)


QUANTIFIED: list[tuple[Any, tuple[Any, ...], Any]] = [
    ("any", (), False),
    ("any", (None, True), True),
    ("any", (None, False), False),
    ("all", (), True),
    ("all", (True, None), False),
    ("count", (True, None, False, True), 2),
    ("share", (True, None, False, True), 0.5),
    ("share", (), None),
    ("first", (None, False, True), True),
    ("last", (), None),
    ("sum", (), 0),
    ("sum", (1, None, 2), 3),
    ("sum", (1, "x"), None),
    ("mean", (1, None, 2), 1.5),
    ("mean", (None,), None),
    ("min", (3, 1.0, 1), 1.0),
    ("max", ("b", None, "c"), "c"),
    ("max", ("b", 1), None),
    ("max", (), None),
]


@pytest.mark.parametrize(("kind", "values", "expected"), QUANTIFIED)
def test_quantifiers(kind: Any, values: tuple[Any, ...], expected: Any) -> None:
    item = ir.Var(SPAN, t.JSON, "x")
    collection = ir.Const(SPAN, t.list_of(t.JSON), values)
    expr = ir.Quantifier(SPAN, t.JSON, kind, "x", collection, item)
    assert alike(both(expr), expected)
    missing = ir.Quantifier(SPAN, t.JSON, kind, "x", const(None), item)
    assert both(missing) is None


def test_sums_are_added_from_first_to_last() -> None:
    values = (0.1, 0.2, 0.3, 1e16, 1.0, -1e16)
    total = 0.0
    for value in values:
        total = total + value
    item = ir.Var(SPAN, t.NUMBER, "x")
    over = ir.Const(SPAN, t.list_of(t.NUMBER), values)
    assert both(ir.Quantifier(SPAN, t.NUMBER, "sum", "x", over, item)) == total


def test_values_that_nest_deeply_are_compared_and_shown() -> None:
    other: Any = []
    for _ in range(5000):
        other = [other]
    x, y = ir.Var(SPAN, t.JSON, "x"), ir.Var(SPAN, t.JSON, "y")
    for expr, expected in (
        (ir.Equal(SPAN, t.BOOL, x, y, negated=False, join=False), True),
        (ir.Equal(SPAN, t.BOOL, x, y, negated=False, join=True), True),
        (
            ir.Membership(SPAN, t.BOOL, x, ir.ListOf(SPAN, t.list_of(t.JSON), (y,)), negated=False),
            False,
        ),
        (ir.Call(SPAN, t.BOOL, "same/2", (x, y)), True),
        (ir.Call(SPAN, t.NUMBER, "recall/2", (x, y)), 1.0),
    ):
        assert evaluate(expr, {"x": DEEP, "y": other}, HOST) is expected or expected == 1.0
        assert compile_function(expr, ("x", "y"))(HOST, DEEP, other) == expected
    for whole in (
        ir.Text(SPAN, t.TEXT, (ir.Hole(x, None),)),
        ir.SetOperation(SPAN, t.set_of(t.JSON), "|", x, y),
    ):
        plain = evaluate(whole, {"x": DEEP, "y": {"p": other}}, HOST)
        assert plain == compile_function(whole, ("x", "y"))(HOST, DEEP, {"p": other})


def test_every_operator_agrees_on_every_telling_pair_of_values() -> None:
    for expr, envs in sweep():
        function = compile_function(expr, ("x", "y"))
        for env in envs:
            plain, fast = evaluate(expr, env, HOST), function(HOST, *env.values())
            assert alike(plain, fast), (expr, env, plain, fast)


def test_a_field_with_several_values_is_not_trusted_to_be_what_it_is_declared() -> None:
    field = ir.Var(SPAN, MANY, "x")
    expr = ir.Order(SPAN, t.BOOL, "<", field, ir.Const(SPAN, t.TEXT, "b"))
    assert compile_function(expr, ("x",))(HOST, ("a", "b")) is None
    assert compile_function(expr, ("x",))(HOST, 1) is None
    assert compile_function(expr, ("x",))(HOST, "a") is True


@pytest.mark.parametrize(
    ("op", "instant", "days", "expected"),
    [
        ("+", LATEST, 0, LATEST),
        ("+", LATEST - DAY, 1, LATEST),
        ("+", LATEST, 1, None),
        ("-", EARLIEST + DAY, 1, EARLIEST),
        ("-", EARLIEST, 1, None),
        ("+", 0, 0.1 / 86_400_000_000, 0),
        ("+", LATEST, 1e290, None),
    ],
)
def test_a_time_outside_the_calendar_is_missing(
    op: Any, instant: int, days: float, expected: int | None
) -> None:
    sides = ir.Const(SPAN, t.TIME, instant), ir.Const(SPAN, t.DURATION, days * DAY)
    assert both(ir.Arithmetic(SPAN, t.TIME.maybe, op, *sides)) == expected
    far = ir.Arithmetic(SPAN, t.DURATION.maybe, op, *sides)
    assert both(far) is not None, "durations have no calendar"
