"""The process that an agent's Python function runs in. It holds one question, and two tools.

`process.py` starts it. What it is told comes over its standard input, what it says goes over its
standard output; the function itself finds an empty input, and what it prints goes to the error
output.
"""

from __future__ import annotations

import asyncio
import inspect
import os
import threading
import time
from collections.abc import Callable
from typing import Any, Final

import msgspec

from groundeval.runs.agent import BudgetSpent, Reply
from groundeval.runs.failures import fault_in, told
from groundeval.runs.frames import (
    LONGEST_ANSWER,
    Ask,
    Done,
    Failed,
    FetchCall,
    Found,
    FromAgent,
    FromRun,
    Given,
    Line,
    LineBroken,
    Ready,
    SearchCall,
    Spent,
    Start,
    Unusable,
)
from groundeval.runs.loaded import Loaded, loaded
from groundeval.runs.replies import FetchReply, SearchReply

_LONGEST_ARGUMENT: Final = 100_000
_LARGEST: Final = 2**53
_LOOK: Final = 1.0
"""Seconds between two looks at whether the run is still there."""


class HostedTools:
    """`search` and `fetch` as the function gets them: each call is made by the run.

    Calls may come from several threads, and take turns. Once the answer is given they are over.
    """

    def __init__(self, line: Line) -> None:
        self._line = line
        self._turn = threading.Lock()
        self._over = False

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        """The best visible documents, at most `limit` (10; never over 20), in one subsystem or all.

        Raises `BudgetSpent` for a call beyond the budget.
        """
        call = SearchCall(_sendable(query), _sendable(subsystem), _sendable(limit))
        said = self._asked(call)
        assert isinstance(said, Found)
        return said.reply

    def fetch(self, artifact_id: object) -> FetchReply:
        """The text of a document and the events about it; `available` is false for what is not.

        Raises `BudgetSpent` for a call beyond the budget.
        """
        said = self._asked(FetchCall(_sendable(artifact_id)))
        assert isinstance(said, Given)
        return said.reply

    def close(self) -> None:
        """No call after this: what a thread that was left behind asks belongs to no question."""
        with self._turn:
            self._over = True

    def _asked(self, call: SearchCall | FetchCall) -> FromRun:
        with self._turn:
            if self._over:
                raise RuntimeError("the question has been answered: its tools are gone")
            self._line.send(call)
            said = self._line.from_run()
        if isinstance(said, Spent):
            raise BudgetSpent(said.text)
        return said


def main() -> None:
    """Load the function that is asked for, and answer questions until the run goes away."""
    line = _line()
    threading.Thread(target=_watch, args=(os.getppid(),), daemon=True).start()
    try:
        start = line.from_run()
        assert isinstance(start, Start)
        found = loaded(start)
        if isinstance(found, Unusable):
            line.send(found)
            return
        line.send(Ready(found.source))
        while True:
            asked = line.from_run()
            assert isinstance(asked, Ask)
            line.send_encoded(_answered(found, asked, line))
    except LineBroken:
        os._exit(0)  # the run is gone; threads of the function are not waited for


def _line() -> Line:
    """The line to the run, moved to where neither the function nor its children find it."""
    line = Line(os.dup(0), os.dup(1))
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    os.close(nothing)
    return line


def _watch(run: int) -> None:
    """End with the run, also in the middle of an attempt: nothing is left behind."""
    while os.getppid() == run:
        time.sleep(_LOOK)
    os._exit(0)


def _answered(found: Loaded, asked: Ask, line: Line) -> bytes:
    """The message that ends an attempt."""
    tools = HostedTools(line)
    try:
        said = _called(found.function, asked.question, tools if asked.tools else None)
        message = _message(found, said)
    except LineBroken:
        raise
    except BaseException as fault:  # noqa: BLE001 - whatever the function does is told
        message = Failed(told(fault, found.home))
    finally:
        tools.close()
    return _encoded(message, found)


def _called(
    function: Callable[..., Any], question: dict[str, Any], tools: HostedTools | None
) -> Any:
    said = function(question, tools)
    return asyncio.run(_awaited(said)) if inspect.isawaitable(said) else said


async def _awaited(said: Any) -> Any:
    return await said


def _message(found: Loaded, said: Any) -> FromAgent:
    if isinstance(said, dict):
        reply = Reply(answer=said)
    elif isinstance(said, Reply):
        reply = said
    else:
        kind = "nothing" if said is None else f"a value of type `{type(said).__name__}`"
        return Failed(f"`{found.name}` returned {kind}, not a dict or a Reply")
    fault = fault_in(reply.answer, "answer")
    if fault is not None:
        return Failed(f"`{found.name}` returned what JSON cannot hold: {fault}")
    try:
        return Done(msgspec.convert(msgspec.to_builtins(reply), Reply))
    except (msgspec.ValidationError, TypeError) as wrong:
        return Failed(f"`{found.name}` returned a Reply that does not fit: {wrong}")


def _encoded(message: FromAgent, found: Loaded) -> bytes:
    try:
        body = msgspec.json.encode(message)
    except (ValueError, OverflowError, RecursionError) as fault:
        reason = str(fault).encode("ascii", "replace").decode()
        body = msgspec.json.encode(Failed(f"`{found.name}` returned no JSON: {reason}"))
    if len(body) <= LONGEST_ANSWER:
        return body
    reason = f"`{found.name}` returned more than {LONGEST_ANSWER:,} bytes"
    return msgspec.json.encode(Failed(reason))


def _sendable(value: object) -> Any:
    """An argument as JSON can say it; what it cannot becomes an empty list or object.

    Tools read texts and numbers alone, and of all else only the kind is recorded.
    """
    match value:
        case None | bool():
            return value
        case int():
            return int(max(-_LARGEST - 1, min(value, _LARGEST + 1)))
        case float():
            return 0.5
        case str():
            return value[:_LONGEST_ARGUMENT].encode("utf-8", "replace").decode()
        case list() | tuple() | set() | frozenset():
            return []
    return {}
