"""`# gev: allow CODE until DATE because "…"`: a warning that is known and stays.

A comment at the end of a line is about the findings that begin on that line; one on a line of its
own is about the next line that holds anything but comments. Only warnings can be allowed.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from groundeval.diagnostics import Diagnostic, Severity, Span, codes
from groundeval.diagnostics.model import Code
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.semantics.loader import RuleFile
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast
from groundeval.world.time import DAY, format_date, parse_instant

_MARK: Final = re.compile(r"#+\s*gev:\s*(?P<rest>.*)", re.DOTALL)
_ALLOW: Final = re.compile(
    r'allow\s+(?P<code>\w+)(?:\s+until\s+(?P<until>\S+))?(?:\s+because\s+"(?P<because>[^"]*)")?\s*(?:#.*)?'
)
_HELP: Final = 'write `# gev: allow GEV426 until 2026-12-31 because "the reason"`'
CODES: Final = {c.id: c for c in vars(codes).values() if isinstance(c, Code)}


@dataclass(frozen=True, slots=True)
class Suppression:
    """One `allow` that can be followed; `line` is the line that it is about.

    `until` is the last instant of its last day, in microseconds; None: it never expires.
    """

    code: str
    line: int
    until: int | None
    because: str
    span: Span

    def covers(self, finding: Diagnostic) -> bool:
        """Whether it is about that finding."""
        place = finding.span.file, finding.span.line
        return finding.code.id == self.code and place == (self.span.file, self.line)

    def expired(self, today: int | None) -> bool:
        """Whether its last day is over at `today` (microseconds); never where that is None."""
        return today is not None and self.until is not None and today > self.until


def suppressions(file: RuleFile, findings: Findings) -> tuple[Suppression, ...]:
    """The `allow` comments of a file; those that cannot be followed are findings."""
    comments = file.tree.comments if file.tree is not None else ()
    found = (_suppression(comment, file.text, findings) for comment in comments)
    return tuple(s for s in found if s is not None)


def _suppression(comment: ast.Comment, text: str, findings: Findings) -> Suppression | None:
    mark = _MARK.fullmatch(comment.text)
    if mark is None:
        return None
    allow = _ALLOW.fullmatch(mark["rest"])
    if allow is None:
        message = "this comment for GroundEval is not understood"
        findings.add(codes.BAD_SUPPRESSION, message, comment.span, "", _HELP)
        return None
    problem, help_ = _problem(allow)
    if problem:
        findings.add(codes.BAD_SUPPRESSION, problem, comment.span, "", help_)
        return None
    until = _until(allow["until"])
    line = _line(comment.span, text.split("\n"))
    return Suppression(allow["code"], line, until, allow["because"], comment.span)


def _problem(allow: re.Match[str]) -> tuple[str, str]:
    """What is wrong with an `allow`, and how to mend it; two empty texts where nothing is."""
    code = CODES.get(allow["code"])
    if code is None:
        return f"there is no finding `{allow['code']}`", did_you_mean(allow["code"], CODES)
    if code.severity is Severity.ERROR:
        return f"{code.id} is an error, and only warnings can be allowed", "mend what it reports"
    if not (allow["because"] or "").strip():
        return "an `allow` comment says no reason", _HELP
    if allow["until"] is not None and _until(allow["until"]) is None:
        return f"`{allow['until']}` is not a date", _HELP
    return "", ""


def _until(text: str | None) -> int | None:
    midnight = None if text is None else parse_instant(text, ZoneInfo("UTC"))
    return midnight + DAY - 1 if isinstance(midnight, int) else None


def _line(span: Span, lines: Sequence[str]) -> int:
    """The comment's own line where something stands before it, else the next that has anything."""
    if lines[span.line - 1][: span.column - 1].strip():
        return span.line
    number = span.line + 1
    while number <= len(lines) and lines[number - 1].lstrip()[:1] in {"", "#"}:
        number += 1
    return number


def allowed(
    found: Iterable[Diagnostic], given: Sequence[Suppression], today: int | None
) -> tuple[Diagnostic, ...]:
    """`found` without what `given` allows as of `today`, and what is wrong with `given` itself.

    Each `allow` that allows nothing is a finding, and so is one whose last day is over (its
    warning then stands). Give it the findings of all stages at once.
    """
    diagnostics = list(found)
    notes = Findings()
    for suppression in given:
        covered = [d for d in diagnostics if suppression.covers(d)]
        if not covered:
            message = f"nothing here is a {suppression.code}, so nothing is allowed"
            help_ = "take the comment away"
            notes.add(codes.UNUSED_SUPPRESSION, message, suppression.span, "", help_)
        elif suppression.expired(today) and suppression.until is not None:
            message = f"this was allowed until {format_date(suppression.until)}"
            help_ = f"mend the {suppression.code} below, or give it another date"
            notes.add(codes.EXPIRED_SUPPRESSION, message, suppression.span, "", help_)
        else:
            diagnostics = [d for d in diagnostics if d not in covered]
    return (*diagnostics, *notes.all)
