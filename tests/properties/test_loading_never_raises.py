"""Whatever a data file holds, reading it gives records and findings, never an exception."""

from __future__ import annotations

import gzip
import json
import tempfile
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Diagnostic
from groundeval.traces.model import Trace
from groundeval.traces.reader import read_trace
from groundeval.world.artifact_records import Fields, read_artifact, read_version
from groundeval.world.canonical import canonical_json
from groundeval.world.content import content
from groundeval.world.event_records import EventReader
from groundeval.world.events import Event
from groundeval.world.files import DataFile
from groundeval.world.findings import Place
from groundeval.world.loader import LoadOptions, load_artifacts, load_events
from groundeval.world.records import read_records
from groundeval.world.sources import read_actor, read_stint

HERE = Place("x.jsonl", 1)
UTC = ZoneInfo("UTC")
PIECES = st.sampled_from(
    [
        '{"id": "a"}',
        "[",
        "]",
        "{",
        "}",
        '"',
        ",",
        ":",
        "\n",
        "---\n",
        "- a: 1\n",
        "a,b\n",
        "\x00",
        "\ufeff",
        "é",
        "\\u0041",
        "&a ",
        "*a",
        "!!x ",
        "1e999",
        "NaN",
    ]
)
TEXTS = st.lists(PIECES, max_size=12).map("".join)
NAMES = st.sampled_from(
    [
        "id",
        "type",
        "at",
        "timestamp",
        "actors",
        "artifacts",
        "artifact_ids",
        "facts",
        "subsystem",
        "created",
        "deleted",
        "labels",
        "participants",
        "versions",
        "title",
        "text",
        "artifact",
        "from",
        "until",
        "role",
        "actor",
        "question",
        "steps",
        "answer",
        "cited",
        "schema",
        "x",
    ]
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_categories=["Cs"]), max_size=4)
    | st.sampled_from(["2026-03-01T10:00:00Z", "2026-03-01", "wiki"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=8,
)
RECORDS = st.dictionaries(NAMES, VALUES, max_size=8)


@pytest.mark.parametrize(
    "ending",
    [".jsonl", ".json", ".csv", ".tsv", ".yaml", ".md", ".parquet", ".jsonl.gz", ".jsonl.zst"],
)
@settings(max_examples=60)
@given(data=st.binary(max_size=120) | TEXTS.map(str.encode))
def test_any_bytes(ending: str, data: bytes) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"f{ending}"
        path.write_bytes(data)
        for item in read_records(DataFile.of(path)):
            if isinstance(item, Diagnostic):
                assert item.message
            else:
                canonical_json(item[1])
        assert (load_events([path]).value is None) or load_events([path]).ok
        assert (load_artifacts(path).value is None) or load_artifacts(path).ok


@given(RECORDS, st.booleans())
def test_any_record(record: dict[str, object], numbers: bool) -> None:
    event = EventReader(UTC, numbers_as_ids=numbers).read(json.loads(json.dumps(record)), HERE)
    assert isinstance(event, Event) or event, "a record that is no event says why"
    if isinstance(event, Event):
        canonical_json(content(event))
    for read in (read_artifact, read_version, read_actor, read_stint):
        result = read(Fields(json.loads(json.dumps(record)), HERE, UTC, numbers_as_ids=numbers))
        assert not isinstance(result, list) or result
    assert isinstance(read_trace(dict(record), HERE), Trace | Diagnostic)


@given(st.lists(RECORDS, max_size=6), st.integers(0, 6))
def test_nothing_is_half_loaded(records: list[dict[str, object]], skip_bad: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "e.jsonl.gz"
        path.write_bytes(gzip.compress("".join(json.dumps(r) + "\n" for r in records).encode()))
        loaded = load_events([path], LoadOptions(UTC, skip_bad))
        if loaded.value is None:
            assert not loaded.ok
        else:
            assert loaded.ok
            assert loaded.value.skipped <= skip_bad
            assert len(loaded.value.events) + loaded.value.skipped == len(records)
