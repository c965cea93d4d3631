"""What goes over the line between a run and the process of an agent that is a Python function.

A frame is four bytes with its length, then one message as JSON. Neither side unpickles anything.
"""

from __future__ import annotations

import os
import select
import struct
from dataclasses import dataclass
from typing import Any, Final

import msgspec

from groundeval.runs.agent import Reply
from groundeval.runs.replies import FetchReply, SearchReply

LONGEST_ANSWER: Final = 1 << 20
"""Bytes of one message from an agent's process."""
_HEAD: Final = struct.Struct(">I")
_CHUNK: Final = 1 << 16
_READ: Final = 1
_WRITE: Final = 4
"""`select.POLLIN` and `select.POLLOUT`, which not every platform has."""


class Start(msgspec.Struct, frozen=True, tag=True):
    """Which function to load: a module's or a file's, by its name."""

    function: str
    module: str | None
    file: str | None
    folder: str | None


class Ask(msgspec.Struct, frozen=True, tag=True):
    """A question's visible part, in context mode with `context`, and whether there are tools."""

    question: dict[str, Any]
    tools: bool


class Found(msgspec.Struct, frozen=True, tag=True):
    reply: SearchReply


class Given(msgspec.Struct, frozen=True, tag=True):
    reply: FetchReply


class Spent(msgspec.Struct, frozen=True, tag=True):
    """The call was beyond the budget."""

    text: str


class Ready(msgspec.Struct, frozen=True, tag=True):
    """The function is loaded; `source` is the file that it stands in, if it stands in one."""

    source: str | None


class Unusable(msgspec.Struct, frozen=True, tag=True):
    """The function cannot be loaded: what is wrong, in which file and line, how to mend it."""

    error: str
    file: str | None = None
    line: int = 1
    help: str = ""


class SearchCall(msgspec.Struct, frozen=True, tag=True):
    query: Any
    subsystem: Any
    limit: Any


class FetchCall(msgspec.Struct, frozen=True, tag=True):
    artifact: Any


class Done(msgspec.Struct, frozen=True, tag=True):
    reply: Reply


class Failed(msgspec.Struct, frozen=True, tag=True):
    error: str


FromRun = Start | Ask | Found | Given | Spent
FromAgent = Ready | Unusable | SearchCall | FetchCall | Done | Failed
_FROM_RUN: Final = msgspec.json.Decoder(FromRun)
_FROM_AGENT: Final = msgspec.json.Decoder(FromAgent)


class LineBroken(Exception):  # noqa: N818 - what happened, not what is wrong
    """The other side is gone, or says what is no message; its text is empty for the former."""


@dataclass(frozen=True, slots=True)
class Line:
    """Two descriptors, one to read from and one to write to. Raises `LineBroken`, nothing else.

    `ended` is a descriptor that can be read, or is hung up, once the other side is gone for good:
    what it started and left behind may hold its end of the line open.
    """

    reading: int
    writing: int
    ended: int | None = None

    def send(self, message: FromRun | FromAgent) -> None:
        """Send one message, waiting until it is taken."""
        self.send_encoded(msgspec.json.encode(message))

    def send_encoded(self, body: bytes) -> None:
        """As `send`, for a message that is encoded already."""
        rest = memoryview(_HEAD.pack(len(body)) + body)
        while rest:
            self._wait(self.writing, _WRITE)
            try:
                rest = rest[os.write(self.writing, rest) :]
            except BlockingIOError:  # less room than it seemed
                continue
            except OSError as fault:
                raise LineBroken from fault

    def from_run(self) -> FromRun:
        """The next message of the run."""
        return _FROM_RUN.decode(self._frame(None))

    def from_agent(self) -> FromAgent:
        """The next message of the agent's process, which is not trusted to send any."""
        try:
            return _FROM_AGENT.decode(self._frame(LONGEST_ANSWER))
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as fault:
            raise LineBroken("it sent what is no message") from fault

    def _frame(self, longest: int | None) -> bytes:
        (size,) = _HEAD.unpack(self._exactly(_HEAD.size))
        if longest is not None and size > longest:
            raise LineBroken(f"it sent more than {longest:,} bytes at once")
        return self._exactly(size)

    def _exactly(self, count: int) -> bytes:
        parts: list[bytes] = []
        while count:
            self._wait(self.reading, _READ)
            try:
                part = os.read(self.reading, min(count, _CHUNK))
            except OSError as fault:
                raise LineBroken from fault
            if not part:
                raise LineBroken
            parts.append(part)
            count -= len(part)
        return b"".join(parts)

    def _wait(self, descriptor: int, what: int) -> None:
        """Wait until the descriptor is ready, or the other side gone with nothing left to read."""
        if self.ended is None:
            return  # the call itself waits
        waiting = select.poll()
        waiting.register(descriptor, what)
        waiting.register(self.ended, _READ)
        if descriptor not in dict(waiting.poll()):
            raise LineBroken
