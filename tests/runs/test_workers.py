"""Runs on many threads: the same traces, and an end at any time."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from groundeval.runs.agent import Mode, Reply, Task
from groundeval.runs.journal import open_journal
from groundeval.runs.pace import Pace
from groundeval.runs.plan import Attempt, Conditions, Plan
from groundeval.runs.runner import Runner
from groundeval.runs.workers import Workers
from groundeval.traces.model import Trace
from groundeval.traces.reader import read_traces
from tests.runs.desks import Playing, desk, looking, slowly

QUESTIONS = 40


class Desk:
    """A run over a desk's questions into a folder."""

    def __init__(
        self,
        folder: Path,
        does: Callable[[Task], Reply] = looking,
        epochs: int = 1,
        mode: Mode = Mode.TOOL,
    ) -> None:
        compiled = desk(QUESTIONS)
        self.agent = Playing(does)
        conditions = Conditions(compiled.contract.digest, mode=mode)
        self.plan = Plan(compiled.drawn.questions, self.agent.identity, conditions, epochs)
        found = open_journal(folder, compiled.contract.digest)
        assert found.value is not None
        self.journal = found.value
        self.runner = Runner(compiled.contract, self.agent, self.plan)
        self.ranks = {q.id: n for n, q in enumerate(compiled.drawn.questions)}

    def workers(self, count: int, pace: Pace | None = None) -> Workers:
        make, keep = self.runner.trace_of, self.journal.append
        return Workers(make, keep, self.agent.close, count=count, pace=pace)

    @property
    def due(self) -> list[Attempt]:
        return self.plan.due(self.journal.made)

    def finish(self, count: int) -> int:
        made = sum(1 for _ in self.workers(count).traces(self.due))
        self.journal.settle(self.ranks)
        self.journal.close()
        return made


def timeless(folder: Path) -> list[bytes]:
    """A folder's traces without what is about time."""
    found = []
    for trace in read_traces([folder / "traces.jsonl"]):
        assert isinstance(trace, Trace), trace
        steps = tuple(msgspec.structs.replace(s, latency_ms=None) for s in trace.steps)
        recorder = msgspec.structs.replace(trace.recorder, chain="") if trace.recorder else None
        found.append(
            msgspec.json.encode(
                msgspec.structs.replace(trace, steps=steps, started=None, recorder=recorder)
            )
        )
    return found


@pytest.mark.parametrize("mode", Mode)
def test_many_workers_leave_the_traces_of_one(tmp_path: Path, mode: Mode) -> None:
    for count in (1, 8):
        assert Desk(tmp_path / str(count), epochs=2, mode=mode).finish(count) == 2 * QUESTIONS
    alone, together = timeless(tmp_path / "1"), timeless(tmp_path / "8")
    assert alone == together
    assert len(alone) == 2 * QUESTIONS


def test_many_attempts_run_at_once() -> None:
    meeting = threading.Barrier(4, timeout=10)

    def make(_: Attempt) -> Trace:
        meeting.wait()
        return Trace(question="q")

    attempts = [Attempt(q, 1) for q in desk(QUESTIONS).drawn.questions[:8]]
    workers = Workers(make, lambda _: None, lambda: None, count=4)
    assert len(list(workers.traces(attempts))) == 8


def test_a_run_that_is_left_early_keeps_what_it_finished_and_goes_on_from_there(
    tmp_path: Path,
) -> None:
    first = Desk(tmp_path / "resumed", slowly(0.01))
    with closing(first.workers(3).traces(first.due)) as traces:
        for number, _ in enumerate(traces, 1):
            if number == 10:
                break
    assert first.agent.closed.is_set()
    first.journal.close()
    second = Desk(tmp_path / "resumed", slowly(0.01))
    kept = QUESTIONS - len(second.due)
    assert 10 <= kept <= 13
    assert second.finish(2) == QUESTIONS - kept
    Desk(tmp_path / "whole").finish(1)
    assert timeless(tmp_path / "resumed") == timeless(tmp_path / "whole")


def test_an_error_that_the_halt_brought_about_is_not_kept(tmp_path: Path) -> None:
    started = threading.Event()

    def until_closed(task: Task) -> Reply:
        if task.question["id"] == first:
            return looking(task)
        started.set()
        assert run.agent.closed.wait(10)
        return Reply(error="the connection was closed")

    run = Desk(tmp_path, until_closed)
    first = run.due[0].question.id
    with closing(run.workers(2).traces(run.due)) as traces:
        next(traces)
        assert started.wait(10)
    run.journal.close()
    assert [
        t.question for t in read_traces([tmp_path / "traces.jsonl"]) if isinstance(t, Trace)
    ] == [first]


def test_an_attempt_that_does_not_end_is_not_waited_for_and_not_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundeval.runs.workers.PATIENCE", 0.1)
    go_on, over = threading.Event(), threading.Event()

    def stuck(task: Task) -> Reply:
        if task.question["id"] == first:
            return looking(task)
        go_on.wait(20)
        return Reply(answer={"exists": True})

    run = Desk(tmp_path, stuck)
    first = run.due[0].question.id
    workers = run.workers(1)
    kept: list[str] = []
    workers._keep = lambda trace: kept.append(trace.question)
    real = workers._kept

    def watched(trace: Trace) -> bool:
        try:
            return real(trace)
        finally:
            if trace.question != first:
                over.set()

    monkeypatch.setattr(workers, "_kept", watched)
    began = time.monotonic()
    with closing(workers.traces(run.due)) as traces:
        next(traces)
    assert time.monotonic() - began < 10
    go_on.set()
    assert over.wait(10)
    assert kept == [first]
    run.journal.close()


def test_a_bug_ends_the_run_where_it_is_awaited(tmp_path: Path) -> None:
    def broken(task: Task) -> Reply:
        if task.question["id"] == fifth:
            raise ZeroDivisionError
        return looking(task)

    run = Desk(tmp_path, broken)
    fifth = run.due[4].question.id
    with pytest.raises(ZeroDivisionError):
        list(run.workers(1).traces(run.due))
    assert len(run.journal.made) == 4
    run.journal.close()


def test_a_trace_that_cannot_be_kept_ends_the_run() -> None:
    def full(_: Trace) -> None:
        raise OSError(28, "No space left on device")

    attempts = [Attempt(q, 1) for q in desk(QUESTIONS).drawn.questions]
    made: list[str] = []

    def make(attempt: Attempt) -> Trace:
        made.append(attempt.question.id)
        return Trace(question=attempt.question.id)

    with pytest.raises(OSError, match="No space"):
        list(Workers(make, full, lambda: None).traces(attempts))
    assert len(made) == 1


def test_the_pace_is_kept_across_threads(tmp_path: Path) -> None:
    began = time.monotonic()
    run = Desk(tmp_path)
    assert len(list(run.workers(4, Pace(60 / 0.02)).traces(run.due))) == QUESTIONS
    assert time.monotonic() - began >= (QUESTIONS - 1) * 0.02
    run.journal.close()


def test_nothing_due_is_nothing_done() -> None:
    assert (
        list(Workers(lambda _: Trace(question="q"), lambda _: None, lambda: None).traces([])) == []
    )
