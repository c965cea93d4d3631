"""Traces in the product's own format: read one by one, and written."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import msgspec

from groundeval.diagnostics import Diagnostic, codes
from groundeval.traces.model import SCHEMA, Trace
from groundeval.world.files import DataFile, open_for_writing
from groundeval.world.findings import Place
from groundeval.world.ids import shown
from groundeval.world.records import read_records

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from groundeval.traces.unknown import UnknownFields

TOOLS: Final = ("search", "fetch", "given", "other")
MODES: Final = ("tool", "context", "zero-shot")
_KIND, _, _MAJOR = SCHEMA.rpartition("/")
_PART: Final = re.compile(r"\.(\w+)(?:\[(\d+|\.{3})\])?")
_ENCODER: Final = msgspec.json.Encoder()
_HEAD: Final = b'{"schema":"' + SCHEMA.encode() + b'",'


def read_traces(paths: Sequence[str | Path]) -> Iterator[Trace | Diagnostic]:
    """Every trace of every file in its order; a finding in place of one that cannot be read.

    Fields that this version does not know are passed over (`read_trace` can count them); texts
    come in NFC. A trace of another major version is refused by name, and reading goes on behind it.
    """
    for path in paths:
        file = DataFile.of(path)
        for item in read_records(file):
            if isinstance(item, Diagnostic):
                yield item
            else:
                yield read_trace(item[1], Place(file.name, item[0]))


def read_trace(
    record: dict[str, Any], place: Place, unknown: UnknownFields | None = None
) -> Trace | Diagnostic:
    """The trace that a decoded record holds, or the first thing that is wrong with it.

    `unknown` takes note of the fields of a trace that fits.
    """
    refusal = schema_fault(record, _KIND, _MAJOR, place)
    if refusal is not None:
        return refusal
    try:
        trace = msgspec.convert(record, Trace)
    except msgspec.ValidationError as misfit:
        return _misfit(misfit, place)
    fault = _implausible(trace, place)
    if fault is not None:
        return fault
    if unknown is not None:
        unknown.note(record, place)
    return trace


def encode_trace(trace: Trace) -> bytes:
    """One line of `traces.jsonl`, with its end: the schema first, defaults left out."""
    # A default is left out only where it is the very object: so the schema is written here, once.
    body = _ENCODER.encode(msgspec.structs.replace(trace, schema=SCHEMA))
    return _HEAD + body[1:] + b"\n"


def write_traces(path: Path, traces: Iterable[Trace]) -> int:
    """Write a file of traces, packed as its ending says; gives how many there were."""
    count = 0
    with open_for_writing(path) as stream:
        for trace in traces:
            stream.write(encode_trace(trace))
            count += 1
    return count


def schema_fault(record: dict[str, Any], kind: str, major: str, place: Place) -> Diagnostic | None:
    """The finding for a document that is not of `kind` and `major`; None when it is.

    A document that names no schema is taken for what it is read as.
    """
    named = record.get("schema")
    if named is None:
        return None
    expected = f"{kind}/{major}"
    if isinstance(named, str):
        found_kind, _, version = named.rpartition("/")
        if found_kind == kind and version.split(".")[0] == major:
            return None
        if found_kind == kind:
            message = f"schema {shown(named)} is of another major version"
            help_ = f"this version reads `{expected}`"
            return place.finding(codes.OTHER_SCHEMA, message, help_=help_)
    message = f"schema {shown(named)} is not `{expected}`"
    return place.finding(codes.OTHER_SCHEMA, message)


def _misfit(fault: msgspec.ValidationError, place: Place) -> Diagnostic:
    """A finding that names the field, from the decoder's message with its path."""
    reason, _, path = str(fault).partition(" - at `$")
    reason = f"{reason[:1].lower()}{reason[1:]}"
    field = _spelled(path.rstrip("`"))
    message = f"{field}: {reason}" if field else reason
    return place.finding(codes.MALFORMED_TRACE, message)


def _spelled(path: str) -> str:
    """A decoder's path in words that count from 1: `.steps[0].tool` is "`tool` of step 1"."""
    spelled = ""
    for name, index in _PART.findall(path):
        part = f"`{name}`"
        if index.isdecimal():
            number = int(index) + 1
            part = f"step {number}" if name == "steps" else f"entry {number} of {part}"
        spelled = f"{part} of {spelled}" if spelled else part
    return spelled


def _implausible(trace: Trace, place: Place) -> Diagnostic | None:
    """What the types do not say; the first such fault of a trace."""
    if not trace.question:
        return _wrong(place, "`question` is empty")
    if trace.epoch < 1:
        return _wrong(place, f"`epoch` is {trace.epoch}, epochs count from 1")
    if trace.mode not in MODES:
        return _wrong(place, f"`mode` is {shown(trace.mode)}", f"known: {', '.join(MODES)}")
    for number, step in enumerate(trace.steps, 1):
        if step.tool not in TOOLS:
            help_ = (
                f"known: {', '.join(sorted(TOOLS))}; an agent's other tools are `other`, "
                "with their `arguments`"
            )
            return _wrong(place, f"`tool` of step {number} is {shown(step.tool)}", help_)
        if step.tool == "fetch" and step.artifact is None:
            return _wrong(place, f"step {number} is a fetch without `artifact`")
    return None


def _wrong(place: Place, message: str, help_: str = "") -> Diagnostic:
    return place.finding(codes.MALFORMED_TRACE, message, help_=help_)
