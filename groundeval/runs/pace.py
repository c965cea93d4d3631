"""How fast attempts may follow one another."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable


class Pace:
    """Lets at most `per_minute` attempts begin in a minute, evenly; without it, all at once.

    Any thread may wait for its turn; turns are given in the order in which they are asked for.
    """

    def __init__(
        self, per_minute: float | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._between = 60 / per_minute if per_minute else 0.0
        self._clock = clock
        self._turn = threading.Lock()
        self._next = clock()

    def wait(self, stop: threading.Event) -> bool:
        """Wait for a turn; False, at once, when `stop` is set before it comes."""
        with self._turn:
            now = self._clock()
            mine = max(now, self._next)
            self._next = mine + self._between
        return not stop.wait(mine - now) if mine > now else not stop.is_set()
