"""`groundeval serve`: what it refuses, where it says it is, and what it leaves behind."""

from __future__ import annotations

import json
import os
import signal
import socket
import stat
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest

from groundeval.questions.model import Question
from groundeval.runs.agent import Address
from groundeval.traces.model import Trace
from groundeval.traces.reader import read_traces
from tests.cli.running import cli
from tests.runs.desks import compiled_in
from tests.server.clients import over_http

NO: dict[str, Any] = {"exists": False, "evidence_artifacts": []}
TOKEN = "a-token-of-our-own"
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="servers are stopped by signals")


def questions(desk: Path) -> tuple[Question, ...]:
    return compiled_in(desk).drawn.questions


def traces(desk: Path) -> list[Trace]:
    found = list(read_traces([desk / "out" / "traces.jsonl"]))
    assert all(isinstance(trace, Trace) for trace in found), found
    return [trace for trace in found if isinstance(trace, Trace)]


class Serving:
    """A server in a process of its own, and what it said so far."""

    def __init__(self, desk: Path, *more: str, env: dict[str, str] | None = None) -> None:
        command = [sys.executable, "-m", "groundeval", "serve", str(desk), "-o", str(desk / "out")]
        self.sessions = desk / "out" / "sessions.jsonl"
        self.stale = self._told()
        self.process = subprocess.Popen(
            [*command, *more],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )

    def addresses(self) -> dict[str, Address]:
        until(lambda: self._told() not in {"", self.stale} or self.process.poll() is not None)
        assert self.process.poll() is None, self.process.communicate()
        lines = map(json.loads, self._told().splitlines())
        return {line["question"]: Address(line["url"], line["token"]) for line in lines}

    def _told(self) -> str:
        try:
            return self.sessions.read_text(encoding="utf-8")
        except FileNotFoundError:
            return ""

    def ended(self) -> tuple[int, str, str]:
        out, err = self.process.communicate(timeout=30)
        return self.process.returncode, out.decode(), err.decode()


@contextmanager
def serving(desk: Path, *more: str, env: dict[str, str] | None = None) -> Iterator[Serving]:
    server = Serving(desk, *more, env=env)
    try:
        yield server
    finally:
        server.process.kill()
        server.process.communicate()


def until(happened: Callable[[], bool]) -> None:
    late = time.monotonic() + 30
    while not happened():
        assert time.monotonic() < late
        time.sleep(0.02)


def called(address: Address, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    async def play() -> list[Any]:
        async with over_http(address) as client:
            return [(await client.call_tool(*call)).structured_content for call in calls]

    return anyio.run(play)


def test_all_questions_are_served_until_the_last_one_is_answered(desk: Path) -> None:
    asked = questions(desk)
    with serving(desk, "--all", "--json", "--agent", "visitor") as server:
        addresses = server.addresses()
        assert list(addresses) == [q.id for q in asked]
        assert len({a.token for a in addresses.values()}) == len(asked)
        assert stat.S_IMODE(server.sessions.stat().st_mode) == 0o600
        for question in asked:
            got = called(
                addresses[question.id],
                ("question", {}),
                ("fetch", {"id": question.keys[0]}),
                ("submit_answer", NO),
            )
            assert (got[0]["id"], got[2]) == (question.id, {"accepted": True})
        code, out, err = server.ended()
    assert code == 0, err
    assert json.loads(out)["questions"] == [q.id for q in asked]
    assert [line for line in err.splitlines() if line.startswith("ended: ")] == [
        f"ended: {q.id}" for q in asked
    ]
    assert not server.sessions.exists()
    assert not any(a.token in out + err for a in addresses.values()), "tokens are printed nowhere"
    assert [(t.question, t.agent, t.answer, t.epoch) for t in traces(desk)] == [
        (q.id, "visitor", NO, 1) for q in asked
    ]
    scored = cli("score", desk, "--traces", desk / "out" / "traces.jsonl", "-o", desk / "scores")
    assert scored.code == 0, scored.err


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_server_that_is_stopped_records_what_was_begun(desk: Path, number: int) -> None:
    first, second, *_ = questions(desk)
    with serving(desk, "--all") as server:
        addresses = server.addresses()
        called(addresses[first.id], ("fetch", {"id": first.keys[0]}))
        called(addresses[second.id], ("submit_answer", NO))
        server.process.send_signal(number)
        code, _, err = server.ended()
    assert code == 130, err
    assert "Traceback" not in err
    assert not server.sessions.exists()
    assert [(t.question, t.answer, t.error) for t in traces(desk)] == [
        (second.id, NO, None),
        (first.id, None, "the server was stopped"),
    ]


def test_no_accepted_answer_is_lost_by_a_kill(desk: Path) -> None:
    asked = questions(desk)
    accepted = []
    for round_ in range(3):
        with serving(desk, "--all") as server:
            addresses = server.addresses()
            question = asked[round_]
            answer = {**NO, "evidence_artifacts": [f"T-{round_}"]}
            called(addresses[question.id], ("submit_answer", answer))
            server.process.kill()
            accepted.append((question.id, answer, 1))
        assert [(t.question, t.answer, t.epoch) for t in traces(desk)] == accepted


def test_an_answer_over_stdio_survives_a_kill(desk: Path) -> None:
    (asked, *_) = questions(desk)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
    call = {"name": "submit_answer", "arguments": NO}
    with serving(desk, "--question", asked.id) as server:
        written(server, ("initialize", hello, 1), ("notifications/initialized", {}, None),
                ("tools/call", call, 2))  # fmt: skip
        assert server.process.stdout is not None
        said = [json.loads(server.process.stdout.readline()) for _ in range(2)]
        server.process.kill()
    assert said[1]["result"]["structuredContent"] == {"accepted": True}
    assert [(t.question, t.answer, t.settings) for t in traces(desk)] == [
        (asked.id, NO, {"client": "t 1"})
    ]


def test_a_client_that_dies_before_it_has_read_leaves_a_trace(desk: Path) -> None:
    (asked, *_) = questions(desk)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
    call = {"name": "fetch", "arguments": {"id": asked.keys[0]}}
    with serving(desk, "--question", asked.id) as server:
        written(server, ("initialize", hello, 1), ("notifications/initialized", {}, None))
        assert server.process.stdout is not None
        server.process.stdout.readline()
        server.process.stdout.close()
        written(server, *(("tools/call", call, number) for number in range(2, 30)))
        assert server.process.wait(30) == 0
        assert server.process.stderr is not None
        assert server.process.stderr.read() == b""
    (trace,) = traces(desk)
    assert trace.error == "no answer was submitted"
    assert trace.steps


def written(server: Serving, *messages: tuple[str, object, int | None]) -> None:
    lines = [
        {"jsonrpc": "2.0", "method": method, "params": params}
        | ({} if number is None else {"id": number})
        for method, params, number in messages
    ]
    assert server.process.stdin is not None
    server.process.stdin.write("".join(json.dumps(line) + "\n" for line in lines).encode())
    server.process.stdin.flush()


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_ends_a_server_on_standard_input(desk: Path, number: int) -> None:
    (asked, *_) = questions(desk)
    hello = {"protocolVersion": "2025-06-18", "capabilities": {},
             "clientInfo": {"name": "t", "version": "1"}}  # fmt: skip
    call = {"name": "fetch", "arguments": {"id": asked.keys[0]}}
    with serving(desk, "--question", asked.id) as server:
        written(server, ("initialize", hello, 1), ("notifications/initialized", {}, None),
                ("tools/call", call, 2))  # fmt: skip
        assert server.process.stdout is not None
        for _ in range(2):
            server.process.stdout.readline()
        server.process.send_signal(number)
        assert server.process.wait(30) == 128 + number
    (trace,) = traces(desk)
    assert (trace.error, len(trace.steps)) == ("no answer was submitted", 1)


def test_an_idle_attempt_ends(desk: Path) -> None:
    (asked, *_) = questions(desk)
    with serving(desk, "--http", "--question", asked.id, "--idle", "1") as server:
        (address,) = server.addresses().values()
        called(address, ("fetch", {"id": asked.keys[0]}))
        code, _, err = server.ended()
    assert code == 0, err
    (trace,) = traces(desk)
    assert trace.error == "no answer was submitted"


def test_a_token_of_ones_own(desk: Path) -> None:
    (asked, *_) = questions(desk)
    more = ["--http", "--question", asked.id, "--token-env", "OUR_TOKEN"]
    with serving(desk, *more, env={"OUR_TOKEN": TOKEN}) as server:
        (address,) = server.addresses().values()
        assert address.token == TOKEN
        assert called(address, ("submit_answer", NO)) == [{"accepted": True}]
        _, out, err = server.ended()
    assert TOKEN not in out + err


def test_two_servers_do_not_write_into_one_folder(desk: Path) -> None:
    (asked, *_) = questions(desk)
    with serving(desk, "--http", "--question", asked.id) as server:
        server.addresses()
        second = cli("serve", desk, "--question", asked.id, "-o", desk / "out")
    assert (second.code, second.out) == (2, "")
    assert "another run is writing into" in second.err


# --- what is refused before anything is served


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ([], "say which question"),
        (["--all", "--question", "q"], "say which question"),
        (["--question", "q", "--port", "1"], "`--port` is for `--http`"),
        (["--question", "q", "--name", "x"], "`--name` is for `--http`"),
        (["--all", "--token-env", "X"], "each needs a token of its own"),
        (["--question", "q", "--http", "--token-env", "NOT_SET"], "that variable is not set"),
        (["--question", "q", "--http", "--token-env", "SHORT"], "shorter than 16 characters"),
        (["--question", "q", "--http", "--token-env", "ODD"], "holds what no header may"),
        (["--question", "q", "--seal-key-env", "NOT_SET"], "that variable is not set"),
        (["--question", "q"], "there is no question `q`"),
    ],
)
def test_what_cannot_be_served(
    desk: Path, monkeypatch: pytest.MonkeyPatch, given: list[str], said: str
) -> None:
    monkeypatch.setenv("SHORT", "guess-me")
    monkeypatch.setenv("ODD", "a token that has blanks in it")
    done = cli("serve", desk, "-o", desk / "out", *given)
    assert (done.code, done.out) == (2, "")
    assert said in " ".join(done.err.replace("│", " ").split())
    assert not (desk / "out" / "sessions.jsonl").exists()


def test_json_is_said_over_http_alone(desk: Path) -> None:
    done = cli("serve", desk, "--question", "q", "--json")
    assert done.code == 2
    assert "`--json` is for `--http`" in done.findings[0]["message"]


def test_a_port_that_is_taken_is_told(desk: Path) -> None:
    (asked, *_) = questions(desk)
    stale = desk / "out" / "sessions.jsonl"
    stale.parent.mkdir()
    stale.write_text('{"token": "of a server that was killed"}', encoding="utf-8")
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = cli(
            "serve", desk, "--http", "--question", asked.id, "--port", port, "-o", desk / "out"
        )
    assert done.code == 2
    assert f"cannot listen on `127.0.0.1:{port}`" in " ".join(done.err.replace("│", " ").split())
    assert not stale.exists(), "nobody shall take it for this server's"


def test_a_missing_package_is_named(desk: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("groundeval.cli.serving.find_spec", lambda _: None)
    done = cli("serve", desk, "--http", "--question", "q", "--json")
    assert (done.code, done.slugs) == (2, ["missing-extra"])
    assert done.findings[0]["help"] == "pip install 'groundeval[mcp]'"


def test_a_contract_that_does_not_hold_is_not_served(desk: Path) -> None:
    (desk / "desk.gev").write_text("gev 1\ndomain\n", encoding="utf-8")
    done = cli("serve", desk, "--question", "q", "-o", desk / "out")
    assert (done.code, done.out) == (1, "")
    assert not (desk / "out").exists()
