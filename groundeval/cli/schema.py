"""`groundeval schema`: the JSON Schema of a document."""

from __future__ import annotations

import json
from typing import Annotated, Any, Final

import typer

from groundeval.cli.output import print_json, put, put_document, stop
from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.diagnostics.source import COMMAND_LINE


def schema(
    name: Annotated[
        str | None,
        typer.Argument(
            metavar="NAME", help="The document's name; without one, the names are listed."
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="List the names as a JSON document; a schema always is.")
    ] = False,
) -> None:
    """Print the JSON Schema of a document; `project` is what `groundeval.yaml` may say."""
    from groundeval.diagnostics.suggestions import did_you_mean  # noqa: PLC0415 - as the rest
    from groundeval.reports.schemas import SCHEMAS  # noqa: PLC0415

    names = sorted([*SCHEMAS, _PROJECT])
    if name is None:
        if as_json:
            print_json({"schema": "groundeval.schemas/1", "names": names})
        else:
            put("".join(f"{known}\n" for known in names))
    elif name in names:
        put_document(json.dumps(_schema_of(name), indent=2, ensure_ascii=False) + "\n")
    else:
        message = f"there is no document `{name}`"
        help_ = did_you_mean(name, names) or f"there are: {', '.join(names)}"
        unknown = Diagnostic(codes.WRONG_USAGE, message, Span.at(COMMAND_LINE, 1), help=help_)
        stop([unknown], {}, as_json=as_json)


_PROJECT: Final = "project"
"""The name of what `groundeval.yaml` may say."""


def _schema_of(name: str) -> dict[str, Any]:
    from groundeval.project import project_schema  # noqa: PLC0415
    from groundeval.reports.schemas import schema_of  # noqa: PLC0415

    return project_schema() if name == _PROJECT else schema_of(name)
