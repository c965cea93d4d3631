"""What happens to outputs when something is in their way, and to text on odd terminals."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from groundeval import api
from groundeval.diagnostics import Diagnostic
from groundeval.scoring.model import Result
from groundeval.world.drafts import Drafts
from tests.cli.running import CONTRACT, cli, traces_for, write_desk

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "groundeval"]


@pytest.mark.parametrize("place", ["file", "file/below", "link"])
@pytest.mark.parametrize("command", ["compile", "score", "demo"])
def test_an_output_that_cannot_be_written(desk: Path, command: str, place: str) -> None:
    (desk / "file").write_text("keep me")
    (desk / "link").symlink_to(desk / "gone" / "far")
    (desk / "gone").write_text("")
    cli("compile", desk, "-o", desk / "out")
    (desk / "t.jsonl").write_text(traces_for(desk / "out/questions.jsonl"))
    arguments: dict[str, list[object]] = {
        "compile": [desk],
        "score": [desk, "--traces", desk / "t.jsonl"],
        "demo": [],
    }
    done = cli(command, *arguments[command], "-o", desk / place)
    assert (done.code, done.out) == (2, ""), done.err
    assert "cannot be written" in done.err
    assert cli(command, *arguments[command], "-o", desk / place, "--json").slugs == [
        "unwritable-output"
    ]
    assert (desk / "file").read_text() == "keep me"


def test_a_full_disk_is_no_bug(desk: Path) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("needs /dev/full")
    (desk / "out").mkdir()
    (desk / "out/.contract.json.draft").symlink_to("/dev/full")
    cli("compile", desk, "-o", desk / "out")
    command = f"ulimit -f 1; exec {sys.executable} -m groundeval compile {desk} -o {desk / 'small'}"
    done = subprocess.run(["bash", "-c", f"trap '' XFSZ; {command}"], capture_output=True, text=True,
                          check=False, cwd=ROOT)  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert "cannot be written" in done.stderr
    assert not list((desk / "small").iterdir()), "neither files nor drafts are left"


def _traces(desk: Path, times: int) -> Path:
    cli("compile", desk, "-o", desk / "out")
    questions = desk / "out/questions.jsonl"
    path = desk / "traces.jsonl"
    path.write_text("".join(traces_for(questions, epoch=n + 1) for n in range(times)))
    return path


def test_what_ends_early_leaves_the_old_files(desk: Path) -> None:
    path = _traces(desk, 3)
    assert cli("score", desk, "--traces", path, "-o", desk / "s").code == 0
    before = {p.name: p.read_bytes() for p in (desk / "s").iterdir()}
    prepared = api.prepare_scoring(api.open_project(desk).value)  # type: ignore[arg-type]
    assert prepared.value is not None

    def interrupted() -> object:
        for number, result in enumerate(api.score_files(prepared.value, [path])):  # type: ignore[arg-type]
            yield result
            if number == 5:
                raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        api.write_scores(interrupted(), desk / "s")  # type: ignore[arg-type]
    assert {p.name: p.read_bytes() for p in (desk / "s").iterdir()} == before


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGKILL, -9)])
def test_signals_in_the_middle_of_scoring(desk: Path, sent: signal.Signals, code: int) -> None:
    path = _traces(desk, 1)
    assert cli("score", desk, "--traces", path, "-o", desk / "s").code == 0
    before = {p.name: p.read_bytes() for p in (desk / "s").iterdir()}
    pipe = desk / "slow.jsonl"
    os.mkfifo(pipe)
    # Scoring goes on as long as the pipe stays open, so the signal arrives while results are drafts.
    command = [*COMMAND, "score", str(desk), "--traces", str(pipe), "-o", str(desk / "s")]
    running = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT
    )
    with pipe.open("w"):
        pass  # the check that it can be opened
    with pipe.open("w") as writer:
        writer.write(path.read_text())
        writer.flush()
        for _ in range(200):
            if any(p.suffix == ".part" for p in (desk / "s").iterdir()):
                break
            time.sleep(0.05)
        running.send_signal(sent)
        out, err = running.communicate(timeout=30)
    assert running.returncode == code, err
    assert out == ""
    assert "Traceback" not in err
    after = {p.name: p.read_bytes() for p in (desk / "s").iterdir() if p.suffix != ".part"}
    assert after == before
    left = [p for p in (desk / "s").iterdir() if p.suffix == ".part"]
    assert bool(left) == (sent is signal.SIGKILL)
    assert cli("score", desk, "--traces", path, "-o", desk / "s").code == 0
    assert {p.name: p.read_bytes() for p in (desk / "s").iterdir()} == before


def _piped(line: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(
        ["bash", "-c", f"set -o pipefail; {line}"], capture_output=True, check=False, cwd=ROOT,
        env={**os.environ, "G": " ".join(COMMAND), **environment},
    )  # fmt: skip


def test_a_reader_that_leaves_changes_nothing(tmp_path: Path) -> None:
    many = "".join(f'{{"id": "e{n}"}}\n' for n in range(3000))
    write_desk(tmp_path, {"events.jsonl": many})
    for command in (f"$G check {tmp_path}", f"$G check {tmp_path} --json"):
        done = _piped(f"{command} | head -1")
        assert done.returncode == 1, "what `check` found, not that nobody read it"
        assert done.stderr == b""
        assert done.stdout.count(b"\n") == 1
    done = _piped("$G schema trace | head -1")
    assert (done.returncode, done.stderr) == (0, b"")


def test_terminals_that_do_not_speak_utf_8(tmp_path: Path) -> None:
    desk = write_desk(tmp_path, {"desk.gev": CONTRACT.replace("actor bob", "actor Жанна")})
    broken = write_desk(
        tmp_path / "b", {"desk.gev": CONTRACT.replace("actor bob: e", "actor é: f")}
    )
    done = cli("check", broken, encoding="latin-1")
    assert done.code == 1
    assert "actor é" in done.out
    done = cli("check", broken, encoding="ascii")
    assert "actor \\xe9" in done.out
    assert done.code == 1
    piped = _piped(f"$G compile {desk} -o {tmp_path / 'out'} --json", PYTHONIOENCODING="latin-1")
    assert json.loads(piped.stdout.decode())["schema"] == "groundeval.compile/1"


def test_documents_are_utf_8_whatever_the_terminal_speaks(tmp_path: Path) -> None:
    desk = write_desk(tmp_path, {"desk.gev": CONTRACT.replace("missing_solution", "ответ")})
    piped = _piped(f"$G compile {desk} -o {tmp_path / 'out'} --json", PYTHONIOENCODING="latin-1")
    assert "ответ" in json.loads(piped.stdout.decode("utf-8"))["silences"]


@pytest.mark.parametrize(
    "environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}, {"COLUMNS": "20"}, {}]
)
def test_piped_output_holds_no_colours(desk: Path, environment: dict[str, str]) -> None:
    path = _traces(desk, 1)
    done = _piped(f"$G score {desk} --traces {path} -o {desk / 's'}", **environment)
    assert done.returncode == 0
    assert b"\x1b" not in done.stdout + done.stderr
    assert max(map(len, done.stdout.decode().splitlines())) <= 80


def _on_terminal(line: str, columns: int, **environment: str) -> bytes:
    """What a command writes to a terminal of that width."""
    if not Path("/usr/bin/script").exists():
        pytest.skip("needs `script` to make a terminal")
    inner = f"stty cols {columns}; {line}"
    done = subprocess.run(
        ["script", "-qec", inner, "/dev/null"], capture_output=True, check=False, cwd=ROOT,
        stdin=subprocess.DEVNULL,
        env={"PATH": os.environ["PATH"], "TERM": "xterm-256color", "G": " ".join(COMMAND), **environment},
    )  # fmt: skip
    return done.stdout


def test_terminals_of_any_width_and_no_colour(desk: Path) -> None:
    path = _traces(desk, 1)
    line = f"$G score {desk} --traces {path} -o {desk / 's'}"
    coloured = _on_terminal(line, 120)
    assert b"\x1b[" in coloured
    assert b"state-invalid rate" in coloured
    narrow = _on_terminal(line, 40)
    assert b"silence" in narrow
    plain = _on_terminal(line, 120, NO_COLOR="1")
    assert b"\x1b[31m" not in plain
    assert b"state-invalid rate" in plain


def test_two_writers_never_mix(tmp_path: Path) -> None:
    with Drafts(tmp_path / "a") as drafts:
        drafts.write("x", b"first")
        (part,) = (tmp_path / "a").iterdir()
        assert str(os.getpid()) in part.name
    assert (tmp_path / "a/x").read_bytes() == b"first"
    assert [p.name for p in (tmp_path / "a").iterdir()] == ["x"]


def test_drafts_of_living_writers_and_files_of_others_stay(tmp_path: Path) -> None:
    kept = tmp_path / "a" / ".notes.txt.12.part"
    left = tmp_path / "a" / ".results.jsonl.12.part"
    with Drafts(tmp_path / "a") as drafts:
        drafts.open("results.jsonl").write(b"first")
        kept.write_text("mine")
        left.write_text("of a process long gone")
        with Drafts(tmp_path / "a") as others:
            assert not left.exists()
            others.open("results.jsonl").write(b"second")
        assert (tmp_path / "a/results.jsonl").read_bytes() == b"second"
    assert (tmp_path / "a/results.jsonl").read_bytes() == b"first"
    assert sorted(p.name for p in (tmp_path / "a").iterdir()) == [kept.name, "results.jsonl"]
    assert (tmp_path / "a/results.jsonl").stat().st_mode & 0o777 == kept.stat().st_mode & 0o777


def test_score_files_hand_on_results_and_findings(desk: Path) -> None:
    path = _traces(desk, 1)
    path.write_text(path.read_text() + "{}\n")
    prepared = api.prepare_scoring(api.open_project(desk).value)  # type: ignore[arg-type]
    assert prepared.value is not None
    kinds = [type(item) for item in api.score_files(prepared.value, [path])]
    assert kinds == [Result] * 4 + [Diagnostic]
