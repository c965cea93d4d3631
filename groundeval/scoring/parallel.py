"""Scoring in several processes, with the same results in the same order.

Each process is a fork that holds everything already, so only traces go out and results come back.
A process has at most one batch at a time: while it works it is not written to, so the two sides
never wait for each other.
"""

from __future__ import annotations

import multiprocessing
import signal
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from multiprocessing.connection import Connection
from typing import TYPE_CHECKING, Final, TypeAlias

import msgspec

from groundeval.diagnostics import Diagnostic
from groundeval.scoring.model import Result
from groundeval.traces.model import Trace

if TYPE_CHECKING:
    from multiprocessing.context import ForkProcess

Score: TypeAlias = Callable[[Trace], Result]
Items: TypeAlias = list[Trace | Diagnostic]

_BATCH: Final = 128
_DONE: Final = b"+"
_FAILED: Final = b"!"
_encode = msgspec.msgpack.Encoder().encode
_decode_traces = msgspec.msgpack.Decoder(list[Trace]).decode
_decode_results = msgspec.msgpack.Decoder(list[Result]).decode


def can_fork() -> bool:
    """Whether this system has what several processes need."""
    return "fork" in multiprocessing.get_all_start_methods()


def score_in_processes(
    items: Iterable[Trace | Diagnostic], score: Score, workers: int
) -> Iterator[Result | Diagnostic]:
    """`score` of every trace, findings as they are, in the order of `items`.

    Where the system cannot fork, everything is scored in this process. Raises RuntimeError, with
    the other process's traceback, when scoring fails there, which would be a mistake of ours.
    """
    if not can_fork():
        yield from (x if isinstance(x, Diagnostic) else score(x) for x in items)
        return
    pool = _Pool(score, workers)
    try:
        yield from _in_turn(pool, iter(items), score)
    finally:
        pool.close()


def _in_turn(
    pool: _Pool, items: Iterator[Trace | Diagnostic], score: Score
) -> Iterator[Result | Diagnostic]:
    """Batches go to the processes in turn, and come back in the same turn."""
    waiting: deque[tuple[int, Items]] = deque()
    number = 0
    while batch := list(islice(items, _BATCH)):
        if len(waiting) == len(pool):
            yield from _collect(pool, *waiting.popleft(), score)
        waiting.append((pool.send(number, [x for x in batch if isinstance(x, Trace)]), batch))
        number += 1
    while waiting:
        yield from _collect(pool, *waiting.popleft(), score)


def _collect(
    pool: _Pool, process: int, batch: Items, score: Score
) -> Iterator[Result | Diagnostic]:
    results = pool.receive(process) if process >= 0 else None
    for item in batch:
        if isinstance(item, Diagnostic):
            yield item
        elif results is None:
            yield score(item)
        else:
            yield results.popleft()


class _Pool:
    def __init__(self, score: Score, workers: int) -> None:
        context = multiprocessing.get_context("fork")
        self._ends: list[Connection] = []
        self._processes: list[ForkProcess] = []
        for _ in range(workers):
            here, there = context.Pipe()
            self._ends.append(here)
            arguments = (score, there, tuple(self._ends))
            process = context.Process(target=_serve, args=arguments, daemon=True)
            process.start()
            there.close()
            self._processes.append(process)

    def __len__(self) -> int:
        return len(self._ends)

    def send(self, number: int, traces: list[Trace]) -> int:
        """Hand a batch to the process whose turn it is; -1 when it has to be scored here.

        That is so when it cannot be written: a trace may hold numbers or depths that the wire
        format has no room for.
        """
        try:
            message = _encode(traces)
        except (OverflowError, RecursionError, UnicodeEncodeError):
            return -1
        process = number % len(self._ends)
        self._ends[process].send_bytes(message)
        return process

    def receive(self, process: int) -> deque[Result]:
        try:
            message = self._ends[process].recv_bytes()
        except EOFError:
            raise RuntimeError("a scoring process ended without an answer") from None
        if message[:1] == _FAILED:
            raise RuntimeError(f"scoring failed:\n{message[1:].decode()}")
        return deque(_decode_results(message[1:]))

    def close(self) -> None:
        for end, process in zip(self._ends, self._processes, strict=True):
            if process.is_alive():
                process.terminate()
            process.join()
            end.close()


def _serve(score: Score, end: Connection, foreign: tuple[Connection, ...]) -> None:
    """Score batches until the other side is gone.

    `foreign` are the parent's ends, which a fork inherits: kept open, they would hide its end.
    An interrupt is the parent's to handle.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for inherited in foreign:
        inherited.close()
    while True:
        try:
            message = end.recv_bytes()
        except EOFError:
            return
        try:
            answer = _DONE + _encode([score(trace) for trace in _decode_traces(message)])
        except Exception:  # noqa: BLE001 - the parent raises it, with this traceback
            answer = _FAILED + traceback.format_exc().encode()
        end.send_bytes(answer)
