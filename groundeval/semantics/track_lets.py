"""The lets of a track: which ones its scores read by name, and in which order they are computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace

from groundeval.diagnostics import Span, codes, has_errors
from groundeval.ir import program as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.ir.walk import reads
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.scope import Scope
from groundeval.syntax import ast


@dataclass(frozen=True, slots=True)
class Defined:
    """Definitions in an order that works, and the places of the lets that each has used."""

    definitions: tuple[ir.Definition, ...]
    used: Mapping[str, frozenset[Span]]

    @property
    def types(self) -> Mapping[str, Type]:
        return {d.name: d.value.type for d in self.definitions}

    def read_by(self, scored: Iterable[Expr]) -> tuple[ir.Definition, ...]:
        """The definitions that `scored` expressions read, also by way of others."""
        wanted = set[str]().union(*(reads(e) for e in scored))
        kept: list[ir.Definition] = []
        for definition in reversed(self.definitions):
            if definition.name in wanted:
                wanted |= reads(definition.value)
                kept.append(definition)
        return tuple(reversed(kept))


def definitions(el: Elaborator, scope: Scope) -> Defined:
    """The nullary lets that can be computed from what all score expressions read.

    The others (of binders, or of `violation_rate`) are put in line where they are used, where
    what is wrong with them is reported too. In `scope`, lets must be those of the track.
    """
    return _Defining(el, scope).all()


class _Defining:
    def __init__(self, el: Elaborator, scope: Scope) -> None:
        self._el = el
        self._scope = scope
        self._done: list[ir.Definition] = []
        self._used: dict[str, frozenset[Span]] = {}
        self._seen: set[str] = set()

    def all(self) -> Defined:
        for name in self._scope.lets:
            self._define(name)
        return Defined(tuple(self._done), self._used)

    def _define(self, name: str) -> None:
        if name in self._seen:
            return
        self._seen.add(name)
        let = self._scope.lets[name]
        for other in sorted(names_in(let.value) & self._scope.lets.keys()):
            self._define(other)
        if let.parameters or name in self._scope.variables:
            return
        trial = self._el.trial()
        trial.expanding.append(name)
        types = {d.name: d.value.type for d in self._done}
        value = trial.expr(let.value, replace(self._scope, definitions=types))
        found = trial.findings.all
        self._el.findings.all.extend(d for d in found if d.code == codes.LET_CYCLE)
        if not has_errors(found):
            self._done.append(ir.Definition(name, value))
            self._used[name] = frozenset(trial.used_lets)


def names_in(node: object) -> frozenset[str]:
    """All bare names that occur in a piece of syntax, bound ones too."""
    names = set[str]()
    waiting = [node]
    while waiting:
        match waiting.pop():
            case ast.Variable(name=name):
                names.add(name)
            case tuple() as items:
                waiting.extend(items)
            case part if is_dataclass(part):
                waiting.extend(getattr(part, field.name) for field in fields(part))
            case _:
                pass
    return frozenset(names)
