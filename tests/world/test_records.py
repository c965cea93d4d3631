"""JSON lines, many at a time: the same records and findings as one by one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Diagnostic
from groundeval.world import records
from groundeval.world.files import DataFile
from groundeval.world.json_text import DEEPEST, decode_objects
from groundeval.world.records import json_record, read_json_lines

NESTED = "[" * (DEEPEST + 1) + "]" * (DEEPEST + 1)
BROAD = json.dumps([[] for _ in range(DEEPEST + 1)])
UNUSUAL = (
    "",
    "  ",
    "{}",
    "[]",
    "[{}]",
    "null",
    '{"a": 1',
    ' {"a": 1} ',
    '{"a": 1} {"a": 2}',
    '{"a": 1}{"a": 2}',
    '{"a": 1, "a": 2}',
    '{"a": {"b": 1, "b": 2}}',
    '{"a": [{"b": 1, "b": 2}]}',
    '{"a": 1, "\\u0061": 2}',
    '{"a": "\\u0065\\u0301"}',
    '{"a": "\\ud800"}',
    '{"a": NaN}',
    '{"a": 1e999}',
    '{"a": 123456789012345678901234567890}',
    '{"a": "e\u0301"}',
    f'{{"a": {NESTED}}}',
    f'{{"a": {BROAD}}}',
)


def plain_records() -> st.SearchStrategy[str]:
    leaves = st.none() | st.booleans() | st.integers() | st.text() | st.just("10:00: {}")
    values = st.recursive(leaves, lambda v: st.lists(v) | st.dictionaries(st.text(), v))
    written = st.builds(json.dumps, st.dictionaries(st.text(), values), ensure_ascii=st.booleans())
    return written | st.sampled_from(('{"a": 1, "b": "x"}', '{"c": 1.5}'))


def one_by_one(file: DataFile, lines: list[str]) -> list[Any]:
    found = [(n, json_record(file, n, line.encode())) for n, line in enumerate(lines, 1)]
    return [r if isinstance(r, Diagnostic) else (n, r) for n, r in found if r is not None]


def same(path: Path, lines: list[str]) -> list[Any]:
    path.write_bytes("\n".join(lines).encode())
    file = DataFile.of(path)
    found = list(read_json_lines(file))
    assert found == one_by_one(file, lines)
    return found


@settings(max_examples=300, deadline=None)
@given(st.lists(st.sampled_from(UNUSUAL) | plain_records(), max_size=5))
def test_any_lines_are_read_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str]
) -> None:
    same(tmp_path_factory.mktemp("lines") / "records.jsonl", lines)


@pytest.mark.parametrize("line", UNUSUAL)
def test_an_unusual_line_between_usual_ones(line: str, tmp_path: Path) -> None:
    usual = '{"a": "10:00", "b": {"c": ["d"]}}'
    found = same(tmp_path / "records.jsonl", [usual, line, usual])
    assert found[0] == (1, {"a": "10:00", "b": {"c": ["d"]}})
    assert found[-1] == (3, {"a": "10:00", "b": {"c": ["d"]}})


def test_plain_lines_are_decoded_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "records.jsonl"
    path.write_text('{"a": "x: y", "b": [1]}\n' * 3000, encoding="utf-8")
    monkeypatch.delattr(records, "json_record")
    found = list(read_json_lines(DataFile.of(path)))
    assert found == [(n, {"a": "x: y", "b": [1]}) for n in range(1, 3001)]


def test_what_could_be_too_deep_is_not_decoded_together() -> None:
    assert decode_objects([b'{"a": {}}', f'{{"a": {NESTED}}}'.encode()]) is None
    assert decode_objects([b'{"a": {}}', b'{"a": []}']) == [{"a": {}}, {"a": []}]
