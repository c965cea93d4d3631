"""Every malformed input is named by file, line and reason; its twin has nothing to find."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.malformed import WARNINGS, Case, all_cases
from tests.cli.running import Done, cli, write_desk

CASES = all_cases()


def run(case: Case, folder: Path, content: object, *command: object) -> Done:
    files = {**dict(case.extra), case.file: content}
    return cli(*command, write_desk(folder, files))  # type: ignore[arg-type]


@pytest.mark.parametrize("case", [*CASES, *WARNINGS], ids=lambda c: c.slug)
def test_it_is_named(case: Case, tmp_path: Path) -> None:
    done = run(case, tmp_path, case.bad, "check", "--json")
    assert done.code == case.code, done.out
    matching = [f for f in done.findings if f["slug"] == case.finding and case.text in f["message"]]
    assert matching, done.out
    finding = matching[0]
    if case.line:
        assert finding["line"] == case.line, finding
    assert done.err == ""
    bundled = finding["file"].startswith("tracks/")
    assert bundled or Path(finding["file"]).is_relative_to(tmp_path), "a name that leads there"


@pytest.mark.parametrize("case", [*CASES, *WARNINGS], ids=lambda c: c.slug)
def test_its_twin_is_fine(case: Case, tmp_path: Path) -> None:
    done = run(case, tmp_path, case.good, "check")
    assert (done.code, done.out) == (0, ""), done.out


@pytest.mark.parametrize("case", CASES, ids=lambda c: c.slug)
def test_nothing_is_compiled_from_it(case: Case, tmp_path: Path) -> None:
    output = tmp_path / "out"
    done = run(case, tmp_path / "desk", case.bad, "compile", "--json", "-o", output)
    assert done.code == case.code
    assert case.finding in done.slugs
    assert not output.exists()


@pytest.mark.parametrize("case", WARNINGS, ids=lambda c: c.slug)
def test_a_warning_stops_nothing_but_strict_checks(case: Case, tmp_path: Path) -> None:
    assert run(case, tmp_path / "desk", case.bad, "compile", "-o", tmp_path / "out").code == 0
    assert cli("check", "--strict", tmp_path / "desk").code == 1


def test_enough_cases() -> None:
    assert len(CASES) + len(WARNINGS) >= 70
