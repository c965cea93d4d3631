"""Outputs that are written whole or not at all."""

from __future__ import annotations

import os
from contextlib import ExitStack
from pathlib import Path
from types import TracebackType
from typing import BinaryIO


class Drafts:
    """Files that are written beside their places in `folder`, and take them together at the end.

    A context manager: whatever ends the block early, even a killed process, leaves the files that
    were there before. The folder is made. Raises OSError where something cannot be written.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._drafts: dict[str, Path] = {}
        self._open = ExitStack()

    def __enter__(self) -> Drafts:
        self._folder.mkdir(parents=True, exist_ok=True)
        return self

    def open(self, name: str) -> BinaryIO:
        """A binary file to write, which will be called `name`."""
        # Two commands may write into one folder: the last one wins, and neither mixes with it.
        draft = self._folder / f".{name}.{os.getpid()}.part"
        stream = self._open.enter_context(draft.open("wb"))
        self._drafts[name] = draft
        return stream

    def write(self, name: str, data: bytes) -> None:
        """A whole file, which will be called `name`."""
        self.open(name).write(data)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            self._open.close()
            if kind is None:
                for name, draft in self._drafts.items():
                    draft.replace(self._folder / name)
        finally:
            for draft in self._drafts.values():
                draft.unlink(missing_ok=True)
