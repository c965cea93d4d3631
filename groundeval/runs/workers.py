"""Many attempts at once, on threads that stop when they are told to."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from typing import TYPE_CHECKING, Final

from groundeval.runs.pace import Pace

if TYPE_CHECKING:
    from groundeval.runs.plan import Attempt
    from groundeval.traces.model import Trace

_LOOK: Final = 0.5
"""Seconds between two looks at whether anything interrupts, where waiting cannot be interrupted."""
PATIENCE: Final = 5.0
"""Seconds that attempts under way get to end once they are halted."""


class Workers:
    """Makes attempts with `make` and keeps each trace with `keep`, on `count` threads.

    `halt` is called when attempts under way should come to their end.
    """

    def __init__(
        self,
        make: Callable[[Attempt], Trace],
        keep: Callable[[Trace], None],
        halt: Callable[[], None],
        *,
        count: int = 1,
        pace: Pace | None = None,
    ) -> None:
        self._make = make
        self._keep = keep
        self._halt = halt
        self._count = count
        self._pace = pace or Pace()
        self._stop = threading.Event()
        self._keeping = threading.Lock()
        self._left = False

    def traces(self, attempts: Sequence[Attempt]) -> Generator[Trace, None, None]:
        """The trace of each attempt once it is kept, in the order in which they come.

        What a thread raises is raised here. When the iterator is closed before its end, or
        something is raised in it, attempts under way are halted, and kept only if they end
        without an error: that the agent was halted is no fault of its own.
        """
        coming = iter(attempts)
        done: queue.SimpleQueue[Trace | BaseException | None] = queue.SimpleQueue()
        taking = threading.Lock()

        def take() -> Attempt | None:
            with taking:
                return next(coming, None)

        count = min(self._count, len(attempts))
        threads = [
            threading.Thread(target=self._work, args=(take, done.put), daemon=True)
            for _ in range(count)
        ]
        for thread in threads:
            thread.start()
        try:
            yield from _until_all_end(done, count)
        except BaseException:  # also when the iterator is closed
            self._stop.set()
            self._halt()
            raise
        finally:
            self._leave(threads)

    def _work(
        self,
        take: Callable[[], Attempt | None],
        put: Callable[[Trace | BaseException | None], None],
    ) -> None:
        try:
            while not self._stop.is_set() and (attempt := take()) is not None:
                if not self._pace.wait(self._stop):
                    break
                trace = self._make(attempt)
                if self._kept(trace):
                    put(trace)
        except BaseException as fault:  # noqa: BLE001 - raised again where the traces are awaited
            put(fault)
        else:
            put(None)

    def _kept(self, trace: Trace) -> bool:
        with self._keeping:
            if self._left or (self._stop.is_set() and trace.error is not None):
                return False
            self._keep(trace)
            return True

    def _leave(self, threads: Sequence[threading.Thread]) -> None:
        """Wait for the threads, for a while; nothing is kept once this returns."""
        for thread in threads:
            thread.join(PATIENCE)
        with self._keeping:
            self._left = True


def _until_all_end(
    done: queue.SimpleQueue[Trace | BaseException | None], running: int
) -> Iterator[Trace]:
    while running:
        try:
            item = done.get(timeout=_LOOK)
        except queue.Empty:
            continue
        if item is None:
            running -= 1
        elif isinstance(item, BaseException):
            raise item
        else:
            yield item
