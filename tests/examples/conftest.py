"""The bundled support desk, compiled once."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundeval import api

SUPPORT = Path(__file__).parents[2] / "examples" / "support"


@pytest.fixture(scope="session")
def support() -> api.Compiled:
    opened = api.open_project(SUPPORT)
    assert opened.value is not None, opened.diagnostics
    compiled = api.compile_project(opened.value)
    assert compiled.value is not None, compiled.diagnostics
    return compiled.value
