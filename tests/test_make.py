"""`make` on machines that lack something: one line says what, and nothing is half made."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
OLD = "#!/bin/sh\nexit 1\n"
NO_VENV = '#!/bin/sh\ncase "$2" in *venv*) exit 1;; esac\nexit 0\n'

pytestmark = pytest.mark.skipif(shutil.which("make") is None, reason="needs make")


def make(target: str, tmp_path: Path, python: str) -> subprocess.CompletedProcess[str]:
    command = [
        "make",
        "--no-print-directory",
        target,
        f"VENV={tmp_path / 'venv'}",
        f"PYTHON={python}",
    ]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", ["demo", "test", "check"])
@pytest.mark.parametrize(
    ("script", "said"),
    [
        (OLD, "GroundEval needs Python 3.11 or newer"),
        (NO_VENV, "lacks the venv module"),
        (None, "GroundEval needs Python 3.11 or newer"),
    ],
    ids=["old", "no-venv", "no-python"],
)
def test_one_line_says_what_is_missing(
    target: str, script: str | None, said: str, tmp_path: Path
) -> None:
    python = tmp_path / "python"
    if script is not None:
        python.write_text(script)
        python.chmod(0o755)
    done = make(target, tmp_path, str(python))
    assert done.returncode == 2
    ours = [line for line in done.stderr.splitlines() if not line.startswith("make")]
    assert len(ours) == 1
    assert said in ours[0]
    assert str(python) in ours[0]
    assert not (tmp_path / "venv").exists()


def test_what_ci_runs_is_make_check() -> None:
    assert "exec make check" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
