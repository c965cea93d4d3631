"""A project's rules and data, from its files to a program and a world."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from zoneinfo import ZoneInfo

from groundeval.diagnostics import Checked, Diagnostic, Source, Span, has_errors, in_order
from groundeval.diagnostics.codes import (
    EMPTY_INPUT,
    UNDECLARED_EVENT_TYPE,
    UNKNOWN_TRACK,
    UNUSED_SUPPRESSION,
)
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import program as ir
from groundeval.project import FILE_NAME, Project
from groundeval.record_rules import record_rule
from groundeval.semantics.files import BundledFiles, FolderFiles
from groundeval.semantics.program import analyse, analyse_for_data, outline
from groundeval.semantics.suppressions import Suppression, allowed
from groundeval.semantics.symbols import DataFacts
from groundeval.semantics.track_params import Params
from groundeval.world.assembly import (
    ActorRecord,
    BuiltWorld,
    LoadReport,
    Parts,
    StintRecord,
    build_world,
)
from groundeval.world.findings import Place
from groundeval.world.ids import shown
from groundeval.world.loader import LoadOptions, load_artifacts, load_events
from groundeval.world.sources import SourceSpec, load_source
from groundeval.world.world import World


@dataclass(frozen=True, slots=True)
class Loaded:
    """A project's checked rules over its data; `paths` are the data files by kind, relative."""

    project: Project
    program: ir.Program
    world: World
    report: LoadReport
    paths: Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Reading:
    """What came of reading a project, before `allow` comments about data are followed.

    `found` may name files relative to the project's folder; `shown` gives what people see.
    """

    project: Project
    loaded: Loaded | None
    found: tuple[Diagnostic, ...]
    allows: tuple[Suppression, ...]

    def shown(
        self, further: Iterable[Diagnostic] = (), *, today: int | None = None, whole: bool = True
    ) -> tuple[Diagnostic, ...]:
        """All findings, with those of later stages, less what is allowed; in order.

        An `allow` that allows nothing is a finding where every stage is done (`whole`) and
        nothing failed: else what it is about may still come.
        """
        everything = [*self.found, *further]
        kept = allowed(everything, self.allows, today)
        if not whole or has_errors(everything):
            before = set(everything)
            kept = tuple(d for d in kept if d.code is not UNUSED_SUPPRESSION or d in before)
        return in_order(placed(self.project, kept))


def check_rules(project: Project, *, today: int | None = None) -> Checked[ir.Program]:
    """The project's program, checked against its rule files alone."""
    files = FolderFiles(project.folder)
    checked = analyse(project.root, files, params=_params(project), today=today)
    return Checked(checked.value, in_order(placed(project, checked.diagnostics)))


def load(project: Project, *, skip_bad: int = 0, today: int | None = None) -> Checked[Loaded]:
    """Rules and data together: names are checked against both.

    `skip_bad` bad records may be left out of each input. Nothing is half-loaded.
    """
    reading = read_project(project, skip_bad=skip_bad, today=today)
    return Checked(reading.loaded, reading.shown(today=today, whole=False))


def read_project(project: Project, *, skip_bad: int = 0, today: int | None = None) -> Reading:
    """As `load`, for whoever has more stages to come."""
    files = FolderFiles(project.folder)
    draft = outline(project.root, files)
    if draft is None:
        found = analyse(project.root, files, params=_params(project), today=today).diagnostics
        return Reading(project, None, found, ())
    built, found_in_data, paths = _world(project, draft, skip_bad)
    facts = None if built is None else data_facts(built.world)
    rules = analyse_for_data(project.root, files, data=facts, params=_params(project), today=today)
    program, everything = rules.checked.value, [*rules.checked.diagnostics, *found_in_data]
    if built is None or program is None or has_errors(everything):
        return Reading(project, None, tuple(everything), rules.later)
    everything += [*_unknown_caps(project, program), *_against_log(project, program, built.world)]
    if has_errors(everything):
        return Reading(project, None, tuple(everything), rules.later)
    program = replace(program, roles=tuple(built.world.access.roles))  # with those of the data
    loaded = Loaded(project, program, built.world, built.report, paths)
    return Reading(project, loaded, tuple(everything), rules.later)


def _params(project: Project) -> Params:
    """What the project sets of tracks, and where its file says so."""
    settings = project.file.params
    if not settings:
        return Params()
    places = project.places()
    ways: list[tuple[str, ...]] = [(track,) for track in settings]
    ways += [(track, name) for track, values in settings.items() for name in values]
    return Params(settings, {way: places.key("params", *way) for way in ways})


def _unknown_caps(project: Project, program: ir.Program) -> Iterator[Diagnostic]:
    """Caps of tracks that are not in use, which would silently cap nothing."""
    known = [track.id for track in program.tracks]
    for name in project.file.caps:
        if name not in known:
            message = f"`caps` names `{name}`, which is no track in use"
            help_ = did_you_mean(name, known)
            yield Diagnostic(UNKNOWN_TRACK, message, project.places().key("caps", name), help=help_)


def _against_log(project: Project, program: ir.Program, world: World) -> Iterator[Diagnostic]:
    """What the log says against the rules: an empty one, and types that nothing declares."""
    place = Span.at(project.root, 1)
    if not len(world.log):
        named = bool(project.file.events) or any(s.kind == "events" for s in program.sources)
        message = "the event log is empty" if named else "the project names no event log"
        help_ = f"say `events: FILE` in `{FILE_NAME}`, or read one with `source events`"
        yield Diagnostic(EMPTY_INPUT, message, place, help="" if named else help_)
    reads_artifacts = bool(project.file.artifacts) or any(
        s.kind == "artifacts" for s in program.sources
    )
    if reads_artifacts and not len(world.corpus):
        yield Diagnostic(EMPTY_INPUT, "the corpus is empty", place)
    declared = {kind.name for kind in program.event_types}
    counts = {kind: len(world.log.of_type(kind)) for kind in world.log.types()}
    unknown = sorted(kind for kind in counts if kind not in declared)
    if unknown:
        listed = ", ".join(f"{shown(kind)} ({counts[kind]})" for kind in unknown[:_LISTED])
        rest = f" and {len(unknown) - _LISTED} more" if len(unknown) > _LISTED else ""
        message = f"the log has events that no `event` declares: {listed}{rest}"
        help_ = f'declare them (`event {unknown[0]} "…" {{ }}`) where rules are about them'
        meant = nearest(unknown[0], declared) if len(unknown) == 1 else None
        if meant is not None:
            help_ = f"did you mean `{meant}`? if not, {help_}"
        yield Diagnostic(UNDECLARED_EVENT_TYPE, message, place, help=help_)


_LISTED = 5
"""How many undeclared types a finding names."""


def placed(project: Project, found: Iterable[Diagnostic]) -> Iterator[Diagnostic]:
    """Findings with file names that lead there from the current folder.

    The project's folder is put before names that are relative to it; bundled files keep theirs.
    """
    data = [project.path(p).as_posix() for p in (project.file.events, project.file.artifacts) if p]
    names: dict[str, str] = {}
    for finding in found:
        name = finding.span.file
        if name not in names:
            names[name] = _name_from_here(project, name, data)
        yield replace(finding, span=replace(finding.span, file=names[name]))


def _name_from_here(project: Project, name: str, data: Sequence[str]) -> str:
    if name == project.name or any(name == path or name.startswith(f"{path}/") for path in data):
        return name
    path = project.path(name)
    if not path.is_file() and BundledFiles().read(name) is not None:
        return name
    return path.as_posix()


def sources_of(project: Project, diagnostics: Sequence[Diagnostic]) -> Mapping[str, Source]:
    """The texts of the files that findings point into, by the name that the findings use."""
    found = {name: source_of(project, name) for name in {d.span.file for d in diagnostics}}
    return {name: source for name, source in found.items() if source is not None}


def source_of(project: Project, name: str) -> Source | None:
    """The text that findings call `name`; None where it cannot be shown."""
    text = _text_of(project, name)
    return None if text is None else Source(name, text)


def data_facts(world: World) -> DataFacts:
    """What names and fields the data show."""
    fields: dict[str, set[str]] = {}
    for event_type in world.log.types():
        names = fields.setdefault(event_type, set())
        for event in world.log.of_type(event_type):
            names.update(event.artifacts)
            if event.facts:
                names.update(event.facts)
            if event.extra:
                names.update(event.extra)
    attributes = {n for a in world.corpus for v in a.versions for n in v.attributes}
    return DataFacts(
        event_fields={t: frozenset(names) for t, names in fields.items()},
        actors=frozenset(a.id for a in world.access.actors),
        subsystems=frozenset(world.corpus.subsystems()),
        roles=frozenset(r.name for r in world.access.roles),
        artifact_attributes=frozenset(attributes),
    )


def declared_parts(program: ir.Program, root: str = "") -> Parts:
    """What the rules themselves declare of the world: roles, actors and their stints.

    `root` is the file at whose first line findings about them stand.
    """
    place = Place(root, 1)
    actors = [ActorRecord(a.id, (), a.attributes, place) for a in program.actors]
    stints = [
        StintRecord(a.id, s.role, s.start, s.end, place) for a in program.actors for s in a.stints
    ]
    return Parts(actors=actors, stints=stints, roles=program.roles, observed=program.observed)


def source_spec(source: ir.Source, zone: ZoneInfo | None) -> SourceSpec:
    """A `source` block as the loader takes it: its expressions as plain callables."""
    return SourceSpec(
        kind=source.kind,
        pattern=source.pattern,
        fields={name: record_rule(expr) for name, expr in source.fields},
        skip=[record_rule(expr) for expr in source.skips],
        zone=ZoneInfo(source.zone) if source.zone else zone,
        ordered=source.ordered,
        placed=True,
        span=source.span,
    )


@dataclass(slots=True)
class _Inputs:
    """The inputs of a project while they are read: what each gave, and the budget that is left."""

    budget: int
    parts: Parts
    skipped: int = 0
    whole: bool = True
    diagnostics: list[Diagnostic] = field(default_factory=list)
    paths: dict[str, list[str]] = field(default_factory=dict)

    def note(self, kind: str, path: str, parts: Parts | None, skipped: int) -> None:
        """Count one input in; `parts` None says that it could not be read."""
        self.paths.setdefault(kind, []).append(path)
        self.skipped += skipped
        self.budget -= skipped
        if parts is None:
            self.whole = False
        else:
            self.parts += parts


def _world(
    project: Project, program: ir.Program, skip_bad: int
) -> tuple[BuiltWorld | None, list[Diagnostic], dict[str, list[str]]]:
    """The world of all inputs, every finding about them, and their paths."""
    zone = ZoneInfo(program.timezone) if program.timezone else None
    inputs = _Inputs(skip_bad, declared_parts(program, project.root))
    if project.file.events:
        _add_events(project, project.file.events, zone, inputs)
    if project.file.artifacts:
        _add_artifacts(project, project.file.artifacts, zone, inputs)
    for block in program.sources:
        read = load_source(source_spec(block, zone), project.folder, inputs.budget)
        inputs.diagnostics += read.diagnostics
        parts = read.value.parts if read.value else None
        inputs.note(block.kind, block.pattern, parts, read.value.skipped if read.value else 0)
    if not inputs.whole:
        return None, inputs.diagnostics, inputs.paths
    built = build_world(inputs.parts, inputs.skipped, project.root)
    return built.value, [*inputs.diagnostics, *built.diagnostics], inputs.paths


def _add_events(project: Project, path: str, zone: ZoneInfo | None, inputs: _Inputs) -> None:
    read = load_events([project.path(path)], LoadOptions(zone, inputs.budget))
    inputs.diagnostics += read.diagnostics
    parts = Parts(events=read.value.events, settled=True) if read.value else None
    inputs.note("events", path, parts, read.value.skipped if read.value else 0)


def _add_artifacts(project: Project, path: str, zone: ZoneInfo | None, inputs: _Inputs) -> None:
    read = load_artifacts(project.path(path), LoadOptions(zone, inputs.budget))
    inputs.diagnostics += read.diagnostics
    parts = Parts(artifacts=read.value.artifacts) if read.value else None
    inputs.note("artifacts", path, parts, read.value.skipped if read.value else 0)


def _text_of(project: Project, name: str) -> str | None:
    """The text of a rule or data file by the name that findings use; None where it cannot be."""
    for path in (project.folder / name, Path(name)):
        try:
            if path.is_file() and path.stat().st_size < _SHOWN_AT_MOST:
                return path.read_text(encoding="utf-8-sig")
        except (OSError, UnicodeDecodeError, ValueError):
            return None
    return BundledFiles().read(name)


_SHOWN_AT_MOST = 4_000_000
"""Bytes: of larger files only the place is shown, not the line."""
