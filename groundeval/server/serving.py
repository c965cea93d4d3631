"""A contract's questions as attempts that are served, and recorded at their end."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import msgspec

from groundeval.questions.model import Question, visible_part
from groundeval.runs.agent import Budget, Mode
from groundeval.runs.budget import Budgeted
from groundeval.runs.fitting import faults_of
from groundeval.runs.tools import Tools
from groundeval.server.attempt import Attempt, Keeping
from groundeval.traces.reader import encode_trace
from groundeval.world.files import LONGEST_LINE

if TYPE_CHECKING:
    from groundeval.runs.tools import GatedView
    from groundeval.traces.model import Trace

_TOO_LONG: Final = f"the record of the attempt is longer than {LONGEST_LINE:,} bytes"

Keep = Callable[["Trace"], None]
"""Puts a trace where it stays; once it returns, the trace is safe."""


@dataclass(frozen=True, slots=True)
class Recorder:
    """Opens attempts at a contract's questions, whose traces go to `keep`.

    `agent` is the name they are recorded under; with a `seal_key` their chains are HMACs. After
    `steps` searches and fetches an attempt gets no more of them.
    """

    view: GatedView
    keep: Keep
    agent: str
    seal_key: bytes | None = None
    steps: int = 5000

    def open(self, question: Question) -> Attempt:
        """An attempt at a question, gated, with nothing in it yet."""
        tools = Tools(self.view, question, clock=time.perf_counter)
        within = Budgeted(tools, Budget(steps=self.steps))
        started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")

        def record(answer: dict[str, Any] | None, error: str | None) -> None:
            trace = self._named(tools.finish(answer, error=error, seal_key=self.seal_key), attempt)
            if len(encode_trace(trace)) > LONGEST_LINE:  # which no reader of the file would take
                bare = Tools(self.view, question)
                failed = bare.finish(None, error=_TOO_LONG, seal_key=self.seal_key)
                trace = self._named(failed, attempt)
            self.keep(msgspec.structs.replace(trace, started=started))

        visible: Mapping[str, Any] = visible_part(question)
        keeping = Keeping(record, within.note)
        attempt = Attempt(visible, within, faults_of(visible), keeping)
        return attempt

    def _named(self, trace: Trace, attempt: Attempt) -> Trace:
        client = attempt.client
        settings = None if client is None else {"client": client}
        mode = Mode.TOOL.value
        return msgspec.structs.replace(trace, agent=self.agent, settings=settings, mode=mode)
