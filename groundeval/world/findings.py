"""What reading data files found: bad records, bad files, and what `--skip-bad` makes of them."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

import msgspec

from groundeval.diagnostics import Diagnostic, Span, codes

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundeval.diagnostics import Code
    from groundeval.world.json_text import TextFault

KEPT_PER_FILE: Final = 1000
"""How many findings about one file are kept; one more says how many there were."""


class Place(msgspec.Struct, frozen=True, gc=False):
    """A record's place: the file as it was named, and its line (or row) from 1."""

    file: str
    line: int

    def finding(self, code: Code, message: str, label: str = "", help_: str = "") -> Diagnostic:
        """A finding at this place."""
        return Diagnostic(code, message, Span.at(self.file, self.line), label, help_)

    def fault(self, code: Code, fault: TextFault) -> Diagnostic:
        """A finding on the text that begins at this place, at the fault's own line and column."""
        span = Span.at(self.file, self.line + fault.line - 1, fault.column)
        return Diagnostic(code, fault.message, span, help=fault.help)


@dataclass(frozen=True, slots=True)
class Settled:
    """All findings in their final severity, and how many records were left out."""

    diagnostics: tuple[Diagnostic, ...]
    skipped: int
    usable: bool


class Findings:
    """Collects findings while files are read; nothing stops at the first one."""

    def __init__(self) -> None:
        self._kept: list[tuple[Diagnostic, bool]] = []
        self._counts: Counter[str] = Counter()
        self._bad = 0
        self._fatal = False

    def bad_record(self, problems: Sequence[Diagnostic]) -> None:
        """Note a record that cannot be used, with everything that is wrong with it."""
        self._bad += 1
        for problem in problems:
            self._keep(problem, of_record=True)

    def bad_file(self, problem: Diagnostic) -> None:
        """Note what no skipping of records can mend."""
        self._fatal = True
        self._keep(problem, of_record=False)

    def warn(self, note: Diagnostic) -> None:
        """Note what stops nothing."""
        self._keep(note, of_record=False)

    def settle(self, skip_bad: int) -> Settled:
        """Turn at most `skip_bad` bad records into warnings, or leave all findings as errors."""
        tolerated = self._bad <= skip_bad
        kept = [
            _as_skipped(found) if tolerated and of_record else found
            for found, of_record in self._kept
        ]
        kept.extend(_summary(file, n) for file, n in self._counts.items() if n > KEPT_PER_FILE)
        if tolerated:
            kept = [f for f in kept if self._fatal or f.code is not codes.TOO_MANY_FINDINGS]
        return Settled(tuple(kept), self._bad if tolerated else 0, tolerated and not self._fatal)

    def _keep(self, problem: Diagnostic, *, of_record: bool) -> None:
        file = problem.span.file
        self._counts[file] += 1
        if self._counts[file] <= KEPT_PER_FILE:
            self._kept.append((problem, of_record))


def _as_skipped(problem: Diagnostic) -> Diagnostic:
    message = f"record left out: {problem.message}"
    return replace(problem, code=codes.SKIPPED_RECORD, message=message)


def _summary(file: str, count: int) -> Diagnostic:
    message = f"{count - KEPT_PER_FILE} more findings about this file are not shown"
    return Diagnostic(codes.TOO_MANY_FINDINGS, message, Span.at(file, 1))
