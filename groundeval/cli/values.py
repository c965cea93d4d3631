"""How a failed expectation is shown: its text, and the value of every part of it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groundeval.diagnostics import Source
from groundeval.engine.explanation import SubValue
from groundeval.functions.text import show, sort_key
from groundeval.ir.types import JSON, TEXT, Type
from groundeval.loading import source_of
from groundeval.project import Project
from groundeval.testing.runner import Outcome
from groundeval.traces.model import Step

_WIDEST = 100


def shown_failure(project: Project, outcome: Outcome) -> Iterator[str]:
    """The lines that tell of one test; none where it passed."""
    if outcome.passed:
        return
    source = source_of(project, outcome.span.file)
    yield f"FAILED {outcome.span.file}:{outcome.span.line} {outcome.name}"
    for failure in outcome.failures:
        yield f"  line {failure.span.line}: {failure.message}"
        if failure.help:
            yield f"    help: {failure.help}"
        if source is not None and failure.span != outcome.span:
            yield f"    {source.text_of(failure.span)}"
        for part in shown_parts(failure.parts, source):
            where = f", where {part['where']}" if "where" in part else ""
            yield f"      {part['text']} is {part['value']}{where}"
    if outcome.because and any(f.parts for f in outcome.failures):
        yield "  what the trace's scores say:"
        yield from (f"    {sentence}" for sentence in outcome.because)


def shown_parts(parts: Sequence[SubValue], source: Source | None) -> Iterator[dict[str, str]]:
    """`text`, `value` and (inside a quantifier) `where` of each part but the whole, each once."""
    if source is None:
        return
    seen: set[tuple[str, ...]] = set()
    for part in parts[1:]:
        bound = {_written(name): shown_value(value, TEXT) for name, value in part.where}
        shown = {"text": source.text_of(part.span), "value": shown_value(part.value, part.type)}
        if shown["text"] in bound:
            continue
        if bound:
            shown["where"] = ", ".join(f"{name} is {value}" for name, value in bound.items())
        if tuple(shown.values()) not in seen:
            seen.add(tuple(shown.values()))
            yield shown


def _written(variable: str) -> str:
    """A bound variable as it is written: the IR numbers those that hide others."""
    return variable.partition(".")[0]


def shown_value(value: Any, shape: Type) -> str:
    """A value for people: texts in quotes, what is missing said so, long ones cut."""
    text = _value(value, shape)
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _value(value: Any, shape: Type) -> str:
    match value:
        case None:
            return "missing"
        case str():
            return f'"{value}"'
        case Step():
            return _step(value)
        case Mapping():
            fields = dict(shape.fields)
            entries = (f"{k}: {_value(v, fields.get(k, JSON))}" for k, v in value.items())
            return f"{{ {', '.join(entries)} }}"
        case frozenset():
            return _value(tuple(sorted(value, key=sort_key)), shape)
        case tuple() | list():
            return f"[{', '.join(_value(item, shape.item or JSON) for item in value)}]"
        case _:
            return show(value, shape)


def _step(step: Step) -> str:
    """A call or citation in short."""
    asked = step.artifact if step.query is None else f'"{step.query}"'
    where = f" in {step.subsystem}" if step.subsystem is not None else ""
    number = f"{step.n}: " if step.n else ""
    return f"{number}{step.tool} {asked}{where}"
