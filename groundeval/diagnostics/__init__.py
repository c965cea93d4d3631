"""Findings about a user's input: places, codes, messages and how they are printed."""

from groundeval.diagnostics.model import Checked, Code, Diagnostic, Severity, has_errors, in_order
from groundeval.diagnostics.source import Source, Span

__all__ = [
    "Checked",
    "Code",
    "Diagnostic",
    "Severity",
    "Source",
    "Span",
    "has_errors",
    "in_order",
]
