"""What a track without a truth block reads of its truth: types taken from the places of use."""

from __future__ import annotations

from groundeval.ir.types import BOOL, JSON, NUMBER, TEXT, TIME, Type, set_of
from groundeval.semantics.elaborate.types import unify
from groundeval.syntax import ast


class TruthReads:
    """The fields of a truth that comes from outside, and what their places of use say of them.

    Filled while a track's scores are elaborated; `types` is complete after a second pass, because
    a field may be read before the place that tells its type.
    """

    def __init__(self) -> None:
        self._types: dict[str, Type] = {}

    def read(self, name: str, expected: Type | None) -> Type:
        """The type of the field as known so far, having been used where `expected` stands."""
        known = self._types.get(name, JSON)
        self._types[name] = known
        said = _plain(expected) if expected is not None else None
        if said is None:
            return known
        if known.name == "json":
            self._types[name] = said
        elif known.is_collection == said.is_collection:
            self._types[name] = unify(known, said) or known
        return self._types[name]

    @property
    def types(self) -> tuple[tuple[str, Type], ...]:
        """The fields with their types, by name."""
        return tuple(sorted(self._types.items()))

    def is_read(self, node: ast.Expr) -> bool:
        """Whether `node` is `truth.X`, whose type the other side of an operator may tell."""
        match node:
            case ast.Attribute(_, ast.Variable(_, "truth"), _):
                return True
        return False


def _plain(expected: Type) -> Type | None:
    """What a place says about a value that was written by hand: collections are sets."""
    if expected.is_collection:
        item = expected.item
        known = item is not None and item.is_textual
        return set_of(Type(item.name) if known and item is not None else TEXT)
    if expected.name in {BOOL.name, NUMBER.name, TIME.name} or expected.is_textual:
        return Type(expected.name)
    return None
