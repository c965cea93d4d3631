"""The tools of a run's tasks over MCP, each task behind a token of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Self

from groundeval.runs.agent import Noting
from groundeval.runs.fitting import faults_of
from groundeval.server.attempt import Attempt, Keeping
from groundeval.server.limits import Limits
from groundeval.server.listener import Listener

if TYPE_CHECKING:
    from types import TracebackType

    from groundeval.runs.agent import Address, Task

_LIMITS: Final = Limits(rate=None, sessions=100)
"""A run has a pace and budgets of its own; some agents open a session for each call."""


@dataclass(frozen=True, slots=True)
class Admitted:
    """One task's tools while they are served."""

    address: Address
    attempt: Attempt

    @property
    def submitted(self) -> dict[str, Any] | None:
        """The last answer that came through `submit_answer`; None while there is none."""
        return self.attempt.submitted


class HttpGateway:
    """A `Gateway` on a free port of this machine alone, served from a background thread.

    A context manager, made once for a run; tasks may be admitted from many threads at once:

        with HttpGateway() as gateway:
            agent = CommandAgent(command, gateway)

    It needs the optional package `mcp`. `limits` are those of each task's token.
    """

    def __init__(self, limits: Limits = _LIMITS) -> None:
        self._listener = Listener(limits=limits)

    def __enter__(self) -> Self:
        self._listener.__enter__()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._listener.__exit__(kind, fault, trace)

    @contextmanager
    def admit(self, task: Task) -> Iterator[Admitted]:
        """Serve a task's tools; when the block ends, its token opens nothing more.

        A call under way is waited for, so that nothing is recorded after the end.
        """
        tools: object = task.tools
        keeping = Keeping(note=tools.note) if isinstance(tools, Noting) else None
        attempt = Attempt(task.question, task.tools, faults_of(task.question), keeping)
        address = self._listener.admit(attempt)
        try:
            yield Admitted(address, attempt)
        finally:
            attempt.end()
            self._listener.dismiss(address)
