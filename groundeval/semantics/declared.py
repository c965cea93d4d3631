"""The declarations of all files, by kind and in the order of their places."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from groundeval.semantics.loader import RuleFile
from groundeval.syntax import ast

N = TypeVar("N", bound=ast.Node)


@dataclass(frozen=True, slots=True)
class TrackDeclaration:
    """A track and the id that it is known by."""

    id: str
    tree: ast.Track
    module: str | None


@dataclass(frozen=True, slots=True)
class Declared:
    """What stands in the files of one program."""

    files: tuple[RuleFile, ...]
    everything: tuple[ast.Declaration, ...]
    tracks: tuple[TrackDeclaration, ...]

    def all(self, kind: type[N]) -> tuple[N, ...]:
        """Every declaration of that kind, by file name and place."""
        return tuple(d for d in self.everything if isinstance(d, kind))

    @property
    def gates(self) -> tuple[ast.Gate, ...]:
        """The gates themselves, without their extensions."""
        return tuple(g for g in self.all(ast.Gate) if not g.extends)

    @property
    def extensions(self) -> tuple[ast.Gate, ...]:
        return tuple(g for g in self.all(ast.Gate) if g.extends)

    def sources(self, *kinds: str) -> tuple[ast.SourceBlock, ...]:
        """The `source` blocks of those kinds."""
        return tuple(s for s in self.all(ast.SourceBlock) if s.kind.text in kinds)


def declared(files: Sequence[RuleFile]) -> Declared:
    """Group the declarations of `files`; a track's id is settled here.

    A track in a file under `tracks/` is known by that path, dotted; any other by its own name.
    What comes bundled stands first: of two declarations of one name, the user's is the second.
    """
    ordered = sorted(files, key=lambda f: (f.origin == "project", f.name))
    everything = tuple(d for f in ordered for d in f.declarations)
    return Declared(tuple(ordered), everything, tuple(_tracks(ordered)))


def _tracks(files: Iterable[RuleFile]) -> Iterable[TrackDeclaration]:
    for file in files:
        for declaration in file.declarations:
            if isinstance(declaration, ast.Track):
                track_id = file.module or declaration.name.text
                yield TrackDeclaration(track_id, declaration, file.module)
