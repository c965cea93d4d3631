"""Fields that nothing reads: one warning for each kind, with its count and first place."""

from __future__ import annotations

from typing import Any

import pytest

from groundeval.diagnostics import Diagnostic, codes
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace, read_trace
from groundeval.traces.unknown import UnknownFields
from groundeval.world.findings import Place


def trace(**more: Any) -> dict[str, Any]:
    return {"question": "q-1", "steps": [{"n": 1, "tool": "search", "query": "x"}], **more}


def found(*records: dict[str, Any]) -> list[Diagnostic]:
    unknown = UnknownFields()
    for line, record in enumerate(records, 1):
        read_trace(record, Place("t.jsonl", line), unknown)
    return list(unknown.findings())


def test_what_is_known_is_not_told() -> None:
    step = {"n": 1, "tool": "other", "arguments": {"any": 1}, "latency_ms": 1.5}
    recorder = {"runtime": "r", "backend": "b"}
    known = trace(settings={"own": 1}, usage={"mine": 2}, steps=[step], recorder=recorder)
    assert found(known, trace(schema="groundeval.trace/1.4")) == []


def test_a_kind_is_told_once_with_its_first_place_and_count() -> None:
    one, two = found(trace(), trace(cite=["A"]), trace(colour=1), trace(cite=[], colour=2))
    assert one.code is two.code is codes.UNKNOWN_TRACE_FIELD
    assert one.message == "a trace has a field `cite` that nothing reads: 2 times, first here"
    assert (one.span.file, one.span.line) == ("t.jsonl", 2)
    assert one.help == "did you mean `cited`?"
    assert two.span.line == 3
    assert two.help == "`groundeval schema trace` lists the fields"


def test_fields_of_steps_and_of_the_recorder_are_their_own_kinds() -> None:
    steps = [{"n": n, "tool": "search", "querry": "x"} for n in (1, 2, 3)]
    one, two = found(trace(steps=steps, recorder={"run": "r"}))
    assert one.message == "a step has a field `querry` that nothing reads: 3 times, first here"
    assert one.help == "did you mean `query`?"
    assert two.message == "`recorder` has a field `run` that nothing reads: once"


def test_a_trace_that_does_not_fit_is_an_error_and_nothing_else() -> None:
    assert found(trace(colour=1, epoch=0), {"colour": 1}) == []


def test_the_trace_is_the_same() -> None:
    plain = read_trace(trace(), Place("t", 1))
    other = read_trace(trace(colour="fine"), Place("t", 1), UnknownFields())
    assert isinstance(plain, Trace)
    assert isinstance(other, Trace)
    assert encode_trace(plain) == encode_trace(other)


def test_names_that_are_values_are_not_told_by_the_thousand() -> None:
    told = found(trace(**{f"x{n:03}": n for n in range(300)}))
    assert len(told) == 21
    assert told[-1].message == "there are 280 more such fields, the first here"


@pytest.mark.parametrize(
    ("name", "help_"),
    [
        ("exist", "did you mean `exists`? asked for are `abstain`, `exists`, `reasoning`"),
        ("zzz", "asked for are `abstain`, `exists`, `reasoning`"),
    ],
)
def test_an_answers_field_names_those_that_are_asked_for(name: str, help_: str) -> None:
    unknown = UnknownFields()
    asked = frozenset({"exists", "reasoning", "abstain"})
    unknown.note_answer("silence", {"exists": True, name: 1}, asked, Place("t.jsonl", 4))
    unknown.note_answer("silence", {"reasoning": "r"}, asked, Place("t.jsonl", 5))
    (one,) = unknown.findings()
    assert one.code is codes.UNKNOWN_ANSWER_FIELD
    assert one.message == f"an answer to `silence` has a field `{name}` that nothing reads: once"
    assert (one.span.line, one.help) == (4, help_)
