"""Outputs that are written whole or not at all."""

from __future__ import annotations

import os
import re
import secrets
import sys
from contextlib import ExitStack, suppress
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Final

if sys.platform != "win32":
    import fcntl

_DRAFT: Final = re.compile(r"\..+\.jsonl?\.\d+(-[0-9a-f]{8})?\.part")


class Drafts:
    """Files that are written beside their places in `folder`, and take them together at the end.

    A context manager: whatever ends the block early, even a killed process, leaves the files that
    were there before. The folder is made, and cleared of the drafts that killed processes left.
    Raises OSError where something cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts: dict[str, Path] = {}
        self._streams: list[BinaryIO] = []
        self._open = ExitStack()
        self._wanted = True

    def __enter__(self) -> Drafts:
        self._folder.mkdir(parents=True, exist_ok=True)
        _clear(self._folder)
        return self

    def open(self, name: str) -> BinaryIO:
        """A binary file to write, which will be called `name`."""
        # Two commands may write into one folder: the last one wins, and neither mixes with it.
        draft, stream = _locked(self._folder, name)
        self._drafts[name] = draft
        self._streams.append(self._open.enter_context(stream))
        return stream

    def write(self, name: str, data: bytes) -> None:
        """A whole file, which will be called `name`."""
        self.open(name).write(data)

    def discard(self) -> None:
        """Let the files that were there before stay, whatever is written."""
        self._wanted = False

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and self._wanted:
                self._take_places()
        finally:
            self._open.close()
            for draft in self._drafts.values():
                draft.unlink(missing_ok=True)

    def _take_places(self) -> None:
        for stream in self._streams:
            stream.flush()
        if sys.platform == "win32":  # there, a file that is open cannot be renamed
            self._open.close()
        for name, draft in self._drafts.items():
            draft.replace(self._folder / name)


# Who writes a draft holds a lock on it, which the system lets go of when the process ends, in
# whatever way. The number in the name would not do: numbers are given out again, and processes
# of other containers, which may share the folder, are not seen.


def _locked(folder: Path, name: str) -> tuple[Path, BinaryIO]:
    """A new draft of `name`, locked until it is closed."""
    while True:
        draft = folder / f".{name}.{os.getpid()}-{secrets.token_hex(4)}.part"
        stream = draft.open("xb")
        with suppress(OSError):  # a file system without locks: then nothing is cleared there
            _lock(stream, wait=True)
        if sys.platform == "win32" or _is_at(stream, draft):
            return draft, stream
        stream.close()  # somebody cleared it away before it was locked


def _clear(folder: Path) -> None:
    """Remove the drafts in `folder` that no living process holds."""
    for draft in folder.iterdir():
        if _DRAFT.fullmatch(draft.name):
            # Held, gone by now, or of somebody else: then it is not ours to remove.
            with suppress(OSError):
                _remove_abandoned(draft)


def _remove_abandoned(draft: Path) -> None:
    """Remove a draft. Raises OSError where a living process holds it."""
    if sys.platform == "win32":  # there, a file that is open cannot be removed
        draft.unlink()
        return
    with draft.open("r+b") as stream:
        _lock(stream, wait=False)
        draft.unlink()


def _lock(stream: BinaryIO, *, wait: bool) -> None:
    """Lock a file until it is closed. Raises OSError where that cannot be had."""
    if sys.platform != "win32":
        fcntl.flock(stream, fcntl.LOCK_EX if wait else fcntl.LOCK_EX | fcntl.LOCK_NB)


def _is_at(stream: BinaryIO, path: Path) -> bool:
    """Whether `path` is still the name of what is open."""
    try:
        named = path.stat()
    except FileNotFoundError:
        return False
    return os.path.samestat(os.fstat(stream.fileno()), named)
