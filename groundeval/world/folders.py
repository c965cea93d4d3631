"""Which data files a folder or a pattern stands for, always in the same order."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.world.files import DataFile
from groundeval.world.ids import shown
from groundeval.world.records import is_readable

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundeval.world.findings import Findings

_NAMED = 5


def files_of(folder: Path, findings: Findings) -> list[Path]:
    """The data files in a folder and its folders, sorted by path; hidden ones are passed over.

    Files of other formats are a warning; links that lead out of the folder are refused.
    """
    found: list[Path] = []
    ignored: list[str] = []
    for path in sorted(folder.rglob("*"), key=Path.as_posix):
        if any(part.startswith(".") for part in path.relative_to(folder).parts):
            continue
        problem = leaves(path, folder)
        if problem is not None:
            findings.bad_file(problem)
        elif path.is_file():
            if is_readable(DataFile.of(path)):
                found.append(path)
            else:
                ignored.append(path.name)
    if ignored:
        findings.warn(_ignored(folder, ignored))
    if not found:
        message = f"the folder {shown(folder.as_posix())} holds no data file"
        findings.bad_file(Diagnostic(codes.NOTHING_MATCHED, message, Span.at(folder.as_posix(), 1)))
    return found


def leaves(path: Path, folder: Path) -> Diagnostic | None:
    """The finding for a path that is a link, or lies behind one, to somewhere else; else None."""
    if path.resolve().is_relative_to(folder.resolve()):
        return None
    message = f"{shown(path.as_posix())} leads out of {shown(folder.as_posix())}"
    place = Span.at(path.as_posix(), 1)
    return Diagnostic(codes.OUTSIDE_FOLDER, message, place, help="copy the file into the folder")


def _ignored(folder: Path, names: Iterable[str]) -> Diagnostic:
    distinct = sorted(set(names))
    listed = ", ".join(shown(name) for name in distinct[:_NAMED])
    more = f" and {len(distinct) - _NAMED} more" if len(distinct) > _NAMED else ""
    message = f"files of no known format were passed over: {listed}{more}"
    return Diagnostic(codes.IGNORED_FILE, message, Span.at(folder.as_posix(), 1))


def matching(pattern: str, folder: Path, span: Span, findings: Findings) -> list[Path]:
    """The files that a glob pattern names, relative to `folder`, sorted by path.

    `**` crosses folders. A pattern leaves the folder only by its own leading `../`; a link that
    leads out of what is then the base is refused. No match is an error at `span`.
    """
    base, rest = folder, pattern
    while rest.startswith("../"):
        base, rest = base / "..", rest[3:]
    rest = rest.removeprefix("./")
    if not rest or rest.startswith("/") or ".." in PurePosixPath(rest).parts:
        message = f"{shown(pattern)} is not a pattern below the contract's folder"
        help_ = "write a relative path; `../` may stand at its beginning only"
        findings.bad_file(Diagnostic(codes.OUTSIDE_FOLDER, message, span, help=help_))
        return []
    found = sorted((p for p in base.glob(rest) if p.is_file()), key=Path.as_posix)
    kept = []
    for path in found:
        problem = leaves(path, base)
        if problem is None:
            kept.append(path)
        else:
            findings.bad_file(problem)
    if not found:
        message = f"{shown(pattern)} matches no file"
        findings.bad_file(Diagnostic(codes.NOTHING_MATCHED, message, span))
    return kept
