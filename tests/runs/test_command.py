"""Agents that are commands: what they get, what they hand back, how they fail."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from groundeval.runs.agent import Address, Budget, Mode, Reply, Task
from groundeval.runs.command import Command, CommandAgent
from groundeval.runs.replies import FetchReply, SearchReply

QUESTION = {"id": "q-1", "text": "was it là?", "answer_schema": {}}


class Tools:
    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        return SearchReply(available=True)

    def fetch(self, artifact_id: object) -> FetchReply:
        return FetchReply(str(artifact_id), available=False)


class Admitted:
    def __init__(self, submitted: dict[str, Any] | None) -> None:
        self.address = Address("http://127.0.0.1:1/mcp", "secret")
        self.submitted = submitted


class Gate:
    def __init__(self, submitted: dict[str, Any] | None = None) -> None:
        self.submitted = submitted
        self.open = 0

    @contextmanager
    def admit(self, task: Task) -> Iterator[Admitted]:
        self.open += 1
        yield Admitted(self.submitted)
        self.open -= 1


def attempt(
    script: str,
    *,
    mode: Mode = Mode.TOOL,
    gate: Gate | None = None,
    seconds: float | None = 20,
    given: tuple[FetchReply, ...] = (),
    env: tuple[str, ...] = (),
    files: dict[str, Path] | None = None,
) -> Reply:
    gate = gate or Gate()
    agent = CommandAgent(Command("mine", (sys.executable, "-c", script), env, files or {}), gate)
    tools = Tools() if mode is Mode.TOOL else None
    reply = agent.attempt(Task(QUESTION, mode, 1, tools, given, Budget(seconds=seconds)))
    assert gate.open == 0
    return reply


TELL = "import json, os, sys; told = json.load(sys.stdin); print(json.dumps({'v': %s}))"


def told(what: str, **more: Any) -> Any:
    reply = attempt(TELL % what, **more)
    assert reply.answer is not None, reply.error
    return reply.answer["v"]


def test_the_question_comes_on_standard_input() -> None:
    assert told("told") == {**QUESTION, "mode": "tool"}
    assert told("told['mode']", mode=Mode.ZERO_SHOT) == "zero-shot"
    given = (FetchReply("T-1", available=True, title="a", subsystem="s", text="body"),)
    packed = told("told['context']", mode=Mode.CONTEXT, given=given)
    assert [(d["id"], d["text"]) for d in packed] == [("T-1", "body")]


def test_the_environment_is_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MY_SECRET", "s3cret")
    monkeypatch.setenv("MY_KEY", "k3y")
    found = told("dict(os.environ)", env=("MY_KEY", "NOT_SET"))
    assert "MY_SECRET" not in found
    assert "NOT_SET" not in found
    assert found["MY_KEY"] == "k3y"
    assert found["GROUNDEVAL_MCP_URL"] == "http://127.0.0.1:1/mcp"
    assert found["GROUNDEVAL_MCP_TOKEN"] == "secret"
    assert not any(str(Path.cwd()) in v for n, v in found.items() if n != "PATH")
    outside = told("dict(os.environ)", mode=Mode.ZERO_SHOT)
    assert "GROUNDEVAL_MCP_URL" not in outside


def test_it_starts_in_an_empty_folder_that_goes_away() -> None:
    folder, inside = told("[os.getcwd(), os.listdir()]")
    assert inside == []
    assert not Path(folder).exists()
    assert told("os.path.realpath(os.environ['HOME']) == os.path.realpath(os.getcwd())") is True


def test_files_are_put_into_the_folder(tmp_path: Path) -> None:
    (tmp_path / "agent.py").write_text("x = 1")
    (tmp_path / "lib").mkdir()
    (tmp_path / "lib" / "more.txt").write_text("y")
    files = {"agent.py": tmp_path / "agent.py", "lib": tmp_path / "lib"}
    assert told("sorted(os.listdir()) + os.listdir('lib')", files=files) == [
        "agent.py", "lib", "more.txt",
    ]  # fmt: skip


def test_another_content_is_another_identity(tmp_path: Path) -> None:
    path = tmp_path / "agent.py"
    command = Command("mine", ("python", "agent.py"), (), {"agent.py": path})
    path.write_text("x = 1")
    first = command.identity
    path.write_text("x = 2")
    assert first != command.identity
    path.write_text("x = 1")
    assert first == command.identity


def test_an_answer_that_was_handed_in_counts_before_a_printed_one() -> None:
    gate = Gate({"exists": True})
    assert attempt("print('{\"exists\": false}')", gate=gate).answer == {"exists": True}
    assert attempt("raise SystemExit(3)", gate=gate).answer == {"exists": True}


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("pass", "the command printed no JSON object"),
        ("print('yes')", "the command printed no JSON object"),
        ("raise SystemExit(3)", "the command ended with exit code 3"),
        ("raise ValueError('no key')", "the command ended with exit code 1: ValueError: no key"),
        ("import os; os.kill(os.getpid(), 9)", "the command ended with signal 9"),
        ("print('{' * 3_000_000)", "the command printed more than 1,048,576 bytes"),
        ("while True: print('x' * 999)", "the command printed more than 1,048,576 bytes"),
        ("import sys; sys.stdout.buffer.write(bytes(range(256)))", "printed no JSON object"),
        ("print('{\"answer\": {}, \"cited\": 3}')", "the reply does not fit"),
    ],
)  # fmt: skip
def test_its_failures_are_errors_of_the_agent(script: str, said: str) -> None:
    reply = attempt(script)
    assert reply.answer is None
    assert said in (reply.error or "")
    assert str(Path.cwd()) not in (reply.error or "")


def test_a_program_that_is_not_there_is_an_error_of_the_agent() -> None:
    agent = CommandAgent(Command("mine", ("no-such-program-anywhere",)), Gate())
    reply = agent.attempt(Task(QUESTION, Mode.TOOL, 1, Tools(), (), Budget()))
    assert reply.error == "`no-such-program-anywhere` cannot be started: no such file or directory"


def test_time_is_kept_and_children_go_too(tmp_path: Path) -> None:
    child = tmp_path / "child"
    script = (
        "import subprocess, sys, time\n"
        f"p = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        f"open({str(child)!r}, 'w').write(str(p.pid))\n"
        "time.sleep(60)"
    )
    began = time.monotonic()
    assert attempt(script, seconds=1.5).error == "out of time: 1.5 s"
    assert time.monotonic() - began < 10
    pid = int(child.read_text())
    deadline = time.monotonic() + 5
    while _alive(pid) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _alive(pid)


def test_a_child_that_keeps_the_pipes_open_does_not_hold_the_run_up() -> None:
    script = (
        "import subprocess, sys\n"
        "subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "print('{\"exists\": true}')"
    )
    began = time.monotonic()
    assert attempt(script).answer == {"exists": True}
    assert time.monotonic() - began < 10


def test_a_command_need_not_read_its_input() -> None:
    huge = tuple(FetchReply(f"T-{n}", available=True, text="x" * 10_000) for n in range(100))
    reply = attempt("print(json.dumps({'a': 1}))".replace("json.dumps", "__import__('json').dumps"),
                    mode=Mode.CONTEXT, given=huge)  # fmt: skip
    assert reply.answer == {"a": 1}


def test_a_large_context_arrives_whole() -> None:
    huge = tuple(FetchReply(f"T-{n}", available=True, text="é" * 10_000) for n in range(100))
    assert told("len(told['context'])", mode=Mode.CONTEXT, given=huge) == 100


def _alive(pid: int) -> bool:
    try:
        state = Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state != "Z"


@pytest.mark.skipif(os.name == "nt", reason="signals")
def test_json_on_the_output_may_follow_chatter() -> None:
    lines = ["thinking", json.dumps({"exists": False}), "better:", json.dumps({"exists": True})]
    assert attempt(f"print({chr(10).join(lines)!r})").answer == {"exists": True}
