"""Events and artifacts from files in the product's own shapes, loaded strictly.

Everything wrong is found in one go and named by file, line and field. Nothing is half-loaded: a
load with errors has no value, unless `skip_bad` allows that many bad records to be left out, which
are then counted.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from groundeval.diagnostics import Checked, Diagnostic, codes, in_order
from groundeval.world.artifact_records import Fields, read_artifact
from groundeval.world.columns import MARKDOWN, from_markdown, nested_columns
from groundeval.world.duplicates import without_duplicates
from groundeval.world.event_lines import EventLines, Read
from groundeval.world.event_records import EventReader
from groundeval.world.events import in_log_order
from groundeval.world.files import DataFile
from groundeval.world.findings import Findings, Place
from groundeval.world.folders import files_of
from groundeval.world.records import JSON_LINES, read_records

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from groundeval.diagnostics import Code
    from groundeval.world.artifacts import Artifact
    from groundeval.world.events import Event

_FLAT: Final = (".csv", ".tsv", ".parquet")
_PER_RECORD: Final = (codes.MALFORMED_RECORD, codes.MALFORMED_FILE)


@dataclass(frozen=True, slots=True)
class LoadOptions:
    """How to load: the zone of times that name none, and how many bad records may be left out."""

    zone: ZoneInfo | None = None
    skip_bad: int = 0


DEFAULT: Final = LoadOptions()


@dataclass(frozen=True, slots=True)
class LoadedEvents:
    """Events in the order of (at, id), and how many bad records were left out."""

    events: tuple[Event, ...]
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class LoadedArtifacts:
    """Artifacts in the order of their ids, and how many bad records were left out."""

    artifacts: tuple[Artifact, ...]
    skipped: int = 0


def load_events(
    paths: Sequence[str | Path], options: LoadOptions = DEFAULT
) -> Checked[LoadedEvents]:
    """The events of all files (JSONL, JSON, CSV, Parquet, …) together.

    Findings are errors unless bad records were left out, and are in the order of file and line.
    """
    findings = Findings()
    events: list[Event] = []
    reader = EventReader(options.zone)
    lines = EventLines(reader)
    with paused_collection():
        for path in sorted(map(Path, paths), key=Path.as_posix):
            for item in _events_of(DataFile.of(path), reader, lines, findings):
                if isinstance(item, tuple):
                    events.extend(item)
                elif isinstance(item, list):
                    findings.bad_record(item)
                else:
                    _note(item, findings)
        kept = without_duplicates(in_log_order(events), "event", findings)
    settled = findings.settle(options.skip_bad)
    value = LoadedEvents(tuple(kept), settled.skipped) if settled.usable else None
    return Checked(value, in_order(settled.diagnostics))


def load_artifacts(path: str | Path, options: LoadOptions = DEFAULT) -> Checked[LoadedArtifacts]:
    """The artifacts of a folder (one JSON or Markdown file each) or of one file of records.

    In a folder, an artifact that names no subsystem belongs to the one that its folder is called.
    """
    findings = Findings()
    artifacts: list[Artifact] = []
    for place, raw, folder in _raw_artifacts(Path(path), findings):
        fields = Fields(dict(raw), place, options.zone)
        artifact = read_artifact(fields, folder)
        if isinstance(artifact, list):
            findings.bad_record(artifact)
        else:
            artifacts.append(artifact)
    artifacts.sort(key=lambda a: (a.id, a.source, a.line))
    kept = without_duplicates(artifacts, "artifact", findings)
    settled = findings.settle(options.skip_bad)
    value = LoadedArtifacts(tuple(kept), settled.skipped) if settled.usable else None
    return Checked(value, in_order(settled.diagnostics))


def records_of(
    file: DataFile, findings: Findings, *, one_record: bool = False
) -> Iterator[tuple[Place, dict[str, Any]]]:
    """The raw records of a file with their places; findings go where they belong.

    With `one_record` a file that breaks off its format counts as one bad record.
    """
    per_record = _PER_RECORD if one_record else _PER_RECORD[:1]
    for item in read_records(file):
        if isinstance(item, Diagnostic):
            _note(item, findings, per_record)
        else:
            yield Place(file.name, item[0]), item[1]


def _note(
    finding: Diagnostic, findings: Findings, per_record: Sequence[Code] = _PER_RECORD[:1]
) -> None:
    """Count a finding about raw records where it belongs."""
    if finding.code in per_record:
        findings.bad_record([finding])
    else:
        findings.bad_file(finding)


@contextmanager
def paused_collection() -> Iterator[None]:
    """Put off the search for garbage: a load makes a million objects and no cycles.

    Measured: it is a third of the time otherwise.
    """
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()


def _events_of(
    file: DataFile, reader: EventReader, lines: EventLines, findings: Findings
) -> Iterator[Read]:
    if file.ending in JSON_LINES:
        yield from lines.read(file)
        return
    flat = file.ending in _FLAT
    for place, raw in records_of(file, findings):
        record = nested_columns(raw, place) if flat else raw
        event = record if isinstance(record, list) else reader.read(record, place)
        yield event if isinstance(event, list) else (event,)


def _raw_artifacts(
    path: Path, findings: Findings
) -> Iterator[tuple[Place, dict[str, Any], str | None]]:
    """Raw artifacts with the folder that stands in for a missing subsystem."""
    if not path.is_dir():
        file = DataFile.of(path)
        ending = file.ending
        for place, raw in records_of(file, findings):
            yield from _flat(ending, raw, place, findings, None)
        return
    for inner in files_of(path, findings):
        file = DataFile.of(inner)
        for place, raw in records_of(file, findings, one_record=True):
            yield from _flat(file.ending, raw, place, findings, inner.parent.name)


def _flat(
    ending: str, raw: dict[str, Any], place: Place, findings: Findings, folder: str | None
) -> Iterator[tuple[Place, dict[str, Any], str | None]]:
    """The record in the shape that JSON artifacts have."""
    if ending in MARKDOWN:
        yield place, from_markdown(raw), folder
        return
    record = nested_columns(raw, place) if ending in _FLAT else raw
    if isinstance(record, list):
        findings.bad_record(record)
    else:
        yield place, record, folder
