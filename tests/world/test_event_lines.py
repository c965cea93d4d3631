"""Events from lines of JSON, many at a time: the same as one by one, whatever the lines are."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Diagnostic
from groundeval.world.event_lines import EventLines
from groundeval.world.event_records import EventReader
from groundeval.world.files import DataFile
from groundeval.world.findings import Place
from groundeval.world.records import read_json_lines

USUAL = {"id": "e1", "type": "opened", "timestamp": "2026-03-12T10:00:00Z"}


def one_by_one(file: DataFile) -> list[Any]:
    reader = EventReader(None)
    return [
        item if isinstance(item, Diagnostic) else reader.read(item[1], Place(file.name, item[0]))
        for item in read_json_lines(file)
    ]


def in_batches(file: DataFile) -> list[Any]:
    found: list[Any] = []
    for item in EventLines(EventReader(None)).read(file):
        found += item if isinstance(item, tuple) else [item]
    return found


def plain(items: list[Any]) -> list[Any]:
    structs = (msgspec.Struct,)
    return [msgspec.structs.asdict(i) if isinstance(i, structs) else i for i in items]


def same(path: Path, lines: list[bytes]) -> list[Any]:
    path.write_bytes(b"\n".join(lines))
    file = DataFile.of(path)
    found = plain(in_batches(file))
    assert found == plain(one_by_one(file))
    return found


UNUSUAL = [
    b"",
    b"  ",
    b"{}",
    b"[]",
    b"3",
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z"} {"id": "b"}',
    b'{"id": "a", "id": "b", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}',
    b'{"id": "a", "id" : "b", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}',
    b'{"id": "a", "id"\t: "b", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z", "facts": {"n": 1, "n" : 2}}',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z", "facts": {"n": "\\": :"}}',
    b'{"id": "a", "\\u0069d": "b", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z", "facts": {"x": 1, "x": 1}}',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z", "facts": {"x": NaN}}',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z", "facts": null}',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z"} ',
    b'\xef\xbb\xbf{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}',
    b'{"id": "\xff", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}',
    b'{"id": "e\xcc\x81", "type": "t", "timestamp": "2026-03-12T10:00:00Z"}\r',
    b'{"id": "a", "type": "t", "timestamp": "2026-03-12T10:00:00Z", "facts": {"x": '
    + b"[" * 70
    + b"]" * 70
    + b"}}",
]
FIELDS: dict[str, list[Any]] = {
    "id": ["", " ", "a\tb", "a\x7fb", "x" * 1000, "x" * 1001, "é", 7, None, " a "],
    "type": ["", " ", "a\nb", "ünknown", 7, None],
    "timestamp": [
        "2026-03-12", "2026-03-12T10:00:00", "2026-03-12T10:00:00+02:00", "2026-03-12t10:00:00z",
        "2026-02-30T10:00:00Z", "2026-03-12T24:00:00Z", "2026-03-12T23:59:60Z",
        "2026-03-12T25:00:00Z", "9999-12-31T24:00:00Z", "9999-12-31T23:59:59Z",
        "0000-01-01T00:00:00Z", "2026-03-12T10:00:00.5Z", "20260312T100000Z", "2026-3-12T10:00:00Z",
        "2026-03-12T1:000:00Z", "2026-03-12 10:00:00Z", "2026-03-12T10:00:00x", 1773309600, None,
        "", "2026-03-12T10:00:00ZZ",
    ],
    "actors": [[], "", "p1", ["p1"], ["p1", "p2", "p1"], [""], [None], None, 3, ["a\x00"], {}],
    "artifacts": [
        {}, {"desk": []}, {"desk": ""}, {"desk": "T-1"}, {"desk": ["T-1", "T-2", "T-1"]},
        {"desk": None}, {"desk": ["T-1"], "wiki": []}, [], "T-1", None, {"": "x"}, {"desk": 3},
    ],
    "artifact_ids": [{}, {"desk": "T-1"}, {"desk": ["T-1"], "wiki": "W-1"}, None],
    "facts": [
        {}, None, [], {"x": 1.5}, {"x": 10**30}, {"x": "short"}, {"x": "long" * 20},
        {"x": {"y": [1, "a:b"]}}, {"x": True, "y": None}, {"a:b": ":"}, "x", {"x": "a\u0301"},
    ],
    "at": ["2026-03-12T10:00:00Z", 1773309600],
    "summary": ["further field", None, {"x": 1}],
}  # fmt: skip


@pytest.mark.parametrize("line", UNUSUAL)
def test_an_unusual_line_is_read_as_alone(line: bytes, tmp_path: Path) -> None:
    usual = json.dumps(USUAL).encode()
    for lines in ([line], [usual, line], [line, usual], [usual, line, usual]):
        same(tmp_path / "log.jsonl", lines)


@pytest.mark.parametrize("field", FIELDS)
def test_an_unusual_value_is_read_as_alone(field: str, tmp_path: Path) -> None:
    usual = json.dumps(USUAL).encode()
    for value in FIELDS[field]:
        line = json.dumps({**USUAL, field: value}, ensure_ascii=False).encode()
        same(tmp_path / "log.jsonl", [usual, line, usual])


def test_usual_lines_need_no_second_look(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = {**USUAL, "actors": ["p1", "p2"], "artifact_ids": {"desk": "T-1"}, "facts": {"x": 1}}
    path = tmp_path / "log.jsonl"
    path.write_text((json.dumps(line) + "\n") * 3000, encoding="utf-8")
    monkeypatch.delattr(EventReader, "read")
    events = in_batches(DataFile.of(path))
    assert [event.line for event in events] == list(range(1, 3001))
    assert len({id(event.actors) for event in events}) == 1


def test_equal_texts_of_facts_are_one_text(tmp_path: Path) -> None:
    given = [{"a": f"text {n % 3}", "b": f"text {n % 2}", "c": "long" * 50} for n in range(6)]
    lines = [json.dumps({**USUAL, "id": f"e{n}", "facts": f}) for n, f in enumerate(given)]
    path = tmp_path / "log.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    events = in_batches(DataFile.of(path))
    assert [event.facts for event in events] == given
    assert len({id(event.facts[name]) for event in events for name in "ab"}) == 3


def value_of(field: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(FIELDS[field])


RECORDS = st.fixed_dictionaries(
    {name: st.just(value) | value_of(name) for name, value in USUAL.items()},
    optional={name: value_of(name) for name in FIELDS if name not in USUAL},
)
LINES = st.sampled_from(UNUSUAL) | RECORDS.map(lambda r: json.dumps(r, ensure_ascii=False).encode())


@settings(max_examples=200, deadline=None)
@given(st.lists(LINES, max_size=6))
def test_any_lines_are_read_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, lines: list[bytes]
) -> None:
    same(tmp_path_factory.mktemp("lines") / "log.jsonl", lines)
