"""How much one client may ask of an endpoint."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """What a token's requests are held to.

    `rate` is requests per second in the long run (None for no limit), `burst` how many may come
    at once; `request_bytes` bounds a body, `sessions` those that are open at a time, and a session
    without a request for `idle` seconds ends.
    """

    rate: float | None = 50.0
    burst: int = 100
    request_bytes: int = 1 << 20
    sessions: int = 8
    idle: float = 1800.0


class Bucket:
    """Lets `rate` requests a second through in the long run, `burst` of them at once."""

    def __init__(
        self, rate: float | None, burst: int, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._rate = rate
        self._burst = float(burst)
        self._clock = clock
        self._left = self._burst
        self._then = clock()

    def wait(self) -> int:
        """0 and one request less to give, or the whole seconds after which there is one again."""
        if self._rate is None:
            return 0
        now = self._clock()
        self._left = min(self._burst, self._left + (now - self._then) * self._rate)
        self._then = now
        if self._left >= 1:
            self._left -= 1
            return 0
        return max(1, math.ceil((1 - self._left) / self._rate))
