"""An agent that is a command: a process for each attempt, which gets the question on its input."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO, Any, Final

import msgspec

from groundeval.runs import surroundings
from groundeval.runs.agent import Admission, Gateway, Identity, Mode, Reply, Task
from groundeval.runs.answers import answer_in, reply_of
from groundeval.world.canonical import canonical_json, digest_written

URL: Final = "GROUNDEVAL_MCP_URL"
TOKEN: Final = "GROUNDEVAL_MCP_TOKEN"  # noqa: S105 - a variable's name
_MOST_OUTPUT: Final = 1 << 20
_MOST_COMPLAINT: Final = 200
_PATIENCE: Final = 5.0
"""Seconds for a killed process to go."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command as a project sets it.

    `words` are the program and its arguments, `env` names further variables that it gets, and
    `files` (name → where it stands) are put into the folder that it is started in.
    """

    name: str
    words: tuple[str, ...]
    env: tuple[str, ...] = ()
    files: Mapping[str, Path] = field(default_factory=dict)

    @property
    def identity(self) -> Identity:
        """Who answers: the command, the names it is given, and what its files hold."""
        held = {name: digest_written(_contents(path)) for name, path in sorted(self.files.items())}
        settings = {"command": list(self.words), "env": sorted(self.env), "files": held}
        return Identity(name=self.name, settings=settings)


class CommandAgent:
    """Starts the command once for each attempt, in an empty folder with a small environment.

    On its input it gets the question as one JSON object, in tool mode the address of the tools in
    `GROUNDEVAL_MCP_URL` and `GROUNDEVAL_MCP_TOKEN`. Its answer is what it handed in with
    `submit_answer`, else the last JSON object on its output. It is killed with all its children
    when its seconds are over. Without a `gateway` it gets no tools in any mode.
    """

    def __init__(self, command: Command, gateway: Gateway | None) -> None:
        self._command = command
        self._gateway = gateway
        self._living = _Living()
        self.identity = command.identity

    def attempt(self, task: Task) -> Reply:
        """As of any agent."""
        gateway = self._gateway if task.mode is Mode.TOOL and task.tools is not None else None
        admitting = nullcontext(None) if gateway is None else gateway.admit(task)
        with _folder(self._command.files) as folder, admitting as admission:
            environment = self._environment(folder, admission)
            ended = self._run(folder, environment, task)
        submitted = None if admission is None else admission.submitted
        if submitted is not None:
            return Reply(answer=submitted)
        return ended if isinstance(ended, Reply) else _answered(ended)

    def close(self) -> None:
        """Kill what still runs; its attempts end with an error."""
        self._living.end()

    def _run(self, folder: Path, environment: Mapping[str, str], task: Task) -> _Ended | Reply:
        """Run to the end; an error where it cannot be started or has to be killed."""
        process = _started(self._command.words, folder, environment)
        if isinstance(process, Reply):
            return process
        with self._living.holding(process):
            return _ending(process, folder, asked(task), task.budget.seconds)

    def _environment(self, folder: Path, admission: Admission | None) -> dict[str, str]:
        found = surroundings.environment(folder, self._command.env)
        if admission is not None:
            found |= {URL: admission.address.url, TOKEN: admission.address.token}
        return found


def asked(task: Task) -> bytes:
    """What a process is told of its task: the visible question, with `mode` and any `context`."""
    told: dict[str, Any] = {**task.question, "mode": task.mode.value}
    if task.mode is Mode.CONTEXT:
        told["context"] = [msgspec.to_builtins(reply) for reply in task.given]
    return canonical_json(told) + b"\n"


@dataclass(frozen=True, slots=True)
class _Ended:
    """A process that came to its own end."""

    code: int
    output: str
    complaint: str


def _answered(ended: _Ended) -> Reply:
    if ended.code:
        how = f"exit code {ended.code}" if ended.code > 0 else f"signal {-ended.code}"
        return Reply(error=f"the command ended with {how}{ended.complaint}")
    found = answer_in(ended.output)
    if found is None:
        return Reply(error=f"the command printed no JSON object{ended.complaint}")
    return reply_of(found)


class _Living:
    """The processes that run now, of attempts on any thread."""

    def __init__(self) -> None:
        self._processes: set[subprocess.Popen[bytes]] = set()
        self._turn = threading.Lock()
        self._over = False

    @contextmanager
    def holding(self, process: subprocess.Popen[bytes]) -> Iterator[None]:
        """Around the life of a process; it is killed when all are, or have been."""
        with self._turn:
            self._processes.add(process)
            if self._over:
                surroundings.kill(process)
        try:
            yield
        finally:
            with self._turn:
                self._processes.discard(process)

    def end(self) -> None:
        """Kill all that run, and whatever begins after this."""
        with self._turn:
            self._over = True
            for process in self._processes:
                surroundings.kill(process)


def _started(
    words: tuple[str, ...], folder: Path, environment: Mapping[str, str]
) -> subprocess.Popen[bytes] | Reply:
    try:
        return subprocess.Popen(  # noqa: S603 - the user's own command, without a shell
            words,
            cwd=folder,
            env=dict(environment),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        )
    except (OSError, ValueError) as fault:
        reason = fault.strerror if isinstance(fault, OSError) and fault.strerror else str(fault)
        return Reply(error=f"`{words[0]}` cannot be started: {reason.lower()}")


def _ending(
    process: subprocess.Popen[bytes], folder: Path, told: bytes, seconds: float | None
) -> _Ended | Reply:
    """Tell the process its task and wait for its end; an error where it has to be killed."""
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stderr is not None
        output = _Reading(process.stdout, _MOST_OUTPUT, lambda: surroundings.kill(process))
        complaint = _Reading(process.stderr, None, lambda: None)
        writing = threading.Thread(target=_write, args=(process.stdin, told), daemon=True)
        writing.start()
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            return Reply(error=f"out of time: {seconds:g} s")
        finally:
            surroundings.kill(process)  # its children too, which would keep the pipes open
            writing.join(_PATIENCE)
            output.join()
            complaint.join()
    if output.overflowed:
        return Reply(error=f"the command printed more than {_MOST_OUTPUT:,} bytes")
    return _Ended(code, output.text, _last_words(complaint.text, folder))


class _Reading:
    """Reads a stream to its end in a thread; beyond `most` bytes it calls `enough` and stops.

    Without `most` the last part is kept.
    """

    def __init__(self, stream: IO[bytes], most: int | None, enough: Callable[[], None]) -> None:
        self._stream = stream
        self._most = most
        self._enough = enough
        self._kept = b""
        self.overflowed = False
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    @property
    def text(self) -> str:
        return self._kept.decode("utf-8", "replace")

    def join(self) -> None:
        self._thread.join(_PATIENCE)

    def _read(self) -> None:
        with suppress(OSError, ValueError):  # closed under us: there is nothing more to read
            while chunk := os.read(self._stream.fileno(), 1 << 16):
                self._kept += chunk
                if self._most is None:
                    self._kept = self._kept[-(1 << 12) :]
                elif len(self._kept) > self._most:
                    self.overflowed = True
                    self._enough()
                    return


def _write(stream: IO[bytes], told: bytes) -> None:
    with suppress(OSError), stream:  # a command need not read its input
        stream.write(told)


def _last_words(complaint: str, folder: Path) -> str:
    """The last line of what it said on its error output, to be put behind a reason."""
    lines = [line.strip() for line in complaint.replace(str(folder), ".").splitlines()]
    said = [line for line in lines if line]
    return f": {said[-1][:_MOST_COMPLAINT]}" if said else ""


@contextmanager
def _folder(files: Mapping[str, Path]) -> Iterator[Path]:
    """A folder of its own, with nothing in it but these files."""
    with tempfile.TemporaryDirectory(prefix="agent-", ignore_cleanup_errors=True) as made:
        folder = Path(made)
        for name, path in files.items():
            target = folder / name
            target.parent.mkdir(parents=True, exist_ok=True)
            if path.is_dir():
                shutil.copytree(path, target)
            else:
                shutil.copy(path, target)
        yield folder


def _contents(path: Path) -> Iterator[bytes]:
    """A file, or every file of a folder with its name before it."""
    if not path.is_dir():
        yield path.read_bytes()
        return
    for inner in path.rglob("*"):
        if inner.is_file():
            name = inner.relative_to(path).as_posix().encode("utf-8", "surrogateescape")
            yield name + b"\0" + inner.read_bytes()
