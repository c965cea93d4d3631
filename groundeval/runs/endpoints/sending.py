"""Gets a model's next turn: from the cache, or from the endpoint with patience and a deadline."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import msgspec

from groundeval.runs.endpoints.outcomes import fault_inside
from groundeval.runs.endpoints.settings import EndpointSettings
from groundeval.runs.endpoints.transport import Transport, encoded, within
from groundeval.runs.endpoints.turns import Dialect, Fault, Json
from groundeval.runs.response_cache import ResponseCache, response_key

LONGEST_WAIT: Final = 60.0
"""Seconds that are waited at most before a request is made again, whatever the endpoint asks."""
STOPPED: Final = Fault("the run was stopped")


class Clock:
    """Time for deadlines and for waiting between tries; tests have one of their own."""

    def now(self) -> float:
        """Seconds on a clock that only goes forward."""
        return time.monotonic()

    def wait(self, seconds: float, stopped: threading.Event) -> None:
        """Wait so many seconds, or until `stopped`."""
        stopped.wait(seconds)


class Deadline:
    """When an attempt's seconds are over; never, where it has no bound."""

    def __init__(self, clock: Clock, seconds: float | None) -> None:
        self._clock = clock
        self._seconds = seconds
        self._began = clock.now()

    @property
    def left(self) -> float | None:
        """Seconds that are left; None for no bound."""
        if self._seconds is None:
            return None
        return self._seconds - (self._clock.now() - self._began)

    @property
    def fault(self) -> Fault:
        """What an attempt ends with that has no time left."""
        return Fault(f"out of time: {self._seconds:g} s")

    def allows(self, seconds: float) -> bool:
        """Whether there is time left after so many seconds."""
        left = self.left
        return left is None or left > seconds


@dataclass(frozen=True, slots=True)
class Line:
    """How an endpoint is reached: in its dialect, over a transport, at the run's pace.

    `pace` is called before each request that goes out, and may wait. `secret` is the key, which
    no text that leaves here may hold.
    """

    settings: EndpointSettings
    dialect: Dialect
    transport: Transport
    secret: str | None
    pace: Callable[[], None]


class Sender:
    """Gets responses. Threads may share it."""

    def __init__(self, line: Line, clock: Clock, cache: ResponseCache | None) -> None:
        self._line = line
        self.clock = clock
        self._cache = cache
        self._stopped = threading.Event()

    def send(self, body: Json, epoch: int, deadline: Deadline) -> Json | Fault:
        """The response to a request, or why there is none after all tries.

        The cache knows a request by API, base URL, all that is sent, and the epoch.
        """
        settings = self._line.settings
        asked = {"api": settings.api.value, "url": settings.address, "body": body, "epoch": epoch}
        key = response_key(asked)
        kept = None if self._cache is None else self._cache.get(key)
        found = self._fetched(body, deadline) if kept is None else kept
        if isinstance(found, Fault):
            return Fault(self.scrubbed(found.text))
        if self._cache is not None and kept is None:
            self._cache.put(key, found)
        response: Json = msgspec.json.decode(found)
        return response

    def scrubbed(self, text: str) -> str:
        """A text without the key."""
        secret = self._line.secret
        return text.replace(secret, "…") if secret else text

    def close(self) -> None:
        """Stop waiting and sending."""
        self._stopped.set()
        self._line.transport.close()

    def _fetched(self, body: Json, deadline: Deadline) -> bytes | Fault:
        tries = self._line.settings.retries + 1
        for number in range(1, tries + 1):
            found = self._tried(body, deadline)
            if not isinstance(found, Fault) or not found.again:
                return found
            if number == tries:
                times = "once" if tries == 1 else f"{tries} times"
                return Fault(f"{found.text} (tried {times})")
            wait = min(LONGEST_WAIT, 2.0 ** (number - 1) if found.wait is None else found.wait)
            if not deadline.allows(wait):
                return Fault(f"{deadline.fault.text}, waiting to try again: {found.text}")
            self.clock.wait(wait, self._stopped)
        raise AssertionError("there is one try at least")

    def _tried(self, body: Json, deadline: Deadline) -> bytes | Fault:
        self._line.pace()
        left = deadline.left
        if self._stopped.is_set():
            return STOPPED
        if left is not None and left <= 0:
            return deadline.fault
        longest = self._line.settings.timeout
        timeout = longest if left is None else min(longest, left)
        found = within(left, lambda: self._posted(body, timeout))
        return deadline.fault if found is None else found

    def _posted(self, body: Json, timeout: float) -> bytes | Fault:
        dialect = self._line.dialect
        came = self._line.transport.post(dialect.path, body, timeout)
        if isinstance(came, list):
            came = dialect.merged(came)
        if isinstance(came, Fault):
            return came
        fault = fault_inside(came)
        if fault is not None:
            return fault
        read = dialect.turn(came, ())
        return read if isinstance(read, Fault) else encoded(came)
