"""The published JSON Schemas are those of what is really written."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

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
    assert cli("schema").out.split() == list(SCHEMAS)
