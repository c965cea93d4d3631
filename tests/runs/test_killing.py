"""A run that is killed at any moment, and started again, leaves the traces of an undisturbed one."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import ROOT
from tests.runs.killing import QUESTIONS

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no fork here")


def killed(folder: Path, kills: int, seed: int) -> dict[str, int]:
    command = [sys.executable, "-m", "tests.runs.killing", str(folder), str(kills), str(seed)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    whole = (folder / "whole" / "traces.jsonl").read_bytes()
    assert whole.count(b"\n") == QUESTIONS
    assert (folder / "killed" / "traces.jsonl").read_bytes() == whole
    assert [p.name for p in (folder / "killed").iterdir()] == ["traces.jsonl"]
    found: dict[str, int] = json.loads(done.stdout)
    return found


def test_five_kills_leave_the_traces_of_an_undisturbed_run(tmp_path: Path) -> None:
    seen = killed(tmp_path, 5, seed=1)
    assert seen["killed"] >= 4, "the last may come too late"
    assert seen["torn"] > 0


@pytest.mark.soak
@pytest.mark.parametrize("seed", range(3))
def test_a_hundred_kills_leave_the_traces_of_an_undisturbed_run(tmp_path: Path, seed: int) -> None:
    seen = killed(tmp_path, 100, seed)
    assert seen["killed"] > 80
    assert seen["torn"] > 20
