"""The agents of a project file: what may stand there, and where it says what may not."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundeval.project import AgentFile, open_project
from tests.cli.running import PROJECT, Done, cli, write_desk


def desk(folder: Path, *agents: str, **more: str) -> Path:
    text = PROJECT + "agents:\n" + "".join(f"  {line}\n" for line in agents)
    return write_desk(folder / "desk", {"groundeval.yaml": text, **more})


def agents(folder: Path, *lines: str) -> dict[str, AgentFile]:
    found = open_project(desk(folder, *lines))
    assert found.value is not None, found.diagnostics
    return found.value.file.agents


def test_every_kind_of_agent_can_be_set(tmp_path: Path) -> None:
    found = agents(
        tmp_path,
        'mine: { python: "agent.py:answer", env: [KEY] }',
        "shell: { command: [python, agent.py], env: [KEY], files: [agent.py] }",
        "gpt: { openai: { model: m, api: responses, temperature: 0, key_env: K, seed: 3 } }",
        "claude: { anthropic: { model: n, max_output_tokens: 900, infer: true } }",
    )
    assert found["mine"].python == "agent.py:answer"
    assert (found["shell"].command, found["shell"].env) == (["python", "agent.py"], ["KEY"])
    gpt, claude = found["gpt"].openai, found["claude"].anthropic
    assert gpt is not None
    assert claude is not None
    assert (gpt.api, gpt.temperature, gpt.key_env, gpt.seed) == ("responses", 0, "K", 3)
    assert (claude.model, claude.max_output_tokens, claude.infer) == ("n", 900, True)


WRONG = [
    ('a: { pyton: "x:y" }', 8, "unknown setting `agents.a.pyton`", "did you mean `python`?"),
    ("a: { openai: { modle: x, model: y } }", 18, "`agents.a.openai.modle`", "`model`?"),
    ("a: { anthropic: { model: x, api: chat } }", 31, "`agents.a.anthropic.api`", "settings are"),
    ("a: { openai: { temperature: 0 } }", 8, "`agents.a.openai.model` is missing", ""),
    ("a: { openai: { model: x, temperature: hot } }", 41, "a valid number", ""),
    ("a: { openai: { model: x, api: cat } }", 33, "'chat' or 'responses'", ""),
    ('a: { python: "x:y", command: [a] }', 6, "this is `python` and `command`", ""),
    ("a: { openai: { model: x }, env: [A] }", 6, "`env` is for agents with a process", ""),
    ('a: { python: "x:y", files: [A] }', 6, "`files` is for a `command`", ""),
    ("a: { command: [] }", 17, "at least 1 item", ""),
    ("a: {}", 6, "an agent is one of `python`, `command`, `openai`, `anthropic`", ""),
    ("a: hello", 6, "a mapping of settings belongs here", ""),
]


@pytest.mark.parametrize(("line", "column", "said", "help_"), WRONG, ids=[w[0] for w in WRONG])
def test_what_may_not_stand_there_is_told_at_its_place(
    tmp_path: Path, line: str, column: int, said: str, help_: str
) -> None:
    done = cli("check", desk(tmp_path, line), "--json")
    assert (done.code, done.slugs) == (2, ["project-invalid"])
    (found,) = done.findings
    assert said in found["message"]
    assert help_ in (found["help"] or "")
    assert (found["line"], found["column"]) == (PROJECT.count("\n") + 2, column)


def run(folder: Path, *lines: str) -> Done:
    at = desk(folder, *lines)
    return cli("run", at, "--agent", "a", "--mode", "zero-shot", "-o", at / "out", "--json")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("gone.py", "and there is no such file"),
        ("../desk/desk.gev", "which is not within the project's folder"),
        ("/etc/hostname", "which is not within the project's folder"),
    ],
)
def test_files_of_a_command_are_files_of_the_project(
    tmp_path: Path, written: str, said: str
) -> None:
    done = run(tmp_path, f"a: {{ command: [cat], files: [desk.gev, {written}] }}")
    assert (done.code, done.slugs) == (2, ["project-invalid"])
    assert said in done.findings[0]["message"]
    assert done.findings[0]["line"] == PROJECT.count("\n") + 2


def test_a_command_finds_its_files_and_nothing_else(tmp_path: Path) -> None:
    script = "echo '{' '\"reasoning\": \"'$(find . -type f | sort)'\" }'"
    at = desk(tmp_path, "a: { command: [sh, bin/list.sh], files: [bin/list.sh] }")
    (at / "bin").mkdir()
    (at / "bin" / "list.sh").write_text(script)
    done = cli("run", at, "--agent", "a", "--mode", "zero-shot", "-o", at / "out")
    assert done.code == 0, done.err
    assert '"answer":{"reasoning":"./bin/list.sh"}' in (at / "out" / "traces.jsonl").read_text()
    (at / "bin" / "list.sh").write_text(script + "\n")
    changed = cli("run", at, "--agent", "a", "--mode", "zero-shot", "-o", at / "out", "--json")
    assert changed.slugs == ["other-attempts"], "another file is another agent"


def test_a_model_without_its_key_is_told_before_anything_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_SUCH_KEY", raising=False)
    done = run(tmp_path, "a: { openai: { model: x, key_env: NO_SUCH_KEY } }")
    assert (done.code, done.slugs) == (2, ["missing-key"])
    assert done.findings[0]["line"] == PROJECT.count("\n") + 2
