"""The published JSON Schemas are those of what is really written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from groundeval.project import open_project
from groundeval.reports.schemas import SCHEMAS
from tests.cli.running import cli, traces_for


@pytest.fixture
def documents(desk: Path) -> dict[str, list[dict[str, Any]]]:
    out = desk / "out"
    cli("compile", desk, "-o", out)
    (desk / "t.jsonl").write_text(traces_for(out / "questions.jsonl"))
    cli("score", desk, "--traces", desk / "t.jsonl", "-o", out)

    run = cli("run", desk, "--agent", "always-no", "-o", desk / "run", "--json")

    def lines(path: Path) -> list[dict[str, Any]]:
        return [json.loads(line) for line in path.read_text().splitlines()]

    return {
        "compile": [json.loads((out / "compile.json").read_text())],
        "contract": [json.loads((out / "contract.json").read_text())],
        "findings": [cli("check", desk / "nowhere", "--json").document],
        "graph": [json.loads((out / "graph.json").read_text())],
        "question": lines(out / "questions.jsonl"),
        "result": lines(out / "results.jsonl"),
        "run": [run.document],
        "summary": [json.loads((out / "summary.json").read_text())],
        "trace": lines(desk / "t.jsonl"),
    }


def _properties(schema: dict[str, Any]) -> dict[str, Any]:
    target = schema["$ref"].rpartition("/")[2] if "$ref" in schema else None
    found = schema["$defs"][target] if target else schema
    return dict(found["properties"])


@pytest.mark.parametrize("name", SCHEMAS)
def test_documents_fit_their_schemas(name: str, documents: dict[str, list[dict[str, Any]]]) -> None:
    assert documents[name]
    schema = json.loads(cli("schema", name).out)
    assert schema["$schema"].startswith("https://json-schema.org/")
    known = set(_properties(schema))
    for document in documents[name]:
        msgspec.convert(document, SCHEMAS[name], strict=True)
        assert document["schema"] == f"groundeval.{name}/1"
        assert set(document) <= known, "no field goes without a schema"


def test_the_schemas_are_listed() -> None:
    names = sorted([*SCHEMAS, "project"])
    assert cli("schema").out.split() == names
    assert cli("schema", "--json").document["names"] == names
    assert cli("schema", "projekt", "--json").findings[0]["help"] == "did you mean `project`?"


PROJECTS: dict[str, tuple[str, bool]] = {
    "least": ("contract: a.gev", True),
    "most": (
        """
contract: a.gev
events: e.jsonl
artifacts: artifacts/
output: out/
seed: 7
caps: { silence: 4 }
params: { silence: { enough: 2 } }
agents:
  mine: { python: "agent.py:answer" }
  theirs: { command: [python, agent.py], env: [TOKEN], files: [agent.py] }
  model: { openai: { model: m, key_env: KEY, temperature: 0.5, seed: 1 } }
  other: { anthropic: { model: m, max_output_tokens: 100 } }
""",
        True,
    ),
    "no contract": ("seed: 1", False),
    "an unknown setting": ("contract: a.gev\nevent: e.jsonl", False),
    "a negative cap": ("contract: a.gev\ncaps: { silence: -1 }", False),
    "a seed that is a text": ("contract: a.gev\nseed: x", False),
    "an agent of no kind": ("contract: a.gev\nagents: { mine: { env: [A] } }", False),
    "an agent of two kinds": (
        "contract: a.gev\nagents: { mine: { python: p, command: [c] } }",
        False,
    ),
    "a model without a name": ("contract: a.gev\nagents: { mine: { openai: {} } }", False),
    "an empty command": ("contract: a.gev\nagents: { mine: { command: [] } }", False),
}


@pytest.mark.parametrize("name", PROJECTS)
def test_the_schema_of_a_project_takes_what_is_read_and_nothing_else(
    name: str, tmp_path: Path
) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    text, fits = PROJECTS[name]
    (tmp_path / "a.gev").write_text("gev 1\n")
    (tmp_path / "groundeval.yaml").write_text(text)
    assert open_project(tmp_path).ok is fits
    schema = json.loads(cli("schema", "project").out)
    assert schema["title"] == "project"
    found = list(jsonschema.Draft202012Validator(schema).iter_errors(yaml.safe_load(text)))
    assert (not found) is fits, found


def test_the_examples_fit_the_schema_of_a_project() -> None:
    jsonschema = pytest.importorskip("jsonschema")
    validator = jsonschema.Draft202012Validator(json.loads(cli("schema", "project").out))
    root = Path(__file__).parents[2]
    files = sorted(root.glob("examples/**/groundeval.yaml"))
    assert files
    for file in files:
        assert list(validator.iter_errors(yaml.safe_load(file.read_text()))) == []


def test_an_entry_of_a_list_is_counted_from_1(tmp_path: Path) -> None:
    (tmp_path / "a.gev").write_text("gev 1\n")
    text = "contract: a.gev\nagents:\n  mine:\n    command: [python, 7]\n"
    (tmp_path / "groundeval.yaml").write_text(text)
    (found,) = open_project(tmp_path).diagnostics
    assert found.message.startswith("the setting entry 2 of `agents.mine.command` does not fit")
    assert (found.span.line, found.span.column) == (4, 23)
