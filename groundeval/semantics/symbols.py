"""What the declarations of all files say, before any expression is looked at."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from groundeval.diagnostics import Code, Diagnostic, Span
from groundeval.ir.types import Type
from groundeval.syntax import ast


class Findings:
    """Collects diagnostics; handed down explicitly, never global."""

    def __init__(self) -> None:
        self.all: list[Diagnostic] = []

    def add(self, code: Code, message: str, span: Span, label: str = "", help: str = "") -> None:  # noqa: A002 - the field's name
        """Record one finding."""
        self.all.append(Diagnostic(code, message, span, label, help))


@dataclass(frozen=True, slots=True)
class EventSymbol:
    """An event type: its declaration's place, label and declared data fields."""

    name: str
    label: str
    fields: Mapping[str, Type]
    span: Span
    declared: bool = True


@dataclass(frozen=True, slots=True)
class DataFacts:
    """What the data at hand show, when there are any: more names, and which fields occur.

    `event_fields` maps an event type to the data fields that occur in its events (of any part),
    `actors`, `subsystems`, `roles` are those that the data declare or use.
    """

    event_fields: Mapping[str, frozenset[str]] = field(default_factory=dict)
    actors: frozenset[str] = frozenset()
    subsystems: frozenset[str] = frozenset()
    roles: frozenset[str] = frozenset()
    artifact_attributes: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Symbols:
    """All names of a program. `lets` are the domain's own; a track's are local to it.

    `open_actors` (likewise `open_roles`, `open_subsystems`, `open_event_types`): a `source` block
    supplies such names and no data are at hand, so an unknown name cannot be told wrong.
    `role_lists` are the list names that any role has, with the names in them.
    """

    subsystems: Mapping[str, Span]
    roles: Mapping[str, Span]
    role_lists: Mapping[str, frozenset[str]]
    actors: Mapping[str, Span]
    actor_attributes: frozenset[str]
    events: Mapping[str, EventSymbol]
    gates: Mapping[str, Span]
    gate_rules: Mapping[str, frozenset[str]]
    links: Mapping[str, Span]
    silences: Mapping[str, Span]
    tracks: Mapping[str, Span]
    lets: Mapping[str, ast.Let]
    timezone: str | None
    data: DataFacts | None
    open_actors: bool = False
    open_roles: bool = False
    open_subsystems: bool = False
    open_event_types: bool = False
