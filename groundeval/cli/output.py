"""What commands print: findings, one JSON document, lines for people."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any, NoReturn

import typer

from groundeval.cli.exits import Exit
from groundeval.diagnostics import Diagnostic, Severity, Source, in_order

ProjectArgument = Annotated[
    Path, typer.Argument(help="A project folder, its `groundeval.yaml`, or a `.gev` file.")
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output.")
]


def say(text: str) -> None:
    """A line for people, on standard error where standard output may be piped."""
    typer.echo(text, err=True)


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on standard output."""
    from groundeval.world.canonical import canonical_json  # noqa: PLC0415 - keeps start-up light

    sys.stdout.write(canonical_json(document).decode() + "\n")


def print_findings(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], *, err: bool = True
) -> None:
    """Findings with their carets and a closing count, in their fixed order."""
    from groundeval.diagnostics.render.text import render  # noqa: PLC0415

    ordered = in_order(diagnostics)
    if ordered:
        typer.echo(render(ordered, sources), err=err)
        typer.echo(counted(ordered), err=err)


def counted(diagnostics: Iterable[Diagnostic]) -> str:
    """`2 errors, 1 warning`."""
    listed = list(diagnostics)
    errors = sum(d.severity is Severity.ERROR for d in listed)
    parts = [(errors, "error"), (len(listed) - errors, "warning")]
    shown = [f"{n} {word}{'s' if n != 1 else ''}" for n, word in parts if n]
    return ", ".join(shown) or "nothing found"


def stop(
    diagnostics: Iterable[Diagnostic],
    sources: Mapping[str, Source],
    *,
    as_json: bool,
    code: Exit = Exit.FINDINGS,
) -> NoReturn:
    """Print the findings, in the form asked for, and leave."""
    listed = in_order(diagnostics)
    if as_json:
        from groundeval.diagnostics.render.json import render as render_json  # noqa: PLC0415

        sys.stdout.write(render_json(listed))
    else:
        print_findings(listed, sources)
    raise typer.Exit(code)
