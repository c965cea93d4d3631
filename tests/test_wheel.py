"""What is built holds everything that runs: rule files, grammar, examples, typing marker."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

ROOT = Path(__file__).resolve().parent.parent
PACKED = ("grammar", "policies", "tracks", "examples")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(folder), versions=["standard"])
    return Path(path)


def _sources(folder: str) -> set[str]:
    return {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / folder).rglob("*")
        if path.is_file() and "__pycache__" not in path.parts and "runs" not in path.parts
    }


def test_the_wheel_holds_every_file(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    for folder in PACKED:
        wanted = {f"groundeval/_data/{name}" for name in _sources(folder)}
        assert wanted, folder
        assert wanted <= names, wanted - names
    assert {name for name in _sources("groundeval") if name.endswith(".py")} <= names
    assert "groundeval/py.typed" in names
    assert "groundeval/_data/grammar/gev.lark" in names
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests/")]
    assert any(name.endswith("licenses/LICENSE") for name in names)


def test_the_source_archive_builds_the_same_wheel(wheel: Path, tmp_path: Path) -> None:
    (path,) = SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    with tarfile.open(path) as archive:
        archive.extractall(tmp_path / "source", filter="data")
    (source,) = (tmp_path / "source").iterdir()
    (again,) = WheelBuilder(str(source)).build(directory=str(tmp_path), versions=["standard"])
    assert set(zipfile.ZipFile(again).namelist()) == set(zipfile.ZipFile(wheel).namelist())
    assert (source / "tests/test_wheel.py").is_file()


def test_the_wheel_alone_runs_the_demo(wheel: Path, tmp_path: Path) -> None:
    """The checkout is out of reach: only the wheel's own files and the dependencies are there."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
    script = (
        "import sys; sys.path.insert(0, 'site')\n"
        "import groundeval; assert 'site' in groundeval.__file__, groundeval.__file__\n"
        "sys.path = [p for p in sys.path if 'site-packages' in p or p == 'site' or 'lib' in p]\n"
        "from groundeval.resources import builtin; assert '_data' in str(builtin('tracks'))\n"
        "from groundeval.cli.app import run; sys.exit(run(['demo']))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "state-invalid rate" in done.stdout


@pytest.mark.soak
def test_a_fresh_environment_installs_it(wheel: Path, tmp_path: Path) -> None:
    venv = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", str(venv)], check=True)
    install = [str(venv / "bin/python"), "-m", "pip", "install", "--quiet", str(wheel)]
    done = subprocess.run(install, capture_output=True, text=True, check=False)
    if done.returncode and (
        "ConnectionError" in done.stderr or "No matching distribution" in done.stderr
    ):
        pytest.skip("no package index can be reached, so nothing could be installed")
    assert done.returncode == 0, done.stderr
    command = str(venv / "bin/groundeval")
    shown = subprocess.run(
        [command, "demo"], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    assert shown.returncode == 0, shown.stderr
    assert "state-invalid rate" in shown.stdout
