"""`source` blocks: a log of any shape read onto the model, without a transform script.

The expressions of a block come as plain callables from a raw record to a value; None is a field
that is not there. Where an id is due, a number becomes its decimal text, since in a block the
author chose the field; `12` and `"12"` are then the same id. A rule that computes an instant hands
it back as ISO 8601 or an aware `datetime`: a bare number is the data's own, and counts seconds or
milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar, assert_never

from groundeval.diagnostics import Checked, Diagnostic, Span, codes, in_order
from groundeval.world.access import RoleDefinition
from groundeval.world.artifact_records import Fields, read_artifact, read_version
from groundeval.world.assembly import ActorRecord, Parts, StintRecord
from groundeval.world.event_records import EventReader
from groundeval.world.files import DataFile
from groundeval.world.findings import Findings, Place
from groundeval.world.folders import matching
from groundeval.world.loader import paused_collection, records_of

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

SourceKind = Literal["events", "artifacts", "versions", "actors", "stints", "roles"]

REQUIRED: Final[Mapping[SourceKind, tuple[str, ...]]] = {
    "events": ("id", "type", "at"),
    "artifacts": ("id", "subsystem"),
    "versions": ("artifact", "from"),
    "actors": ("id",),
    "stints": ("actor", "role"),
    "roles": ("id",),
}
"""The fields that every record of a source must have."""

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class SourceSpec:
    """One `source` block.

    `pattern` is a glob relative to the contract's folder; it leaves the folder only where it says
    `../` itself. A record is skipped when one of `skip` gives True (unknown, None, does not skip).
    `zone` is the zone of times that name none, `ordered` says that line order is time order.
    Where `placed`, the callables take the record's file (relative) and line besides.
    """

    kind: SourceKind
    pattern: str
    fields: Mapping[str, Callable[..., object]]
    skip: Sequence[Callable[..., bool | None]] = ()
    zone: ZoneInfo | None = None
    ordered: bool = False
    placed: bool = False
    span: Span = field(default_factory=lambda: Span.at("", 1))


@dataclass(frozen=True, slots=True)
class LoadedSource:
    """What a block gave, how many raw records it skipped by rule, and how many as bad."""

    parts: Parts
    passed_over: int = 0
    skipped: int = 0


@dataclass(slots=True)
class _Loading:
    """One block while it is read."""

    spec: SourceSpec
    findings: Findings
    passed_over: int = 0

    def mapped(self, folder: Path) -> Iterator[tuple[Place, dict[str, Any]]]:
        """The evaluated fields of every record that is not skipped."""
        for path in matching(self.spec.pattern, folder, self.spec.span, self.findings):
            file = DataFile.beside(path, folder)
            for place, raw in records_of(file, self.findings):
                read = (raw, place.file, place.line) if self.spec.placed else (raw,)
                if any(rule(*read) is True for rule in self.spec.skip):
                    self.passed_over += 1
                else:
                    yield place, self._fields(read)

    def keep(self, read: Result | list[Diagnostic], into: list[Result]) -> None:
        """Put a result where it belongs, or note what was wrong."""
        if isinstance(read, list):
            self.findings.bad_record(read)
        else:
            into.append(read)

    def _fields(self, read: tuple[Any, ...]) -> dict[str, Any]:
        return {name: _plain(rule(*read)) for name, rule in self.spec.fields.items()}


def load_source(spec: SourceSpec, folder: Path, skip_bad: int = 0) -> Checked[LoadedSource]:
    """Read one block's files, in the order of their paths.

    Findings name the data file and line; one about the pattern names the block. A block that
    matches no file is an error, since a misspelt name would otherwise be an empty log.
    """
    unmapped = [name for name in REQUIRED[spec.kind] if name not in spec.fields]
    if unmapped:
        return Checked(None, tuple(_unmapped(spec, name) for name in unmapped))
    loading = _Loading(spec, Findings())
    with paused_collection():
        parts = replace(_parts(loading, folder), passed_over=loading.passed_over)
    settled = loading.findings.settle(skip_bad)
    loaded = LoadedSource(parts, loading.passed_over, settled.skipped)
    return Checked(loaded if settled.usable else None, in_order(settled.diagnostics))


def _parts(loading: _Loading, folder: Path) -> Parts:
    match loading.spec.kind:
        case "events":
            return Parts(events=_events(loading, folder))
        case "artifacts":
            return Parts(artifacts=_each(loading, folder, read_artifact))
        case "versions":
            return Parts(versions=_each(loading, folder, read_version))
        case "actors":
            return Parts(actors=_each(loading, folder, read_actor))
        case "stints":
            return Parts(stints=_each(loading, folder, read_stint))
        case "roles":
            return Parts(roles=_each(loading, folder, read_role))
        case _:
            assert_never(loading.spec.kind)


def _events(loading: _Loading, folder: Path) -> list[Any]:
    """The events; where the source is ordered, `rank` counts its records through all files."""
    spec = loading.spec
    stream = f"{spec.span.file}:{spec.span.line} {spec.pattern}"
    reader = EventReader(spec.zone, stream=stream, numbers_as_ids=True)
    events: list[Any] = []
    for rank, (place, fields) in enumerate(loading.mapped(folder)):
        _drop_missing(fields)
        loading.keep(reader.read(fields, place, rank if spec.ordered else None), events)
    return events


def _each(
    loading: _Loading, folder: Path, read: Callable[[Fields], Result | list[Diagnostic]]
) -> list[Result]:
    results: list[Result] = []
    for place, fields in loading.mapped(folder):
        _drop_missing(fields)
        loading.keep(read(Fields(fields, place, loading.spec.zone, numbers_as_ids=True)), results)
    return results


def read_actor(fields: Fields) -> ActorRecord | list[Diagnostic]:
    """An actor with the roles that it always holds (`role`: one or several) and attributes."""
    actor_id = fields.take_id("id")
    roles = fields.take_ids("role") or ()
    if fields.problems or actor_id is None:
        return fields.problems
    return ActorRecord(actor_id, roles, fields.raw, fields.place)


def read_stint(fields: Fields) -> StintRecord | list[Diagnostic]:
    """A role held in `[from, until)`; a bound that is missing is none."""
    actor, role = fields.take_id("actor"), fields.take_id("role")
    start, end = fields.take_instant("from"), fields.take_instant("until")
    if fields.problems or actor is None or role is None:
        return fields.problems
    return StintRecord(actor, role, start, end, fields.place)


def read_role(fields: Fields) -> RoleDefinition | list[Diagnostic]:
    """A role with its lists, one or several texts each; records of one role add up."""
    name = fields.take_id("id")
    lists = {key: frozenset(fields.take_ids(key) or ()) for key in sorted(fields.raw)}
    if fields.problems or name is None:
        return fields.problems
    return RoleDefinition(name, frozenset({name}), {k: v for k, v in lists.items() if v})


def _drop_missing(fields: dict[str, Any]) -> None:
    for name in [name for name, value in fields.items() if value is None]:
        del fields[name]


def _plain(value: object) -> Any:
    """A rule's value as decoded JSON: tuples and sets as lists, mappings without missing values."""
    if isinstance(value, tuple | list):
        return [_plain(item) for item in value if item is not None]
    if isinstance(value, frozenset):
        return sorted((_plain(item) for item in value), key=str)
    if isinstance(value, Mapping):
        return {name: _plain(item) for name, item in value.items() if item is not None}
    return value


def _unmapped(spec: SourceSpec, name: str) -> Diagnostic:
    message = f"`source {spec.kind}` does not say what `{name}` is"
    return Diagnostic(codes.MISSING_FIELD, message, spec.span, help=f"add `{name} = …`")
