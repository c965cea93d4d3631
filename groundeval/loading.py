"""A project's rules and data, from its files to a program and a world."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, cast
from zoneinfo import ZoneInfo

from groundeval.diagnostics import Checked, Diagnostic, Source, has_errors, in_order
from groundeval.engine.closures import compile_function
from groundeval.functions.host import Host
from groundeval.ir import program as ir
from groundeval.ir.expressions import Expr
from groundeval.project import Project
from groundeval.semantics.files import FolderFiles
from groundeval.semantics.program import analyse, outline
from groundeval.semantics.symbols import DataFacts
from groundeval.world.assembly import (
    ActorRecord,
    BuiltWorld,
    LoadReport,
    Parts,
    StintRecord,
    build_world,
)
from groundeval.world.findings import Place
from groundeval.world.loader import LoadOptions, load_artifacts, load_events
from groundeval.world.sources import SourceSpec, load_source
from groundeval.world.time import to_datetime
from groundeval.world.world import World


@dataclass(frozen=True, slots=True)
class Loaded:
    """A project's checked rules over its data; `paths` are the data files by kind, relative."""

    project: Project
    program: ir.Program
    world: World
    report: LoadReport
    paths: Mapping[str, Sequence[str]]


def check_rules(project: Project, *, today: int | None = None) -> Checked[ir.Program]:
    """The project's program, checked against its rule files alone."""
    files = FolderFiles(project.folder)
    return analyse(project.file.contract, files, params=project.file.params, today=today)


def load(project: Project, *, skip_bad: int = 0, today: int | None = None) -> Checked[Loaded]:
    """Rules and data together: names are checked against both.

    `skip_bad` bad records may be left out of each input. Nothing is half-loaded.
    """
    files = FolderFiles(project.folder)
    draft = outline(project.file.contract, files)
    if draft is None:
        checked = check_rules(project, today=today)
        return Checked(None, checked.diagnostics)
    built, found, paths = _world(project, draft, skip_bad)
    facts = None if built is None else data_facts(built.world)
    program = analyse(
        project.file.contract, files, data=facts, params=project.file.params, today=today
    )
    everything = in_order([*program.diagnostics, *found])
    if built is None or program.value is None or has_errors(everything):
        return Checked(None, everything)
    loaded = Loaded(project, program.value, built.world, built.report, paths)
    return Checked(loaded, everything)


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
            names.update(event.artifacts, event.facts, event.extra)
    attributes = {n for a in world.corpus for v in a.versions for n in v.attributes}
    return DataFacts(
        event_fields={t: frozenset(names) for t, names in fields.items()},
        actors=frozenset(a.id for a in world.access.actors),
        subsystems=frozenset(world.corpus.subsystems()),
        roles=frozenset(r.name for r in world.access.roles),
        artifact_attributes=frozenset(attributes),
    )


def declared_parts(program: ir.Program) -> Parts:
    """What the rules themselves declare of the world: roles, actors and their stints."""
    place = Place("", 1)
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
        fields={name: _record_rule(expr) for name, expr in source.fields},
        skip=[_record_rule(expr) for expr in source.skips],
        zone=ZoneInfo(source.zone) if source.zone else zone,
        ordered=source.ordered,
        span=source.span,
    )


def _record_rule(expr: Expr) -> Any:
    """A compiled expression of the raw record; it can read nothing else, so it needs no host.

    A computed instant comes as a datetime, so that the loader does not take its microseconds for
    an epoch of the data's own.
    """
    rule = partial(compile_function(expr, ("record",)), cast("Host", None))
    if expr.type.name != "time":
        return rule

    def dated(record: Any) -> Any:
        instant = rule(record)
        return None if instant is None else to_datetime(instant)

    return dated


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
    inputs = _Inputs(skip_bad, declared_parts(program))
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
    built = build_world(inputs.parts, inputs.skipped, project.file.contract)
    return built.value, [*inputs.diagnostics, *built.diagnostics], inputs.paths


def _add_events(project: Project, path: str, zone: ZoneInfo | None, inputs: _Inputs) -> None:
    read = load_events([project.path(path)], LoadOptions(zone, inputs.budget))
    inputs.diagnostics += read.diagnostics
    parts = Parts(events=read.value.events) if read.value else None
    inputs.note("events", path, parts, read.value.skipped if read.value else 0)


def _add_artifacts(project: Project, path: str, zone: ZoneInfo | None, inputs: _Inputs) -> None:
    read = load_artifacts(project.path(path), LoadOptions(zone, inputs.budget))
    inputs.diagnostics += read.diagnostics
    parts = Parts(artifacts=read.value.artifacts) if read.value else None
    inputs.note("artifacts", path, parts, read.value.skipped if read.value else 0)


def _text_of(project: Project, name: str) -> str | None:
    """The text of a rule or data file by the name that findings use; None where it cannot be."""
    for path in (project.folder / name, Path(name)):
        if path.is_file() and path.stat().st_size < _SHOWN_AT_MOST:
            try:
                return path.read_text(encoding="utf-8-sig")
            except (OSError, UnicodeDecodeError):
                return None
    return None


_SHOWN_AT_MOST = 4_000_000
"""Bytes: of larger files only the place is shown, not the line."""
