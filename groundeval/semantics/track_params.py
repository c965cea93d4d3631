"""Params of a track: constants that a project may set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from zoneinfo import ZoneInfo

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir.expressions import Const, Expr
from groundeval.ir.types import BOOL, DURATION, NUMBER, TEXT, TIME, Type, list_of
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.elaborate.types import describe, fits
from groundeval.semantics.scope import Scope
from groundeval.semantics.symbols import Findings
from groundeval.semantics.track_questions import repeated
from groundeval.semantics.track_scopes import NOWHERE
from groundeval.syntax import ast
from groundeval.syntax.ast.walk import nodes
from groundeval.world.time import parse_duration, parse_instant


@dataclass(frozen=True, slots=True)
class TrackParams:
    """What a project sets of one track: values by name, and where it says each."""

    values: Mapping[str, object] = field(default_factory=dict)
    places: Mapping[str, Span] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Params:
    """What a project sets: the params of each track by its id.

    `places` has where it names a track, by `(id,)`, and a param, by `(id, name)`; what is not
    among them is reported where the track or the contract stands.
    """

    values: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    places: Mapping[tuple[str | int, ...], Span] = field(default_factory=dict)

    def of(self, track_id: str) -> TrackParams:
        """The params of one track."""
        values = self.values.get(track_id, {})
        found = {n: self.places[track_id, n] for n in values if (track_id, n) in self.places}
        return TrackParams(values, found)


def constants(
    trees: Sequence[ast.Param], given: TrackParams, track: ast.Track, el: Elaborator
) -> Mapping[str, Expr]:
    """The constants by name: what the project says, else what the track says."""
    found: dict[str, Expr] = {}
    for tree in trees:
        if tree.name.text in found:
            repeated("param", tree.name, el.findings)
            continue
        value = _written(tree, el)
        if value is not None:
            name = tree.name.text
            found[name] = _set(tree, value, given, el) if name in given.values else value
    declared = {tree.name.text for tree in trees}
    for name in sorted(set(given.values) - declared):
        el.report(
            codes.UNKNOWN_PARAM,
            given.places.get(name, track.name.span),
            f"the project sets `{name}`, and the track `{track.name.text}` has no such param",
            "has no such param",
            did_you_mean(name, declared),
        )
    return found


def report_unused(trees: Sequence[ast.Param], track: ast.Track, findings: Findings) -> None:
    """A warning for each param that nothing in its track names."""
    others = (clause for clause in track.clauses if not isinstance(clause, ast.Param))
    named = {n.name for c in others for n in nodes(c) if isinstance(n, ast.Variable)}
    for tree in trees:
        if tree.name.text not in named:
            message = f"nothing uses the param `{tree.name.text}`"
            help_ = "take it away, or use it: what a project sets it to changes nothing"
            findings.add(codes.UNUSED_PARAM, message, tree.name.span, "", help_)


def _written(tree: ast.Param, el: Elaborator) -> Const | None:
    """The constant that the track gives; None after a finding."""
    before = len(el.findings.all)
    value = el.constant(tree.value, Scope(place="a param"))
    if len(el.findings.all) > before:
        return None
    shape = el.trial().expr(tree.value, Scope()).type
    if value is not None and shape.name != "record":
        return Const(tree.value.span, shape, value)
    message = f"a param is a number, a text, a time or a list, not {describe(shape)}"
    el.report(codes.BAD_PARAM, tree.value.span, message)
    return None


def _set(tree: ast.Param, written: Const, params: TrackParams, el: Elaborator) -> Const:
    """What the project gives instead, read as what the track's own value is."""
    name = tree.name.text
    given = params.values[name]
    zone = ZoneInfo(el.symbols.timezone) if el.symbols.timezone else None
    found = _read(given, written.type, zone)
    if found is not None and fits(found.type, written.type):
        return Const(written.span, written.type, found.value)
    el.report(
        codes.BAD_PARAM,
        params.places.get(name, tree.name.span),
        f"the project sets `{name}` to `{given}`, which is not {describe(written.type)}",
        f"{describe(written.type)} is meant",
    )
    return written


def _read(given: object, wanted: Type, zone: ZoneInfo | None) -> Const | None:
    """A value of a project file as a constant; None where it is none of the wanted type."""
    span = NOWHERE
    match given:
        case bool():
            return Const(span, BOOL, given)
        case int() | float():
            return Const(span, NUMBER, given)
        case str() if wanted.name == "duration":
            micros = parse_duration(given)
            return None if micros is None else Const(span, DURATION, micros)
        case str() if wanted.name == "time":
            instant = parse_instant(given, zone)
            return Const(span, TIME, int(instant)) if isinstance(instant, int) else None
        case str():
            return Const(span, TEXT, given)
        case list() | tuple() if wanted.item is not None:
            items = [_read(item, wanted.item, zone) for item in given]
            known = [i for i in items if i is not None and fits(i.type, wanted.item)]
            values = tuple(i.value for i in known)
            return Const(span, list_of(wanted.item), values) if len(known) == len(items) else None
    return None
