"""From a root file to all files that it uses, each read and parsed once.

A dotted name (`policies.rbac`, `tracks.paper.silence`) is a bundled file, or one of the project's
own `policies/` or `tracks/` folder beside the root file where nothing bundled has that name. A
path in quotes is relative to the file that names it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import PureWindowsPath
from typing import Literal

from groundeval.diagnostics import Checked, Source, Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.semantics.files import BUNDLED_KINDS, BundledFiles, Files
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast
from groundeval.syntax.parser import parse

Origin = Literal["project", "bundled"]
_SUFFIX = ".gev"


@dataclass(frozen=True, slots=True)
class RuleFile:
    """One file of a program; `tree` is None where it could not be parsed.

    `module` is the dotted path under the bundle's or the project's `tracks/`, by which the track
    of such a file is known: `tracks/paper/silence.gev` is `paper.silence`.
    """

    name: str
    origin: Origin
    text: str
    tree: ast.File | None
    module: str | None = None

    @property
    def declarations(self) -> tuple[ast.Declaration, ...]:
        return self.tree.declarations if self.tree is not None else ()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a file is read: its name among the project's files or the bundled ones."""

    origin: Origin
    name: str


def load(
    roots: Sequence[str], files: Files, base: str | None = None
) -> Checked[tuple[RuleFile, ...]]:
    """All files that `roots` need, in the order of their names, and what is wrong with them.

    The project's `policies/` and `tracks/` are looked for in `base`, else in the first root's
    folder.
    The value is None when a root cannot be read. Findings of the parser are among the findings,
    once per file; a `use` that leads nowhere or in a circle is a finding at that `use`.
    """
    loading = _Loading(files, posixpath.dirname(roots[0]) if base is None else base)
    for root in roots:
        loading.root(root)
    found = tuple(sorted(loading.loaded.values(), key=lambda f: (f.name, f.origin)))
    readable = all(Place("project", root) in loading.loaded for root in roots)
    return Checked(found if readable else None, tuple(loading.findings.all))


@dataclass(slots=True)
class _Loading:
    files: Files
    base: str
    bundle: BundledFiles = field(default_factory=BundledFiles)
    loaded: dict[Place, RuleFile] = field(default_factory=dict)
    open: list[Place] = field(default_factory=list)
    findings: Findings = field(default_factory=Findings)

    def root(self, name: str) -> None:
        place = Place("project", posixpath.normpath(name))
        if self._text(place) is None:
            message = f"there is no rule file `{name}`"
            folder = posixpath.dirname(name) or "."
            help_ = did_you_mean(name, self.files.list(folder))
            self.findings.add(codes.UNKNOWN_MODULE, message, Span.at(name, 1), "", help_)
            return
        self._load(place)

    def _load(self, place: Place) -> None:
        if place in self.loaded:
            return
        text = self._text(place) or ""
        checked = parse(Source(place.name, text))
        self.findings.all.extend(checked.diagnostics)
        dotted = self._module(place)
        self.loaded[place] = RuleFile(place.name, place.origin, text, checked.value, dotted)
        self.open.append(place)
        uses = (d for d in self.loaded[place].declarations if isinstance(d, ast.Use))
        used: set[Place] = set()
        for module in (module for use in uses for module in use.modules):
            self._use(module, place, used)
        self.open.pop()

    def _use(self, module: ast.Module, user: Place, used: set[Place]) -> None:
        """Load what a file uses; `used` is what it has used before, by whatever name."""
        place = self._by_path(module, user) if module.is_path else self._by_name(module)
        if place is None:
            return
        if place in used:
            message = f"`{module.name}` is used twice in this file"
            self.findings.add(codes.REPEATED_USE, message, module.span, "", "once is enough")
        used.add(place)
        if place in self.open:
            circle = [p.name for p in self.open[self.open.index(place) :]] + [place.name]
            listed = " → ".join(f"`{name}`" for name in circle)
            message = f"these files use each other in a circle: {listed}"
            help_ = "move what they share into a file that uses neither"
            self.findings.add(codes.MODULE_CYCLE, message, module.span, "closes the circle", help_)
            return
        self._load(place)

    def _by_path(self, module: ast.Module, user: Place) -> Place | None:
        path = module.name
        if path.startswith("/") or "\\" in path or PureWindowsPath(path).drive:
            message = f"the path `{path}` is not relative to `{user.name}`"
            help_ = 'write it with `/` from this file on, as in "./shared.gev"'
            self.findings.add(codes.ABSOLUTE_PATH, message, module.span, "", help_)
            return None
        name = posixpath.normpath(posixpath.join(posixpath.dirname(user.name), path))
        place = Place(user.origin, name)
        if self._text(place) is not None:
            return place
        known = self._list(Place(user.origin, posixpath.dirname(name) or "."))
        self._unknown(module, name, known)
        return None

    def _by_name(self, module: ast.Module) -> Place | None:
        kind, _, rest = module.name.partition(".")
        if kind not in BUNDLED_KINDS or not rest:
            message = f"`{module.name}` names no file"
            help_ = 'a dotted name begins with `policies.` or `tracks.`; else write "./x.gev"'
            self.findings.add(codes.UNKNOWN_MODULE, message, module.span, "", help_)
            return None
        name = f"{kind}/{rest.replace('.', '/')}{_SUFFIX}"
        bundled = Place("bundled", name)
        own = Place("project", posixpath.join(self.base, name))
        texts = self._text(bundled), self._text(own)
        if texts == (None, None):
            folder = posixpath.dirname(name)
            places = (Place("bundled", folder), Place("project", posixpath.join(self.base, folder)))
            self._unknown(module, name, [n for p in places for n in self._list(p)])
            return None
        if None not in texts and texts[0] != texts[1]:
            message = f"`{module.name}` is a bundled file and one of this project (`{own.name}`)"
            help_ = f'rename the project\'s file, or use it by its path: "./{name}"'
            self.findings.add(codes.MODULE_COLLISION, message, module.span, "", help_)
        return bundled if texts[0] is not None else own

    def _unknown(self, module: ast.Module, name: str, known: Sequence[str]) -> None:
        if module.is_path:
            near = did_you_mean(name, known)
        else:
            near = did_you_mean(module.name, [_dotted(n) for n in known])
        message = f"there is no rule file `{module.name}`"
        self.findings.add(codes.UNKNOWN_MODULE, message, module.span, "nothing is found here", near)

    def _module(self, place: Place) -> str | None:
        name = relative(place.name, self.base if place.origin == "project" else "")
        folder, _, rest = name.partition("/")
        return rest.removesuffix(_SUFFIX).replace("/", ".") if folder == "tracks" else None

    def _text(self, place: Place) -> str | None:
        files = self.bundle if place.origin == "bundled" else self.files
        return files.read(place.name)

    def _list(self, place: Place) -> Sequence[str]:
        files = self.bundle if place.origin == "bundled" else self.files
        return files.list(place.name)


def _dotted(name: str) -> str:
    return name.removesuffix(_SUFFIX).replace("/", ".").lstrip(".")


def relative(name: str, base: str) -> str:
    """The name from the folder `base` on (the empty text: as it is)."""
    up, parts = base.split("/") if base else [], name.split("/")
    same = 0
    while same < len(up) and same < len(parts) - 1 and up[same] == parts[same]:
        same += 1
    return "/".join([".."] * (len(up) - same) + parts[same:])
