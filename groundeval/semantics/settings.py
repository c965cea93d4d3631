"""What stands once in a contract: its name, its time zone, its observation period."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Final, TypeVar
from zoneinfo import ZoneInfo, available_timezones

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import nearest
from groundeval.ir.types import TIME
from groundeval.semantics.clauses import place, plain
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

N = TypeVar("N", bound=ast.Node)


@dataclass(frozen=True, slots=True)
class Heading:
    """The `domain` line: the contract's name, its title and its documentation."""

    name: str
    title: str
    doc: str


def heading(declared: Declared, root: str, findings: Findings) -> Heading:
    """The contract's name; a file without a `domain` line is called like itself."""
    domain = _single(ast.Domain, "domain", declared, findings)
    if domain is None:
        stem = PurePosixPath(root).stem
        return Heading(stem, stem, "")
    title = plain(domain.title, findings) or domain.name.text
    return Heading(domain.name.text, title, domain.doc)


def timezone(declared: Declared, findings: Findings) -> str | None:
    """The zone of timestamps that name none."""
    line = _single(ast.Timezone, "timezone", declared, findings)
    return None if line is None else zone_name(line.zone, findings)


def zone_name(text: ast.Text, findings: Findings) -> str | None:
    """The name when there is such a zone; None after a finding."""
    name = plain(text, findings)
    if _is_zone(name):
        return name
    message = f"there is no time zone `{name}`"
    close = nearest(name, available_timezones() - _MACHINES)
    help_ = (
        f"did you mean `{close}`?" if close else 'zones are named as in "Europe/Berlin" or "UTC"'
    )
    findings.add(codes.UNKNOWN_TIMEZONE, message, text.span, "", help_)
    return None


_MACHINES: Final = frozenset({"localtime", "posixrules", "Factory"})
"""Names of zones that mean another one on each machine, or none."""


def _is_zone(name: str) -> bool:
    try:
        return ZoneInfo(name).key not in _MACHINES
    except (KeyError, ValueError, OSError):  # no such file, no relative path, a folder of zones
        return False


def observed(
    declared: Declared, elaborator: Elaborator, findings: Findings
) -> tuple[int, int] | None:
    """The observation period, `[from, until]` in microseconds, where the contract states one."""
    line = _single(ast.Observed, "observed", declared, findings)
    if line is None:
        return None
    scope = Scope(place="the observation period")
    start = elaborator.constant(line.start, scope, TIME)
    end = elaborator.constant(line.end, scope, TIME)
    if start is None or end is None:
        return None
    if start >= end:
        message = "the observation period ends before it begins"
        findings.add(codes.EMPTY_PERIOD, message, line.span)
        return None
    return start, end


def _single(kind: type[N], keyword: str, declared: Declared, findings: Findings) -> N | None:
    lines = declared.all(kind)
    for again in lines[1:]:
        message = f"a contract has one `{keyword}` line"
        first = f"the first is at {place(lines[0].span)}"
        findings.add(codes.REPEATED_SETTING, message, again.span, "the second", first)
    return lines[0] if lines else None
