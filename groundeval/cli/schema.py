"""`groundeval schema`: the JSON Schema of a document."""

from __future__ import annotations

import json
import sys
from typing import Annotated

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import say


def schema(
    name: Annotated[
        str | None, typer.Argument(help="The document's name; without one, the names are listed.")
    ] = None,
) -> None:
    """Print the JSON Schema of a document."""
    from groundeval.reports.schemas import SCHEMAS, schema_of  # noqa: PLC0415

    if name is None:
        for known in SCHEMAS:
            typer.echo(known)
        return
    if name not in SCHEMAS:
        say(f"there is no document `{name}`; there are: {', '.join(SCHEMAS)}")
        raise typer.Exit(Exit.USAGE)
    sys.stdout.write(json.dumps(schema_of(name), indent=2, ensure_ascii=False) + "\n")
