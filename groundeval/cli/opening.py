"""Opening a project for a command, and what a command reads of its surroundings."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from groundeval.cli.exits import Exit
from groundeval.cli.output import stop
from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.project import Project, open_project


def opened(path: Path, *, as_json: bool) -> Project:
    """The project at `path`; where there is none, say so and leave with the usage code."""
    found = open_project(path)
    if found.value is None:
        stop(found.diagnostics, {}, as_json=as_json, code=Exit.USAGE)
    return found.value


def readable(paths: Iterable[Path], *, as_json: bool) -> None:
    """Make sure that files can be opened before any work is done; else leave."""
    faults = [d for d in map(_unreadable, paths) if d is not None]
    if faults:
        stop(faults, {}, as_json=as_json)


def _unreadable(path: Path) -> Diagnostic | None:
    try:
        with path.open("rb"):
            return None
    except OSError as fault:
        message = f"`{path.as_posix()}` cannot be read: {(fault.strerror or str(fault)).lower()}"
    except ValueError as fault:
        message = f"the file's name cannot be one: {fault}"
    return Diagnostic(codes.UNREADABLE_FILE, message, Span.at(path.as_posix(), 1))


def today() -> int:
    """The current instant in microseconds, for the last days of `allow` comments only."""
    return time.time_ns() // 1000
