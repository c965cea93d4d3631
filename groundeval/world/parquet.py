"""Raw records of Parquet files (the optional package `groundeval[parquet]`)."""

from __future__ import annotations

import math
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.files import DataFile, missing_extra
from groundeval.world.ids import shown
from groundeval.world.json_text import normalised

if TYPE_CHECKING:
    from collections.abc import Iterator


class _NoJsonError(Exception):
    """A cell that has no JSON counterpart."""


def read_parquet(file: DataFile) -> Iterator[tuple[int, dict[str, Any]] | Diagnostic]:
    """Each row as an object; the number beside it is the row's, from 1.

    Times become ISO texts (with an offset where the column has a zone), decimals numbers, maps
    objects; null cells are left out. Digits past the microsecond are cut off.
    """
    if find_spec("pyarrow") is None:
        yield missing_extra(file, "parquet")
        return
    import pyarrow as pa  # noqa: PLC0415 - an optional package
    import pyarrow.parquet as pq  # noqa: PLC0415

    row = 0
    try:
        with pq.ParquetFile(file.path, coerce_int96_timestamp_unit="us") as table:
            for batch in table.iter_batches(batch_size=8192):
                for raw in _micros(pa, batch).to_pylist():
                    row += 1
                    yield _record(file, row, raw)
    except (OSError, pa.ArrowException) as fault:
        message = f"`{file.name}` is no Parquet file that can be read: {_first_line(fault)}"
        yield file.place(row + 1).finding(codes.UNREADABLE_FILE, message)


def _micros(pa: Any, batch: Any) -> Any:
    """The batch with nanosecond columns cut to microseconds."""
    fields = [
        field.with_type(pa.timestamp("us", field.type.tz))
        if pa.types.is_timestamp(field.type) and field.type.unit == "ns"
        else field
        for field in batch.schema
    ]
    return pa.Table.from_batches([batch]).cast(pa.schema(fields), safe=False)


def _record(
    file: DataFile, row: int, raw: dict[str, Any]
) -> tuple[int, dict[str, Any]] | Diagnostic:
    try:
        record = {name: _json(cell) for name, cell in raw.items() if cell is not None}
    except _NoJsonError as fault:
        return file.place(row).finding(codes.MALFORMED_RECORD, f"row {row}: {fault}")
    return row, normalised(record)


def _json(cell: Any) -> Any:
    match cell:
        case dict():
            return {str(name): _json(item) for name, item in cell.items()}
        case list():
            if cell and all(isinstance(item, tuple) for item in cell):
                return {str(name): _json(item) for name, item in cell}
            return [_json(item) for item in cell]
        case _:
            return _scalar(cell)


def _scalar(cell: Any) -> Any:
    match cell:
        case None | bool() | int() | str():
            return cell
        case float() | Decimal():
            return _number(cell)
        case datetime() | date() | time():
            return cell.isoformat()
        case timedelta():
            return cell // timedelta(microseconds=1)
        case bytes():
            return _text(cell)
        case _:
            raise _NoJsonError(f"a cell of type `{type(cell).__name__}` has no JSON counterpart")


def _number(cell: float | Decimal) -> int | float:
    if not math.isfinite(cell):
        raise _NoJsonError(f"the number {shown(str(cell))} is not JSON")
    if isinstance(cell, Decimal) and cell == cell.to_integral_value():
        return int(cell)
    return float(cell)


def _text(cell: bytes) -> str:
    try:
        return cell.decode()
    except UnicodeDecodeError as fault:
        raise _NoJsonError("a binary cell is not UTF-8") from fault


def _first_line(fault: Exception) -> str:
    return str(fault).partition("\n")[0].partition(". ")[0].rstrip(".") or type(fault).__name__
