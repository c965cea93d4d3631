"""Command lines themselves: help, wrong usage, one JSON document, exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundeval import __version__, api
from groundeval.cli.app import run
from groundeval.cli.exits import Exit
from tests.cli.running import cli, write_desk

COMMANDS = ["check", "compile", "score", "test", "demo", "schema", "import config"]


@pytest.mark.parametrize("command", ["", "import", *COMMANDS])
def test_help_says_what_a_command_does_and_takes(command: str) -> None:
    done = cli(*command.split(), "--help")
    assert done.code == 0
    assert done.err == ""
    assert done.out.startswith("Usage: groundeval")
    options = [line for line in done.out.splitlines() if line.startswith("  -")]
    assert not [line for line in options if "<" in line], "what an option takes is said in words"
    assert max(map(len, done.out.splitlines())) <= 80


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_speaks_json(command: str) -> None:
    assert "--json" in cli(*command.split(), "--help").out


def test_the_version() -> None:
    assert cli("--version").out == f"groundeval {__version__}\n"


@pytest.mark.parametrize(
    "line",
    [
        ["chekc"],
        ["check", "--strct"],
        ["check", "a", "b"],
        ["compile", "--skip-bad", "-1"],
        ["compile", "--skip-bad", "many"],
        ["compile", "-o"],
        ["score", "--workers", "0", "--traces", "x"],
        ["score"],
        ["schema", "nothing"],
        ["import", "config"],
        ["import", "x"],
    ],
    ids=" ".join,
)
def test_wrong_usage_is_exit_code_2(line: list[str]) -> None:
    done = cli(*line)
    assert (done.code, done.out) == (2, "")
    assert done.err
    in_json = cli(line[0], "--json", *line[1:])
    assert in_json.code == 2
    assert in_json.slugs == ["wrong-usage"]
    assert in_json.err == ""


@pytest.mark.parametrize("command", ["check", "compile", "score --traces x"])
@pytest.mark.parametrize("place", ["nowhere", "nowhere/groundeval.yaml", "a.gev", "."])
def test_no_project_is_exit_code_2(
    command: str, place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    name, *options = command.split()
    done = cli(name, place, *options)
    assert (done.code, done.out) == (2, "")
    assert "GEV801" in done.err
    assert cli(name, place, *options, "--json").slugs == ["project-missing"]


def test_a_project_is_its_folder_its_file_or_what_is_here(
    desk: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(desk)
    outputs = [cli("compile", *place, "-o", "out", "--json").document for place in
               ([], ["."], ["groundeval.yaml"], [desk])]  # fmt: skip
    assert all(document == outputs[0] for document in outputs)


def test_a_lone_rule_file_is_checked_for_itself(desk: Path) -> None:
    (desk / "groundeval.yaml").unlink()
    assert cli("check", desk / "desk.gev").code == 0
    compiled = cli("compile", desk / "desk.gev", "-o", desk / "out")
    assert "the project names no event log" in compiled.err


_WRITTEN = "contract.json, questions.jsonl, graph.json, compile.json"


def test_compile_says_what_it_counted_and_what_it_is_short_of(desk: Path) -> None:
    project = (desk / "groundeval.yaml").read_text().replace("silence: 4", "silence: 40")
    (desk / "groundeval.yaml").write_text(project)
    done = cli("compile", desk, "-o", desk / "out")
    assert done.out == ""
    assert "14 events, 14 artifacts" in done.err
    assert "link opened_leads_to_solved: 5" in done.err
    assert "short of silence `absent`: " in done.err
    assert done.err.endswith(f"written to {desk / 'out'}: {_WRITTEN}\n")


def test_compile_in_json_is_what_it_wrote(desk: Path) -> None:
    document = cli("compile", desk, "-o", desk / "out", "--json").document
    assert document == json.loads((desk / "out/compile.json").read_text())


def test_bad_records_can_be_left_out_and_are_counted(desk: Path) -> None:
    with (desk / "events.jsonl").open("a") as log:
        log.write("broken\n{}\n")
    assert cli("compile", desk, "-o", desk / "out").code == 1
    assert cli("compile", desk, "-o", desk / "out", "--skip-bad", "1").code == 1
    done = cli("compile", desk, "-o", desk / "out", "--skip-bad", "2")
    assert done.code == 0
    assert "2 bad records left out" in done.err
    assert json.loads((desk / "out/compile.json").read_text())["skipped"] == 2


def test_findings_go_to_standard_output_in_check_alone(tmp_path: Path) -> None:
    desk = write_desk(tmp_path, {"events.jsonl": "{}\n"})
    checked, compiled = cli("check", desk), cli("compile", desk, "-o", tmp_path / "out")
    assert checked.out == compiled.err
    assert (checked.err, compiled.out) == ("", "")


def test_demo(tmp_path: Path) -> None:
    done = cli("demo", "-o", tmp_path / "out")
    assert done.code == 0, done.err
    assert "state-invalid rate" in done.out
    assert "events" in done.err
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert names == {
        "contract.json", "questions.jsonl", "graph.json", "compile.json", "results.jsonl",
        "summary.json", "traces.jsonl",
    }  # fmt: skip
    assert cli("demo", "--json").document == json.loads((tmp_path / "out/summary.json").read_text())


def test_a_mistake_of_ours_is_told_as_one(
    desk: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def broken(*_: object, **__: object) -> None:
        raise ValueError("oh no")

    monkeypatch.setattr(api, "check_project", broken)
    assert run(["check", str(desk)]) == Exit.BUG
    said = capsys.readouterr().err
    assert "ValueError: oh no" in said
    assert "This is a bug in GroundEval" in said


def test_tests_of_a_file_with_errors_are_said_not_to_have_run(tmp_path: Path) -> None:
    (tmp_path / "broken.gev").write_text('gev 1\ntest "a" { expect nobody == 1 }\n')
    broken = cli("test", tmp_path)
    assert (broken.code, broken.out) == (1, "no test was run, because of these errors\n")
    (tmp_path / "whole.gev").write_text('gev 1\ntest "b" { expect 1 == 1 }\n')
    both = cli("test", tmp_path)
    assert (both.code, both.out) == (1, "1 test passed; those of files with errors were not run\n")


def test_a_misspelt_event_type_of_the_log_is_told_what_it_may_mean(desk: Path) -> None:
    log = (desk / "events.jsonl").read_text()
    (desk / "events.jsonl").write_text(log.replace('"type": "solved"', '"type": "solvd"'))
    done = cli("check", desk)
    assert "`solvd`" in done.out
    assert "did you mean `solved`?" in done.out


def test_a_wrong_name_on_the_command_line_has_no_place_in_a_file() -> None:
    done = cli("schema", "nope")
    assert done.code == 2
    assert "there is no document `nope`" in done.err
    assert "-->" not in done.err
