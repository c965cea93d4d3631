"""What a record says, apart from where it was read: the part that inputs are hashed by."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import msgspec

from groundeval.world.artifacts import Artifact
from groundeval.world.canonical import digest_records

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundeval.world.events import Event


def content(record: Event | Artifact) -> dict[str, Any]:
    """Everything about an event or artifact but its file and line.

    An event of an ordered source keeps its rank, since there the order of lines means something.
    """
    if isinstance(record, Artifact):
        said: dict[str, Any] = msgspec.to_builtins(record)
        del said["source"], said["line"]
        return said
    ranked = {} if record.rank is None else {"rank": record.rank}
    return {
        "id": record.id,
        "type": record.type,
        "at": record.at,
        "actors": record.actors,
        "artifacts": record.artifacts,
        "facts": record.facts,
        "extra": record.extra,
        **ranked,
    }


def content_digest(records: Iterable[Event | Artifact]) -> str:
    """The digest of what the records say, whatever their order and the files they stand in."""
    return digest_records(content(record) for record in records)
