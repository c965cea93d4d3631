"""The traces of a folder: appended one by one, each on the disk before the next attempt begins.

A run that was killed, whenever, has lost no trace that it finished. What it may leave is half a
line at the end, which is cut off and told when the file is opened again.
"""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from io import FileIO
from pathlib import Path
from typing import Final

import msgspec

from groundeval.diagnostics import Checked, Diagnostic, codes
from groundeval.runs.plan import Mark, mark_of
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace, read_trace
from groundeval.world.drafts import Drafts
from groundeval.world.files import DataFile
from groundeval.world.findings import Place
from groundeval.world.records import json_record

if sys.platform != "win32":
    import fcntl

NAME: Final = "traces.jsonl"
Ranks = Mapping[str, int]
"""The place of each question in its contract, by id."""


class Journal:
    """The open `traces.jsonl` of a folder, locked against other runs until it is closed.

    `made` has a mark for each attempt in it, and whether the agent failed there. Any thread may
    append.
    """

    def __init__(self, path: Path, stream: FileIO, made: dict[Mark, bool]) -> None:
        self.path = path
        self._stream = stream
        self._made = made
        self._turn = threading.Lock()

    @property
    def made(self) -> Mapping[Mark, bool]:
        """Every attempt that is there: of two alike, the last one counts."""
        return self._made

    def append(self, trace: Trace) -> None:
        """Append a trace; when this returns, it is on the disk.

        Raises OSError where it cannot be written; what was there stays as it was.
        """
        line = encode_trace(trace)
        with self._turn:
            start = self._stream.seek(0, os.SEEK_END)
            try:
                _write(self._stream, line)
                os.fsync(self._stream.fileno())
            except OSError:
                with suppress(OSError):  # the first fault is the one to tell
                    # A server may have appended too: what is not ours is not cut off.
                    if self._stream.seek(0, os.SEEK_END) <= start + len(line):
                        self._stream.truncate(start)
                raise
            self._made[mark_of(trace)] = trace.error is not None

    def drop(self, unwanted: Callable[[Mark], bool]) -> None:
        """Take attempts out, for good."""
        lines, end = self._lines()
        self._rewrite([line for line in lines if not unwanted(line.mark)], end)
        self._made = {mark: failed for mark, failed in self._made.items() if not unwanted(mark)}

    def settle(self, ranks: Ranks) -> None:
        """Bring the file into its one order: question, agent, mode, gated first, epoch.

        Of several traces of one attempt the last stays. Questions without a rank come behind all
        others. So the file shows nothing of interruptions, nor of how many worked on it.
        """
        lines, end = self._lines()
        last = {line.mark: line for line in lines if line.mark.key}
        foreign = [line for line in lines if not line.mark.key]
        settled = sorted((*foreign, *last.values()), key=lambda line: _order(line.mark, ranks))
        if settled != lines:
            self._rewrite(settled, end)

    def close(self) -> None:
        """Let go of the file."""
        self._stream.close()

    def _lines(self) -> tuple[list[_Line], int]:
        """Where each trace stands, and where the last one ends."""
        found, at = [], 0
        with self.path.open("rb") as stream:
            for written in stream:
                if written.strip():
                    mark = mark_of(msgspec.json.decode(written, type=Trace))
                    found.append(_Line(mark, at, len(written)))
                at += len(written)
        return found, at

    def _rewrite(self, lines: list[_Line], end: int) -> None:
        """Put these lines in the file's place, whole or not at all.

        Behind them comes what a server has appended beyond `end` since they were read.
        """
        with Drafts(self.path.parent) as drafts, self.path.open("rb") as before:
            draft = drafts.open(self.path.name)
            for line in lines:
                before.seek(line.start)
                draft.write(before.read(line.length))
            before.seek(end)
            draft.write(before.read())
            draft.flush()
            os.fsync(draft.fileno())
            if sys.platform == "win32":  # there, a file that is open cannot be replaced
                before.close()
                self._stream.close()
        _keep_names(self.path.parent)
        held = self._stream
        self._stream = _opened(self.path)  # the old one is locked until there is a new one
        held.close()


@dataclass(frozen=True, slots=True)
class _Line:
    """Where a trace stands in the file."""

    mark: Mark
    start: int
    length: int


def _order(mark: Mark, ranks: Ranks) -> tuple[object, ...]:
    rank = ranks.get(mark.question, len(ranks))
    return (rank, mark.question, mark.agent, mark.mode, not mark.gated, mark.epoch, mark.key)


def open_journal(folder: Path, contract: str) -> Checked[Journal]:
    """The journal of a folder, new or as it was left; the folder is made.

    A warning tells of a last line that was cut off. No value where the file cannot be read, holds
    traces of another contract, or another run writes into it. Raises OSError where it cannot be
    made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / NAME
    try:
        stream = _opened(path)
    except BlockingIOError:
        message = f"another run is writing into `{folder.as_posix()}`"
        place = DataFile.of(path).place()
        help_ = "wait for it, or name another folder with `-o`"
        return Checked(None, (place.finding(codes.FOLDER_IN_USE, message, help_=help_),))
    found = _Reading(DataFile.of(path), contract)
    end = found.read(path)
    if any(finding.code is not codes.TORN_TRACE for finding in found.findings):
        stream.close()
        return Checked(None, tuple(found.findings))
    _mend(stream, end, found)
    return Checked(Journal(path, stream, found.made), tuple(found.findings))


@dataclass(slots=True)
class _Reading:
    """What stands in a file of traces, line by line."""

    file: DataFile
    contract: str
    made: dict[Mark, bool] = field(default_factory=dict)
    findings: list[Diagnostic] = field(default_factory=list)
    unended: bool = False
    """Whether the last line lacks nothing but its end."""

    def read(self, path: Path) -> int:
        """Read all of it; gives how many bytes are to be kept."""
        kept = at = 0
        with path.open("rb") as stream:
            size = os.fstat(stream.fileno()).st_size
            for number, line in enumerate(stream, 1):
                at += len(line)
                if self._take(number, line, last=at == size):
                    kept = at
        return kept

    def _take(self, number: int, line: bytes, *, last: bool) -> bool:
        """Read one line; False for half a line at the end."""
        record = json_record(self.file, number, line.removesuffix(b"\n"))
        place = Place(self.file.name, number)
        if isinstance(record, Diagnostic) and last:
            self.findings.append(_torn(place, len(line)))
            return False
        trace = read_trace(record, place) if isinstance(record, dict) else record
        if isinstance(trace, Diagnostic):
            self.findings.append(trace)
        elif trace is not None:
            self._note(trace, place)
        self.unended = last and not line.endswith(b"\n")
        return True

    def _note(self, trace: Trace, place: Place) -> None:
        recorded = self.contract if trace.recorder is None else trace.recorder.contract
        if recorded == self.contract:
            self.made[mark_of(trace)] = trace.error is not None
        elif not any(finding.code is codes.STALE_CONTRACT for finding in self.findings):
            message = f"`{self.file.name}` holds traces of another contract"
            help_ = "rules, data or seed have changed since: name another folder with `-o`"
            self.findings.append(place.finding(codes.STALE_CONTRACT, message, help_=help_))


def _torn(place: Place, size: int) -> Diagnostic:
    message = f"the last line was cut off: {size:,} bytes of a trace that was never finished"
    help_ = "a run was killed while it wrote; the attempt is made again"
    return place.finding(codes.TORN_TRACE, message, help_=help_)


def _mend(stream: FileIO, end: int, found: _Reading) -> None:
    """Cut half a line off, or give a whole one its end."""
    if found.unended:
        _write(stream, b"\n")
    elif stream.seek(0, os.SEEK_END) != end:
        stream.truncate(end)
    else:
        return
    os.fsync(stream.fileno())


def _opened(path: Path) -> FileIO:
    """The file, to be appended to, locked. Raises BlockingIOError where somebody else holds it."""
    while True:
        new = not path.exists()
        stream = path.open("ab", buffering=0)
        try:
            _lock(stream)
            if sys.platform == "win32" or _is_at(stream, path):
                if new:
                    _keep_names(path.parent)
                return stream
        except BaseException:
            stream.close()
            raise
        stream.close()  # a run that has ended put another file in its place


def _lock(stream: FileIO) -> None:
    if sys.platform == "win32":
        return
    try:
        fcntl.flock(stream, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise
    except OSError:
        return  # a file system without locks


def _is_at(stream: FileIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(stream.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _write(stream: FileIO, data: bytes) -> None:
    """Write all of it, in as many goes as the system takes."""
    view = memoryview(data)
    while view:
        view = view[stream.write(view) :]


def _keep_names(folder: Path) -> None:
    """Bring the folder's own entries to the disk, where that can be done."""
    if sys.platform == "win32":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some file systems have no such thing
            os.fsync(handle)
    finally:
        os.close(handle)
