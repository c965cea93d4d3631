"""The `groundeval` command: its sub-commands, and what happens when one of them fails."""

from __future__ import annotations

import sys
import traceback
from typing import Annotated, Final, TextIO, cast

import typer

from groundeval import __version__
from groundeval.cli.check import check
from groundeval.cli.compiling import compile_project
from groundeval.cli.demo import demo
from groundeval.cli.exits import Exit
from groundeval.cli.importing import importing
from groundeval.cli.output import PatientOutput, said_wrongly
from groundeval.cli.run import run as run_agent
from groundeval.cli.schema import schema
from groundeval.cli.score import score
from groundeval.cli.serve import serve
from groundeval.cli.testing import test

app = typer.Typer(
    name="groundeval",
    help="Says whether an AI agent reached its answer by a valid path.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},  # sub-commands take these over
)
app.command()(check)
app.command(name="compile")(compile_project)
app.command(name="run")(run_agent)
app.command()(serve)
app.command()(score)
app.command()(test)
app.command()(demo)
app.command()(schema)
app.add_typer(importing, name="import")

_WrongUsage: Final = cast("type[Exception]", typer.BadParameter.__mro__[2])
"""Typer's base of all complaints about a command line, which it exports under no name."""


def _print_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"groundeval {__version__}")
        raise typer.Exit


@app.callback(
    epilog="Exit codes: 0 fine, 1 findings, 2 wrong usage or unreadable input, "
    "3 nothing could be decided, 70 a bug of GroundEval, 130 interrupted."
)
def root(
    _version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", callback=_print_version, is_eager=True
        ),
    ] = False,
) -> None:
    """Says whether an AI agent reached its answer by a valid path."""


def main() -> None:
    """Run the command line and exit with its code (see `Exit`)."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    sys.stdout = cast("TextIO", PatientOutput(sys.stdout))
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command line; gives its exit code, and raises nothing."""
    try:
        code = app(arguments, prog_name="groundeval", standalone_mode=False)
        sys.stdout.flush()
    except _WrongUsage as fault:
        said_wrongly(fault, as_json="--json" in arguments)
        return Exit.USAGE
    except (typer.Abort, KeyboardInterrupt):
        sys.stderr.write("interrupted\n")
        return Exit.INTERRUPTED
    except Exception:  # noqa: BLE001 - the last stop: a bug of ours, told as one
        traceback.print_exc()
        sys.stderr.write("\nThis is a bug in GroundEval, not in your files: please report it.\n")
        return Exit.BUG
    return code if isinstance(code, int) else Exit.FINE
