"""Raw records of a data file, whatever its format: the low-level reader that all loaders share.

A raw record is an object of decoded JSON (texts in NFC). What a format lacks is not made up: CSV
cells are texts, and an empty cell is a field that is not there; YAML knows only JSON's kinds, so
dates stay texts; Markdown gives `path`, `front` and `body`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.documents import read_markdown, read_yaml
from groundeval.world.files import DataFile, read_batches, read_whole
from groundeval.world.ids import kind_of
from groundeval.world.json_text import (
    TextFault,
    column_of,
    decode_json,
    decode_objects,
    explain,
    utf8_fault,
)
from groundeval.world.parquet import read_parquet
from groundeval.world.tables import read_csv

if TYPE_CHECKING:
    from collections.abc import Callable

RawRecord = Mapping[str, Any]
"""One record as it stands in its file: decoded JSON by field name."""
Read = Iterator[tuple[int, dict[str, Any]] | Diagnostic]
"""Records with the line (in Parquet: the row) where each begins, and findings between them."""

JSON_LINES: Final = (".jsonl", ".ndjson", ".log")
"""Endings of files that hold one JSON object on each line."""
FORMATS: Final = (
    ".jsonl, .ndjson, .log, .json, .csv, .tsv, .parquet, .yaml, .yml, .md "
    "(and each with .gz or .zst)"
)


def read_records(file: DataFile) -> Read:
    """Every record of the file, in the file's order; a finding where one cannot be had.

    A finding with the code `malformed-record` stands for one record, and reading goes on behind
    it; any other says that the rest of the file is lost.
    """
    reader = _readers().get(file.ending)
    if reader is None:
        ending = f"`{file.ending}`" if file.ending else "none"
        message = f"`{file.name}` is of no known format: its ending is {ending}"
        return iter(
            [file.place().finding(codes.UNKNOWN_FORMAT, message, help_=f"known: {FORMATS}")]
        )
    return reader(file)


def is_readable(file: DataFile) -> bool:
    """Whether the file's ending names a known format."""
    return file.ending in _readers()


def read_json_lines(file: DataFile) -> Read:
    """One JSON object per line; empty lines are passed over."""
    for batch in read_batches(file):
        if isinstance(batch, Diagnostic):
            yield batch
            continue
        number, lines = batch
        records = decode_objects(lines)
        if records is None:
            yield from _one_by_one(file, number, lines)
        else:
            yield from enumerate(records, number)


def _one_by_one(file: DataFile, number: int, lines: list[bytes]) -> Read:
    for place, line in enumerate(lines, number):
        record = json_record(file, place, line)
        if isinstance(record, dict):
            yield place, record
        elif record is not None:
            yield record


def json_record(file: DataFile, number: int, line: bytes) -> dict[str, Any] | Diagnostic | None:
    """The object on one line, or why there is none; None for an empty line."""
    value = decode_json(line)
    if type(value) is dict:
        return value
    return _no_object(file, number, value) if line.strip() else None


def read_json(file: DataFile) -> Read:
    """The objects of a JSON file: one, an array of them, or several one after another."""
    data = read_whole(file)
    if isinstance(data, Diagnostic):
        yield data
        return
    try:
        pieces = msgspec.json.decode(data, type=list[msgspec.Raw])
    except (msgspec.MsgspecError, RecursionError):
        yield from _documents(file, data)
        return
    yield from _elements(file, data, pieces)


def _readers() -> Mapping[str, Callable[[DataFile], Read]]:
    return {
        **dict.fromkeys(JSON_LINES, read_json_lines),
        ".json": read_json,
        ".csv": read_csv,
        ".tsv": read_csv,
        ".parquet": read_parquet,
        ".yaml": read_yaml,
        ".yml": read_yaml,
        ".md": read_markdown,
        ".markdown": read_markdown,
    }


def _elements(file: DataFile, data: bytes, pieces: list[msgspec.Raw]) -> Read:
    """The elements of one array, each at the line where it stands."""
    line, position = 1, 0
    for piece in pieces:
        raw = bytes(piece)
        start = data.index(raw, position)
        line += data.count(b"\n", position, start)
        value = decode_json(raw)
        if isinstance(value, dict):
            yield line, value
        else:
            yield _no_object(file, line, value, column_of(data, start))
        position = start + len(raw)
        line += raw.count(b"\n")


def _documents(file: DataFile, data: bytes) -> Read:
    """JSON values one after another, with nothing or any space between them."""
    wrong_bytes = utf8_fault(data)
    if wrong_bytes is not None:
        yield _broken(file, wrong_bytes)
        return
    text = data.decode()
    decoder = json.JSONDecoder()
    position, line = _past_space(text, 0), 1
    line += text.count("\n", 0, position)
    if position == len(text):
        yield _broken(file, TextFault("the file is empty"))
    while position < len(text):
        try:
            _, end = decoder.raw_decode(text, position)
        except (ValueError, RecursionError):
            fault = explain(text[position:].encode())
            yield _broken(file, fault.moved(line, _column(text, position)))
            return
        yield from _values(file, line, text[position:end].encode(), _column(text, position))
        after = _past_space(text, end)
        line += text.count("\n", position, after)
        position = after


def _values(file: DataFile, line: int, data: bytes, column: int) -> Read:
    value = decode_json(data)
    for item in value if isinstance(value, list) else [value]:
        yield (line, item) if isinstance(item, dict) else _no_object(file, line, item, column)


def _column(text: str, position: int) -> int:
    return position - text.rfind("\n", 0, position)


def _past_space(text: str, position: int) -> int:
    while position < len(text) and text[position] in " \t\r\n":
        position += 1
    return position


def _no_object(file: DataFile, line: int, value: object, column: int = 1) -> Diagnostic:
    """The finding on a value that begins at this line and column."""
    if not isinstance(value, TextFault):
        value = TextFault(f"the record is {kind_of(value)}, not an object")
    return file.place().fault(codes.MALFORMED_RECORD, value.moved(line, column))


def _broken(file: DataFile, fault: TextFault) -> Diagnostic:
    return file.place().fault(codes.MALFORMED_FILE, fault)
