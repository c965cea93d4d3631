"""Raw records of CSV and TSV files."""

from __future__ import annotations

import csv
import unicodedata
from typing import TYPE_CHECKING, Any

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.files import DataFile, read_lines
from groundeval.world.ids import shown
from groundeval.world.json_text import utf8_fault

if TYPE_CHECKING:
    from collections.abc import Iterator


def read_csv(file: DataFile) -> Iterator[tuple[int, dict[str, Any]] | Diagnostic]:
    """Each row as an object of texts by the first row's names; empty cells are left out.

    Quoting is that of RFC 4180, and strict. A row with another number of cells than the first
    one, or with bytes that are no UTF-8, is a finding.
    """
    lines = _Lines(file)
    header: list[str] | None = None
    for begins, row in _rows(file, lines):
        yield from lines.lost()
        if isinstance(row, Diagnostic):
            yield row
            return
        if header is not None:
            problem = lines.problem() or _misfit(file, begins, header, row)
            if problem is not None or row:
                yield problem or (begins, _record(header, row))
            continue
        header = [unicodedata.normalize("NFC", name.strip()) for name in row]
        problem = lines.problem() or _bad_header(file, header)
        if problem is not None:
            yield problem
            return
    yield from lines.lost()
    if header is None and not lines.damaged:
        yield file.place().finding(codes.MALFORMED_FILE, "the file has no first row of names")


def _rows(file: DataFile, lines: _Lines) -> Iterator[tuple[int, list[str] | Diagnostic]]:
    """Each row with the line where it begins; ends with a finding where the quoting breaks off."""
    delimiter = "\t" if file.ending == ".tsv" else ","
    rows = csv.reader(iter(lines), delimiter=delimiter, strict=True)
    begins = 1
    while True:
        try:
            row = next(rows, None)
        except csv.Error as fault:
            message = f"the row that begins here is not CSV: {fault}"
            yield begins, file.place(begins).finding(codes.MALFORMED_FILE, message)
            return
        if row is None:
            return
        yield begins, row
        begins = rows.line_num + 1


class _Lines:
    """The file's lines as text; keeps what was wrong with those of the current row."""

    def __init__(self, file: DataFile) -> None:
        self._file = file
        self._problem: Diagnostic | None = None
        self._lost: list[Diagnostic] = []
        self.damaged = False

    def __iter__(self) -> Iterator[str]:
        for item in read_lines(self._file):
            if isinstance(item, Diagnostic):
                self.damaged = True
                self._lost.append(item)
                continue
            number, line = item
            try:
                text = line.decode()
            except UnicodeDecodeError:
                self._problem = self._wrong_bytes(number, line)
                text = line.decode(errors="replace")
            yield text + "\n"

    def problem(self) -> Diagnostic | None:
        """What was wrong since the last call."""
        found, self._problem = self._problem, None
        return found

    def lost(self) -> list[Diagnostic]:
        """Lines that could not be had since the last call."""
        found, self._lost = self._lost, []
        return found

    def _wrong_bytes(self, number: int, line: bytes) -> Diagnostic | None:
        fault = utf8_fault(line)
        if fault is None:
            return None
        return self._file.place(number).fault(codes.MALFORMED_RECORD, fault)


def _record(header: list[str], row: list[str]) -> dict[str, Any]:
    return {
        name: cell if cell.isascii() else unicodedata.normalize("NFC", cell)
        for name, cell in zip(header, row, strict=True)
        if cell
    }


def _misfit(file: DataFile, line: int, header: list[str], row: list[str]) -> Diagnostic | None:
    if len(row) == len(header) or not row:
        return None
    message = f"the row has {len(row)} cells, the first row has {len(header)}"
    help_ = "a cell that holds the separator or a line end stands in double quotes"
    return file.place(line).finding(codes.MALFORMED_RECORD, message, help_=help_)


def _bad_header(file: DataFile, header: list[str]) -> Diagnostic | None:
    place = file.place()
    twice = next((name for name in header if header.count(name) > 1), None)
    if twice:
        message = f"the column {shown(twice)} stands in the first row twice"
        return place.finding(codes.MALFORMED_FILE, message)
    if "" in header:
        message = f"column {header.index('') + 1} has no name in the first row"
        return place.finding(codes.MALFORMED_FILE, message)
    return None
