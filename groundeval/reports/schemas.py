"""JSON Schemas of the documents that the product reads and writes, made from their models."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any, Final

import msgspec

from groundeval.diagnostics.render.json import Findings
from groundeval.questions.model import Question
from groundeval.reports.documents import CompileReport, ContractFile, Graph, RunReport
from groundeval.scoring.model import Result
from groundeval.scoring.summary import Summary
from groundeval.traces.model import Trace

SCHEMAS: Final[Mapping[str, Any]] = MappingProxyType(
    {
        "compile": CompileReport,
        "contract": ContractFile,
        "findings": Findings,
        "graph": Graph,
        "question": Question,
        "result": Result,
        "run": RunReport,
        "summary": Summary,
        "trace": Trace,
    }
)
"""The documents by name; a line of a JSONL file counts as one."""


def schema_of(name: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of document `name`. Raises KeyError for an unknown one."""
    found = msgspec.json.schema(SCHEMAS[name])
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", "title": name, **found}
