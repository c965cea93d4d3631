"""The one layout, and that reading it gives the same tree."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundeval.diagnostics import Source
from groundeval.resources import builtin
from groundeval.syntax.parser import parse, parse_expression
from groundeval.syntax.printer import print_expr, print_file
from tests.syntax.tree_shapes import shape

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((ROOT / "tests/cases/syntax").glob("*.gev"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_sample_comes_back(path: Path) -> None:
    assert_comes_back(path.read_text("utf-8"))


@pytest.mark.parametrize("kind", ["tracks", "policies"])
def test_bundled_files_come_back(kind: str) -> None:
    for entry in builtin(kind).iterdir():
        if entry.name.endswith(".gev"):
            assert_comes_back(entry.read_text("utf-8"))


def assert_comes_back(text: str) -> None:
    first = parse(Source("a.gev", text))
    assert first.value is not None
    assert first.diagnostics == ()
    printed = print_file(first.value)
    again = parse(Source("a.gev", printed))
    assert again.value is not None
    assert again.diagnostics == ()
    assert shape(again.value) == shape(first.value)
    assert print_file(again.value) == printed


@pytest.mark.parametrize(
    "text",
    [
        "a or b and not c",
        "(a or b) and c",
        "a - (b - c)",
        "a - b - c",
        "a and any x in xs: b or c",
        "(any x in xs: b) or c",
        "a ?? if b then c else d",
        "1 - ((share x in xs: y) ?? 0)",
        "if a then (if b then c else d) else if e then f else g",
        "-(a + b)",
        "not (a ?? b)",
        "(a == b) == c",
        "max(1, size(x), without: y)",
        "`not`.not",
        "`max`",
        '"{ {x.id for x in xs} }{{ {a.b:date}\\n"',
        r'a matches "^\d{3}\"$"',
        "{ a: 1   `b c`: [2, 3] }",
        "[x.id for x in xs if x.ok or y]",
        ".name[.]",
        "a is not missing",
        "a not in b | c",
    ],
)
def test_expression_is_printed_with_no_more_than_it_needs(text: str) -> None:
    checked = parse_expression(Source("a", text))
    assert checked.value is not None, checked.diagnostics
    assert print_expr(checked.value) == text


def test_layout() -> None:
    text = """\
gev 1
role a { reads: [x] }
let b = (1)
let c = ((2 + 3))   # gone: only the tree is printed
## kept
gate g "title" { permit read when a
  == b because "c" }
event e { a: text b: set<text>? }
"""
    checked = parse(Source("a.gev", text))
    assert checked.value is not None
    assert (
        print_file(checked.value)
        == """\
gev 1

role a { reads: [x] }

let b = 1
let c = 2 + 3

## kept
gate g "title" {
  permit read when a == b because "c"
}

event e { a: text   b: set<text>? }
"""
    )


def test_long_blocks_take_a_line_for_each_part() -> None:
    fields = " ".join(f"a_rather_long_name_{n}: text" for n in range(5))
    checked = parse(Source("a.gev", f"gev 1\nevent e {{ {fields} }}\n"))
    assert checked.value is not None
    assert print_file(checked.value).count("\n") == 9
