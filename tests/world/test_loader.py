from __future__ import annotations

import gzip
import json
import unicodedata
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Severity
from groundeval.world import files
from groundeval.world.content import content, content_digest
from groundeval.world.json_text import TextFault, decode_json
from groundeval.world.loader import (
    LoadedArtifacts,
    LoadedEvents,
    LoadOptions,
    load_artifacts,
    load_events,
)
from groundeval.world.time import EARLIEST, format_instant

UTC = ZoneInfo("UTC")


def record(n: int, **more: object) -> dict[str, object]:
    return {
        "id": f"e{n}",
        "type": "opened",
        "timestamp": f"2026-03-{n:02}T10:00:00Z",
        "actors": ["ana", "bob"],
        "artifact_ids": {"jira": f"J-{n}", "slack": ["S-1", "S-2", "S-1"]},
        "facts": {"severity": "high", "n": n},
        **more,
    }


def write(path: Path, *records: object) -> Path:
    path.write_text(
        "".join(json.dumps(r, ensure_ascii=False) + "\n" for r in records), encoding="utf-8"
    )
    return path


def events(*paths: Path, **options: object) -> LoadedEvents:
    loaded = load_events(list(paths), LoadOptions(**options))  # type: ignore[arg-type]
    assert loaded.value is not None, [d.message for d in loaded.diagnostics]
    return loaded.value


def artifacts(path: Path, **options: object) -> LoadedArtifacts:
    loaded = load_artifacts(path, LoadOptions(**options))  # type: ignore[arg-type]
    assert loaded.value is not None, [d.message for d in loaded.diagnostics]
    return loaded.value


def test_an_event_in_full(tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl", record(1, severity="low", account={"id": 7}))
    (event,) = events(path).events
    assert (event.id, event.type, format_instant(event.at)) == (
        "e1",
        "opened",
        "2026-03-01T10:00:00Z",
    )
    assert event.actors == ("ana", "bob")
    assert event.artifacts == {"jira": ("J-1",), "slack": ("S-1", "S-2")}
    assert event.facts == {"severity": "high", "n": 1}
    assert event.extra == {"severity": "low", "account": {"id": 7}}
    assert (event.source, event.line, event.rank) == (path.as_posix(), 1, None)


def test_the_other_names_and_shapes(tmp_path: Path) -> None:
    raw = {
        "id": "x",
        "type": "t",
        "at": 1773309600,
        "actors": "ana",
        "artifacts": {"a": "1", "b": None, "c": []},
        "facts": None,
    }
    (event,) = events(write(tmp_path / "e.jsonl", raw)).events
    assert format_instant(event.at) == "2026-03-12T10:00:00Z"
    assert event.actors == ("ana",)
    assert event.artifacts == {"a": ("1",)}
    assert (event.facts, event.extra) == ({}, {})


def test_equal_times_in_both_fields_agree(tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl", record(1, at="2026-03-01T11:00:00+01:00"))
    assert "at" not in events(path).events[0].extra


def test_every_format_gives_the_same_events(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    zstandard = pytest.importorskip("zstandard")
    rows = [record(n) for n in (3, 1, 2)]
    lines = write(tmp_path / "e.jsonl", *rows)
    expected = [content(e) for e in events(lines).events]
    (tmp_path / "array.json").write_text(json.dumps(rows, indent=2))
    (tmp_path / "several.json").write_text("\n\n".join(json.dumps(r, indent=1) for r in rows))
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(lines.read_bytes()))
    packed = zstandard.ZstdCompressor().compress(lines.read_bytes()[:20])
    packed += zstandard.ZstdCompressor().compress(lines.read_bytes()[20:])
    (tmp_path / "e.jsonl.zst").write_bytes(packed)
    (tmp_path / "bom.jsonl").write_bytes(
        b"\xef\xbb\xbf" + lines.read_bytes().replace(b"\n", b"\r\n")
    )
    (tmp_path / "no_end.jsonl").write_bytes(b"\n" + lines.read_bytes().rstrip())
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "e.parquet")
    for name in (
        "array.json",
        "several.json",
        "e.jsonl.gz",
        "e.jsonl.zst",
        "bom.jsonl",
        "no_end.jsonl",
        "e.parquet",
    ):
        assert [content(e) for e in events(tmp_path / name).events] == expected, name


def test_csv(tmp_path: Path) -> None:
    path = tmp_path / "e.csv"
    path.write_text(
        "id,type,at,actors,artifacts.jira,artifacts.slack,facts.severity,facts,region,empty\r\n"
        'e1,opened,2026-03-01T10:00:00Z,ana; bob,J-1,"[""S-1"", ""S;2""]",high,"{""n"": 1}","EU, West",\r\n'
        "e2,opened,1773309600,,,,,,,\r\n",
        encoding="utf-8-sig",
    )
    first, second = events(path).events
    assert first.actors == ("ana", "bob")
    assert first.artifacts == {"jira": ("J-1",), "slack": ("S-1", "S;2")}
    assert first.facts == {"severity": "high", "n": 1}
    assert first.extra == {"region": "EU, West"}
    assert (second.actors, second.artifacts, second.facts, second.extra) == ((), {}, {}, {})
    assert second.line == 3


def test_parquet_kinds(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    from datetime import datetime  # noqa: PLC0415
    from decimal import Decimal  # noqa: PLC0415

    table = pa.table(
        {
            "id": ["a", "b"],
            "type": ["t", "t"],
            "timestamp": pa.array([1773309600123456789, None], pa.timestamp("ns", "UTC")),
            "at": pa.array([None, datetime(2026, 3, 1)], pa.timestamp("us")),  # noqa: DTZ001
            "facts.sum": pa.array([Decimal("1.50"), None]),
            "artifacts": pa.array([[("jira", "J-1")], None], pa.map_(pa.string(), pa.string())),
        }
    )
    pq.write_table(table, tmp_path / "e.parquet")
    second, first = events(tmp_path / "e.parquet", zone=UTC).events
    assert format_instant(first.at) == "2026-03-12T10:00:00.123456Z"
    assert first.facts == {"sum": 1.5}
    assert first.artifacts == {"jira": ("J-1",)}
    assert format_instant(second.at) == "2026-03-01T00:00:00Z"
    assert load_events([tmp_path / "e.parquet"]).value is None, "a naive column needs a zone"


def test_texts_come_in_nfc(tmp_path: Path) -> None:
    decomposed = unicodedata.normalize("NFD", "zoë")
    plain = record(
        1, actors=[decomposed], facts={decomposed: [decomposed]}, artifact_ids={"k": [decomposed]}
    )
    (tmp_path / "e.jsonl").write_text(
        json.dumps(plain, ensure_ascii=False) + "\n" + json.dumps({**plain, "id": "e2"}) + "\n"
    )
    for event in events(tmp_path / "e.jsonl").events:
        assert event.actors == ("zoë",)
        assert event.facts == {"zoë": ["zoë"]}
        assert event.artifacts == {"k": ("zoë",)}


def test_order_is_time_then_id_whatever_the_files(tmp_path: Path) -> None:
    same = {"timestamp": "2026-03-01T10:00:00Z"}
    a = write(tmp_path / "a.jsonl", record(2, **same), record(1, **same))
    b = write(tmp_path / "b.jsonl", record(3, **same), record(4, timestamp="2026-02-01T00:00:00Z"))
    assert [e.id for e in events(a, b).events] == ["e4", "e1", "e2", "e3"]
    assert [content(e) for e in events(a, b).events] == [content(e) for e in events(b, a).events]
    joined = tmp_path / "c.jsonl"
    joined.write_bytes(b.read_bytes() + a.read_bytes())
    assert content_digest(events(joined).events) == content_digest(events(a, b).events)
    assert content_digest(events(a).events) != content_digest(events(a, b).events)


def test_bad_records_are_skipped_up_to_the_number_given(tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl", record(1), record(2, id=5, type=None), [], record(3))
    refused = load_events([path], LoadOptions(skip_bad=1))
    assert refused.value is None
    assert len(refused.diagnostics) == 3
    loaded = load_events([path], LoadOptions(skip_bad=2))
    assert loaded.value is not None
    assert loaded.value.skipped == 2
    assert [e.id for e in loaded.value.events] == ["e1", "e3"]
    assert loaded.ok
    assert {d.code.slug for d in loaded.diagnostics} == {"skipped-record"}
    assert all(d.severity is Severity.WARNING for d in loaded.diagnostics)
    assert "`id` is a number" in " ".join(d.message for d in loaded.diagnostics)


def test_skipping_does_not_mend_a_damaged_file(tmp_path: Path) -> None:
    (tmp_path / "e.jsonl.gz").write_bytes(gzip.compress(b"x" * 100)[:-5])
    loaded = load_events([tmp_path / "e.jsonl.gz"], LoadOptions(skip_bad=10**6))
    assert loaded.value is None
    assert "unreadable-file" in {d.code.slug for d in loaded.diagnostics}


def test_duplicates_do_not_depend_on_line_order(tmp_path: Path) -> None:
    one, other = record(1), record(1, type="closed")
    for lines in ([one, other, record(2)], [record(2), other, one]):
        loaded = load_events([write(tmp_path / "e.jsonl", *lines)], LoadOptions(skip_bad=2))
        assert loaded.value is not None
        assert [e.id for e in loaded.value.events] == ["e2"], (
            "of contradicting records none is kept"
        )
    loaded = load_events(
        [write(tmp_path / "e.jsonl", one, one, record(2))], LoadOptions(skip_bad=1)
    )
    assert loaded.value is not None
    assert [e.id for e in loaded.value.events] == ["e1", "e2"]


def test_a_thousand_findings_a_file_are_kept(tmp_path: Path) -> None:
    path = write(tmp_path / "e.jsonl", *[record(1, type=None)] * 1500)
    found = load_events([path]).diagnostics
    assert len(found) == 1001
    (summary,) = [d for d in found if d.code.slug == "too-many-findings"]
    assert summary.message == "500 more findings about this file are not shown"
    skipping = load_events([path], LoadOptions(skip_bad=1500))
    assert skipping.value is not None
    assert skipping.value.skipped == 1500
    assert skipping.ok


def test_a_line_too_long_is_named_and_passed(tmp_path: Path) -> None:
    path = tmp_path / "e.jsonl"
    path.write_bytes(
        json.dumps(record(1, text="x" * files.LONGEST_LINE)).encode()
        + b"\n"
        + json.dumps(record(2)).encode()
    )
    (found,) = load_events([path]).diagnostics
    assert (found.span.line, found.code.slug) == (1, "malformed-record")
    assert [e.id for e in events(path, skip_bad=1).events] == ["e2"]


def test_missing_file_and_missing_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (found,) = load_events([tmp_path / "none.jsonl"]).diagnostics
    assert "there is no file" in found.message
    (tmp_path / "e.jsonl.zst").write_bytes(b"")
    monkeypatch.setattr(files, "find_spec", lambda name: None)
    (found,) = load_events([tmp_path / "e.jsonl.zst"]).diagnostics
    assert (found.code.slug, found.help) == ("missing-extra", "pip install 'groundeval[zstd]'")


def test_artifact_folder(tmp_path: Path) -> None:
    (tmp_path / "wiki" / "deep").mkdir(parents=True)
    (tmp_path / "jira").mkdir()
    (tmp_path / "wiki" / "page.md").write_text(
        "---\ncreated: 2026-03-01\ntitle: A page\nlabels: [x, y]\nno: no\nat: 12:30\n---\n# Head\n\ntext\n"
    )
    (tmp_path / "wiki" / "deep" / "plain.md").write_bytes(b"just text\r\n")
    (tmp_path / "jira" / "J-1.json").write_text(
        json.dumps(
            {
                "id": "J-1",
                "subsystem": "tracker",
                "timestamp": "2026-03-02T10:00:00Z",
                "body": "b",
                "status": "open",
                "participants": "ana",
            }
        )
    )
    (tmp_path / ".hidden.json").write_text("{")
    deep, jira, page = artifacts(tmp_path, zone=UTC).artifacts
    deep, page = (a for a in (deep, jira, page) if a.id in ("plain", "page"))
    if deep.id == "page":
        deep, page = page, deep
    assert (page.id, page.subsystem, page.versions[0].title) == ("page", "wiki", "A page")
    assert page.versions[0].labels == ("x", "y")
    assert page.versions[0].text == "# Head\n\ntext\n"
    assert page.versions[0].attributes == {"no": "no", "at": "12:30"}
    assert (deep.subsystem, deep.created, deep.versions[0].start) == ("deep", None, EARLIEST)
    ticket = next(a for a in artifacts(tmp_path, zone=UTC).artifacts if a.id == "J-1")
    assert (ticket.subsystem, ticket.participants) == ("tracker", ("ana",))
    assert ticket.versions[0].text == "b"
    assert ticket.versions[0].attributes == {"status": "open"}


def test_a_link_out_of_the_folder_is_refused(tmp_path: Path) -> None:
    folder = tmp_path / "wiki"
    folder.mkdir()
    (tmp_path / "secret.md").write_text("secret")
    (folder / "p.md").symlink_to(tmp_path / "secret.md")
    (folder / "own.md").write_text("own")
    (folder / "q.md").symlink_to(folder / "own.md")
    loaded = load_artifacts(folder)
    assert [d.code.slug for d in loaded.diagnostics] == ["outside-folder"]
    assert loaded.value is None


def test_versions_take_over_what_they_leave_unsaid(tmp_path: Path) -> None:
    raw = {
        "id": "W-1",
        "subsystem": "wiki",
        "created": "2026-03-01T00:00:00Z",
        "title": "Page",
        "text": "one",
        "owner": "ana",
        "versions": [
            {"from": "2026-03-03T00:00:00Z", "labels": ["final"]},
            {"from": "2026-03-02T00:00:00Z", "text": "two", "owner": "bob"},
        ],
    }
    (artifact,) = artifacts(write(tmp_path / "a.jsonl", raw)).artifacts
    assert [(v.text, v.labels, v.title, v.attributes) for v in artifact.versions] == [
        ("one", (), "Page", {"owner": "ana"}),
        ("two", (), "Page", {"owner": "bob"}),
        ("two", ("final",), "Page", {"owner": "bob"}),
    ]


@given(st.binary(max_size=200) | st.text().map(str.encode))
@settings(max_examples=200)
def test_no_bytes_make_the_decoder_raise(data: bytes) -> None:
    decode_json(data)


@given(
    st.lists(st.tuples(st.text("ab", min_size=1, max_size=2), st.integers()), max_size=5),
    st.sampled_from(["", " ", "\n "]),
)
def test_a_key_given_twice_is_always_found(pairs: list[tuple[str, int]], space: str) -> None:
    body = ",".join(f'"{key}"{space}:{value}' for key, value in pairs)
    value = decode_json(f"{{{body}}}".encode())
    twice = len({key for key, _ in pairs}) < len(pairs)
    assert isinstance(value, TextFault) == twice
