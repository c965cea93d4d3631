"""One question in this process: its tools, its answer, and the trace of both."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from threading import Lock
from types import TracebackType
from typing import Any, Final, Self

import msgspec

from groundeval.questions.model import Question, visible_part
from groundeval.runs.agent import Mode, Reply
from groundeval.runs.backend import Searcher
from groundeval.runs.fitting import faults_of
from groundeval.runs.functions import Function, tool_functions
from groundeval.runs.replies import FetchReply, SearchReply
from groundeval.runs.tools import GatedView, Tools
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace

NO_ANSWER: Final = "no answer was given"
_LONGEST_ERROR: Final = 500


class AnswerError(ValueError):
    """An answer that does not fit the question's schema; `faults` has a text for each field."""

    def __init__(self, question: str, faults: Sequence[str]) -> None:
        self.faults = tuple(faults)
        super().__init__(f"the answer to {question} does not fit: {'; '.join(faults)}")


class SessionEnded(RuntimeError):  # noqa: N818 - what happened, not what is wrong
    """A call after the answer, or after the session was left."""


@dataclass(frozen=True, slots=True)
class Attempt:
    """How a session's trace is told from others: the agent's name, and which try it is (from 1)."""

    agent: str = "session"
    epoch: int = 1


class ToolSession:
    """One attempt at one question, gated and recorded, for an agent that runs in this process.

    A context manager, plain or async; calls may come from several threads, and take turns. Whoever
    holds a session holds the contract too: an agent that is not trusted belongs in a process of
    its own.
    """

    def __init__(
        self,
        view: GatedView,
        question: Question,
        attempt: Attempt = Attempt(),
        backend: Searcher | None = None,
    ) -> None:
        self._question = question
        self._visible = visible_part(question)
        self._attempt = attempt
        self._tools = Tools(view, question, clock=time.perf_counter, backend=backend)
        self._started = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
        self._turn = Lock()
        self._reply = Reply(error=NO_ANSWER)
        self._over = False

    @property
    def question(self) -> dict[str, Any]:
        """What an agent may see of the question, as its line in `questions.jsonl` has it."""
        return deepcopy(self._visible)

    @property
    def over(self) -> bool:
        """Whether it takes no more calls."""
        return self._over

    # --- the tools

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        """The best visible documents, at most `limit` (10; never over 20), in one subsystem or all.

        Raises `SessionEnded` after the end, and nothing else whatever is handed in.
        """
        with self._turn:
            self._open()
            return self._tools.search(query, subsystem, limit)

    def fetch(self, artifact_id: object) -> FetchReply:
        """The text of a document and the log's events about it; `available` false for what is not.

        Raises `SessionEnded` after the end, and nothing else whatever is handed in.
        """
        with self._turn:
            self._open()
            return self._tools.fetch(artifact_id)

    async def asearch(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        """`search`, without holding up the event loop."""
        return await asyncio.to_thread(self.search, query, subsystem, limit)

    async def afetch(self, artifact_id: object) -> FetchReply:
        """`fetch`, without holding up the event loop."""
        return await asyncio.to_thread(self.fetch, artifact_id)

    def functions(self) -> tuple[Function, Function]:
        """`search` and `fetch` as plain functions that give JSON text: see `tool_functions`."""
        return tool_functions(self)

    # --- the answer

    def answer(self, answer: Mapping[str, Any] | Reply) -> Trace:
        """End the session with an answer, or a `Reply` that holds one; gives the trace.

        Raises `AnswerError` for what does not fit the question's schema, field by field. It may
        then be called again; where it is not, the last answer stands, and is scored as malformed.
        Raises `SessionEnded` after the end. A `Reply` with an `error` ends the session with that.
        """
        reply = answer if isinstance(answer, Reply) else Reply(answer=dict(answer))
        with self._turn:
            self._open()
            faults = self._faults(reply)
            self._over = not faults
        if faults:
            raise AnswerError(self._question.id, faults)
        return self.trace

    async def aanswer(self, answer: Mapping[str, Any] | Reply) -> Trace:
        """`answer`, for symmetry: it waits for no one."""
        return self.answer(answer)

    @property
    def trace(self) -> Trace:
        """The trace as far as it has come. Before the end its `error` says that there is no answer.

        With the answer that did not fit, where only such a one was given.
        """
        reply = self._reply
        fidelity = {"answer": "inferred"} if reply.inferred else None
        return msgspec.structs.replace(
            self._tools.finish(reply.answer, reply.cited, reply.error),
            agent=self._attempt.agent,
            epoch=self._attempt.epoch,
            mode=Mode.TOOL.value,
            model=reply.model,
            prompt=reply.prompt,
            usage=reply.usage,
            started=self._started,
            fidelity=fidelity,
        )

    def append_to(self, path: Path | str) -> None:
        """Add the trace to a file of traces, made where there is none. Raises OSError."""
        with Path(path).open("ab") as out:
            out.write(encode_trace(self.trace))

    # --- leaving

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Take no more calls. An exception before any answer becomes the trace's error."""
        with self._turn:
            if not self._over and fault is not None and self._reply.answer is None:
                said = f"{type(fault).__name__}: {fault}".removesuffix(": ")
                self._reply = Reply(error=said[:_LONGEST_ERROR])
            self._over = True

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.__exit__(kind, fault, trace)

    def _open(self) -> None:
        if self._over:
            raise SessionEnded(f"the session on {self._question.id} has ended")

    def _faults(self, reply: Reply) -> Sequence[str]:
        """Take a reply; what does not fit in its answer."""
        if reply.error is not None:
            self._reply = reply
            return ()
        if reply.answer is None:
            return ("there is no answer in it",)
        try:
            # As a file of traces will have it: tuples and sets are lists, a NaN is null.
            kept = msgspec.json.decode(msgspec.json.encode(reply), type=Reply)
        except (OverflowError, RecursionError, TypeError, ValueError) as fault:
            return (f"no trace can hold it: {fault}",)
        self._reply = kept
        return faults_of(self._visible)(kept.answer or {})
