"""Why an expression has its value."""

from __future__ import annotations

from typing import Any

from groundeval.diagnostics import Span
from groundeval.engine.explanation import explain, missing_field
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.world import World
from tests.properties.engine_cases import rule_host

HOST = rule_host(
    World(corpus=Corpus([Artifact(id="A", subsystem="git", created=None, versions=(Version(start=0, attributes={"rank": "high"}),))]))
)  # fmt: skip
ENV: dict[str, Any] = {"artifact": "A", "as_of": 5, "xs": (1, 3, 2)}


def at(column: int) -> Span:
    return Span("x.gev", 1, column, 1, column + 1)


def artifact(name: str, column: int) -> Expr:
    base, when = ir.Var(at(column), t.ARTIFACT, "artifact"), ir.Var(at(column), t.TIME, "as_of")
    return ir.ArtifactField(at(column), t.JSON, base, name, when)


def number(value: Any) -> Expr:
    return ir.Const(at(99), t.NUMBER, value)


def below(left: Expr, limit: Any, column: int) -> Expr:
    return ir.Order(at(column), t.BOOL.maybe, "<", left, number(limit))


def test_each_part_is_shown_with_its_value() -> None:
    expr = ir.And(
        at(1),
        t.BOOL,
        below(artifact("created", 3), 9, 2),
        below(ir.Var(at(5), t.TIME, "as_of"), 3, 4),
    )
    shown = [(v.span.column, v.value) for v in explain(expr, ENV, HOST)]
    assert [s for s in shown if s[0] != 3] == [(1, False), (2, None), (4, False), (5, 5)]
    assert (3, None) in shown


def test_a_quantifier_shows_the_item_that_decided() -> None:
    item = ir.Var(at(4), t.NUMBER, "x")
    expr = ir.Quantifier(
        at(1), t.BOOL, "all", "x", ir.Var(at(2), t.list_of(t.NUMBER), "xs"), below(item, 3, 3)
    )
    shown = [(v.span.column, v.value, v.where) for v in explain(expr, ENV, HOST)]
    decided = (("x", 3),)
    assert shown == [(1, False, ()), (2, (1, 3, 2), ()), (3, False, decided), (4, 3, decided)]


def test_branches_that_were_not_taken_are_left_out() -> None:
    xs, as_of = ir.Var(at(2), t.JSON, "xs"), ir.Var(at(3), t.TIME, "as_of")
    expr = ir.If(at(1), t.JSON, ir.Const(at(4), t.BOOL, False), xs, as_of)
    assert [v.span.column for v in explain(expr, ENV, HOST)] == [1, 3]
    assert [v.span.column for v in explain(ir.Coalesce(at(1), t.JSON, as_of, xs), ENV, HOST)] == [
        1,
        3,
    ]


def test_the_first_field_to_blame() -> None:
    created, rank = artifact("created", 1), artifact("rank", 2)
    assert missing_field(below(created, 3, 1), ENV, HOST) == "artifact.created"
    assert missing_field(below(rank, 3, 1), ENV, HOST) == "artifact.rank"
    replaced = ir.Coalesce(at(1), t.NUMBER, created, number(1))
    assert missing_field(below(replaced, 3, 1), ENV, HOST) is None
    both = ir.And(at(1), t.BOOL, below(replaced, 3, 1), below(artifact("odd name", 4), 3, 3))
    assert missing_field(both, ENV, HOST) == "artifact.`odd name`"
    inner = ir.RecordField(at(1), t.JSON, ir.Item(at(1), t.JSON, rank, number("k")), "p")
    assert missing_field(inner, ENV, HOST) == 'artifact.rank["k"]'
    assert missing_field(ir.Var(at(1), t.ACTOR, "actor"), {"actor": None}, HOST) == "actor"
    bound = ir.Bind(at(1), t.BOOL, "y", created, below(ir.Var(at(1), t.TIME, "y"), 1, 1))
    assert missing_field(bound, ENV, HOST) == "artifact.created"
    assert (
        missing_field(ir.Arithmetic(at(1), t.NUMBER, "/", number(1), number(0)), ENV, HOST) is None
    )
