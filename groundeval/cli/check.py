"""`groundeval check`: finds mistakes in contracts, and in the data when there are any."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import (
    JsonOption,
    ProjectArgument,
    exit_of,
    print_findings,
    put_document,
    say,
)


def check(
    project: ProjectArgument = Path(),
    strict: Annotated[bool, typer.Option("--strict", help="Fail on warnings too.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Find mistakes in a contract and its data.

    Findings go to standard output. Warnings alone do not fail, unless `--strict` is said.
    """
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened, today  # noqa: PLC0415
    from groundeval.diagnostics.render.json import render  # noqa: PLC0415

    at_hand = opened(project, as_json=as_json)
    found = api.check_project(at_hand, today=today())
    if as_json:
        put_document(render(found))
    elif found:
        print_findings(found, api.sources_of(at_hand, found), err=False)
    else:
        say("nothing found")
    code = exit_of(found)
    raise typer.Exit(Exit.FINDINGS if strict and found and not code else code)
