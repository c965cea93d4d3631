"""Flat rows and Markdown records brought into the shape that JSON records have."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any, Final

from groundeval.diagnostics import Diagnostic, codes
from groundeval.world.ids import shown
from groundeval.world.json_text import TextFault, decode_json

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundeval.world.findings import Place

MARKDOWN: Final = (".md", ".markdown")
_OBJECTS: Final = ("artifacts", "artifact_ids", "facts", "versions")
_LISTS: Final = ("actors", "labels", "participants")
_NESTED: Final = ("artifacts", "artifact_ids", "facts")


def nested_columns(row: Mapping[str, Any], place: Place) -> dict[str, Any] | list[Diagnostic]:
    """A row of CSV or Parquet as a record.

    `artifacts.KIND` and `facts.NAME` become members of `artifacts` and `facts`; `actors`,
    `labels`, `participants` and `artifacts.KIND` hold texts divided by `;` or a JSON list;
    `artifacts`, `facts` and `versions` hold JSON. Other cells stay as they are.
    """
    record: dict[str, Any] = {}
    problems: list[Diagnostic] = []
    for name, cell in row.items():
        outer, _, inner = name.partition(".")
        if outer not in _NESTED:
            outer, inner = name, ""
        value = _decoded(outer, inner, cell)
        if isinstance(value, TextFault):
            message = f"`{name}` {shown(cell)} is not JSON: {value.message}"
            problems.append(place.finding(codes.BAD_FIELD, message, help_=value.help))
        else:
            _put(record, outer, inner, value)
    return problems or record


def _decoded(outer: str, inner: str, cell: Any) -> Any | TextFault:
    """What a cell of the column `outer` or `outer.inner` holds."""
    if outer in _LISTS or (inner and outer != "facts"):
        return _json_or_parts(cell)
    if outer in _OBJECTS and not inner and isinstance(cell, str):
        return decode_json(cell.encode())
    return cell


def from_markdown(raw: Mapping[str, Any]) -> dict[str, Any]:
    """A Markdown record as an artifact's: the front matter, with the body as its text.

    Without an `id` in the front matter the file's name without its ending is the id.
    """
    stem = PurePosixPath(raw["path"]).name.split(".")[0]
    return {"id": stem, **raw["front"], "text": raw["body"]}


def _put(record: dict[str, Any], outer: str, inner: str, value: Any) -> None:
    """Store a column; the members of an object column and of its dotted columns come together."""
    if outer not in _NESTED:
        record[outer] = value
        return
    added = {inner: value} if inner else value
    before = record.get(outer, {})
    both = isinstance(before, dict) and isinstance(added, dict)
    record[outer] = {**before, **added} if both else added


def _json_or_parts(cell: Any) -> Any:
    """A JSON list as it is; a text as its non-empty parts between `;`."""
    if not isinstance(cell, str):
        return cell
    if cell.lstrip().startswith("["):
        return decode_json(cell.encode())
    return [part.strip() for part in cell.split(";") if part.strip()]
