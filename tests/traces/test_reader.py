from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from groundeval.diagnostics import Diagnostic
from groundeval.traces.chain import chain
from groundeval.traces.model import Recorder, Refusal, Step, Trace
from groundeval.traces.reader import encode_trace, read_traces, write_traces

SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", Path(__file__).parents[2].parent / "shared"))
STEPS = (
    Step(
        n=1,
        tool="search",
        query="postmortem ESC-42",
        subsystem="confluence",
        limit=10,
        results=("C-9",),
        latency_ms=2.1,
    ),
    Step(
        n=2,
        tool="fetch",
        artifact="G-1",
        refused=(Refusal("subsystem", "rbac.gev:7"),),
        breaks=("horizon",),
    ),
    Step(n=3, tool="fetch", artifact="C-9", results=("C-9",), text=True),
    Step(n=4, tool="other", arguments={"q": [1, 2.5]}),
)
TRACE = Trace(
    question="q-1",
    agent="mine",
    steps=STEPS,
    answer={"exists": True},
    cited=("C-9",),
    recorder=Recorder("r", "c", chain(STEPS)),
)


def as_dict(trace: Trace) -> dict[str, object]:
    return json.loads(encode_trace(trace))  # type: ignore[no-any-return]


def read(path: Path, *lines: object) -> list[Trace | Diagnostic]:
    path.write_text(
        "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines),
        encoding="utf-8",
    )
    return list(read_traces([path]))


@pytest.mark.parametrize("name", ["t.jsonl", "t.jsonl.gz", "t.jsonl.zst"])
def test_written_traces_are_read_back(tmp_path: Path, name: str) -> None:
    if name.endswith("zst"):
        pytest.importorskip("zstandard")
    assert write_traces(tmp_path / name, [TRACE, TRACE]) == 2
    first = (tmp_path / name).read_bytes()
    back = list(read_traces([tmp_path / name]))
    assert [as_dict(t) for t in back if isinstance(t, Trace)] == [as_dict(TRACE)] * 2
    write_traces(tmp_path / name, [TRACE, TRACE])
    assert (tmp_path / name).read_bytes() == first, "the same traces give the same bytes"


def test_a_line_begins_with_its_schema_once() -> None:
    line = encode_trace(TRACE)
    assert line.startswith(b'{"schema":"groundeval.trace/1","question":"q-1"')
    assert line.count(b"groundeval.trace/1") == 1
    assert line.endswith(b"}\n")


def test_unknown_fields_and_minor_versions_are_read(tmp_path: Path) -> None:
    raw = {**as_dict(TRACE), "schema": "groundeval.trace/1.7", "mood": "fine"}
    raw["steps"][0]["colour"] = "red"  # type: ignore[index]
    (trace,) = read(tmp_path / "t.jsonl", raw)
    assert isinstance(trace, Trace)
    assert trace.steps[0].query == "postmortem ESC-42"
    assert as_dict(trace) == as_dict(TRACE)


def test_texts_come_in_nfc(tmp_path: Path) -> None:
    (trace,) = read(tmp_path / "t.jsonl", {"question": "zoe\u0308", "answer": {"who": "zoe\u0308"}})
    assert isinstance(trace, Trace)
    assert (trace.question, trace.answer) == ("zo\xeb", {"who": "zo\xeb"})


@pytest.mark.parametrize(
    ("change", "code", "text"),
    [
        (
            {"schema": "groundeval.trace/2"},
            "other-schema",
            "`groundeval.trace/2` is of another major version",
        ),
        (
            {"schema": "groundeval.result/1"},
            "other-schema",
            "`groundeval.result/1` is not `groundeval.trace/1`",
        ),
        ({"schema": 1}, "other-schema", "`1` is not `groundeval.trace/1`"),
        ({"question": None}, "malformed-trace", "`question`: expected `str`, got `null`"),
        ({"question": ""}, "malformed-trace", "`question` is empty"),
        ({"epoch": 0}, "malformed-trace", "epochs count from 1"),
        ({"mode": "guess"}, "malformed-trace", "`mode` is `guess`"),
        ({"answer": "yes"}, "malformed-trace", "`answer`: expected `object | null`, got `str`"),
        ({"cited": [3]}, "malformed-trace", "entry 1 of `cited`: expected `str`, got `int`"),
        (
            {"steps": [{"n": "1", "tool": "search"}]},
            "malformed-trace",
            "`n` of step 1: expected `int`, got `str`",
        ),
        (
            {"steps": [{"n": 1}]},
            "malformed-trace",
            "step 1: object missing required field `tool`",
        ),
        (
            {"steps": [{"n": 1, "tool": "search", "refused": [{"gate": 1}]}]},
            "malformed-trace",
            "`gate` of entry 1 of `refused` of step 1: expected `str`, got `int`",
        ),
        ({"steps": [{"n": 1, "tool": "grep"}]}, "malformed-trace", "`tool` of step 1 is `grep`"),
        (
            {"steps": [{"n": 1, "tool": "fetch"}]},
            "malformed-trace",
            "step 1 is a fetch without `artifact`",
        ),
    ],
)
def test_a_bad_trace_is_named_and_reading_goes_on(
    tmp_path: Path, change: dict[str, object], code: str, text: str
) -> None:
    good = as_dict(TRACE)
    before, found, after = read(tmp_path / "t.jsonl", good, {**good, **change}, good)
    assert isinstance(before, Trace)
    assert isinstance(after, Trace)
    assert isinstance(found, Diagnostic)
    assert (found.code.slug, found.span.line, found.span.file) == (
        code,
        2,
        (tmp_path / "t.jsonl").as_posix(),
    )
    assert text in found.message


def test_a_line_cut_short_is_named(tmp_path: Path) -> None:
    good = json.dumps(as_dict(TRACE))
    first, cut = read(tmp_path / "t.jsonl", good, good[:-9])
    assert isinstance(first, Trace)
    assert isinstance(cut, Diagnostic)
    assert (cut.code.slug, cut.span.line) == ("malformed-record", 2)


def test_reading_is_lazy(tmp_path: Path) -> None:
    write_traces(tmp_path / "t.jsonl", [TRACE] * 3)
    stream = read_traces([tmp_path / "t.jsonl", tmp_path / "missing.jsonl"])
    assert isinstance(next(stream), Trace)
    rest = list(stream)
    assert [isinstance(t, Trace) for t in rest] == [True, True, False]


@pytest.mark.skipif(not SHARED.is_dir(), reason="GROUNDEVAL_SHARED: no such folder")
def test_the_recorded_traces() -> None:
    traces = list(read_traces([SHARED / "cases" / "paper" / "traces.jsonl.gz"]))
    assert len(traces) == 3222
    assert all(isinstance(t, Trace) for t in traces)
