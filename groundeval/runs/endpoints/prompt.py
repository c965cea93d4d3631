"""What a model is told of a task: nothing but the visible question and what its mode gives."""

from __future__ import annotations

import json
from typing import Any, Final

import msgspec

from groundeval.runs.agent import Mode, Task, Visible
from groundeval.runs.endpoints.settings import AnswerBy, EndpointSettings
from groundeval.runs.endpoints.turns import Json, Offered, Told
from groundeval.runs.terms import MOST_TRIES, SUBMIT
from groundeval.world.canonical import digest

_WHO: Final = (
    "You answer one question about a body of documents and a log of events. You say what can be "
    "shown, and you do not guess."
)
_MODES: Final = {
    Mode.TOOL: (
        "Look things up with `search` and `fetch`, a search in the `handbook` subsystem included. "
        "What is closed to you and what does not exist look the same: not available."
    ),
    Mode.CONTEXT: (
        "The documents that you may use stand below the question. There is nothing else to look "
        "up: where the instructions speak of `search` and `fetch`, go by these documents."
    ),
    Mode.ZERO_SHOT: (
        "You get the question alone, without documents or tools to look anything up: pass over "
        "what the instructions say of `search` and `fetch`, and answer as well as you can."
    ),
}
_HAND_IN: Final = {
    AnswerBy.TOOL: f"Hand your answer in by calling `{SUBMIT}`: nothing else is read.",
    AnswerBy.JSON: "When you are done, write your answer as one JSON object and nothing else.",
}
_SEARCH: Final = Offered(
    "search",
    "The documents that fit a query best, as of the question's instant. A search without "
    "`subsystem` goes through all open ones.",
    {
        "type": "object",
        "properties": {
            "query": {"type": "string", "description": "words and ids to look for"},
            "subsystem": {
                "type": "string",
                "description": "search this subsystem only; all open ones when left out",
            },
            "limit": {
                "type": "integer",
                "description": "at most so many results: 10, never over 20",
            },
        },
        "required": ["query"],
        "additionalProperties": False,
    },
)
_FETCH: Final = Offered(
    "fetch",
    "The whole text of a document by its id, and what the log holds about it.",
    {
        "type": "object",
        "properties": {"id": {"type": "string", "description": "the id of a document"}},
        "required": ["id"],
        "additionalProperties": False,
    },
)
_LOOKING: Final = (_SEARCH, _FETCH)
_SUBMITTING: Final = (
    "Hand in the answer to the question. One that fits is final; one that does not may be sent "
    f"again, {MOST_TRIES} times in all. `abstain: true` needs no other field."
)
_LABELS: Final = (
    ("text", "Question"),
    ("instructions", "Instructions"),
    ("actor", "Asked for"),
    ("role", "Role"),
    ("as_of", "As of"),
    ("keys", "Named in the question"),
    ("vocabulary", "Words in use"),
)

WORDING: Final = digest(
    [
        [_WHO, *_MODES.values(), *_HAND_IN.values(), _SUBMITTING],
        [[tool.name, tool.description, tool.schema] for tool in _LOOKING],
    ]
)
"""Tells one wording of the prompts from another: it is a part of who answers."""


def told(settings: EndpointSettings, task: Task) -> Told:
    """The first messages of an attempt, and the tools that come with them."""
    by = settings.answer_by
    system = [settings.instructions or _WHO, _MODES[task.mode], _HAND_IN[by]]
    schema = task.question.get("answer_schema")
    form: Json = schema if isinstance(schema, dict) else {"type": "object"}
    tools = _LOOKING if task.tools is not None else ()
    if by is AnswerBy.JSON:
        system.append(f"The object fits this JSON Schema: {_written(form)}")
        return Told("\n\n".join(system), _asked(task), tools, form)
    submit = Offered(SUBMIT, _SUBMITTING, form)
    return Told("\n\n".join(system), _asked(task), (*tools, submit))


def prompt_digest(first: Told) -> str:
    """The hash of everything that a model is told before its first turn."""
    tools = [[tool.name, tool.description, tool.schema] for tool in first.tools]
    return digest([first.system, first.user, tools, first.form])


def _asked(task: Task) -> str:
    lines = [
        f"{label}: {_shown(task.question, name)}"
        for name, label in _LABELS
        if task.question.get(name)
    ]
    if task.mode is not Mode.CONTEXT:
        return "\n".join(lines)
    documents = [_written(msgspec.to_builtins(document)) for document in task.given]
    head = "Documents, one on each line:" if documents else "There are no documents."
    return "\n".join([*lines, "", head, *documents])


def _shown(question: Visible, name: str) -> str:
    value = question[name]
    return value if isinstance(value, str) else _written(value)


def _written(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
