"""Records that claim the same id."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING, TypeVar

from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.world.artifacts import Artifact
from groundeval.world.canonical import canonical_json
from groundeval.world.content import content
from groundeval.world.events import Event
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundeval.world.findings import Findings

Record = TypeVar("Record", Event, Artifact)


def without_duplicates(
    records: Sequence[Record], kind: str, findings: Findings
) -> Sequence[Record]:
    """The records whose id is their own, in their order; each other one is a bad record.

    Of records that say the same, one is kept. Of records that contradict each other none is: which
    of them is meant does not depend on what happens to be read first.
    """
    if len(set(map(attrgetter("id"), records))) == len(records):
        return records
    groups: dict[str, list[Record]] = {}
    for record in records:
        groups.setdefault(record.id, []).append(record)
    dropped: set[int] = set()
    for group in groups.values():
        if len(group) > 1:
            dropped.update(_report(group, kind, findings))
    return [record for record in records if id(record) not in dropped]


def _report(group: list[Record], kind: str, findings: Findings) -> set[int]:
    """Note the bad ones of a group with one id; gives their object ids."""
    ordered = sorted(group, key=lambda r: (r.source, r.line))
    first = ordered[0]
    equal = len({_said(record) for record in ordered}) == 1
    for record in ordered[1:]:
        findings.bad_record([_finding(record, first, kind, equal=equal)])
    if equal:
        return {id(record) for record in ordered[1:]}
    findings.bad_record([_finding(first, ordered[1], kind, equal=False)])
    return {id(record) for record in ordered}


def _said(record: Event | Artifact) -> bytes:
    return canonical_json({**content(record), "rank": None})


def _finding(
    record: Event | Artifact, other: Event | Artifact, kind: str, *, equal: bool
) -> Diagnostic:
    what = "with the same content" if equal else "with other content"
    message = f"{kind} {shown(record.id)} is also at {other.source}:{other.line}, {what}"
    help_ = "remove one of the two" if equal else "give each its own id"
    return Diagnostic(codes.DUPLICATE_ID, message, Span.at(record.source, record.line), help=help_)
