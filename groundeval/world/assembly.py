"""The world put together from what files and source blocks gave, checked as a whole."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from operator import attrgetter
from typing import Any, Final

import msgspec

from groundeval.diagnostics import Checked, Diagnostic, Span, codes, in_order
from groundeval.world.access import Access, Actor, RoleDefinition, Stint
from groundeval.world.artifact_records import VersionRecord, chained
from groundeval.world.artifacts import Artifact, Corpus
from groundeval.world.duplicates import without_duplicates
from groundeval.world.events import Event, MemoryLog, in_log_order
from groundeval.world.findings import Findings, Place
from groundeval.world.ids import shown
from groundeval.world.world import World

NAMED: Final = 5
"""How many names a finding or a report lists."""


@dataclass(frozen=True, slots=True)
class StintRecord:
    """A role that an actor holds for a time, as a contract or a `source stints` says it."""

    actor: str
    role: str
    start: int | None
    end: int | None
    place: Place


@dataclass(frozen=True, slots=True)
class ActorRecord:
    """An actor as declared or read: with the roles that it holds without bound."""

    id: str
    roles: tuple[str, ...]
    attributes: Mapping[str, Any]
    place: Place


@dataclass(frozen=True, slots=True)
class Parts:
    """Everything a world is made of, from all files and blocks together.

    `settled` says that the events are in log order and have ids of their own.
    """

    events: Sequence[Event] = ()
    artifacts: Sequence[Artifact] = ()
    versions: Sequence[VersionRecord] = ()
    actors: Sequence[ActorRecord] = ()
    stints: Sequence[StintRecord] = ()
    roles: Sequence[RoleDefinition] = ()
    observed: tuple[int, int] | None = None
    passed_over: int = 0
    settled: bool = False

    def __add__(self, other: Parts) -> Parts:
        """Both together; `observed` is the one that is said, `passed_over` adds up."""
        return Parts(
            (*self.events, *other.events),
            (*self.artifacts, *other.artifacts),
            (*self.versions, *other.versions),
            (*self.actors, *other.actors),
            (*self.stints, *other.stints),
            (*self.roles, *other.roles),
            self.observed or other.observed,
            self.passed_over + other.passed_over,
            (self.settled and not other.events) or (other.settled and not self.events),
        )


@dataclass(frozen=True, slots=True)
class Named:
    """How many ids there are of a kind, and the first few in the order of ids."""

    count: int = 0
    first: tuple[str, ...] = ()

    @classmethod
    def of(cls, ids: Iterable[str]) -> Named:
        distinct = sorted(set(ids))
        return cls(len(distinct), tuple(distinct[:NAMED]))

    @property
    def text(self) -> str:
        """The first few in backticks, and how many more there are."""
        listed = ", ".join(shown(name) for name in self.first)
        rest = self.count - len(self.first)
        return f"{listed} and {rest} more" if rest else listed


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What the load found, in numbers.

    `skipped` are bad records that were left out, `passed_over` those that a `skip when` names.
    `missing` are artifact ids that events name and the corpus lacks, `unnamed` artifacts that no
    event names, `undated` artifacts without a creation time, `undeclared` actors of events that
    nobody declared.
    """

    events: int = 0
    artifacts: int = 0
    actors: int = 0
    skipped: int = 0
    passed_over: int = 0
    missing: Named = field(default_factory=Named)
    unnamed: Named = field(default_factory=Named)
    undated: Named = field(default_factory=Named)
    undeclared: Named = field(default_factory=Named)


@dataclass(frozen=True, slots=True)
class BuiltWorld:
    """The world and what there is to say about it."""

    world: World
    report: LoadReport


def build_world(parts: Parts, skipped: int = 0, contract: str = "") -> Checked[BuiltWorld]:
    """The world of all parts, or every contradiction between them.

    Errors are ids that two records claim, versions of artifacts that do not exist, and stints of
    actors or roles that nobody declared. Warnings (at most one of each kind, at line 1 of
    `contract`) name undeclared actors, missing and undated artifacts. `skipped` is what the
    loads left out.
    """
    findings = Findings()
    events = parts.events
    if not parts.settled:
        events = without_duplicates(in_log_order(events), "event", findings)
    artifacts = without_duplicates(
        sorted(parts.artifacts, key=lambda a: (a.id, a.source, a.line)), "artifact", findings
    )
    versioned = _with_versions(artifacts, parts.versions, findings)
    access = _access(parts, findings)
    settled = findings.settle(0)
    world = World(MemoryLog(events, parts.observed), Corpus(versioned), access)
    report = replace(_report(world, skipped), passed_over=parts.passed_over)
    notes = (*settled.diagnostics, *_warnings(report, contract))
    return Checked(BuiltWorld(world, report) if settled.usable else None, in_order(notes))


def _with_versions(
    artifacts: Sequence[Artifact], records: Sequence[VersionRecord], findings: Findings
) -> Sequence[Artifact]:
    """The artifacts with the versions that other files hold."""
    if not records:
        return artifacts
    by_id: dict[str, list[VersionRecord]] = {}
    for record in records:
        by_id.setdefault(record.artifact, []).append(record)
    known = {artifact.id for artifact in artifacts}
    for record in records:
        if record.artifact not in known:
            message = f"there is no artifact {shown(record.artifact)} for this version"
            findings.bad_record([record.place.finding(codes.UNKNOWN_VERSIONED, message)])
    return [_versioned(artifact, by_id.get(artifact.id, []), findings) for artifact in artifacts]


def _versioned(artifact: Artifact, records: list[VersionRecord], findings: Findings) -> Artifact:
    if not records:
        return artifact
    early = [r for r in records if artifact.created is not None and r.start < artifact.created]
    for record in early:
        message = f"the version starts before {shown(artifact.id)} was created"
        findings.bad_record([record.place.finding(codes.BAD_PERIOD, message)])
    ordered = sorted(records, key=lambda r: (r.start, r.place.file, r.place.line))
    problems: list[Diagnostic] = []
    versions = chained(artifact.versions, ordered, problems)
    for problem in problems:
        findings.bad_record([problem])
    return msgspec.structs.replace(artifact, versions=versions)


def _access(parts: Parts, findings: Findings) -> Access:
    """Actors with all their stints; a stint must name a declared actor and a declared role."""
    records: dict[str, ActorRecord] = {}
    for record in sorted(parts.actors, key=lambda a: (a.id, a.place.file, a.place.line)):
        first = records.setdefault(record.id, record)
        if first is not record and not _says_the_same(first, record):
            message = f"actor {shown(record.id)} is also at {first.place.file}:{first.place.line}"
            findings.bad_record([record.place.finding(codes.DUPLICATE_ID, message)])
    roles = _added_up(parts.roles)
    stints: dict[str, list[Stint]] = {actor_id: [] for actor_id in records}
    for stint in _all_stints(records.values(), parts.stints):
        problems = _stint_problems(stint, records, roles)
        if problems:
            findings.bad_record(problems)
        else:
            stints[stint.actor].append(Stint(stint.role, stint.start, stint.end))
    actors = [Actor(r.id, tuple(stints[r.id]), r.attributes) for r in records.values()]
    return Access(actors, roles.values())


def _says_the_same(one: ActorRecord, other: ActorRecord) -> bool:
    """Whether two records are one actor read twice, as where a log names who acted."""
    return one.roles == other.roles and one.attributes == other.attributes


def _added_up(roles: Sequence[RoleDefinition]) -> Mapping[str, RoleDefinition]:
    """One definition per role: what several say of it adds up, also for who inherits it."""
    includes: dict[str, frozenset[str]] = {}
    own: dict[str, dict[str, frozenset[str]]] = {}
    for role in roles:
        includes[role.name] = includes.get(role.name, frozenset()) | role.includes
        lists = own.setdefault(role.name, {})
        for key, values in role.lists.items():
            lists[key] = lists.get(key, frozenset()) | values
    found = {}
    for name, members in includes.items():
        lists = {}
        for member in sorted(members):
            for key, values in own.get(member, {}).items():
                lists[key] = lists.get(key, frozenset()) | values
        found[name] = RoleDefinition(name, members, dict(sorted(lists.items())))
    return found


def _all_stints(
    actors: Iterable[ActorRecord], stints: Sequence[StintRecord]
) -> Sequence[StintRecord]:
    """The roles that actors hold without bound, then the stints, in the order of their places."""
    unbounded = [StintRecord(a.id, role, None, None, a.place) for a in actors for role in a.roles]
    return [*unbounded, *sorted(stints, key=lambda s: (s.place.file, s.place.line))]


def _stint_problems(
    stint: StintRecord, actors: Mapping[str, ActorRecord], roles: Collection[str]
) -> list[Diagnostic]:
    problems = []
    if stint.actor not in actors:
        message = f"there is no actor {shown(stint.actor)}"
        help_ = "declare the actor, or read it with `source actors`"
        problems.append(stint.place.finding(codes.UNKNOWN_STINT_ACTOR, message, help_=help_))
    if stint.role not in roles:
        message = f"there is no role {shown(stint.role)}"
        help_ = f"declare it: `role {_written(stint.role)} {{ … }}`, or read it with `source roles`"
        problems.append(stint.place.finding(codes.UNKNOWN_STINT_ROLE, message, help_=help_))
    if stint.start is not None and stint.end is not None and stint.end <= stint.start:
        message = f"the stint of {shown(stint.actor)} ends before it begins"
        problems.append(stint.place.finding(codes.BAD_PERIOD, message))
    return problems


def _written(name: str) -> str:
    """A name as rules spell it."""
    return name if name.isidentifier() else f"`{name}`"


def _report(world: World, skipped: int) -> LoadReport:
    named = set(world.log.artifact_ids())
    held = {artifact.id for artifact in world.corpus}
    acting = set(chain.from_iterable(map(attrgetter("actors"), world.log)))
    declared = {actor.id for actor in world.access.actors}
    return LoadReport(
        events=len(world.log),
        artifacts=len(world.corpus),
        actors=len(declared),
        skipped=skipped,
        missing=Named.of(named - held),
        unnamed=Named.of(held - named),
        undated=Named.of(a.id for a in world.corpus if a.created is None),
        undeclared=Named.of(acting - declared),
    )


def _warnings(report: LoadReport, contract: str) -> list[Diagnostic]:
    """One warning for each kind of thing that is missing."""
    place = Span.at(contract, 1)
    warnings = []
    if report.undeclared.count:
        message = f"{_count(report.undeclared, 'actor')} of events nowhere declared: "
        help_ = "declare them, or read them with `source actors`; they hold no role until then"
        text = message + report.undeclared.text
        warnings.append(Diagnostic(codes.UNDECLARED_ACTOR, text, place, help=help_))
    if report.missing.count and report.artifacts:
        message = f"{_count(report.missing, 'artifact')} named by events, but not in the corpus: "
        help_ = "add them to the corpus; nothing is asked about events that name one of them"
        text = message + report.missing.text
        warnings.append(Diagnostic(codes.MISSING_ARTIFACT, text, place, help=help_))
    if report.undated.count:
        message = f"{_count(report.undated, 'artifact')} without a creation time: "
        help_ = "a gate that compares `artifact.created` never opens them"
        text = message + report.undated.text
        warnings.append(Diagnostic(codes.UNDATED_ARTIFACT, text, place, help=help_))
    return warnings


def _count(named: Named, noun: str) -> str:
    return f"{named.count} {noun}{'' if named.count == 1 else 's'}"
