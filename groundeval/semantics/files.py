"""Where rule files come from: the disk, memory, and what comes with GroundEval.

Names are posix paths relative to the root file's folder, so that a contract's places are the same
on every machine. Whoever shows a message may put the folder in front again.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Protocol

from groundeval.resources import builtin

if TYPE_CHECKING:
    from importlib.resources.abc import Traversable

BUNDLED_KINDS = ("policies", "tracks")
"""The first words of dotted names, and the folders that they stand for."""


class Files(Protocol):
    """The files of a project, by name."""

    def read(self, name: str) -> str | None:
        """The text of a file; None where there is none or it is no UTF-8."""
        ...

    def list(self, folder: str) -> Sequence[str]:
        """The names of the rule files in `folder` (`.`: the root's), sorted."""
        ...


@dataclass(frozen=True, slots=True)
class MemoryFiles:
    """Files that are held in memory: for tests, the editor and the playground."""

    texts: Mapping[str, str] = field(default_factory=dict)

    def read(self, name: str) -> str | None:
        return self.texts.get(name)

    def list(self, folder: str) -> Sequence[str]:
        parent = PurePosixPath(folder)
        return sorted(n for n in self.texts if PurePosixPath(n).parent == parent)


@dataclass(frozen=True, slots=True)
class FolderFiles:
    """The files of a folder on disk; names may lead out of it (`../shared.gev`)."""

    folder: Path

    def read(self, name: str) -> str | None:
        try:
            return (self.folder / name).read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError, ValueError):
            return None

    def list(self, folder: str) -> Sequence[str]:
        found = (self.folder / folder).glob("*.gev")
        return sorted(str(PurePosixPath(folder) / path.name) for path in found)


@dataclass(frozen=True, slots=True)
class BundledFiles:
    """The policies and tracks that come with GroundEval, named `policies/rbac.gev`."""

    def read(self, name: str) -> str | None:
        found = self._find(name)
        return found.read_text(encoding="utf-8") if found is not None and found.is_file() else None

    def list(self, folder: str) -> Sequence[str]:
        found = self._find(folder)
        if found is None or not found.is_dir():
            return ()
        names = (entry.name for entry in found.iterdir())
        return sorted(f"{folder}/{name}" for name in names if name.endswith(".gev"))

    def _find(self, name: str) -> Traversable | None:
        parts = PurePosixPath(name).parts
        if not parts or parts[0] not in BUNDLED_KINDS or ".." in parts:
            return None
        place = builtin(parts[0])
        return place.joinpath(*parts[1:]) if parts[1:] else place
