"""Each construct of the language once, in one contract: it checks, prints and gives its values."""

from __future__ import annotations

from pathlib import Path

from groundeval.diagnostics import Source
from groundeval.semantics.files import FolderFiles, MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.syntax.parser import parse
from groundeval.syntax.printer import print_file
from groundeval.testing.runner import run_tests

CASES = Path(__file__).parent.parent / "cases" / "testing"
NAME = "every_construct.gev"


def test_every_construct_is_checked_and_evaluated() -> None:
    checked = analyse(NAME, FolderFiles(CASES))
    assert checked.diagnostics == ()
    assert checked.value is not None
    assert len(checked.value.tests) == 2
    failed = [(o.name, o.failures) for o in run_tests(checked.value) if not o.passed]
    assert failed == []


def test_every_construct_means_the_same_once_it_is_printed() -> None:
    tree = parse(Source(NAME, (CASES / NAME).read_text(encoding="utf-8"))).value
    assert tree is not None
    printed = print_file(tree)
    again = parse(Source(NAME, printed)).value
    assert again is not None
    assert print_file(again) == printed
    checked = analyse(NAME, MemoryFiles({NAME: printed}))
    assert checked.value is not None
    assert all(o.passed for o in run_tests(checked.value))
