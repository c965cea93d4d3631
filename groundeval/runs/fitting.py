"""Whether an answer fits its question's schema, said field by field."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import msgspec

from groundeval.world.ids import kind_of, shown

Json = Mapping[str, Any]


def faults_of(question: Json) -> Callable[[Json], Sequence[str]]:
    """What tells the faults of an answer to this question, a text for each field at fault."""
    schema = question.get("answer_schema")
    known = schema if isinstance(schema, dict) else {}
    return lambda answer: answer_faults(known, answer)


def answer_faults(schema: Json, answer: Json) -> list[str]:
    """What does not fit, in the schema's order. An agent that abstains needs no other field."""
    if answer.get("abstain") is True:
        return []
    fields: Json = schema.get("properties", {})
    required = frozenset(schema.get("required", ()))
    found = [
        f"`{name}` {reason}"
        for name, field in fields.items()
        if (reason := _reason(field, answer.get(name), name in required))
    ]
    if schema.get("additionalProperties") is False:
        found += [
            f"{shown(name)} is no field of the answer" for name in sorted(answer.keys() - fields)
        ]
    return found


def _reason(field: Json, value: Any, required: bool) -> str | None:
    if value is None:
        return "is missing" if required else None
    return _misfit(field, value)


_KINDS: Final[Mapping[str, tuple[type, ...]]] = {
    "boolean": (bool,),
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "array": (list,),
    "object": (dict,),
}
_WORDS: Final[Mapping[str, str]] = {
    "boolean": "true or false",
    "string": "text",
    "integer": "a whole number",
    "number": "a number",
    "array": "a list",
    "object": "an object",
}


def _misfit(field: Json, value: Any) -> str | None:
    kind = field.get("type")
    if isinstance(kind, str) and not _is(kind, value):
        return f"is not {_WORDS.get(kind, kind)} but {kind_of(value)}"
    choices = field.get("enum")
    if choices is not None and value not in choices:
        return f"is none of the choices: {', '.join(map(str, choices))}"
    if isinstance(value, list):
        return _misfit_within(field, value)
    return None


def _misfit_within(field: Json, items: list[Any]) -> str | None:
    inner = field.get("items")
    if isinstance(inner, dict):
        for item in items:
            reason = _misfit(inner, item)
            if reason is not None:
                return f"holds something that {reason}"
    if field.get("uniqueItems") and len(set(map(msgspec.json.encode, items))) < len(items):
        return "holds something twice"
    return None


def _is(kind: str, value: Any) -> bool:
    types = _KINDS.get(kind)
    if types is None:
        return True
    return isinstance(value, types) and (kind == "boolean" or not isinstance(value, bool))
