"""A process that runs an agent's Python function, as the run sees it."""

from __future__ import annotations

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Final

import msgspec

import groundeval
from groundeval.runs.agent import BudgetSpent, Mode, Reply, Task, Toolbox
from groundeval.runs.failures import plain
from groundeval.runs.frames import (
    Ask,
    Done,
    Failed,
    FetchCall,
    Found,
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
from groundeval.runs.surroundings import environment, kill

_BOOT: Final = (
    "import sys; sys.path[:] = sys.argv[1:]; del sys.argv[1:];"
    "from groundeval.runs.host import main; main()"
)
_PATIENCE: Final = 5.0
"""Seconds for a killed process to go."""
_LAST_WORDS: Final = 0.5
"""Seconds for what a process printed to be read once it has ended."""
_SHORTEST_SECRET: Final = 6
_LONGEST_LINE: Final = 2000
_CHUNK: Final = 1 << 16

Heard = Callable[[str], None]
"""Is told each line that the agent prints."""


@dataclass(frozen=True, slots=True)
class Host:
    """What a process is started for: the function, the variables it gets, who hears it print."""

    start: Start
    env: tuple[str, ...] = ()
    heard: Heard | None = None


class HostProcess:
    """One process, in an empty folder with a small environment, for one attempt at a time."""

    def __init__(self, host: Host) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="agent-", ignore_cleanup_errors=True)
        self._ending = threading.Lock()
        self._late = False
        self._timed = False
        folder = Path(self._folder.name).resolve()
        given = environment(folder, host.env)
        secrets = (given.get(name, "") for name in host.env)
        self._secrets = [value for value in secrets if len(value) >= _SHORTEST_SECRET]
        self._process = _started(folder, given)
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        assert self._process.stderr is not None
        self._ended, ending = os.pipe()
        self._line = _line(self._process.stdout, self._process.stdin, self._ended)
        self._printed = _Printed(self._process.stderr, host.heard)
        threading.Thread(target=self._sweep, args=(ending,), daemon=True).start()

    def load(self, start: Start, seconds: float) -> Ready | Unusable:
        """Have the function loaded, within so many seconds; the process is of no use otherwise."""
        with self._within(seconds):
            try:
                self._line.send(start)
                said = self._line.from_agent()
            except LineBroken as broken:
                return _unended(self._reason(broken, seconds))
        if isinstance(said, Ready | Unusable):
            return said
        return _unended("it sent a message out of its turn")

    @property
    def usable(self) -> bool:
        """Whether it can take another attempt."""
        return not self._late and self._process.poll() is None

    def attempt(self, task: Task) -> Reply:
        """The reply to a task; every failure of the function or of its process is an error in it.

        What the tools raise, but for `BudgetSpent`, comes through, and the process is killed.
        """
        seconds = task.budget.seconds
        with self._within(seconds):
            try:
                return self._talked(task)
            except LineBroken as broken:
                return Reply(error=self._clean(self._reason(broken, seconds)))
            except BaseException:
                kill(self._process)
                raise

    def kill(self) -> None:
        """End it now, with whatever it started. An attempt under way ends with an error."""
        kill(self._process)

    def close(self) -> None:
        """Kill it, and remove its folder."""
        kill(self._process)
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_PATIENCE)
        self._printed.join()
        for pipe in (self._process.stdin, self._process.stdout, self._process.stderr):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()
        os.close(self._ended)
        self._folder.cleanup()

    def _talked(self, task: Task) -> Reply:
        question = dict(task.question)
        if task.mode is Mode.CONTEXT:
            question["context"] = [msgspec.to_builtins(reply) for reply in task.given]
        self._line.send(Ask(question, task.tools is not None))
        while True:
            said = self._line.from_agent()
            match said:
                case SearchCall() | FetchCall() if task.tools is not None:
                    self._line.send(_called(task.tools, said))
                case Done(reply):
                    return self._cleaned(reply)
                case Failed(error):
                    return Reply(error=self._clean(error))
                case _:
                    raise LineBroken("it sent a message out of its turn")

    def _cleaned(self, reply: Reply) -> Reply:
        if reply.error is None:
            return reply
        return msgspec.structs.replace(reply, error=self._clean(plain(reply.error)))

    def _clean(self, text: str) -> str:
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text

    def _reason(self, broken: LineBroken, seconds: float | None) -> str:
        """Why the line broke: the time, what was sent, or how the process ended."""
        if self._late:
            return f"out of time: {seconds:g} s"
        if str(broken):
            kill(self._process)
            return f"the agent's process was ended: {broken}"
        try:
            code = self._process.wait(_PATIENCE)
        except subprocess.TimeoutExpired:
            kill(self._process)
            return "the agent's process was ended: it closed its line to the run"
        self._printed.join()
        last = self._printed.last
        said = f": {plain(last)}" if last else ""
        return f"the agent's process ended with {_ending(code)}{said}"

    @contextmanager
    def _within(self, seconds: float | None) -> Iterator[None]:
        """Kill the process when the seconds are over, and not a moment after they count."""
        if seconds is None:
            yield
            return
        timer = threading.Timer(seconds, self._expire)
        timer.daemon = True
        self._timed = True
        timer.start()
        try:
            yield
        finally:
            with self._ending:
                self._timed = False
            timer.cancel()

    def _expire(self) -> None:
        with self._ending:
            if self._timed:
                self._late = True
                kill(self._process)

    def _sweep(self, ending: int) -> None:
        """Once it ends, end what it left behind, and the waiting for what it might still say."""
        self._process.wait()
        kill(self._process)
        os.close(ending)


class _Printed:
    """Reads what a process prints, line by line; the last line is kept."""

    def __init__(self, stream: IO[bytes], heard: Heard | None) -> None:
        self._stream = stream
        self._heard = heard
        self.last = ""
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def join(self) -> None:
        self._thread.join(_LAST_WORDS)

    def _read(self) -> None:
        rest = b""
        with suppress(OSError, ValueError):  # closed under us: there is nothing more to read
            while part := self._stream.read(_CHUNK):
                *lines, rest = (rest + part).split(b"\n")
                for line in lines:
                    self._take(line)
                if len(rest) > _LONGEST_LINE:
                    self._take(rest)
                    rest = b""
        if rest:
            self._take(rest)

    def _take(self, line: bytes) -> None:
        text = line[:_LONGEST_LINE].decode("utf-8", "replace").rstrip()
        if self._heard is not None:
            self._heard(text)
        self.last = text.strip() or self.last


def _started(folder: Path, given: dict[str, str]) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-X", "utf8", "-c", _BOOT, *_path()]
    return subprocess.Popen(  # noqa: S603 - our own module, without a shell
        command,
        cwd=folder,
        env=given,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,  # nothing of ours holds a stream while a thread still reads from it
        start_new_session=True,
    )


def _line(reading: IO[bytes], writing: IO[bytes], ended: int) -> Line:
    """The line to a process; where waiting for several things at once cannot be had, without."""
    if not hasattr(select, "poll"):
        return Line(reading.fileno(), writing.fileno())
    os.set_blocking(writing.fileno(), False)
    return Line(reading.fileno(), writing.fileno(), ended)


def _path() -> list[str]:
    """Where modules are looked for: as here, but for the folder that we happen to be in."""
    ours = Path(groundeval.__file__).resolve().parent.parent
    here = Path.cwd()
    places = [Path(place) for place in sys.path if place]
    kept = [str(p.resolve()) for p in places if p.is_absolute() and p != here]
    return list(dict.fromkeys([*kept, str(ours)]))


def _called(tools: Toolbox, call: SearchCall | FetchCall) -> FromRun:
    try:
        if isinstance(call, SearchCall):
            return Found(tools.search(call.query, call.subsystem, call.limit))
        return Given(tools.fetch(call.artifact))
    except BudgetSpent as spent:
        return Spent(str(spent))


def _unended(reason: str) -> Unusable:
    help_ = "let the module define the function, and do its work when that is called"
    return Unusable(f"its import did not end: {reason}", help=help_)


def _ending(code: int) -> str:
    if code >= 0:
        return f"exit code {code}"
    known = {int(s): s.name for s in signal.Signals}
    return f"signal {known.get(-code, -code)}"
