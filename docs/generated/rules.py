"""The pages of the bundled policies and tracks, from their files and the `##` comments in them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from docs.generated.markdown import block, sentence, table
from docs.generated.markdown import page as whole
from groundeval.diagnostics import Source
from groundeval.syntax import ast
from groundeval.syntax.parser import parse

D = TypeVar("D", ast.Gate, ast.Track, ast.Test)

ROOT = Path(__file__).resolve().parent.parent.parent

_POLICIES = """\
A policy is a rule file with a gate. Take one into use with `use policies.NAME`. An artifact is
visible to an actor as of an instant when *every* gate in use permits the read, and each gate is a
class of violation of its own in every score. `extend gate NAME { … }` adds rules to one of these;
[write a policy](../how-to/write-a-policy.md) says how to make your own."""

_TRACKS = """\
A track is a rule file with a kind of question. Take one into use with `use tracks.NAME`. What its
clauses mean stands in [the language](language.md#tracks), how the numbers come about in
[scores](../explanation/scores.md).

Those under `paper` score as the method's preprint did, its oddities included, so that its printed
results come out. They draw no questions; they score question files with truths
(`score --questions`). Use the others for everything else."""


@dataclass(frozen=True, slots=True)
class RuleFile:
    """A bundled rule file: the dotted name by which it is used, its place, text and tree."""

    name: str
    path: Path
    source: Source
    tree: ast.File

    @property
    def link(self) -> str:
        return f"[`{self.path}`](../../{self.path})"

    def lines(self, node: ast.Node) -> str:
        """The whole lines that a declaration stands in."""
        return "\n".join(self.source.line(n) for n in range(node.span.line, node.span.end_line + 1))

    def all(self, kind: type[D]) -> Iterator[D]:
        """The declarations of one kind, in their order."""
        return (d for d in self.tree.declarations if isinstance(d, kind))


def rule_files(folder: str) -> Iterator[RuleFile]:
    """The rule files of a bundled folder, by name; those that only serve tests are left out."""
    for path in sorted((ROOT / folder).rglob("*.gev")):
        place = path.relative_to(ROOT)
        if "testing" in place.parts:
            continue
        source = Source(str(place), path.read_text(encoding="utf-8"))
        tree = parse(source).value
        assert tree is not None, place
        yield RuleFile(".".join(place.with_suffix("").parts), place, source, tree)


def policies_page() -> str:
    """The page `policies.md`."""
    parts = [_POLICIES]
    for file in rule_files("policies"):
        parts.append(f"## `{file.name}`")
        for gate in file.all(ast.Gate):
            parts += [gate.doc, block("gev fragment", file.lines(gate))]
        parts.append(_tests(file))
    return whole("Policies", *parts)


def tracks_page() -> str:
    """The page `tracks.md`."""
    parts = [_TRACKS]
    for file in rule_files("tracks"):
        for track in file.all(ast.Track):
            parts += [f"## `{file.name}`", *_track(track, file), _tests(file)]
    return whole("Tracks", *parts)


def _track(track: ast.Track, file: RuleFile) -> Iterator[str]:
    if track.title is not None:
        yield f"*{_plain(track.title)}*"
    yield track.doc
    fields = [
        f for clause in track.clauses if isinstance(clause, ast.Answer) for f in clause.fields
    ]
    yield "The answer's fields:"
    yield table(("field", "type", ""), [_field(f, file) for f in fields])
    yield "The rules:"
    yield block("gev fragment", file.lines(track))


def _field(field: ast.Field, file: RuleFile) -> tuple[str, str, str]:
    kind = file.source.text_of(field.type.span)
    notes = [sentence(field.doc[:1].upper() + field.doc[1:])] if field.doc else []
    notes += ["May be left out."] if field.optional else []
    notes += ["Kept, never scored."] if field.ignored else []
    return f"`{field.name.text}`", f"`{kind}`", " ".join(notes)


def _tests(file: RuleFile) -> str:
    listed = "\n".join(f"- {_plain(test.name)}" for test in file.all(ast.Test))
    return f"What its tests hold, in {file.link}:\n\n{listed}"


def _plain(text: ast.Text) -> str:
    return "".join(part if isinstance(part, str) else "…" for part in text.parts)
