"""Findings for programs: a `groundeval.findings/1` document."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TypedDict

from groundeval.diagnostics.model import Diagnostic

SCHEMA = "groundeval.findings/1"


class Finding(TypedDict):
    """One finding; lines and columns count from 1, the end is exclusive."""

    code: str
    slug: str
    severity: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    message: str
    help: str


class Findings(TypedDict):
    """The whole document."""

    schema: str
    findings: list[Finding]


def render(diagnostics: Iterable[Diagnostic]) -> str:
    """The document as JSON, with a line end; pure ASCII, so that any text survives."""
    document = Findings(schema=SCHEMA, findings=[finding(each) for each in diagnostics])
    return json.dumps(document, indent=2) + "\n"


def finding(diagnostic: Diagnostic) -> Finding:
    """One finding as the document holds it."""
    span = diagnostic.span
    return Finding(
        code=diagnostic.code.id,
        slug=diagnostic.code.slug,
        severity=diagnostic.severity.value,
        file=span.file,
        line=span.line,
        column=span.column,
        end_line=span.end_line,
        end_column=span.end_column,
        message=diagnostic.message,
        help=diagnostic.help,
    )
