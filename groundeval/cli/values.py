"""How a failed expectation is shown: its text, and the value of every part of it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groundeval.diagnostics import Source, Span
from groundeval.engine.explanation import SubValue
from groundeval.functions.text import show
from groundeval.ir.types import Type
from groundeval.loading import source_of
from groundeval.project import Project
from groundeval.testing.runner import Outcome

_WIDEST = 60


def shown_failure(project: Project, outcome: Outcome) -> Iterator[str]:
    """The lines that tell of one test; none where it passed."""
    if outcome.passed:
        return
    source = source_of(project, outcome.span.file)
    yield f"FAILED {outcome.span.file}:{outcome.span.line} {outcome.name}"
    for failure in outcome.failures:
        place = f"{failure.span.file}:{failure.span.line}"
        yield f"  {place}: {failure.message}"
        if source is not None and failure.parts:
            yield f"    {source.text_of(failure.span)}"
            yield from _parts(failure.parts, source)


def _parts(parts: tuple[SubValue, ...], source: Source) -> Iterator[str]:
    seen: set[tuple[Span, str]] = set()
    for part in parts[1:]:
        text = shown_value(part.value, part.type)
        if (part.span, text) in seen:
            continue
        seen.add((part.span, text))
        where = ", ".join(f"{name} = {getattr(v, 'id', v)}" for name, v in part.where)
        yield f"      {source.text_of(part.span)} = {text}{f'  (with {where})' if where else ''}"


def shown_value(value: Any, shape: Type) -> str:
    """A value for people: texts in quotes, what is missing said so, long lists cut."""
    if value is None:
        return "missing"
    if isinstance(value, str):
        return f'"{value}"'
    if isinstance(value, dict):
        return "{…}"
    text = show(value, shape)
    text = f"[{text}]" if isinstance(value, tuple | frozenset) else text
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"
