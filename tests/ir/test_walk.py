"""Walking over expressions."""

from __future__ import annotations

from groundeval.diagnostics import Span
from groundeval.ir import expressions as ir
from groundeval.ir.types import BOOL, NUMBER, TEXT, list_of
from groundeval.ir.walk import nodes, parts, reads, renamed

HERE = Span("x.gev", 1, 1, 1, 2)


def var(name: str) -> ir.Var:
    return ir.Var(HERE, NUMBER, name)


def test_parts_are_found_in_tuples_holes_and_entries() -> None:
    text = ir.Text(HERE, TEXT, ("a", ir.Hole(var("x"), None)))
    record = ir.RecordOf(HERE, TEXT, (("k", var("y")),))
    call = ir.Call(HERE, TEXT, "f/2", (text, record))
    assert list(parts(call)) == [text, record]
    assert [type(n).__name__ for n in nodes(call)] == ["Call", "Text", "Var", "RecordOf", "Var"]


def test_what_is_bound_is_not_read() -> None:
    walked = ir.Quantifier(
        HERE,
        BOOL,
        "any",
        "i.1",
        var("xs"),
        ir.Equal(HERE, BOOL, var("i.1"), var("y"), False, False),
    )
    bound = ir.Bind(HERE, BOOL, "n.2", var("z"), ir.And(HERE, BOOL, walked, var("n.2")))
    listed = ir.Comprehension(HERE, list_of(NUMBER), "list", var("c.3"), "c.3", var("ys"), None)
    assert reads(bound) == {"xs", "y", "z"}
    assert reads(listed) == {"ys"}


def test_renaming_reaches_every_reader_and_nothing_else() -> None:
    text = ir.Text(HERE, TEXT, ("x", ir.Hole(var("x"), "date")))
    both = ir.ListOf(HERE, list_of(TEXT), (text, var("x"), var("y")))
    found = renamed(both, "x", "z")
    assert reads(found) == {"z", "y"}
    assert renamed(found, "z", "x") == both
