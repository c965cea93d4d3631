"""`results.jsonl` and `summary.json`: written with at most six decimals, and read back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from groundeval.diagnostics import Diagnostic, codes
from groundeval.scoring.model import SCHEMA as RESULT_SCHEMA
from groundeval.scoring.model import Result
from groundeval.scoring.summary import SCHEMA as SUMMARY_SCHEMA
from groundeval.scoring.summary import Summary
from groundeval.traces.reader import schema_fault
from groundeval.world.canonical import number_text
from groundeval.world.files import DataFile, open_for_writing
from groundeval.world.findings import Place
from groundeval.world.records import read_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

T = TypeVar("T", Result, Summary)

_encode: Final = msgspec.json.Encoder().encode


def encode_result(result: Result) -> bytes:
    """One line of `results.jsonl` with its end: the schema first, fields in the format's order."""
    return _encode(_plain(msgspec.to_builtins(result))) + b"\n"


def encode_summary(summary: Summary) -> bytes:
    """The text of `summary.json`, indented, with its end."""
    return msgspec.json.format(_encode(_plain(msgspec.to_builtins(summary))), indent=2) + b"\n"


def write_results(path: Path, results: Iterable[Result]) -> int:
    """Write a file of results, packed as its ending says; gives how many there were."""
    count = 0
    with open_for_writing(path) as stream:
        for result in results:
            stream.write(encode_result(result))
            count += 1
    return count


def write_summary(path: Path, summary: Summary) -> None:
    """Write `summary.json`."""
    with open_for_writing(path) as stream:
        stream.write(encode_summary(summary))


def read_results(paths: Sequence[str | Path]) -> Iterator[Result | Diagnostic]:
    """Every result of every file in its order; a finding in place of one that cannot be read."""
    for path in paths:
        yield from _read(path, Result, RESULT_SCHEMA)


def read_summary(path: str | Path) -> Summary | Diagnostic:
    """The summary in a file, or what is wrong with it."""
    for item in _read(path, Summary, SUMMARY_SCHEMA):
        return item
    message = "the file holds no summary"
    return Place(str(path), 1).finding(codes.MALFORMED_RESULT, message)


def _read(path: str | Path, kind: type[T], schema: str) -> Iterator[T | Diagnostic]:
    file = DataFile.of(path)
    name, _, major = schema.rpartition("/")
    for item in read_records(file):
        if isinstance(item, Diagnostic):
            yield item
            continue
        place = Place(file.name, item[0])
        refusal = schema_fault(item[1], name, major, place)
        yield _converted(item[1], kind, place) if refusal is None else refusal


def _converted(record: dict[str, Any], kind: type[T], place: Place) -> T | Diagnostic:
    try:
        return msgspec.convert(record, kind)
    except msgspec.ValidationError as fault:
        reason = str(fault)
        return place.finding(codes.MALFORMED_RESULT, f"{reason[:1].lower()}{reason[1:]}")


def _plain(value: Any) -> Any:
    """The value with numbers as documents write them."""
    if isinstance(value, float):
        return msgspec.Raw(number_text(value).encode())
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value
