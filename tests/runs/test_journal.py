"""The file of traces: appended to, mended, and brought into its one order."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.diagnostics import Diagnostic
from groundeval.runs.journal import Journal, open_journal
from groundeval.runs.plan import mark_of
from groundeval.traces.model import Recorder, Trace
from groundeval.traces.reader import encode_trace, read_traces

CONTRACT = "sha256:c"


def trace(question: str, epoch: int = 1, **more: Any) -> Trace:
    fields = {
        "agent": "a",
        "settings": {"run": {"key": "k"}},
        "answer": {"exists": True, "reasoning": "ä" * 40},
        "recorder": Recorder("groundeval/1", CONTRACT, "sha256:1"),
    }
    return Trace(question=question, epoch=epoch, **{**fields, **more})


def opened(folder: Path) -> Journal:
    found = open_journal(folder, CONTRACT)
    assert found.value is not None, found.diagnostics
    return found.value


def lines(folder: Path) -> bytes:
    return (folder / "traces.jsonl").read_bytes()


def questions(folder: Path) -> list[str]:
    found = list(read_traces([folder / "traces.jsonl"]))
    assert not [f for f in found if isinstance(f, Diagnostic)], found
    return [t.question for t in found if isinstance(t, Trace)]


def written(folder: Path, *traces: Trace) -> bytes:
    folder.mkdir(parents=True, exist_ok=True)
    data = b"".join(map(encode_trace, traces))
    (folder / "traces.jsonl").write_bytes(data)
    return data


def test_what_is_appended_is_there_at_once(tmp_path: Path) -> None:
    journal = opened(tmp_path / "new" / "folder")
    journal.append(trace("q1"))
    assert lines(journal.path.parent) == encode_trace(trace("q1"))
    journal.append(trace("q2", error="down"))
    assert questions(journal.path.parent) == ["q1", "q2"]
    assert journal.made == {mark_of(trace("q1")): False, mark_of(trace("q2")): True}
    journal.close()
    again = opened(journal.path.parent)
    assert again.made == journal.made
    again.close()


def test_each_trace_is_synced_before_append_returns(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path)
    seen: list[int] = []
    real = os.fsync

    def sync(handle: int) -> None:
        seen.append(os.fstat(handle).st_size)
        real(handle)

    monkeypatch.setattr(os, "fsync", sync)
    journal.append(trace("q1"))
    journal.append(trace("q2"))
    one = len(encode_trace(trace("q1")))
    assert seen == [one, 2 * one]
    journal.close()


WHOLE = b"".join(encode_trace(trace(f"q{n}")) for n in (1, 2))
LAST = len(encode_trace(trace("q2")))


@given(cut=st.integers(1, LAST - 2))
def test_wherever_a_line_was_torn_it_is_cut_off_and_told(
    tmp_path_factory: pytest.TempPathFactory, cut: int
) -> None:
    folder = tmp_path_factory.mktemp("torn")
    (folder / "traces.jsonl").write_bytes(WHOLE[: len(WHOLE) - 1 - cut])
    found = open_journal(folder, CONTRACT)
    assert found.value is not None
    (told,) = found.diagnostics
    assert (told.code.slug, told.span.line) == ("torn-trace", 2)
    assert f"{LAST - 1 - cut:,} bytes" in told.message
    assert [mark.question for mark in found.value.made] == ["q1"]
    found.value.append(trace("q2"))
    found.value.close()
    assert lines(folder) == WHOLE


def test_a_last_line_that_lacks_its_end_alone_is_whole(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_bytes(WHOLE[:-1])
    found = open_journal(tmp_path, CONTRACT)
    assert found.value is not None
    assert found.diagnostics == ()
    assert lines(tmp_path) == WHOLE
    assert len(found.value.made) == 2
    found.value.close()


@pytest.mark.parametrize("tail", [b"\0" * 50 + b"\n", b"\0" * 50, b'{"schema": "\n', b"[]\n"])
def test_a_last_line_that_is_no_object_is_cut_off_though_it_ends(
    tmp_path: Path, tail: bytes
) -> None:
    (tmp_path / "traces.jsonl").write_bytes(WHOLE + tail)
    found = open_journal(tmp_path, CONTRACT)
    assert found.value is not None
    assert [d.code.slug for d in found.diagnostics] == ["torn-trace"]
    assert lines(tmp_path) == WHOLE
    found.value.close()


@pytest.mark.parametrize(
    ("line", "slug"),
    [
        (b"{broken\n", "malformed-record"),
        (b'{"schema":"groundeval.trace/2","question":"q"}\n', "other-schema"),
        (b'{"question":"q","mode":"odd"}\n', "malformed-trace"),
    ],
)
def test_a_broken_line_elsewhere_is_an_error_that_names_it_and_changes_nothing(
    tmp_path: Path, line: bytes, slug: str
) -> None:
    first = encode_trace(trace("q1"))
    (tmp_path / "traces.jsonl").write_bytes(first + line + first)
    found = open_journal(tmp_path, CONTRACT)
    assert found.value is None
    assert [(d.code.slug, d.span.line) for d in found.diagnostics] == [(slug, 2)]
    assert lines(tmp_path) == first + line + first


def test_a_trace_of_a_later_version_at_the_end_is_not_cut_off(tmp_path: Path) -> None:
    line = b'{"schema":"groundeval.trace/2","question":"q"}\n'
    (tmp_path / "traces.jsonl").write_bytes(WHOLE + line)
    found = open_journal(tmp_path, CONTRACT)
    assert [(d.code.slug, d.span.line) for d in found.diagnostics] == [("other-schema", 3)]
    assert lines(tmp_path) == WHOLE + line


def test_traces_of_another_contract_are_refused_and_those_of_none_are_kept(tmp_path: Path) -> None:
    other = trace("q2", recorder=Recorder("groundeval/1", "sha256:d", "sha256:1"))
    before = written(tmp_path, trace("q1", recorder=None), other, other)
    found = open_journal(tmp_path, CONTRACT)
    assert found.value is None
    assert [(d.code.slug, d.span.line) for d in found.diagnostics] == [("stale-contract", 2)]
    assert lines(tmp_path) == before
    written(tmp_path, trace("q1", recorder=None))
    opened(tmp_path).close()


def test_two_runs_do_not_write_into_one_folder(tmp_path: Path) -> None:
    first = opened(tmp_path)
    busy = open_journal(tmp_path, CONTRACT)
    assert [d.code.slug for d in busy.diagnostics] == ["folder-in-use"]
    first.append(trace("q2"))
    first.append(trace("q1"))
    first.settle({"q1": 0, "q2": 1})
    assert not open_journal(tmp_path, CONTRACT).value, "still held once it was written anew"
    first.close()
    opened(tmp_path).close()


def test_settling_brings_everything_into_its_one_order(tmp_path: Path) -> None:
    journal = opened(tmp_path)
    wanted = [
        trace("q1"), trace("q1", 2), trace("q1", gated=False), trace("q1", agent="b"),
        trace("q2", agent="a", mode="context"), trace("q2", agent="a", mode="tool"),
        trace("other", agent="0"),
    ]  # fmt: skip
    for one in reversed(wanted):
        journal.append(one)
    journal.settle({"q1": 0, "q2": 1})
    assert lines(tmp_path) == b"".join(map(encode_trace, wanted))
    journal.append(trace("q3"))
    journal.close()
    assert lines(tmp_path).endswith(encode_trace(trace("q3")))
    assert [p.name for p in tmp_path.iterdir()] == ["traces.jsonl"]


def test_of_attempts_made_again_the_last_stays_and_what_no_run_made_is_untouched(
    tmp_path: Path,
) -> None:
    served = [trace("q1", settings=None, cited=(str(n),)) for n in (1, 2)]
    written(tmp_path, *served)
    journal = opened(tmp_path)
    journal.append(trace("q0", error="down"))
    journal.append(trace("q0"))
    assert journal.made[mark_of(trace("q0"))] is False
    journal.settle({"q0": 0, "q1": 1})
    journal.close()
    assert lines(tmp_path) == b"".join(map(encode_trace, [trace("q0"), *served]))


def test_a_settled_file_is_not_written_again(tmp_path: Path) -> None:
    written(tmp_path, trace("q1"), trace("q2"))
    journal = opened(tmp_path)
    before = journal.path.stat().st_ino
    journal.settle({"q1": 0, "q2": 1})
    assert journal.path.stat().st_ino == before
    journal.settle({"q2": 0, "q1": 1})
    assert questions(tmp_path) == ["q2", "q1"]
    journal.close()


def test_what_is_dropped_is_gone_and_the_rest_is_as_it_was(tmp_path: Path) -> None:
    written(tmp_path, trace("q1"), trace("q1", agent="b"), trace("q2"))
    journal = opened(tmp_path)
    journal.drop(lambda mark: mark.agent == "a")
    assert list(journal.made) == [mark_of(trace("q1", agent="b"))]
    journal.append(trace("q3"))
    journal.close()
    assert lines(tmp_path) == encode_trace(trace("q1", agent="b")) + encode_trace(trace("q3"))


def test_what_cannot_be_written_leaves_what_was_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path)
    journal.append(trace("q1"))

    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            journal.append(trace("q2"))
    assert lines(tmp_path) == encode_trace(trace("q1"))
    assert len(journal.made) == 1
    journal.append(trace("q3"))
    journal.close()
    assert questions(tmp_path) == ["q1", "q3"]


def test_empty_lines_are_passed_over(tmp_path: Path) -> None:
    (tmp_path / "traces.jsonl").write_bytes(b"\n" + WHOLE + b"\n")
    journal = opened(tmp_path)
    assert len(journal.made) == 2
    journal.settle({"q2": 0, "q1": 1})
    journal.close()
    assert questions(tmp_path) == ["q2", "q1"]


def test_a_run_key_is_read_from_the_trace(tmp_path: Path) -> None:
    written(tmp_path, msgspec.structs.replace(trace("q"), settings={"run": {"key": "x"}}))
    journal = opened(tmp_path)
    assert [mark.key for mark in journal.made] == ["x"]
    journal.close()


def test_what_a_server_appended_meanwhile_is_neither_cut_off_nor_lost(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = opened(tmp_path)
    journal.append(trace("q2"))
    journal.append(trace("q1"))
    served = encode_trace(trace("q3", agent="mcp", settings=None))

    def serve() -> None:
        with journal.path.open("ab") as stream:
            stream.write(served)

    def full(_handle: int) -> None:
        serve()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(os, "fsync", full)
        with pytest.raises(OSError, match="No space"):
            journal.append(trace("q4"))
    assert lines(tmp_path).endswith(served)
    real = journal._rewrite

    def late(kept: list[Any], end: int) -> None:
        serve()
        real(kept, end)

    monkeypatch.setattr(journal, "_rewrite", late)
    journal.settle({"q1": 0, "q2": 1})
    journal.close()
    assert questions(tmp_path) == ["q1", "q2", "q3", "q4", "q3"]
