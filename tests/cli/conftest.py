from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import write_desk


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    """The small project's folder."""
    return write_desk(tmp_path / "desk")
