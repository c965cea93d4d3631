"""What becomes of attempts at a contract's questions: their traces, and how these are numbered."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import pytest

from groundeval.runs.journal import open_journal
from groundeval.server.attempt import Declined, Given
from groundeval.server.ledger import Ledger
from groundeval.server.serving import Recorder
from groundeval.traces.chain import chain
from groundeval.traces.model import Trace
from groundeval.traces.reader import read_traces
from groundeval.world.files import LONGEST_LINE
from tests.runs.desks import desk

QUESTION = desk().drawn.questions[0]
NO: dict[str, Any] = {"exists": False, "evidence_artifacts": []}
KEY = QUESTION.keys[0]


def recorder(kept: list[Trace], **more: Any) -> Recorder:
    return Recorder(desk().contract, kept.append, "mine", **more)


def test_an_attempt_becomes_a_trace() -> None:
    kept: list[Trace] = []
    attempt = recorder(kept).open(QUESTION)
    attempt.client = "some client 1.0"
    attempt.call("fetch", {"id": KEY})
    attempt.call("submit_answer", NO)
    (trace,) = kept
    assert (trace.agent, trace.question, trace.mode, trace.gated) == (
        "mine",
        QUESTION.id,
        "tool",
        True,
    )
    assert (trace.answer, trace.error) == (NO, None)
    assert trace.settings == {"client": "some client 1.0"}
    assert (trace.started or "").endswith("Z")
    assert [(s.tool, s.artifact) for s in trace.steps] == [("fetch", KEY)]
    assert trace.steps[0].latency_ms is not None
    assert trace.recorder is not None
    assert trace.recorder.contract == desk().contract.digest
    assert trace.recorder.chain == chain(trace.steps)


def test_a_key_seals_the_chain() -> None:
    kept: list[Trace] = []
    recorder(kept, seal_key=b"key").open(QUESTION).call("submit_answer", NO)
    (trace,) = kept
    assert trace.recorder is not None
    assert trace.recorder.chain == chain(trace.steps, b"key") != chain(trace.steps)


def test_calls_are_bounded_and_an_answer_may_still_be_given() -> None:
    kept: list[Trace] = []
    attempt = recorder(kept, steps=2).open(QUESTION)
    said = [attempt.call("fetch", {"id": KEY}) for _ in range(3)]
    assert [type(s) for s in said] == [Given, Given, Declined]
    assert said[2] == Declined("out of steps: 2")
    attempt.call("submit_answer", NO)
    assert len(kept[0].steps) == 2


def test_a_record_that_no_reader_would_take_is_an_error() -> None:
    kept: list[Trace] = []
    attempt = recorder(kept, steps=100_000).open(QUESTION)
    for _ in range(LONGEST_LINE // 15_000):
        attempt.call("fetch", {"id": "\x01" * 999, "nothing": 1})  # refused, but noted
        attempt.call("search", {"query": "\x01" * 1000, "subsystem": "\x02" * 999})
    attempt.call("submit_answer", NO)
    (trace,) = kept
    assert trace.error == f"the record of the attempt is longer than {LONGEST_LINE:,} bytes"
    assert (trace.answer, trace.steps, trace.question) == (None, (), QUESTION.id)


def test_attempts_are_numbered_over_all_servers_of_a_folder(tmp_path: Path) -> None:
    for _ in range(2):
        journal = open_journal(tmp_path, desk().contract.digest).value
        assert journal is not None
        ledger = Ledger(journal)
        opened = Recorder(desk().contract, ledger.append, "mine").open
        attempts = [opened(q) for q in desk().drawn.questions[:2] for _ in range(8)]
        threads = [
            threading.Thread(target=attempt.call, args=("submit_answer", NO))
            for attempt in attempts
        ]  # fmt: skip
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        Recorder(desk().contract, ledger.append, "other").open(QUESTION).call("submit_answer", NO)
        journal.close()
    epochs: dict[tuple[str, str], list[int]] = {}
    for trace in read_traces([tmp_path / "traces.jsonl"]):
        assert isinstance(trace, Trace)
        epochs.setdefault((trace.agent, trace.question), []).append(trace.epoch)
    first, second = (q.id for q in desk().drawn.questions[:2])
    assert epochs == {
        ("mine", first): [*range(1, 17)],
        ("mine", second): [*range(1, 17)],
        ("other", first): [1, 2],
    }


def test_a_trace_that_cannot_be_written_takes_no_number(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal = open_journal(tmp_path, desk().contract.digest).value
    assert journal is not None
    attempt = Recorder(desk().contract, Ledger(journal).append, "mine").open(QUESTION)
    with monkeypatch.context() as patch:
        patch.setattr("os.fsync", _full)
        with pytest.raises(OSError, match="No space"):
            attempt.call("submit_answer", NO)
    assert attempt.call("submit_answer", NO) == Given({"accepted": True})
    journal.close()
    (trace,) = read_traces([tmp_path / "traces.jsonl"])
    assert isinstance(trace, Trace)
    assert trace.epoch == 1


def _full(_: int) -> None:
    raise OSError(28, "No space left on device")
