"""What a stage says about a user's input: values, never exceptions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum
from typing import Generic, NamedTuple, TypeVar

from groundeval.diagnostics.source import Span

T = TypeVar("T")


class Severity(StrEnum):
    """An error stops the pipeline; a warning does not, unless `--strict`."""

    ERROR = "error"
    WARNING = "warning"


class Code(NamedTuple):
    """A kind of finding: `id` and `slug` never change their meaning once published."""

    id: str
    slug: str
    severity: Severity
    title: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding, with the place and how to mend it.

    `message` says what is wrong (lower case, no full stop, user text in backticks), `label`
    stands at the caret, `help` says how to mend it. All three are plain text.
    """

    code: Code
    message: str
    span: Span
    label: str = ""
    help: str = ""

    @property
    def severity(self) -> Severity:
        return self.code.severity


@dataclass(frozen=True, slots=True)
class Checked(Generic[T]):
    """A stage's result beside everything it found; `value` is None when nothing usable came out."""

    value: T | None
    diagnostics: tuple[Diagnostic, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether there is a value and no finding is an error."""
        return self.value is not None and not has_errors(self.diagnostics)


def has_errors(diagnostics: Iterable[Diagnostic]) -> bool:
    """Whether any of `diagnostics` is an error."""
    return any(d.severity is Severity.ERROR for d in diagnostics)


def in_order(diagnostics: Iterable[Diagnostic]) -> tuple[Diagnostic, ...]:
    """Sorted by file, place, code and text, each kept once: the order in which they are shown."""
    unique = {(d.span, d.code.id, d.message): d for d in diagnostics}
    return tuple(unique[key] for key in sorted(unique))
