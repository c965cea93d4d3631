"""Lines of data files: the same whatever they are packed in and wherever pieces break off."""

from __future__ import annotations

import gzip
import io
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.diagnostics import Diagnostic
from groundeval.world import files
from groundeval.world.files import DataFile, read_batches, read_lines

LINES = st.lists(
    st.sampled_from([b"", b"a", b"bc", b"d" * 9, b"e" * 30, b"\r", b"f\rg"]), max_size=9
)
ENDS = st.sampled_from([b"\n", b"\r\n"])


class Pieces(io.BytesIO):
    """A stream that gives few bytes at a time."""

    def __init__(self, data: bytes, size: int) -> None:
        super().__init__(data)
        self._size = size

    def read1(self, size: int | None = -1, /) -> bytes:
        del size
        return super().read1(self._size)


def expected(data: bytes, longest: int) -> list[bytes | None]:
    lines = data.removesuffix(b"\n").split(b"\n") if data else []
    bare = [line.removesuffix(b"\r") for line in lines]
    return [line if len(line) <= longest else None for line in bare]


@given(LINES, ENDS, st.booleans(), st.integers(1, 12), st.sampled_from([8, 9, 1000]))
def test_pieces_do_not_show(
    lines: list[bytes], end: bytes, closed: bool, size: int, longest: int
) -> None:
    data = end.join(lines) + (end if closed and lines else b"")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(files, "LONGEST_LINE", longest)
        found: list[bytes | None] = []
        for batch in files._bounded(Pieces(data, size)):
            found += [None] if batch is None else batch
    assert found == expected(data, longest)


def test_a_long_line_is_left_out_and_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_LINE", 100)
    monkeypatch.setattr(files, "_BATCH", 64)
    path = tmp_path / "a.jsonl"
    path.write_bytes(b"one\n" + b"x" * 1000 + b"\nthree\n" + b"y" * 300)
    found = list(read_lines(DataFile.of(path)))
    assert [f if isinstance(f, tuple) else f.span.line for f in found] == [
        (1, b"one"), 2, (3, b"three"), 4,
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["a.jsonl", "a.jsonl.gz"])
def test_batches_are_numbered_from_their_first_line(name: str, tmp_path: Path) -> None:
    lines = [b"%d" % n * 20 for n in range(40_000)]
    path = tmp_path / name
    whole = b"\xef\xbb\xbf" + b"\n".join(lines) + b"\n"
    path.write_bytes(gzip.compress(whole) if name.endswith("gz") else whole)
    found: list[bytes] = []
    for batch in read_batches(DataFile.of(path)):
        assert not isinstance(batch, Diagnostic)
        assert batch[0] == len(found) + 1
        found += batch[1]
    assert found == lines


def test_what_came_before_the_damage_is_read(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl.gz"
    whole = gzip.compress(b"\n".join(b"%d" % n for n in range(200_000)), compresslevel=1)
    path.write_bytes(whole[:-20_000])
    found = list(read_lines(DataFile.of(path)))
    assert len(found) > 1000
    assert isinstance(found[-1], Diagnostic)
    assert found[-1].span.line == len(found)
