"""From a raw record to an artifact or a version of one, with everything wrong with it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from groundeval.diagnostics import Code, Diagnostic, codes
from groundeval.world.artifacts import HANDBOOK, Artifact, Version
from groundeval.world.event_records import time_finding
from groundeval.world.ids import id_fault, kind_of, shown
from groundeval.world.time import EARLIEST, TimeFault, format_instant, parse_instant

if TYPE_CHECKING:
    from zoneinfo import ZoneInfo

    from groundeval.world.findings import Place

CREATED: Final = ("created", "timestamp", "created_at", "date")
TEXT: Final = ("text", "body", "content")
START: Final = ("from", "start")


@dataclass(frozen=True, slots=True)
class VersionRecord:
    """A version that stands in a file of its own; None is what it takes over from before."""

    artifact: str
    start: int
    title: str | None
    text: str | None
    labels: tuple[str, ...] | None
    attributes: Mapping[str, Any]
    place: Place


@dataclass(slots=True)
class Fields:
    """One record's fields, taken out one by one; what is left over are attributes.

    Every `take_…` hands back None for a field that is missing or wrong, and notes the latter.
    """

    raw: dict[str, Any]
    place: Place
    zone: ZoneInfo | None
    numbers_as_ids: bool = False
    prefix: str = ""
    problems: list[Diagnostic] = field(default_factory=list)

    def take_id(self, name: str, *, needed: bool = True) -> str | None:
        value = self.raw.pop(name, None)
        if value is None:
            if needed:
                self.report(codes.MISSING_FIELD, f"the record has no `{self.prefix}{name}`")
            return None
        return self._id(value, name)

    def take_ids(self, name: str) -> tuple[str, ...] | None:
        value = self.raw.pop(name, None)
        if not value and type(value) is list:
            return ()
        if value is None:
            return None
        items = value if isinstance(value, list | tuple | frozenset) else [value]
        ordered = sorted(items, key=str) if isinstance(items, frozenset) else items
        ids = [
            item if _is_id(item) else self._id(item, f"{name}[{i}]")
            for i, item in enumerate(ordered)
        ]
        return tuple(dict.fromkeys(item for item in ids if item is not None))

    def take_instant(self, *names: str) -> int | None:
        """The first of `names` that is there; the others stay and become attributes."""
        name = self._first_there(names)
        if name is None:
            for empty in names:
                self.raw.pop(empty, None)
            return None
        value = self.raw.pop(name)
        instant = parse_instant(value, self.zone)
        if isinstance(instant, TimeFault):
            self.problems.append(time_finding(self.place, self.prefix + name, value, instant))
            return None
        return instant

    def take_text(self, *names: str) -> str | None:
        name = self._first_there(names)
        if name is None:
            return None
        value = self.raw.pop(name)
        if isinstance(value, str):
            return value
        self.report(codes.BAD_FIELD, f"`{self.prefix}{name}` is {kind_of(value)}, not a text")
        return None

    def _first_there(self, names: Iterable[str]) -> str | None:
        for name in names:
            if self.raw.get(name) is not None:
                return name
        return None

    def report(self, code: Code, message: str, help_: str = "") -> None:
        self.problems.append(self.place.finding(code, message, help_=help_))

    def _id(self, value: Any, name: str) -> str | None:
        if self.numbers_as_ids and type(value) is int:
            value = str(value)
        if not isinstance(value, str):
            message = f"`{self.prefix}{name}` is {kind_of(value)} ({shown(value)}), not a text"
            self.report(codes.BAD_FIELD, message, "write it in quotes")
            return None
        fault = id_fault(value)
        if fault is not None:
            self.report(codes.BAD_ID, f"`{self.prefix}{name}` {fault}")
            return None
        return value


def _is_id(value: Any) -> bool:
    return type(value) is str and id_fault(value) is None


def read_artifact(fields: Fields, folder: str | None = None) -> Artifact | list[Diagnostic]:
    """The artifact, or everything that is wrong with the record.

    `folder` is the subsystem of a record that names none.
    """
    artifact_id = fields.take_id("id")
    subsystem = _subsystem(fields, folder)
    created = fields.take_instant(*CREATED)
    deleted = fields.take_instant("deleted")
    participants = fields.take_ids("participants") or ()
    written = fields.raw.pop("versions", None)
    first = _first_version(fields, created)
    versions = _versions(fields, first, written)
    if created is not None:
        _check_order(fields, created, deleted, versions)
    if fields.problems or artifact_id is None or subsystem is None:
        return fields.problems
    return Artifact(
        id=artifact_id,
        subsystem=subsystem,
        created=created,
        deleted=deleted,
        participants=participants,
        versions=versions,
        source=fields.place.file,
        line=fields.place.line,
    )


def read_version(fields: Fields) -> VersionRecord | list[Diagnostic]:
    """A version from a file of versions; needs `artifact` and `from`."""
    artifact = fields.take_id("artifact")
    start = _start(fields)
    title, text = fields.take_text("title"), fields.take_text(*TEXT)
    labels = fields.take_ids("labels")
    if fields.problems or artifact is None or start is None:
        return fields.problems
    return VersionRecord(artifact, start, title, text, labels, fields.raw, fields.place)


def succeed(before: Version, record: VersionRecord) -> Version:
    """The version after `before`: what the record does not say stays as it was."""
    return Version(
        start=record.start,
        title=before.title if record.title is None else record.title,
        text=before.text if record.text is None else record.text,
        labels=before.labels if record.labels is None else record.labels,
        attributes={**before.attributes, **record.attributes},
    )


def _subsystem(fields: Fields, folder: str | None) -> str | None:
    name = fields.take_id("subsystem", needed=folder is None)
    if name is None and not fields.problems:
        name = folder
    if name == HANDBOOK:
        help_ = "give the subsystem another name"
        message = f"the subsystem `{HANDBOOK}` is reserved for what a contract generates"
        fields.report(codes.RESERVED_SUBSYSTEM, message, help_)
    return name


def _first_version(fields: Fields, created: int | None) -> Version:
    title = fields.take_text("title")
    text = fields.take_text(*TEXT)
    labels = fields.take_ids("labels")
    attributes = {name: value for name, value in fields.raw.items() if value is not None}
    return Version(
        start=EARLIEST if created is None else created,
        title=title or "",
        text=text or "",
        labels=labels or (),
        attributes=attributes,
    )


def _versions(fields: Fields, first: Version, written: Any) -> tuple[Version, ...]:
    """The first version and those that the record lists, ascending.

    A listed version that starts when the artifact does takes the first one's place.
    """
    if written is None:
        return (first,)
    if not isinstance(written, list | tuple):
        message = f"`versions` is {kind_of(written)}, not a list"
        fields.report(codes.BAD_FIELD, message)
        return (first,)
    records = [_listed(fields, index, item) for index, item in enumerate(written)]
    return chained((first,), [r for r in records if r is not None], fields.problems)


def chained(
    versions: tuple[Version, ...], records: list[VersionRecord], problems: list[Diagnostic]
) -> tuple[Version, ...]:
    """Versions and records in the order of their starts; what a record leaves unsaid stays.

    A record that starts when the first version does takes its place. Two that start at the same
    later instant are a finding.
    """
    by_start = {version.start: version for version in versions[1:]}
    said: dict[int, VersionRecord] = {}
    for record in records:
        if record.start in said or record.start in by_start:
            message = f"two versions start at {format_instant(record.start)}"
            problems.append(record.place.finding(codes.DUPLICATE_ID, message))
        else:
            said[record.start] = record
    opening = said.pop(versions[0].start, None)
    chain = [versions[0] if opening is None else succeed(versions[0], opening)]
    for start in sorted({*by_start, *said}):
        record_there = said.get(start)
        chain.append(by_start[start] if record_there is None else succeed(chain[-1], record_there))
    return tuple(chain)


def _listed(fields: Fields, index: int, item: Any) -> VersionRecord | None:
    if not isinstance(item, Mapping):
        fields.report(codes.BAD_FIELD, f"`versions[{index}]` is {kind_of(item)}, not an object")
        return None
    inner = Fields(dict(item), fields.place, fields.zone, prefix=f"versions[{index}].")
    start = _start(inner)
    title, text = inner.take_text("title"), inner.take_text(*TEXT)
    labels = inner.take_ids("labels")
    fields.problems.extend(inner.problems)
    if start is None:
        return None
    return VersionRecord("", start, title, text, labels, inner.raw, fields.place)


def _start(fields: Fields) -> int | None:
    before = len(fields.problems)
    start = fields.take_instant(*START)
    if start is None and len(fields.problems) == before:
        fields.report(codes.MISSING_FIELD, f"the version has no `{fields.prefix}from`")
    return start


def _check_order(
    fields: Fields, created: int, deleted: int | None, versions: tuple[Version, ...]
) -> None:
    if deleted is not None and deleted < created:
        message = f"`deleted` {format_instant(deleted)} lies before `created`"
        fields.report(codes.BAD_PERIOD, message)
    early = next((v for v in versions if v.start < created), None)
    if early is not None:
        message = f"a version starts at {format_instant(early.start)}, before `created`"
        fields.report(codes.BAD_PERIOD, message)
