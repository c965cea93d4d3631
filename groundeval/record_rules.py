"""The expressions of a `source` block as plain callables from a raw record to a JSON value."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, cast

from groundeval.engine.closures import compile_function
from groundeval.functions.host import Host
from groundeval.ir.expressions import Expr
from groundeval.ir.types import Type
from groundeval.world.time import format_duration, format_instant

_Shown = Callable[[Any], Any]


def record_rule(expr: Expr) -> Callable[[Mapping[str, Any], str, int], Any]:
    """The value of `expr` for a raw record, its file and its line.

    It can read nothing else, so it needs no host.

    Computed instants come as ISO 8601 in UTC and durations as `7d`, wherever in the value they
    stand: as bare numbers they would be taken for an epoch of the data's own. Everything else
    comes as the rule gives it, None for what is missing.
    """
    rule = partial(compile_function(expr, ("record", "file", "line")), cast("Host", None))
    shown = _shown(expr.type)
    if shown is None:
        return rule
    return lambda record, file, line: shown(rule(record, file, line))


def _shown(shape: Type) -> _Shown | None:
    """What makes a value of this type JSON; None where it is already."""
    match shape.name:
        case "time":
            return lambda value: None if value is None else format_instant(value)
        case "duration":
            return lambda value: None if value is None else format_duration(value)
        case "list" | "set":
            item = _shown(shape.item) if shape.item is not None else None
            return None if item is None else partial(_each, item)
        case "record":
            fields = {name: found for name, t in shape.fields if (found := _shown(t)) is not None}
            return partial(_in_record, fields) if fields else None
        case _:
            return None


def _each(shown: _Shown, value: Any) -> Any:
    return None if value is None else [shown(item) for item in value]


def _in_record(fields: Mapping[str, _Shown], value: Any) -> Any:
    if value is None:
        return None
    return {**value, **{name: shown(value[name]) for name, shown in fields.items()}}
