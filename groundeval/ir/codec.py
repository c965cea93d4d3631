"""A program as plain JSON, and back: `decode(encode(program)) == program`.

A node is an object whose `node` is its class's name, with its fields beside it; a field that has
its default value is left out. A tuple is an array. What JSON has no form for is an object with one
key: `at` (a span, as file and four numbers), `set` (in order), `map` and `list` (raw JSON).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import MISSING, Field, fields, is_dataclass
from types import MappingProxyType, ModuleType
from typing import Any, Final

from groundeval.diagnostics import Span
from groundeval.ir import expressions, program, types
from groundeval.ir.program import Program
from groundeval.world.access import Actor, RoleDefinition, Stint

SCHEMA: Final = "groundeval.rules/1"
_PLAIN: Final = (str, int, float, bool, type(None))


class RulesFormatError(ValueError):
    """The document is no program of this version; the message says why."""


def encode(rules: Program) -> dict[str, Any]:
    """The program as plain JSON, with its schema."""
    return {"schema": SCHEMA, "program": to_json(rules)}


def decode(document: object) -> Program:
    """The program that `encode` wrote. Raises RulesFormatError for anything else."""
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        written = document.get("schema") if isinstance(document, dict) else None
        raise RulesFormatError(f"rules are of schema `{written}`, not `{SCHEMA}`")
    found = from_json(document.get("program"))
    if not isinstance(found, Program):
        raise RulesFormatError("the rules hold no program")
    return found


def to_json(value: object) -> Any:
    """A node, or any value that stands in one, as plain JSON."""
    match value:
        case Span():
            return {"at": [value.file, value.line, value.column, value.end_line, value.end_column]}
        case tuple():
            return [to_json(item) for item in value]
        case list():
            return {"list": [to_json(item) for item in value]}
        case frozenset() | set():
            return {"set": [to_json(item) for item in sorted(value)]}
        case Mapping():
            return {"map": {key: to_json(item) for key, item in value.items()}}
        case _ if isinstance(value, _PLAIN):
            return value
        case _ if type(value).__name__ in NODES:
            return _node_to_json(value)
    raise TypeError(f"{type(value).__name__} is no value of a program")


def from_json(value: object) -> Any:
    """The value that `to_json` wrote. Raises RulesFormatError for anything else."""
    match value:
        case list():
            return tuple(from_json(item) for item in value)
        case {"node": str(name), **rest}:
            return _node_from_json(name, rest)
        case {"at": [str(file), int(line), int(column), int(end_line), int(end_column)]}:
            return Span(file, line, column, end_line, end_column)
        case dict() if len(value) == 1:
            ((kind, held),) = value.items()
            return _container(kind, held)
        case _ if isinstance(value, _PLAIN):
            return value
    raise RulesFormatError(f"rules hold something unknown: {str(value)[:80]}")


def _container(kind: str, held: object) -> Any:
    match kind, held:
        case "set", list():
            return frozenset(from_json(item) for item in held)
        case "list", list():
            return [from_json(item) for item in held]
        case "map", dict():
            return {key: from_json(item) for key, item in held.items()}
    raise RulesFormatError(f"rules hold an unknown `{kind}`")


def _node_to_json(node: Any) -> dict[str, Any]:
    found: dict[str, Any] = {"node": type(node).__name__}
    for field in fields(node):
        value = getattr(node, field.name)
        if type(value) is not type(field.default) or value != field.default:
            found[field.name] = to_json(value)
    return found


def _node_from_json(name: str, held: Mapping[Any, object]) -> Any:
    build = NODES.get(name)
    if build is None:
        raise RulesFormatError(f"rules hold an unknown node `{name}`")
    known = {f.name: f for f in fields(build)}
    missing = [f.name for f in known.values() if f.name not in held and _is_needed(f)]
    if missing:
        raise RulesFormatError(f"a node `{name}` of the rules lacks `{missing[0]}`")
    make: Callable[..., Any] = build
    return make(**{key: from_json(item) for key, item in held.items() if key in known})


def _is_needed(field: Field[Any]) -> bool:
    return field.default is MISSING and field.default_factory is MISSING


def _nodes_of(module: ModuleType) -> dict[str, type[Any]]:
    """The dataclasses that a module defines."""
    return {
        name: value
        for name, value in vars(module).items()
        if is_dataclass(value) and isinstance(value, type) and value.__module__ == module.__name__
    }


NODES: Final[Mapping[str, type[Any]]] = MappingProxyType(
    {
        **_nodes_of(types),
        **_nodes_of(expressions),
        **_nodes_of(program),
        **{c.__name__: c for c in (Actor, Stint, RoleDefinition)},
    }
)
"""Every class that a program is made of, by the name that tags it."""
