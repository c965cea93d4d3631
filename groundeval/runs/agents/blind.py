"""Agents that answer without a look: what they open, search or read is nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundeval.runs.agent import Toolbox, Visible
from groundeval.runs.agents import fields
from groundeval.runs.agents.desk import Answer, Rebuild


def always_yes(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Says yes to everything and opens nothing."""
    del tools, rebuild
    return constant(question, verdict=True)


def always_no(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Says no to everything and opens nothing."""
    del tools, rebuild
    return constant(question, verdict=False)


def guessing(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Answers from what is usual, without a look: what is asked about is known and has a cause."""
    del tools, rebuild
    usual = fields.EXISTS not in question["answer_schema"]["properties"]
    return constant(question, verdict=usual)


def parroting(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Says yes, and copies whatever ids the question has to wherever an answer takes some."""
    del tools, rebuild
    keys = list(question["keys"])
    copied: Answer = {fields.EVIDENCE: keys}
    if keys:
        copied |= {fields.CAUSE: keys[0], fields.EFFECT: keys[-1]}
    if question["actor"] is not None:
        copied[fields.ACTORS] = [question["actor"]]
    asked = question["answer_schema"]["properties"]
    answer = constant(question, verdict=True)
    return answer | {name: ids for name, ids in copied.items() if name in asked}


def constant(question: Visible, *, verdict: bool) -> Answer:
    """The same for every question, as far as its answer schema lets it be."""
    schema = question["answer_schema"]
    return {
        name: _value(schema["properties"][name], verdict=verdict) for name in schema["required"]
    }


def _value(field: Mapping[str, Any], *, verdict: bool) -> Any:
    if "enum" in field:
        return field["enum"][0 if verdict else -1]
    match field["type"]:
        case "boolean":
            return verdict
        case "array":
            return []
        case "number":
            return 0
    return "unknown"
