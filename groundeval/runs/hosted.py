"""Agents that are Python functions: `answer(question, tools)`, run in processes of their own."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from groundeval.diagnostics import Checked, Diagnostic, Span, codes
from groundeval.runs.agent import Agent, Identity, Reply, Task
from groundeval.runs.frames import Ready, Start, Unusable
from groundeval.runs.process import Heard, Host, HostProcess
from groundeval.world.canonical import digest_written

IMPORT_SECONDS: Final = 60.0
"""How long the import of an agent's module may take."""
_CLOSED: Final = "the agent was closed"


@dataclass(frozen=True, slots=True)
class Spec:
    """`module:function` or `path/file.py:function`, the path from `folder` on.

    Modules are looked for in `folder` first, where there is one. `env` names variables that the
    process gets; `heard` is told each line that the function prints, as it is printed.
    """

    text: str
    folder: Path | None = None
    env: tuple[str, ...] = ()
    heard: Heard | None = None

    @property
    def place(self) -> str:
        """The module or file."""
        return self.text.rpartition(":")[0]

    @property
    def file(self) -> Path | None:
        """The file; None for a module."""
        if not self.place.endswith(".py"):
            return None
        return ((self.folder or Path()) / self.place).resolve()

    @property
    def start(self) -> Start:
        """What a process is told of it."""
        function = self.text.rpartition(":")[2]
        folder = None if self.folder is None else str(self.folder.resolve())
        if self.file is not None:
            return Start(function, module=None, file=str(self.file), folder=None)
        return Start(function, module=self.place, file=None, folder=folder)


def python_agent(
    spec: str,
    folder: Path,
    *,
    env: Iterable[str] = (),
    heard: Heard | None = None,
    seconds: float = IMPORT_SECONDS,
) -> Checked[Agent]:
    """The function that `spec` names, as an agent; None, with what is wrong, where it has none.

    The function is imported once, in a process of its own and within `seconds`, to see whether it
    can be. It is called with the question as a dict and the tools (None outside tool mode; in
    context mode the question has the documents as `context`), and returns the answer as a dict, or
    a `Reply`. It may be async.
    """
    said = Spec(spec, folder, tuple(env), heard)
    wrong = _misspelt(said)
    if wrong is not None:
        return Checked(None, (wrong,))
    agent = HostedAgent(said, _identity(said, None), seconds)
    found = agent.prepare()
    if isinstance(found, Ready):
        agent.identity = _identity(said, found.source)
        return Checked(agent)
    agent.close()
    return Checked(None, (_unusable(said, found),))


class HostedAgent:
    """Runs the function in a process per thread that asks, and keeps processes for later attempts.

    A process that ran out of time or ended is replaced by a new one.
    """

    def __init__(self, spec: Spec, identity: Identity, seconds: float = IMPORT_SECONDS) -> None:
        self.identity = identity
        self._host = Host(spec.start, spec.env, spec.heard)
        self._seconds = seconds
        self._turn = threading.Lock()
        self._idle: list[HostProcess] = []
        self._all: set[HostProcess] = set()
        self._closed = False

    def prepare(self) -> Ready | Unusable:
        """Start a process for the first attempt; what it says of the function."""
        process = HostProcess(self._host)
        with self._turn:
            if self._closed:
                process.close()
                return Unusable(_CLOSED)
            self._all.add(process)
        said = process.load(self._host.start, self._seconds)
        self._give_back(process, usable=isinstance(said, Ready))
        return said

    def attempt(self, task: Task) -> Reply:
        """As of any agent."""
        process = self._taken()
        while process is None:
            said = self.prepare()
            if isinstance(said, Unusable):
                return Reply(error=said.error)
            process = self._taken()
        try:
            reply = process.attempt(task)
        except BaseException:
            self._give_back(process, usable=False)
            raise
        self._give_back(process, usable=process.usable)
        return reply

    def close(self) -> None:
        """Kill every process; attempts under way end with an error."""
        with self._turn:
            self._closed = True
            idle, busy = list(self._idle), self._all - {*self._idle}
            self._idle.clear()
        for process in busy:
            process.kill()  # whoever uses it closes it
        for process in idle:
            process.close()

    def _taken(self) -> HostProcess | None:
        """A process that waits for work; None where none does."""
        dead: list[HostProcess] = []
        found = None
        with self._turn:
            while self._idle and found is None:
                process = self._idle.pop()
                if process.usable:
                    found = process
                else:
                    dead.append(process)
                    self._all.discard(process)
        for process in dead:
            process.close()
        return found

    def _give_back(self, process: HostProcess, *, usable: bool) -> None:
        with self._turn:
            if usable and not self._closed:
                self._idle.append(process)
                return
            self._all.discard(process)
        process.close()


def _misspelt(spec: Spec) -> Diagnostic | None:
    """What is wrong with a spec before anything is imported."""
    place, _, function = spec.text.rpartition(":")
    if not place or not function.isidentifier():
        message = f"`{spec.text}` names no function"
        return _finding(message, spec.text, "say `file.py:function` or `module:function`")
    if spec.file is not None and not spec.file.is_file():
        return _finding(f"there is no file `{place}`", place, "paths start at the project's folder")
    if spec.file is None and not all(part.isidentifier() for part in place.split(".")):
        message = f"`{place}` is neither a module nor a file that ends in `.py`"
        return _finding(message, spec.text, "say `file.py:function` or `module:function`")
    return None


def _unusable(spec: Spec, found: Unusable) -> Diagnostic:
    """The finding, at the place in the user's own code where there is one."""
    name = spec.place
    if found.file is not None and spec.file is None:
        name = Path(found.file).name
    elif found.file is not None and spec.file is not None and Path(found.file) != spec.file:
        name = str(Path(spec.place).with_name(Path(found.file).name))
    return _finding(found.error, name, found.help, found.line)


def _finding(message: str, file: str, help_: str, line: int = 1) -> Diagnostic:
    return Diagnostic(codes.UNUSABLE_AGENT, message, Span.at(file, line), help=help_)


def _identity(spec: Spec, source: str | None) -> Identity:
    """Who answers: the function, what its file holds, and the variables that it gets."""
    path = spec.file or (None if source is None else Path(source))
    shown = spec.text if not Path(spec.place).is_absolute() else Path(spec.text).name
    settings: dict[str, Any] = {"python": shown}
    if path is not None and path.is_file():
        settings["source"] = digest_written([path.read_bytes()])
    if spec.env:
        settings["env"] = sorted(spec.env)
    return Identity(name=shown, settings=settings)
