"""`groundeval schema`: the JSON Schema of a document."""

from __future__ import annotations

import json
from typing import Annotated

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
    """Print the JSON Schema of a document."""
    from groundeval.reports.schemas import SCHEMAS, schema_of  # noqa: PLC0415

    if name is None:
        if as_json:
            print_json({"schema": "groundeval.schemas/1", "names": list(SCHEMAS)})
        else:
            put("".join(f"{known}\n" for known in SCHEMAS))
    elif name in SCHEMAS:
        put_document(json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n")
    else:
        message = f"there is no document `{name}`"
        help_ = f"there are: {', '.join(SCHEMAS)}"
        unknown = Diagnostic(codes.WRONG_USAGE, message, Span.at(COMMAND_LINE, 1), help=help_)
        stop([unknown], {}, as_json=as_json)
