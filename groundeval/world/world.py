"""The world: log, corpus and access together, with the fields that rules ask of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from groundeval.world.access import Access
from groundeval.world.artifacts import Corpus
from groundeval.world.events import Event, EventLog, MemoryLog, one_or_many


@dataclass(frozen=True, slots=True)
class World:
    """What is true. Everything in it is immutable once loaded."""

    log: EventLog = field(default_factory=lambda: MemoryLog(()))
    corpus: Corpus = field(default_factory=Corpus)
    access: Access = field(default_factory=Access)

    def events_of(self, artifact_id: str, at: int | None) -> Sequence[Event]:
        """The events that name the artifact, up to and including `at` (None: all)."""
        events = self.log.of_artifact(artifact_id)
        return events if at is None else tuple(e for e in events if e.at <= at)

    def participants(self, artifact_id: str, at: int | None) -> frozenset[str]:
        """Whom the artifact names, and the actors of events about it up to `at`."""
        artifact = self.corpus.get(artifact_id)
        named = frozenset(artifact.participants) if artifact else frozenset[str]()
        return named.union(*(e.actors for e in self.events_of(artifact_id, at)))

    def artifact_field(self, artifact_id: str | None, name: str, at: int | None) -> Any:
        """The field `name` of an artifact as it was at `at`; None where there is none.

        Collections (labels, participants, events) are empty instead of missing.
        """
        if artifact_id is None:
            return None
        match name:
            case "events":
                return tuple(self.events_of(artifact_id, at))
            case "participants":
                return self.participants(artifact_id, at)
        artifact = self.corpus.get(artifact_id)
        version = artifact.at(at) if artifact else None
        match name:
            case "id":
                return artifact_id
            case "labels":
                return frozenset(version.labels) if version else frozenset()
            case "subsystem" | "created" | "deleted":
                return getattr(artifact, name) if artifact else None
            case "title" | "text":
                return getattr(version, name) if version else None
        return one_or_many(version.attributes.get(name)) if version else None

    def actor_field(self, actor_id: str | None, name: str) -> Any:
        """An actor's id or attribute; None where there is none."""
        if actor_id is None or name == "id":
            return actor_id
        actor = self.access.actor(actor_id)
        return one_or_many(actor.attributes.get(name)) if actor else None
