"""`groundeval run`: what it makes, where it goes on, and what it refuses."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from groundeval.reports.documents import RunReport
from groundeval.traces.chain import chain
from groundeval.traces.model import Trace
from groundeval.traces.reader import read_traces
from tests.cli.running import CONTRACT, PROJECT, Done, cli, write_desk
from tests.conftest import ROOT
from tests.runs.endpoints.stub import scripted, stub
from tests.runs.endpoints.wire import Said

NO = '{"exists": false, "evidence_artifacts": []}'
AGENTS = f"""
agents:
  says-no:
    command: [sh, -c, 'cat > /dev/null; echo ''{NO}''']
  moody:
    command: [sh, -c, 'grep -q "$REFUSED" && exit 3; echo ''{NO}''']
    env: [REFUSED]
  broken: {{ command: [sh, -c, "echo sorry >&2; exit 1"] }}
  slow:
    command: [sh, -c, 'cat > /dev/null; sleep 0.2; echo ''{NO}''']
  stuck: {{ command: [sh, -c, "cat > /dev/null; sleep 60 & echo $! > $PIDS; wait"], env: [PIDS] }}
  mine: {{ python: "agent.py:answer" }}
"""
pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the agents are shell commands")


@pytest.fixture
def desk(tmp_path: Path) -> Path:
    return write_desk(tmp_path / "desk", {"groundeval.yaml": PROJECT + AGENTS})


def run(desk: Path, agent: str, *more: object) -> Done:
    return cli("run", desk, "--agent", agent, "-o", desk / "out", "--mode", "zero-shot", *more)


def traces(desk: Path) -> list[Trace]:
    found = list(read_traces([desk / "out" / "traces.jsonl"]))
    assert all(isinstance(trace, Trace) for trace in found), found
    return [trace for trace in found if isinstance(trace, Trace)]


def questions(desk: Path) -> list[str]:
    assert cli("compile", desk, "-o", desk / "contract").code == 0
    lines = (desk / "contract" / "questions.jsonl").read_text().splitlines()
    return [json.loads(line)["id"] for line in lines]


def test_each_question_is_asked_and_the_next_step_is_named(desk: Path) -> None:
    done = run(desk, "says-no")
    assert (done.code, done.out) == (0, "")
    path = desk / "out" / "traces.jsonl"
    assert done.err.splitlines() == [
        f"4 attempts made, in {path}",
        f"score them: groundeval score {desk} --traces {path} -o {desk / 'out'}",
    ]
    assert [t.question for t in traces(desk)] == questions(desk)
    assert {(t.agent, t.mode, t.error) for t in traces(desk)} == {("says-no", "zero-shot", None)}
    words = done.err.splitlines()[1].removeprefix("score them: groundeval ").split()
    assert cli(*words).code == 0


def test_a_run_that_is_done_is_not_done_again(desk: Path) -> None:
    run(desk, "says-no")
    before = (desk / "out" / "traces.jsonl").read_bytes()
    done = run(desk, "says-no")
    assert done.code == 0
    assert done.err.startswith("4 of 4 attempts were made before\n0 attempts made, in ")
    assert (desk / "out" / "traces.jsonl").read_bytes() == before


def test_a_run_goes_on_where_it_stopped(desk: Path) -> None:
    run(desk, "says-no")
    path = desk / "out" / "traces.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(lines[2] + lines[0] + lines[3][:50])
    done = run(desk, "says-no")
    assert done.code == 0
    assert "warning[GEV830]: the last line was cut off: 50 bytes" in done.err
    assert "2 of 4 attempts were made before\n2 attempts made" in done.err
    after = path.read_bytes().splitlines(keepends=True)
    assert (after[0], after[2]) == (lines[0], lines[2])
    assert [t.question for t in traces(desk)] == questions(desk)


def test_epochs_are_added_to_those_there_are(desk: Path) -> None:
    run(desk, "says-no")
    done = run(desk, "says-no", "--epochs", 2)
    assert "4 of 8 attempts were made before\n4 attempts made" in done.err
    assert [(t.question, t.epoch) for t in traces(desk)] == [
        (q, epoch) for q in questions(desk) for epoch in (1, 2)
    ]


def test_agents_and_modes_share_a_folder(desk: Path) -> None:
    run(desk, "says-no")
    run(desk, "broken")
    cli("run", desk, "--agent", "says-no", "--mode", "context", "-o", desk / "out")
    found = [(t.question, t.agent, t.mode) for t in traces(desk)]
    ways = [("broken", "zero-shot"), ("says-no", "context"), ("says-no", "zero-shot")]
    assert found == [(q, *way) for q in questions(desk) for way in ways]


def test_the_document_says_what_was_done(desk: Path) -> None:
    run(desk, "says-no", "--only", questions(desk)[0])
    done = run(desk, "says-no", "--epochs", 2, "--json")
    document = done.document
    msgspec.convert(document, RunReport, strict=True)
    assert document.pop("contract").startswith("sha256:")
    assert document == {
        "schema": "groundeval.run/1", "agent": "says-no", "mode": "zero-shot", "gated": True,
        "questions": 4, "epochs": 2, "before": 1, "made": 7, "left": 0, "errors": 0,
        "interrupted": False, "traces": str(desk / "out" / "traces.jsonl"),
    }  # fmt: skip


def test_scores_may_follow_at_once(desk: Path) -> None:
    done = run(desk, "says-no", "--score")
    assert done.code == 0
    assert "state-invalid rate" in done.out
    summary = json.loads((desk / "out" / "summary.json").read_text())
    assert summary["overall"]["n"] == 4
    assert run(desk, "says-no", "--score", "--json").document == summary


# --- agents that fail


def test_failures_are_told_and_made_again_only_when_that_is_said(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, *others = questions(desk)
    monkeypatch.setenv("REFUSED", first)
    done = run(desk, "moody")
    assert done.code == 0
    assert "the agent failed in 1; `--retry-errors` makes them again" in done.err
    assert "  once: the command ended with exit code 3" in done.err
    assert [t.question for t in traces(desk) if t.error] == [first]
    monkeypatch.setenv("REFUSED", "nothing")
    assert "0 attempts made" in run(desk, "moody").err
    before = {t.question: t.started for t in traces(desk)}
    done = run(desk, "moody", "--retry-errors")
    assert "1 attempt made" in done.err
    assert "failed" not in done.err
    after = {t.question: t.started for t in traces(desk)}
    assert not [t for t in traces(desk) if t.error]
    assert {q: after[q] for q in others} == {q: before[q] for q in others}


def test_where_every_attempt_failed_nothing_could_be_decided(desk: Path) -> None:
    done = run(desk, "broken", "--epochs", 2, "--workers", 3)
    assert done.code == 3
    assert "the agent failed in 8" in done.err
    assert "  8 times: the command ended with exit code 1: sorry" in done.err
    assert run(desk, "broken", "--epochs", 2, "--json").document["errors"] == 8


def test_time_that_runs_out_is_an_error(desk: Path) -> None:
    done = run(desk, "slow", "--max-seconds", 0.05)
    assert done.code == 3
    assert "4 times: out of time: 0.05 s" in done.err


# --- what would be mixed up


def test_other_settings_of_an_agent_are_not_mixed_with_those_before(desk: Path) -> None:
    run(desk, "says-no")
    before = (desk / "out" / "traces.jsonl").read_bytes()
    refused = run(desk, "says-no", "--max-steps", 3, "--json")
    assert (refused.code, refused.slugs) == (2, ["other-attempts"])
    assert "`--fresh`" in refused.findings[0]["help"]
    assert (desk / "out" / "traces.jsonl").read_bytes() == before
    run(desk, "broken")
    done = run(desk, "says-no", "--max-steps", 3, "--fresh")
    assert "4 attempts made" in done.err
    steps = {t.agent: (t.settings or {})["run"].get("steps") for t in traces(desk)}
    assert steps == {"says-no": 3, "broken": None}
    assert len(traces(desk)) == 8
    assert run(desk, "says-no", "--max-steps", 3).code == 0


def test_one_question_may_be_asked_anew(desk: Path) -> None:
    run(desk, "says-no")
    before = {t.question: t.started for t in traces(desk)}
    first, *others = questions(desk)
    assert "1 attempt made" in run(desk, "says-no", "--only", first, "--fresh").err
    after = {t.question: t.started for t in traces(desk)}
    assert list(after) == [first, *others]
    assert after[first] != before[first]
    assert {q: after[q] for q in others} == {q: before[q] for q in others}


def test_a_folder_of_another_contract_is_refused(desk: Path) -> None:
    run(desk, "says-no")
    (desk / "desk.gev").write_text(CONTRACT.replace("within  7d", "within  6d"))
    before = (desk / "out" / "traces.jsonl").read_bytes()
    for more in ((), ("--fresh",)):
        done = run(desk, "says-no", "--json", *more)
        assert (done.code, done.slugs) == (2, ["stale-contract"])
        assert done.findings[0]["file"].endswith("traces.jsonl")
    assert (desk / "out" / "traces.jsonl").read_bytes() == before


def test_a_folder_with_a_broken_line_is_refused(desk: Path) -> None:
    (desk / "out").mkdir()
    (desk / "out" / "traces.jsonl").write_text('{broken\n{"question": "q"}\n')
    done = run(desk, "says-no", "--json")
    assert (done.code, done.slugs) == (2, ["malformed-record"])
    assert done.findings[0]["line"] == 1


def test_a_place_that_cannot_be_written_is_told(desk: Path) -> None:
    (desk / "out").write_text("a file")
    done = run(desk, "says-no", "--json")
    assert (done.code, done.slugs) == (2, ["unwritable-output"])


def test_a_full_disk_ends_the_run_and_what_was_kept_stays(desk: Path) -> None:
    words = [sys.executable, "-m", "groundeval", "run", str(desk), "--agent", "says-no"]
    words += ["--mode", "zero-shot", "-o", str(desk / "out"), "--json"]
    limited = ["sh", "-c", 'ulimit -f 4; exec "$@"', "sh", *words]  # at most 4 KiB a file
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        limited, cwd=ROOT, capture_output=True, text=True, env=environment, check=False
    )
    assert done.returncode == 2, done.stderr
    (found,) = json.loads(done.stdout)["findings"]
    assert found["slug"] == "unwritable-output"
    assert "File too large" in found["message"]
    kept = len(traces(desk))
    assert 0 < kept < 4
    assert f"{kept} of 4 attempts were made before\n" in run(desk, "says-no").err


# --- what is asked


def test_only_some_questions_or_tracks_are_asked(desk: Path) -> None:
    first, second, *_ = questions(desk)
    run(desk, "says-no", "--only", second, "--only", first)
    assert [t.question for t in traces(desk)] == [first, second]
    assert "2 of 4 attempts were made before" in run(desk, "says-no", "--only", "silence").err
    wrong = run(desk, "says-no", "--only", "silense")
    assert wrong.code == 2
    assert "no question and no track is `silense`" in wrong.err
    assert "did you mean `silence`?" in wrong.err


def test_seals_need_their_key_and_are_made_with_it(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run(desk, "says-no", "--seal-key-env", "SEAL").code == 2
    monkeypatch.setenv("SEAL", "secret")
    assert run(desk, "says-no", "--seal-key-env", "SEAL").code == 0
    text = (desk / "out" / "traces.jsonl").read_text()
    assert "secret" not in text
    assert {t.recorder.chain for t in traces(desk) if t.recorder} == {chain((), b"secret")}
    assert run(desk, "says-no").code == 2, "unsealed traces are not mixed with sealed ones"
    monkeypatch.setenv("SEAL", "another")
    assert run(desk, "says-no", "--seal-key-env", "SEAL").code == 2, "nor are those of two keys"
    monkeypatch.setenv("SEAL", "secret")
    assert run(desk, "says-no", "--seal-key-env", "SEAL").code == 0


def test_a_rate_is_kept(desk: Path) -> None:
    began = time.monotonic()
    assert run(desk, "says-no", "--rate", "10/second", "--workers", 4).code == 0
    assert time.monotonic() - began >= 0.3


WRONG: dict[str, tuple[tuple[object, ...], str]] = {
    "mode": (("--mode", "tools"), "there is no mode `tools`"),
    "rate": (("--rate", "fast"), "`--rate fast` is not like `30/minute`"),
    "no rate": (("--rate", "0/minute"), "is not like"),
    "ungated": (("--ungated",), "nothing is opened"),
    "context": (("--context-tokens", 5), "is for mode `context`"),
    "backend": (("--backend", "sqlite"), "is for mode `tool`"),
    "infer": (("--infer",), "for models behind an API"),
    "epochs": (("--epochs", 0), "greater than or equal to 1"),
    "no agent": (("--agent", "says-now"), "there is no agent `says-now`"),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_makes_no_sense_is_refused_before_anything_is_done(desk: Path, name: str) -> None:
    arguments, said = WRONG[name]
    done = run(desk, "says-no", *arguments)
    assert done.code == 2
    assert said in done.err
    assert not (desk / "out").exists()


def test_a_misspelt_agent_is_helped(desk: Path) -> None:
    done = run(desk, "says-not", "--json")
    assert done.slugs == ["unknown-agent"]
    assert done.findings[0]["help"] == "did you mean `says-no`?"
    done = run(desk, "zzz", "--json")
    assert "`file.py:function`" in done.findings[0]["help"]


# --- interrupted


def started(desk: Path, agent: str, *more: str, env: dict[str, str] | None = None) -> Any:
    command = [sys.executable, "-m", "groundeval", "run", str(desk), "--agent", agent]
    command += ["--mode", "zero-shot", "-o", str(desk / "out"), *more]
    return subprocess.Popen(
        command, cwd=ROOT, stderr=subprocess.PIPE, text=True, env={**os.environ, **(env or {})}
    )


def until(holds: Callable[[], bool]) -> None:
    for _ in range(600):
        if holds():
            return
        time.sleep(0.05)
    raise AssertionError("it did not come to pass in 30 s")


def begun(desk: Path) -> bool:
    path = desk / "out" / "traces.jsonl"
    return path.exists() and path.stat().st_size > 0


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupted_run_keeps_what_it_has_and_says_how_to_go_on(
    desk: Path, number: signal.Signals
) -> None:
    process = started(desk, "slow", "--epochs", "5")
    until(lambda: begun(desk))
    process.send_signal(number)
    _, err = process.communicate(timeout=60)
    kept = len(traces(desk))
    assert process.returncode == 130, err
    assert err.splitlines()[-2:] == [
        f"interrupted: {kept} attempt{'s' * (kept > 1)} kept in {desk / 'out' / 'traces.jsonl'}",
        f"the same command goes on with the other {20 - kept}",
    ]
    assert 0 < kept < 20
    assert not [t for t in traces(desk) if t.error]
    done = run(desk, "slow", "--epochs", 5, "--workers", 4)
    assert done.err.startswith(f"{kept} of 20 attempts were made before\n")
    assert len(traces(desk)) == 20


def test_a_killed_run_goes_on_and_leaves_what_an_undisturbed_one_would(desk: Path) -> None:
    process = started(desk, "slow", "--epochs", "3", "--workers", "2")
    until(lambda: begun(desk))
    process.kill()
    process.communicate(timeout=60)
    kept = {(t.question, t.epoch): t.started for t in traces(desk)}
    assert 0 < len(kept) < 12
    assert run(desk, "slow", "--epochs", 3, "--workers", 4).code == 0
    resumed = traces(desk)
    assert kept.items() <= {(t.question, t.epoch): t.started for t in resumed}.items()
    assert run(desk, "slow", "--epochs", 3, "--workers", 4, "--fresh").code == 0
    whole = traces(desk)
    assert list(map(timeless, resumed)) == list(map(timeless, whole))


def timeless(trace: Trace) -> bytes:
    return msgspec.json.encode(msgspec.structs.replace(trace, started=None))


def test_a_terminal_sees_how_far_it_is(desk: Path) -> None:
    ours, theirs = os.openpty()
    command = [sys.executable, "-m", "groundeval", "run", str(desk), "--agent", "broken"]
    command += ["--mode", "zero-shot", "-o", str(desk / "out")]
    process = subprocess.Popen(command, cwd=ROOT, stderr=theirs, stdout=subprocess.PIPE)
    os.close(theirs)
    shown = b""
    with suppress(OSError):  # how a terminal ends on Linux
        while piece := os.read(ours, 1 << 16):
            shown += piece
    os.close(ours)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (3, b"")
    assert b"4/4" in shown
    assert b"4 failed" in shown


def test_an_interrupted_run_leaves_no_process_behind(desk: Path) -> None:
    pids = desk / "pids"
    process = started(desk, "stuck", env={"PIDS": str(pids)})
    until(lambda: pids.exists() and pids.read_text().endswith("\n"))
    process.send_signal(signal.SIGTERM)
    _, err = process.communicate(timeout=60)
    assert process.returncode == 130, err
    child = int(pids.read_text())

    def gone() -> bool:
        try:
            state = Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split()[0]
        except FileNotFoundError:
            return True
        return state == "Z"

    if Path("/proc/self").exists():
        until(gone)
    assert traces(desk) == []


# --- agents of every kind

LOOKING = """\
def answer(question, tools):
    print("thinking")
    (key, *_) = question["keys"]
    found = [hit.id for hit in tools.search(f"solution {key}", "wiki").hits]
    return {"exists": bool(found), "evidence_artifacts": found}
"""
SERVED = """\
import asyncio, json, os, sys
import httpx2
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

async def main():
    question = json.load(sys.stdin)
    bearer = {"Authorization": "Bearer " + os.environ["GROUNDEVAL_MCP_TOKEN"]}
    async with (
        httpx2.AsyncClient(headers=bearer) as http,
        Client(streamable_http_client(os.environ["GROUNDEVAL_MCP_URL"], http_client=http)) as tools,
    ):
        for _ in range(3):
            await tools.call_tool("fetch", {"id": question["keys"][0]})
        answer = {"exists": False, "evidence_artifacts": []}
        await tools.call_tool("submit_answer", answer)

asyncio.run(main())
"""


def tool_run(desk: Path, agent: object, *more: object) -> Done:
    return cli("run", desk, "--agent", agent, "-o", desk / "out", *more)


def test_a_python_function_of_the_project_looks_with_the_tools(desk: Path) -> None:
    (desk / "agent.py").write_text(LOOKING)
    done = tool_run(desk, "mine", "--workers", 2)
    assert (done.code, done.out) == (0, ""), done.err
    assert {t.agent for t in traces(desk)} == {"mine"}
    assert all([s.tool for s in t.steps] == ["search"] for t in traces(desk))
    assert tool_run(desk, "mine").err.startswith("4 of 4 attempts were made before\n")
    (desk / "agent.py").write_text(LOOKING + "\n")
    assert tool_run(desk, "mine", "--json").slugs == ["other-attempts"]


def test_a_python_function_may_be_named_by_its_file(
    desk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_agent.py").write_text(LOOKING)
    monkeypatch.chdir(tmp_path)
    assert tool_run(desk, "my_agent.py:answer", "--max-steps", 0).code == 3
    assert {t.error for t in traces(desk)} != {None}
    done = tool_run(desk, "my_agent.py:answer", "--fresh")
    assert done.code == 0, done.err
    assert {(t.agent, t.error) for t in traces(desk)} == {("my_agent.py:answer", None)}


@pytest.mark.parametrize("spec", ["gone.py:answer", "agent.py:reply", "agent.py:"])
def test_a_function_that_is_not_there_is_told_before_anything_is_done(
    desk: Path, spec: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (desk / "agent.py").write_text(LOOKING)
    monkeypatch.chdir(desk)
    done = tool_run(desk, spec, "--json")
    assert (done.code, len(done.findings)) == (2, 1)
    assert not (desk / "out").exists()


def test_scripted_agents_need_no_setting(desk: Path) -> None:
    assert tool_run(desk, "always-no", "--backend", "sqlite").code == 0
    assert {t.agent for t in traces(desk)} == {"always-no"}
    assert tool_run(desk, "always-no").code == 2, "another backend, other attempts"
    assert tool_run(desk, "always-no", "--backend", "nothing", "--json").code == 2


def test_a_command_gets_its_tools_over_mcp(desk: Path) -> None:
    pytest.importorskip("mcp")
    (desk / "served.py").write_text(SERVED)
    agent = f"  served: {{ command: ['{sys.executable}', served.py], files: [served.py] }}\n"
    (desk / "groundeval.yaml").write_text(PROJECT + AGENTS + agent)
    done = tool_run(desk, "served", "--max-steps", 2, "--only", questions(desk)[0])
    assert done.code == 0, done.err
    (trace,) = traces(desk)
    assert [(s.tool, s.text) for s in trace.steps] == [("fetch", True)] * 2
    assert trace.answer == {"exists": False, "evidence_artifacts": []}


def test_a_model_behind_an_api_is_asked_once_and_its_responses_kept(
    desk: Path,
) -> None:
    pytest.importorskip("openai")
    with stub(scripted(Said(text=NO))) as served:
        agent = f"  local: {{ openai: {{ model: m, base_url: '{served.url}' }} }}\n"
        (desk / "groundeval.yaml").write_text(PROJECT + AGENTS + agent)
        ordered = ("local", "--cache", desk / "cache", "--max-tokens", 100_000)
        assert run(desk, *ordered).code == 3, "free text is no answer"
        asked = len(served.asked)
        done = run(desk, *ordered, "--infer", "--fresh")
        assert done.code == 0, done.err
        assert {t.model for t in traces(desk)} == {"stub-1"}
        assert {str(t.fidelity) for t in traces(desk)} == {"{'answer': 'inferred'}"}
        assert len(served.asked) >= asked
        again = len(served.asked)
        assert run(desk, *ordered, "--infer", "--fresh").code == 0
        assert len(served.asked) == again, "every response was kept"
