"""Bytes of data files: plain, gzip or Zstandard, whole or line by line."""

from __future__ import annotations

import gzip
import io
import zlib
from dataclasses import dataclass
from importlib.util import find_spec
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, Final, cast

from groundeval.diagnostics import codes
from groundeval.world.findings import Place

if TYPE_CHECKING:
    from collections.abc import Generator, Iterator

    from groundeval.diagnostics import Diagnostic

LONGEST_LINE: Final = 8 << 20
"""Bytes of one line; a longer one is a finding, and is not held in memory."""
LARGEST_WHOLE: Final = 1 << 30
"""Bytes (unpacked) of a file that is read whole: a JSON, YAML or Markdown document."""
_CHUNK: Final = 1 << 20
_BATCH: Final = 1 << 18
_UTF16: Final = (b"\xff\xfe", b"\xfe\xff")
_PACKED: Final = (".gz", ".zst")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file to read: where it is, and the name that findings show."""

    path: Path
    name: str

    @classmethod
    def of(cls, path: str | Path) -> DataFile:
        """The file under the name it was given by, with forward slashes."""
        return cls(Path(path), Path(path).as_posix())

    @classmethod
    def beside(cls, path: Path, folder: Path) -> DataFile:
        """The file under its name as seen from `folder`, where it lies in it."""
        if ".." not in path.parts and path.is_relative_to(folder):
            return cls(path, path.relative_to(folder).as_posix())
        return cls.of(path)

    @property
    def ending(self) -> str:
        """The lower-case ending that tells the format, without `.gz` or `.zst`."""
        path = self.path
        if path.suffix.lower() in _PACKED:
            path = path.with_suffix("")
        return path.suffix.lower()

    def place(self, line: int = 1) -> Place:
        return Place(self.name, line)


def read_whole(file: DataFile) -> bytes | Diagnostic:
    """The file's unpacked bytes without a byte order mark, or why they cannot be had."""
    try:
        with _open(file) as stream:
            data = stream.read(LARGEST_WHOLE + 1)
    except _FAULTS as fault:
        return _unreadable(file, fault)
    if len(data) > LARGEST_WHOLE:
        message = f"`{file.name}` holds more than {LARGEST_WHOLE:,} bytes"
        help_ = "write it as JSONL (one record per line), which is read piece by piece"
        return file.place().finding(codes.UNREADABLE_FILE, message, help_=help_)
    if data.startswith(_UTF16):
        return _is_utf16(file)
    return data.removeprefix(b"\xef\xbb\xbf")


def read_lines(file: DataFile) -> Iterator[tuple[int, bytes] | Diagnostic]:
    """Each line with its number, without its end; a finding where bytes cannot be had.

    A line that is too long is a finding of its own, and reading goes on behind it; a damaged
    file ends with its finding.
    """
    for batch in read_batches(file):
        if isinstance(batch, tuple):
            yield from enumerate(batch[1], batch[0])
        else:
            yield batch


def read_batches(file: DataFile) -> Iterator[tuple[int, list[bytes]] | Diagnostic]:
    """The same lines, many at a time: the number of the first one, and they."""
    number = 1
    try:
        with _open(file) as stream:
            for lines in _bounded(stream):
                if lines is None:
                    yield _too_long(file, number)
                    number += 1
                    continue
                if number == 1:
                    if lines[0].startswith(_UTF16):
                        yield _is_utf16(file)
                        return
                    lines[0] = lines[0].removeprefix(b"\xef\xbb\xbf")
                yield number, lines
                number += len(lines)
    except _FAULTS as fault:
        yield _unreadable(file, fault, number)


def open_for_writing(path: Path) -> BinaryIO:
    """A binary file to write, packed as its ending says; the same content gives the same bytes."""
    match path.suffix.lower():
        case ".gz":
            raw = path.open("wb")
            return cast("BinaryIO", _OwnedGzip(raw))
        case ".zst":
            import zstandard  # noqa: PLC0415 - an optional package

            return cast("BinaryIO", zstandard.open(path, "wb"))
        case _:
            return path.open("wb")


class _OwnedGzip(gzip.GzipFile):
    """A gzip file without name and time in its header, which closes what it writes to."""

    def __init__(self, raw: BinaryIO) -> None:
        self._raw = raw
        super().__init__(filename="", mode="wb", fileobj=raw, mtime=0)

    def close(self) -> None:
        super().close()
        self._raw.close()


class _DamagedError(Exception):
    """Packed bytes that end early or make no sense."""


class _NeedsExtraError(Exception):
    """An optional package is not installed."""


_FAULTS: Final = (OSError, EOFError, zlib.error, _DamagedError, _NeedsExtraError)


def _open(file: DataFile) -> io.BufferedIOBase:
    match file.path.suffix.lower():
        case ".gz":
            return gzip.GzipFile(file.path, "rb")
        case ".zst":
            if find_spec("zstandard") is None:
                raise _NeedsExtraError("zstd")
            return io.BufferedReader(_ZstdStream(file.path), _CHUNK)
        case _:
            return cast("io.BufferedIOBase", file.path.open("rb", buffering=_CHUNK))


class _ZstdStream(io.RawIOBase):
    """Unpacked bytes of a Zstandard file; unlike the library's reader it notices an early end."""

    def __init__(self, path: Path) -> None:
        import zstandard  # noqa: PLC0415 - an optional package

        self._packed = path.open("rb")
        self._fault: type[Exception] = zstandard.ZstdError
        self._new = zstandard.ZstdDecompressor(max_window_size=1 << 27).decompressobj
        self._frame = self._new()
        self._rest = b""
        self._ready = b""
        self._inside = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: object) -> int:
        view = memoryview(cast("bytearray", buffer))
        while not self._ready:
            if not self._advance():
                return 0
        piece, self._ready = self._ready[: len(view)], self._ready[len(view) :]
        view[: len(piece)] = piece
        return len(piece)

    def close(self) -> None:
        self._packed.close()
        super().close()

    def _advance(self) -> bool:
        """Unpack some more; False at a proper end."""
        packed = self._rest or self._packed.read(1 << 16)
        if not packed:
            if self._inside:
                raise _DamagedError("the packed data end early")
            return False
        try:
            self._ready = self._frame.decompress(packed)
        except self._fault as fault:
            raise _DamagedError(str(fault)) from fault
        self._rest, self._inside = b"", not self._frame.eof
        if self._frame.eof:
            self._rest, self._frame = self._frame.unused_data, self._new()
        return True


def _bounded(stream: io.BufferedIOBase) -> Iterator[list[bytes] | None]:
    """Lines without their ends, many at a time and never none; None for one that is too long."""
    begun = b""  # the line that the last piece broke off in
    while piece := stream.read1(_BATCH):
        lines = (begun + piece).split(b"\n")
        begun = lines.pop()
        if lines:
            yield from _whole(lines)
        if len(begun) > LONGEST_LINE + 1:  # it may end in a carriage return
            begun = yield from _past(stream)
    if begun:
        yield from _whole(begun.removesuffix(b"\n").split(b"\n"))


def _whole(lines: list[bytes]) -> Iterator[list[bytes] | None]:
    """Whole lines, those that are too long told apart."""
    if any(line.endswith(b"\r") for line in lines):
        lines = [line.removesuffix(b"\r") for line in lines]
    if max(map(len, lines)) <= LONGEST_LINE:
        yield lines
        return
    for long, group in groupby(lines, key=lambda line: len(line) > LONGEST_LINE):
        if long:
            yield from (None for _ in group)
        else:
            yield list(group)


def _past(stream: io.BufferedIOBase) -> Generator[None, None, bytes]:
    """Read to the end of a line that is too long without keeping it; gives what follows it."""
    rest = b""
    while piece := stream.read1(_BATCH):
        _, end, rest = piece.partition(b"\n")
        if end:
            break
    yield None
    return rest


def _is_utf16(file: DataFile) -> Diagnostic:
    message = f"`{file.name}` is UTF-16, not UTF-8"
    help_ = "`iconv -f utf-16 -t utf-8` converts it"
    return file.place().finding(codes.UNREADABLE_FILE, message, help_=help_)


def _too_long(file: DataFile, number: int) -> Diagnostic:
    message = f"the line is longer than {LONGEST_LINE:,} bytes"
    help_ = "put each record on a line of its own, and large texts into files of their own"
    return file.place(number).finding(codes.MALFORMED_RECORD, message, help_=help_)


def _unreadable(file: DataFile, fault: Exception, line: int = 1) -> Diagnostic:
    place = file.place(line)
    match fault:
        case _NeedsExtraError():
            return missing_extra(file, str(fault))
        case FileNotFoundError():
            message = f"there is no file `{file.name}`"
            return place.finding(codes.UNREADABLE_FILE, message)
        case EOFError() | zlib.error() | gzip.BadGzipFile() | _DamagedError():
            message = f"`{file.name}` is damaged: {_reason(fault)}"
            help_ = "pack or copy the file again"
            return place.finding(codes.UNREADABLE_FILE, message, help_=help_)
        case OSError():
            message = f"`{file.name}` cannot be read: {fault.strerror or fault}"
            return place.finding(codes.UNREADABLE_FILE, message)
        case _:
            raise fault


def _reason(fault: Exception) -> str:
    return "the packed data end early" if isinstance(fault, EOFError) else str(fault)


def missing_extra(file: DataFile, extra: str) -> Diagnostic:
    """The finding that names the line which installs an optional package."""
    message = f"reading `{file.name}` needs the optional package of `{extra}`"
    help_ = f"pip install 'groundeval[{extra}]'"
    return file.place().finding(codes.MISSING_EXTRA, message, help_=help_)
