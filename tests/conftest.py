"""What every test may ask for."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

ROOT = Path(__file__).resolve().parent.parent


# The same examples on every machine and every run; GROUNDEVAL_HYPOTHESIS=search looks for new ones.
settings.register_profile(
    "steady", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("search", deadline=None, derandomize=False)
settings.load_profile(os.environ.get("GROUNDEVAL_HYPOTHESIS", "steady"))


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--update-cases", action="store_true", help="rewrite expected output with what is there now"
    )


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of real inputs beside the project; tests that need it are skipped without it."""
    folder = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared"))
    if not folder.is_dir():
        pytest.skip(f"the shared inputs are not at {folder} (set GROUNDEVAL_SHARED)")
    return folder
