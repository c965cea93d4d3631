"""The event types that occur in a log, whatever else is wrong with it."""

from __future__ import annotations

from pathlib import Path

from groundeval.diagnostics import Diagnostic
from groundeval.world.files import DataFile
from groundeval.world.records import read_records


def event_types(log: Path) -> tuple[str, ...]:
    """The distinct `type`s of a log's records, sorted; records without one are passed over."""
    records = (r for r in read_records(DataFile.of(log)) if not isinstance(r, Diagnostic))
    found = {kind for _, raw in records if isinstance(kind := raw.get("type"), str)}
    return tuple(sorted(found))
