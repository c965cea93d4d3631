"""Opening a project for a command, and what a command reads of its surroundings."""

from __future__ import annotations

import time
from pathlib import Path

from groundeval.cli.exits import Exit
from groundeval.cli.output import stop
from groundeval.project import Project, open_project


def opened(path: Path, *, as_json: bool) -> Project:
    """The project at `path`; where there is none, say so and leave with the usage code."""
    found = open_project(path)
    if found.value is None:
        stop(found.diagnostics, {}, as_json=as_json, code=Exit.USAGE)
    return found.value


def today() -> int:
    """The current instant in microseconds, for the last days of `allow` comments only."""
    return time.time_ns() // 1000
