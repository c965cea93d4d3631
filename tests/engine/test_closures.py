"""Compiled code: nothing of a rule's text in it, no depth that breaks it, blocks of definitions."""

from __future__ import annotations

import re
from random import Random

import pytest

from groundeval.engine import codegen, codegen_values
from groundeval.engine.closures import compile_block, compile_condition, compile_function
from groundeval.engine.evaluator import evaluate
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from groundeval.ir.program import Definition
from groundeval.ir.walk import reads
from groundeval.world.events import Event
from groundeval.world.world import World
from tests.properties.engine_cases import SPAN, RuleHost, expression, rule_host

HOST = rule_host(World())
HOSTILE = (
    '"); import os; os.abort() #',
    "x\n    raise SystemExit",
    "'''",
    "\\",
    "{0.__class__}",
    "__import__('os').abort()",
    "host",
    "world",
    "k1",
    "t1",
    "None",
    "é\u202e",
    "\x00",
)


def number(value: float) -> Expr:
    return ir.Const(SPAN, t.NUMBER, value)


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_names_and_texts_stay_data(name: str) -> None:
    event = Event(id="e", type=name, at=0, facts={name: name}, extra={name: [name, 2]})
    var = ir.Var(SPAN, t.EVENT, name)
    text = ir.Const(SPAN, t.TEXT, name)
    field = ir.EventField(SPAN, t.JSON, var, name, "facts")
    bound = ir.Var(SPAN, t.JSON, f"{name}!")
    body = ir.Equal(SPAN, t.BOOL, bound, text, negated=False, join=False)
    extra = ir.AsList(SPAN, t.list_of(t.JSON), ir.EventField(SPAN, t.JSON, var, name, "extra"))
    expr = ir.RecordOf(
        SPAN,
        t.Type("record"),
        (
            (name, ir.Text(SPAN, t.TEXT, (name, ir.Hole(field, None)))),
            ("any", ir.Quantifier(SPAN, t.BOOL, "any", f"{name}!", extra, body)),
            ("let", ir.Bind(SPAN, t.JSON, f"{name}!", field, bound)),
            ("item", ir.Item(SPAN, t.JSON, ir.Attribute(SPAN, t.JSON, var, "facts"), text)),
        ),
    )
    expected = {name: name + name, "any": True, "let": name, "item": name}
    assert compile_function(expr, (name,))(HOST, event) == expected
    assert evaluate(expr, {name: event}, HOST) == expected


def test_source_holds_only_words_of_the_generator() -> None:
    module = codegen.Module()
    for seed in range(300):
        expr = expression(Random(f"words {seed}"))
        params = {name: f"p{n}" for n, name in enumerate(sorted(reads(expr)))}
        codegen.add_function(module, expr, params, {})
    known = {*codegen._runtime(), *codegen_values._ATTRIBUTES, *WORDS}
    found = set(re.findall(r"[^\W\d]\w*", module.source))
    assert {word for word in found - known if not re.fullmatch(r"[kptvf]\d+", word)} == set()
    assert not re.search(r"[\\']", module.source)


WORDS = {
    *(
        [
            "def",
            "return",
            "if",
            "elif",
            "else",
            "for",
            "in",
            "is",
            "not",
            "and",
            "or",
            "None",
            "True",
            "False",
            "break",
            "continue",
            "pass",
        ]
    ),
    *(
        [
            "host",
            "world",
            "corpus",
            "get",
            "append",
            "tuple",
            "frozenset",
            "sorted",
            "len",
            "max",
            "min",
            "isdisjoint",
            "join",
            "lists",
        ]
    ),
    *(
        [
            "created",
            "subsystem",
            "deleted",
            "field",
            "artifacts",
            "facts",
            "extra",
            "artifact_ids",
            "artifact_field",
        ]
    ),
}


def test_depth_breaks_nothing() -> None:
    nested: Expr = number(1)
    for _ in range(120):
        nested = ir.Arithmetic(SPAN, t.NUMBER.maybe, "+", number(1), nested)
    with_variable = ir.Arithmetic(SPAN, t.NUMBER.maybe, "+", ir.Var(SPAN, t.NUMBER, "n"), nested)
    assert compile_function(with_variable, ("n",))(HOST, 3) == 124
    assert evaluate(with_variable, {"n": 3}, HOST) == 124


def test_long_chains_and_deep_alternation() -> None:
    flag = ir.Var(SPAN, t.BOOL.maybe, "flag")
    chain: Expr = flag
    for _ in range(3000):
        chain = ir.Or(SPAN, t.BOOL, chain, flag)
    alternating: Expr = flag
    for level in range(100):
        kind = ir.And if level % 2 else ir.Or
        alternating = kind(SPAN, t.BOOL, flag, ir.Not(SPAN, t.BOOL, alternating))
    for expr in (chain, alternating):
        function, condition = compile_function(expr, ("flag",)), compile_condition(expr, ("flag",))
        for value in (True, False, None):
            expected = evaluate(expr, {"flag": value}, HOST)
            assert function(HOST, value) is expected
            assert condition(HOST, value) is (expected is True)


def test_quantifiers_nested_past_the_limit_of_blocks() -> None:
    expr: Expr = ir.Const(SPAN, t.BOOL, True)
    for level in range(40):
        over = ir.Var(SPAN, t.list_of(t.NUMBER), "numbers")
        same = ir.Equal(
            SPAN,
            t.BOOL,
            ir.Var(SPAN, t.NUMBER, f"x{level}"),
            ir.Var(SPAN, t.NUMBER, "n"),
            False,
            False,
        )
        expr = ir.Quantifier(
            SPAN, t.BOOL, "any", f"x{level}", over, ir.And(SPAN, t.BOOL, same, expr)
        )
    function = compile_function(expr, ("numbers", "n"))
    assert function(HOST, (1,), 1) is True
    assert function(HOST, (1,), 2) is False
    assert evaluate(expr, {"numbers": (1,), "n": 1}, HOST) is True


def test_constants_are_folded() -> None:
    module = codegen.Module()
    expr = ir.Order(
        SPAN, t.BOOL, "<", ir.Arithmetic(SPAN, t.NUMBER, "*", number(2), number(3)), number(7)
    )
    codegen.add_function(module, expr, {}, {})
    assert "return True" in module.source
    assert len(module.source.splitlines()) == 2


def test_types_take_out_the_checks() -> None:
    module = codegen.Module()
    x, y = ir.Var(SPAN, t.TEXT, "x"), ir.Var(SPAN, t.TEXT, "y")
    codegen.add_function(
        module, ir.Equal(SPAN, t.BOOL, x, y, False, True), {"x": "p0", "y": "p1"}, {}
    )
    assert "return (p0 == p1)" in module.source


def test_a_block_evaluates_the_definitions_that_its_outputs_need() -> None:
    calls: list[int] = []

    class Counting(RuleHost):
        def visible_now(self, artifact: str) -> bool:
            calls.append(1)
            return artifact == "A"

    seen = ir.Call(SPAN, t.BOOL, "visible/1", (ir.Var(SPAN, t.ARTIFACT, "a"),))
    definitions = [
        Definition("seen", seen),
        Definition(
            "unused",
            ir.Arithmetic(SPAN, t.NUMBER, "/", number(1), ir.Var(SPAN, t.NUMBER, "absent")),
        ),
        Definition(
            "both", ir.And(SPAN, t.BOOL, ir.Var(SPAN, t.BOOL, "seen"), ir.Var(SPAN, t.BOOL, "seen"))
        ),
    ]
    outputs: list[Expr] = [
        ir.Var(SPAN, t.BOOL, "both"),
        ir.Not(SPAN, t.BOOL, ir.Var(SPAN, t.BOOL, "seen")),
        number(1),
    ]
    block = compile_block(definitions, outputs, ("a",))
    assert block(Counting(World()), "A") == (True, False, 1)
    assert len(calls) == 1
    assert compile_block((), (), ())(HOST) == ()
