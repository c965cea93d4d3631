"""Every wrong contract of `tests/cases/errors` has just the findings that its comments expect.

`# expect GEV2xx …` stands at the end of the line at which each finding begins. The twin
`<slug>.ok.gev` differs in the slip alone and has no finding.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from groundeval.diagnostics import codes
from groundeval.semantics.files import FolderFiles
from groundeval.semantics.program import analyse
from groundeval.world.time import DAY

CASES = Path(__file__).parent.parent / "cases" / "errors"
WRONG = sorted(p.name for p in CASES.glob("*.gev") if not p.name.endswith(".ok.gev"))
RIGHT = sorted(p.name for p in CASES.glob("*.ok.gev"))
TODAY = 20_000 * DAY  # in October 2024
_EXPECT = re.compile(r"# expect ((?:GEV\d+ ?)+)$")


def expected(text: str) -> list[tuple[int, str]]:
    return sorted(
        (number, code)
        for number, line in enumerate(text.splitlines(), start=1)
        if (found := _EXPECT.search(line))
        for code in found.group(1).split()
    )


@pytest.mark.parametrize("name", WRONG)
def test_a_slip_is_found_where_it_is_and_nothing_else(name: str) -> None:
    wanted = expected((CASES / name).read_text(encoding="utf-8"))
    checked = analyse(name, FolderFiles(CASES), today=TODAY)
    found = sorted((d.span.line, d.code.id) for d in checked.diagnostics if d.span.file == name)
    assert wanted, f"{name} expects nothing"
    assert found == wanted, [str(d) for d in checked.diagnostics]
    assert all(d.span.file == name for d in checked.diagnostics)


@pytest.mark.parametrize("name", RIGHT)
def test_the_twin_without_the_slip_is_fine(name: str) -> None:
    checked = analyse(name, FolderFiles(CASES), today=TODAY)
    assert checked.diagnostics == ()
    assert checked.value is not None


def test_every_case_has_its_twin() -> None:
    assert [n.replace(".ok.gev", ".gev") for n in RIGHT] == WRONG
    assert len(WRONG) >= 60


@pytest.mark.parametrize("name", WRONG)
def test_findings_are_worded_by_the_rules(name: str) -> None:
    for finding in analyse(name, FolderFiles(CASES), today=TODAY).diagnostics:
        first = finding.message[0]
        assert first == first.lower() or first == "`" or finding.message.startswith("GEV")
        assert not finding.message.endswith(".")
        assert finding.code in vars(codes).values()
