"""`source` blocks: how raw records become events, artifacts, actors and the rest of a world."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import TYPE_CHECKING, Final, Literal

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import program as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import NUMBER, TEXT
from groundeval.semantics.clauses import place, plain
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.settings import zone_name
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

Kind = Literal["events", "artifacts", "versions", "actors", "stints", "roles"]


@dataclass(frozen=True, slots=True)
class Shape:
    """What a source of one kind maps; `open`: other fields become data of the thing itself."""

    needed: tuple[str, ...]
    others: tuple[str, ...]
    open: bool = True
    options: tuple[str, ...] = ("timezone",)


SHAPES: Final[Mapping[Kind, Shape]] = {
    "events": Shape(
        ("id", "at", "type"), ("actors", "artifacts", "facts"), options=("timezone", "ordered")
    ),
    "artifacts": Shape(
        ("id", "subsystem"),
        ("created", "deleted", "title", "text", "labels", "participants", "versions"),
    ),
    "versions": Shape(("artifact", "from"), ("text", "title", "labels")),
    "actors": Shape(("id",), ("role",), options=()),
    "stints": Shape(("actor", "role"), ("from", "until"), open=False),
    "roles": Shape(("id",), (), options=()),
}
"""The fields that each kind of source needs and may have, and its options."""

_PLACE: Final = {"file": Variable("file", TEXT), "line": Variable("line", NUMBER)}
"""What a source may read besides the record: where it stands, the file relative to the contract."""


def sources(
    declared: Declared, elaborator: Elaborator, findings: Findings
) -> tuple[ir.Source, ...]:
    """The sources by kind and pattern; of an unknown kind there is none."""
    found = []
    for tree in declared.all(ast.SourceBlock):
        kind = next((k for k in SHAPES if k == tree.kind.text), None)
        if kind is None:
            message = f"a source cannot hold `{tree.kind.text}`"
            help_ = did_you_mean(tree.kind.text, SHAPES)
            findings.add(codes.UNKNOWN_SOURCE_KIND, message, tree.kind.span, "", help_)
        else:
            found.append(_Reading(tree, kind, elaborator, findings).source())
    return tuple(sorted(found, key=lambda s: (s.kind, s.pattern, s.span)))


@dataclass(slots=True)
class _Reading:
    tree: ast.SourceBlock
    kind: Kind
    elaborator: Elaborator
    findings: Findings
    fields: dict[str, Expr] = field(default_factory=dict)
    zone: str | None = None
    ordered: bool = False

    def source(self) -> ir.Source:
        """The source with all its fields; what is wrong is reported on the way."""
        places: dict[str, ast.Mapping] = {}
        for mapping in self.tree.mappings:
            name = mapping.key.text
            if name in places:
                message = f"`{name}` stands twice in this source"
                help_ = f"the first is at {place(places[name].span)}"
                self.findings.add(codes.REPEATED_CLAUSE, message, mapping.key.span, "", help_)
                continue
            places[name] = mapping
        rules = [mapping for mapping in places.values() if not self._option(mapping)]
        scope = Scope(_PLACE, record=True, place=f"a source of {self.kind}", zone=self.zone)
        for mapping in rules:
            if self._is_field(mapping):
                self.fields[mapping.key.text] = self.elaborator.expr(mapping.value, scope)
        self._needed(places)
        return ir.Source(
            kind=self.kind,
            pattern=self._pattern(),
            fields=tuple(sorted(self.fields.items())),
            skips=tuple(self.elaborator.condition(s.condition, scope) for s in self.tree.skips),
            zone=self.zone,
            ordered=self.ordered,
            span=self.tree.span,
        )

    def _option(self, mapping: ast.Mapping) -> bool:
        """Whether the mapping is an option of the source, which is then set."""
        match mapping.key.text, mapping.value:
            case ("timezone", ast.Text() as text) if self._has("timezone"):
                self.zone = zone_name(text, self.findings)
            case ("ordered", ast.Constant(value=bool(value))) if self._has("ordered"):
                self.ordered = value
            case (("timezone" | "ordered") as name, value) if self._has(name):
                wanted = 'a zone\'s name, as in "UTC"' if name == "timezone" else "true or false"
                message = f"`{name}` is {wanted}"
                self.findings.add(codes.BAD_SOURCE_OPTION, message, value.span)
            case _:
                return False
        return True

    def _has(self, option: str) -> bool:
        return option in SHAPES[self.kind].options

    def _is_field(self, mapping: ast.Mapping) -> bool:
        shape, name = SHAPES[self.kind], mapping.key.text
        listed = (*shape.needed, *shape.others)
        if name in listed:
            return True
        slip = nearest(name, (*listed, *shape.options))
        if shape.open and slip is None:
            return True
        message = f"a source of {self.kind} has no field `{name}`"
        help_ = did_you_mean(name, (*listed, *shape.options))
        self.findings.add(codes.UNKNOWN_SOURCE_FIELD, message, mapping.key.span, "", help_)
        return False

    def _needed(self, places: Mapping[str, ast.Mapping]) -> None:
        for name in SHAPES[self.kind].needed:
            if name not in places:
                message = f"a source of {self.kind} needs the field `{name}`"
                help_ = f"add `{name} = …`"
                span = self.tree.kind.span
                self.findings.add(codes.MISSING_SOURCE_FIELD, message, span, "", help_)

    def _pattern(self) -> str:
        pattern = plain(self.tree.path, self.findings)
        if pattern.startswith("/") or "\\" in pattern or PureWindowsPath(pattern).drive:
            message = f"the pattern `{pattern}` is not relative to the contract"
            help_ = "write it with `/` from the contract's folder on"
            self.findings.add(codes.ABSOLUTE_PATH, message, self.tree.path.span, "", help_)
        return posixpath.normpath(pattern) if pattern else pattern
