"""Every operator on every pair of telling values, for operands of every static type."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal, TypeAlias

from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from tests.properties.engine_cases import FACTS, HUGE, MANY, SPAN, WORDS

QuantifierKind: TypeAlias = Literal[
    "any", "all", "count", "share", "first", "last", "sum", "mean", "min", "max"
]
WALKS: tuple[QuantifierKind, ...] = ("any", "all", "count", "share", "first", "last")
TOTALS: tuple[QuantifierKind, ...] = ("sum", "mean", "min", "max")
DEEP: Any = []
for _ in range(5000):
    DEEP = [DEEP]

JSON_VALUES: tuple[Any, ...] = (
    None, True, False, 0, 1, 2, -1, 1.0, 0.5, HUGE, 10**308, 1e308, "", "a", "b", "\ud800",
    [], [1], [True], ["a", None], ["b", "a", "b"], ("a", "b"), [2, 10], {}, {"p": 1}, {"p": True},
    {"q": [1]}, [["a"]], [["b"]], [{"p": 1}], [{"p": 2}], frozenset({"a", "b"}), frozenset({10, 9}), True,
)  # fmt: skip
POOLS: dict[str, tuple[t.Type, tuple[Any, ...]]] = {
    "json": (t.JSON, JSON_VALUES),
    "many": (MANY, (None, "a", "b", 1, True, ("a", "b"), ("b", None), (1, "a"), ("\ud800",))),
    "text": (t.TEXT, ("", "a", "b", "ab")),
    "text?": (t.TEXT.maybe, (None, "a", "b", "é")),
    "number": (t.NUMBER, (0, 1, 1.0, -2, 0.5, 10**308, 1e308)),
    "number?": (t.NUMBER.maybe, (None, 0, 1, 2.5, 7)),
    "bool": (t.BOOL, (True, False)),
    "bool?": (t.BOOL.maybe, (True, False, None)),
    "list<text>": (t.list_of(t.TEXT), ((), ("a",), ("b", "a"), ("c", "c"))),
    "set<text>": (t.set_of(t.TEXT), (frozenset(), frozenset({"a"}), frozenset("cbad"))),
    "set<text>?": (t.set_of(t.TEXT).maybe, (None, frozenset(), frozenset({"a", "c"}))),
    "list<text?>": (t.list_of(t.TEXT.maybe), ((None,), ("a", None), (None, "b"))),
    "list<json>": (t.list_of(t.JSON), ((None, True, 1), ([1], "a"), (1, 1.0, True, [1], (1,)))),
    "list<number>": (t.list_of(t.NUMBER), ((), (2, 1), (1, 1.0, 0.5), (10**308, 10**308, 1e308))),
    "set<number>": (t.set_of(t.NUMBER), (frozenset(), frozenset({10, 9, 1}), frozenset({2}))),
}  # fmt: skip
PAIRS = (
    *((name, name) for name in POOLS),
    *(("json", name) for name in ("text?", "number", "bool?", "set<text>", "list<json>")),
    *((name, "json") for name in ("text", "number?", "bool", "set<text>?", "list<number>")),
    ("text", "text?"), ("text?", "text"), ("number", "number?"), ("number?", "number"),
    ("bool", "bool?"), ("bool?", "bool"), ("text?", "number"), ("many", "text"), ("text?", "many"),
    ("text", "list<text>"), ("text?", "set<text>"), ("text", "set<text>?"), ("many", "set<text>"),
    ("text", "list<text?>"), ("number", "list<number>"), ("text", "list<number>"),
    ("number?", "set<number>"), ("list<text>", "set<text>"), ("set<text>", "list<text>"),
    ("set<text>", "set<text>?"), ("list<text?>", "set<text>"), ("list<number>", "set<number>"),
)  # fmt: skip


def _binary(x: Expr, y: Expr) -> Iterator[Expr]:
    for negated, join in product((False, True), repeat=2):
        yield ir.Equal(SPAN, t.BOOL, x, y, negated, join)
    for order in ("<", "<=", ">", ">="):
        yield ir.Order(SPAN, t.BOOL, order, x, y)
    for negated in (False, True):
        yield ir.Membership(SPAN, t.BOOL, x, y, negated)
    yield ir.Overlaps(SPAN, t.BOOL, x, y)
    yield ir.And(SPAN, t.BOOL, x, y)
    yield ir.Or(SPAN, t.BOOL, x, y)
    yield ir.Coalesce(SPAN, x.type if x.type == y.type else t.JSON, x, y)
    yield ir.Order(SPAN, t.BOOL, "<", ir.Coalesce(SPAN, t.JSON, x, y), ir.Const(SPAN, t.TEXT, "b"))
    yield ir.If(SPAN, t.JSON, x, y, ir.Const(SPAN, t.TEXT, "otherwise"))
    yield ir.Item(SPAN, t.JSON, x, y)
    for arithmetic in ("+", "-", "*", "/"):
        yield ir.Arithmetic(SPAN, t.NUMBER.maybe, arithmetic, x, y)
    yield ir.Arithmetic(SPAN, t.DURATION.maybe, "*", x, y)
    for operation in ("|", "&", "-"):
        yield ir.SetOperation(SPAN, t.list_of(t.JSON), operation, x, y)
        yield ir.SetOperation(SPAN, t.set_of(t.JSON), operation, x, y)
    yield ir.ListOf(SPAN, t.list_of(t.JSON), (x, y))
    yield ir.Text(SPAN, t.TEXT.maybe, (ir.Hole(x, None), "-", ir.Hole(y, None)))
    yield ir.Call(SPAN, t.BOOL, "same/2", (x, y))


def _unary(x: Expr) -> Iterator[Expr]:
    yield ir.Not(SPAN, t.BOOL, x)
    yield ir.ToNumber(SPAN, t.NUMBER.maybe, x)
    yield ir.Negate(SPAN, t.NUMBER.maybe, x)
    yield ir.AsList(SPAN, t.list_of(x.type.item or x.type), x)
    yield ir.RecordField(SPAN, t.JSON, x, "p")
    for pattern in ("^a", "b"):
        yield ir.Matches(SPAN, t.BOOL, x, pattern)
    for negated in (False, True):
        yield ir.IsMissing(SPAN, t.BOOL, x, negated)
    yield ir.Call(SPAN, t.JSON, "as_bool/1", (x,))
    if x.type.is_collection or x.type.many or x.type == t.JSON:
        yield ir.Call(SPAN, t.JSON, "size/1", (x,))
    if x.type.is_textual or x.type == t.JSON:
        yield ir.Call(SPAN, t.JSON, "stem/1", (x,))
    yield ir.SetOperation(SPAN, t.set_of(t.JSON), "|", x, x)


def _walks(x: Expr, y: Expr) -> Iterator[Expr]:
    """Where `x` is a data field, its items have the declared type, which nothing has verified."""
    item = x.type.item or (t.TEXT if x.type.many else x.type)
    listed = x if x.type.is_collection else ir.AsList(SPAN, t.list_of(item), x)
    bound = ir.Var(SPAN, item, "item")
    same = ir.Equal(SPAN, t.BOOL, bound, y, negated=False, join=False)
    for kind in WALKS:
        for body in (same, bound):
            yield ir.Quantifier(SPAN, t.JSON, kind, "item", listed, body)
    for kind in TOTALS:
        yield ir.Quantifier(SPAN, t.NUMBER.maybe, kind, "item", listed, bound)
    for form in ("list", "set"):
        shape = t.Type(form, bound.type)
        yield ir.Comprehension(SPAN, shape, form, bound, "item", listed, None)
        yield ir.Comprehension(SPAN, shape, form, bound, "item", listed, same)
        yield ir.Comprehension(SPAN, shape, form, bound, "item", listed, bound)
    yield ir.Quantifier(SPAN, t.JSON, "any", "item", x, same)


def sweep() -> Iterator[tuple[Expr, tuple[dict[str, Any], ...]]]:
    """Expressions over `x` and `y`, each with the environments of all their values."""
    for shape, values in (*POOLS.values(), (t.JSON, (DEEP, {"p": DEEP}))):
        x = ir.Var(SPAN, shape, "x")
        for expr in _unary(x):
            yield expr, tuple({"x": value, "y": None} for value in values)
    for left, right in PAIRS:
        (x_type, xs), (y_type, ys) = POOLS[left], POOLS[right]
        x, y = ir.Var(SPAN, x_type, "x"), ir.Var(SPAN, y_type, "y")
        envs = tuple({"x": a, "y": b} for a, b in product(xs, ys))
        for expr in (*_binary(x, y), *_walks(x, y)):
            yield expr, envs


def fields() -> Iterator[Expr]:
    """Every kind of field, also of what is not there, over the variables of random worlds."""
    artifact, as_of = ir.Var(SPAN, t.ARTIFACT, "artifact"), ir.Var(SPAN, t.TIME, "as_of")
    for name, (shape, _) in t.ARTIFACT_FIELDS.items():
        yield ir.ArtifactField(SPAN, shape, artifact, name, as_of)
        yield ir.ArtifactField(SPAN, shape, artifact, name, None)
        yield ir.ArtifactField(SPAN, shape.maybe, artifact, name, ir.Const(SPAN, t.MISSING, None))
    labels = ir.ArtifactField(SPAN, t.set_of(t.TEXT), artifact, "labels", as_of)
    people = ir.ArtifactField(SPAN, t.set_of(t.ACTOR), artifact, "participants", as_of)
    events = ir.ArtifactField(SPAN, t.list_of(t.EVENT), artifact, "events", as_of)
    for word in WORDS:
        yield ir.Membership(SPAN, t.BOOL, ir.Const(SPAN, t.TEXT, word), labels, word == "b")
    yield ir.Membership(SPAN, t.BOOL, ir.Var(SPAN, t.ACTOR, "actor"), people, negated=False)
    bound = ir.Var(SPAN, t.EVENT, "x")
    closed = ir.Equal(
        SPAN,
        t.BOOL,
        ir.Attribute(SPAN, t.TEXT, bound, "type"),
        ir.Const(SPAN, t.TEXT, "closed"),
        negated=False,
        join=False,
    )
    yield ir.Quantifier(SPAN, t.BOOL, "any", "x", events, closed)
    found = ir.Quantifier(SPAN, t.EVENT.maybe, "first", "x", events, closed)
    for base in (ir.Var(SPAN, t.EVENT, "e"), found):
        yield ir.Attribute(SPAN, t.TEXT.maybe, base, "type")
        yield ir.EventArtifacts(SPAN, t.list_of(t.ARTIFACT).maybe, base)
        for part in ("any", "artifacts", "facts", "extra"):
            for name in (*FACTS, "jira", "doc", "note"):
                yield ir.EventField(SPAN, MANY, base, name, part)
