"""The table of findings: no two rows are alike, and no row is idle."""

from __future__ import annotations

import re
from collections import Counter
from itertools import pairwise
from pathlib import Path

import pytest

import groundeval
from groundeval.diagnostics import Code, codes
from groundeval.diagnostics.model import Severity

PACKAGE = Path(groundeval.__file__).parent
TABLE = {name: code for name, code in vars(codes).items() if isinstance(code, Code)}


def test_numbers_and_names_are_each_one_findings_own() -> None:
    for part in ("id", "slug", "title"):
        seen = Counter(getattr(code, part) for code in TABLE.values())
        assert [text for text, times in seen.items() if times > 1] == []


@pytest.mark.parametrize("name", TABLE)
def test_a_row_is_named_and_worded_by_the_rules(name: str) -> None:
    code = TABLE[name]
    assert re.fullmatch(r"GEV[1-8]\d\d", code.id)
    assert code.slug == name.lower().replace("_", "-")
    assert code.title[0] in "`" + code.title[0].lower()
    assert not code.title.endswith(".")


def test_every_row_is_found_by_something() -> None:
    texts = [p.read_text(encoding="utf-8") for p in PACKAGE.rglob("*.py") if p.name != "codes.py"]
    words = {word for text in texts for word in re.findall(r"\b[A-Z][A-Z_]+\b", text)}
    assert sorted(TABLE.keys() - words) == []


def test_what_does_not_fit_the_grammar_or_has_no_meaning_is_an_error() -> None:
    """Warnings are for what works and is rarely meant; those stand from the names on."""
    warnings = [c for c in TABLE.values() if c.severity is Severity.WARNING]
    assert warnings
    assert all(c.id >= "GEV2" for c in warnings)


def test_rows_of_a_section_stand_together() -> None:
    hundreds = [code.id[3] for code in TABLE.values()]
    assert all(a <= b for a, b in pairwise(hundreds))
