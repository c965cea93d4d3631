"""Printing and reading are each other's inverse, and no text makes the parser raise."""

from __future__ import annotations

import unicodedata
from pathlib import Path
from typing import cast

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Source
from groundeval.diagnostics.render import json as as_json
from groundeval.diagnostics.render import text as as_text
from groundeval.syntax import ast
from groundeval.syntax.parser import parse, parse_expression
from groundeval.syntax.printer import print_expr, print_file
from tests.properties.syntax_trees import exprs, shape, trees

CASES = Path(__file__).resolve().parents[1] / "cases/syntax"
SAMPLES = [path.read_text("utf-8") for path in sorted(CASES.glob("*.gev"))]
PIECES = [
    "{",
    "}",
    '"',
    "`",
    "(",
    ")",
    "[",
    "]",
    "\\",
    "#",
    "\n",
    "\x00",
    "\udc80",
    "=",
    " link ",
    "🦉",
    "9",
]

slow = settings(
    max_examples=60,
    deadline=None,
    phases=[Phase.explicit, Phase.reuse, Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@slow
@given(exprs.map(lambda expr: (print_expr(cast("ast.Expr", expr)), shape(expr))))
def test_expression_comes_back(case: tuple[str, object]) -> None:
    # hypothesis would take minutes to show a tree, so the cases are texts and shapes
    printed, expected = case
    again = parse_expression(Source("a", printed))
    assert again.diagnostics == (), printed
    assert shape(again.value) == expected, printed


@slow
@given(trees.map(lambda tree: (print_file(tree), shape(tree.declarations))))
def test_file_comes_back(case: tuple[str, object]) -> None:
    printed, expected = case
    again = parse(Source("a.gev", printed))
    assert again.diagnostics == (), printed
    assert again.value is not None
    assert shape(again.value.declarations) == expected, printed
    assert print_file(again.value) == printed


@slow
@given(st.text(st.characters()))
def test_no_text_makes_the_parser_raise(text: str) -> None:
    assert_sane(text)
    assert_sane(f"gev 1\n{text}")
    parse_expression(Source("a", text))


@slow
@given(st.data())
def test_no_damage_makes_the_parser_raise(data: st.DataObject) -> None:
    text = data.draw(st.sampled_from(SAMPLES))
    for _ in range(data.draw(st.integers(1, 4))):
        start = data.draw(st.integers(0, len(text)))
        end = data.draw(st.integers(start, min(len(text), start + 20)))
        text = text[:start] + data.draw(st.sampled_from(["", *PIECES])) + text[end:]
    assert_sane(text)


def assert_sane(text: str) -> None:
    """Findings lie within the text, can be shown, and are no more than there are lines."""
    source = Source("a.gev", text)
    checked = parse(source)
    lines = text.split("\n")
    for each in checked.diagnostics:
        span = each.span
        assert 1 <= span.line <= span.end_line <= len(lines)
        assert 1 <= span.column <= len(lines[span.line - 1]) + 1
        assert each.message
        assert each.help
    assert len({d.span for d in checked.diagnostics}) == len(checked.diagnostics)
    shown = as_text.render(checked.diagnostics, {"a.gev": source})
    assert not [c for c in shown if unicodedata.category(c) in {"Cc", "Cf", "Cs"} and c != "\n"]
    assert as_json.render(checked.diagnostics).isascii()
