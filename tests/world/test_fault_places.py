"""What cannot be read is told at its line and column, both counted from 1 as an editor does."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.files import DataFile
from groundeval.world.records import read_records

CASES: dict[str, tuple[str, bytes, int, int]] = {
    "a lost comma": ("x.jsonl", b'{"a": 1}\n{"a": 1 "b": 2}\n', 2, 9),
    "behind letters of two bytes": ("x.jsonl", '{"ä": "ö" 1}\n'.encode(), 1, 11),
    "a byte behind letters of two bytes": ("x.jsonl", '{"ä": "'.encode() + b'\xe4"}\n', 1, 8),
    "no object": ("x.jsonl", b'{"a": 1}\n[]\n', 2, 1),
    "no object in an array": ("x.json", b'[{"a": 1},\n {"a": 2}, 7]\n', 2, 12),
    "a number in an array": ("x.json", b'[{"a": 1}, {"a": 1e999}]\n', 1, 12),
    "broken json": ("x.json", b'[\n  {"a": 1},\n  {"a" 2}\n]\n', 3, 8),
    "broken behind a whole document": ("x.json", b'{"a": 1} {"a" 2}\n', 1, 15),
    "broken yaml": ("x.yaml", b"- a: 1\n- b: [1, 2\n", 3, 1),
    "a tag": ("x.yaml", b"- a: 1\n- b: !x 2\n", 2, 6),
    "front matter": ("x.md", b"---\ntitle: *x\n---\n", 2, 8),
    "bytes in a table": ("x.csv", b"id,name\n1,caf\xe9\n", 2, 6),
    "bytes in a text": ("x.yaml", b"a: 1\nb: caf\xe9\n", 2, 7),
}


@pytest.mark.parametrize("name", CASES)
def test_the_place_is_that_of_the_fault(tmp_path: Path, name: str) -> None:
    file, data, line, column = CASES[name]
    path = tmp_path / file
    path.write_bytes(data)
    (found,) = (x for x in read_records(DataFile.of(path)) if isinstance(x, Diagnostic))
    assert found.code in {codes.MALFORMED_RECORD, codes.MALFORMED_FILE}
    assert (found.span.line, found.span.column) == (line, column), found.message
    assert "at column" not in found.message
