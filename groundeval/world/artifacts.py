"""Artifacts and the corpus: what there is to read, and how it looked at an instant."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NewType

import msgspec

ArtifactId = NewType("ArtifactId", str)
Subsystem = NewType("Subsystem", str)

HANDBOOK = "handbook"
"""The reserved subsystem of the reference documents that a contract generates."""


class Version(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """How an artifact looks from `start` on (inclusive) until its next version."""

    start: int
    title: str = ""
    text: str = ""
    labels: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = {}


class Artifact(msgspec.Struct, frozen=True, eq=False, gc=False, kw_only=True):
    """One artifact; `created` None means that nobody knows when, so a horizon gate closes it.

    `versions` are ascending by `start` and never empty; the first starts at `created` (or, without
    one, at the beginning of time). `participants` are those the record itself names; the actors
    of events about it are added by whoever asks as of an instant.
    """

    id: str
    subsystem: str
    created: int | None = None
    deleted: int | None = None
    participants: tuple[str, ...] = ()
    versions: tuple[Version, ...]
    source: str = ""
    line: int = 0

    def at(self, instant: int | None) -> Version | None:
        """The newest version at `instant` (None: the newest there is); None before the first."""
        if instant is None:
            return self.versions[-1]
        index = bisect_right(self.versions, instant, key=lambda v: v.start)
        return self.versions[index - 1] if index else None

    def shown_at(self, instant: int | None) -> Version | None:
        """The version that anybody could be shown as of `instant` (None: the newest).

        None before the first, and from the deletion on, whatever any gate says.
        """
        if instant is not None and self.deleted is not None and self.deleted <= instant:
            return None
        return self.at(instant)

    def exists_at(self, instant: int) -> bool:
        """Whether it was created at or before `instant` and not deleted at or before it."""
        if self.created is None or self.created > instant:
            return False
        return self.deleted is None or self.deleted > instant


class Corpus:
    """All artifacts by id; iteration is in the order of ids."""

    def __init__(self, artifacts: Iterable[Artifact] = ()) -> None:
        self._by_id = {a.id: a for a in sorted(artifacts, key=lambda a: a.id)}
        self._by_subsystem: dict[str, tuple[Artifact, ...]] | None = None

    def __len__(self) -> int:
        return len(self._by_id)

    def __iter__(self) -> Iterator[Artifact]:
        return iter(self._by_id.values())

    def __contains__(self, artifact_id: object) -> bool:
        return artifact_id in self._by_id

    def get(self, artifact_id: str) -> Artifact | None:
        return self._by_id.get(artifact_id)

    def subsystems(self) -> Sequence[str]:
        """The subsystems that occur, sorted."""
        return sorted(self._groups())

    def of_subsystem(self, subsystem: str) -> Sequence[Artifact]:
        return self._groups().get(subsystem, ())

    def _groups(self) -> dict[str, tuple[Artifact, ...]]:
        if self._by_subsystem is None:
            groups: dict[str, list[Artifact]] = {}
            for artifact in self:
                groups.setdefault(artifact.subsystem, []).append(artifact)
            self._by_subsystem = {name: tuple(group) for name, group in groups.items()}
        return self._by_subsystem
