"""What commands print: findings, one JSON document, lines for people."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any, Final, NoReturn, TextIO

import typer

from groundeval.cli.exits import Exit
from groundeval.diagnostics import Diagnostic, Severity, Source, Span, codes, in_order
from groundeval.diagnostics.source import COMMAND_LINE

ProjectArgument = Annotated[
    Path,
    typer.Argument(
        metavar="PROJECT", help="A project folder, its `groundeval.yaml`, or a `.gev` file."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print one JSON document on standard output.")
]

_UNREADABLE: Final = frozenset(
    {
        codes.UNREADABLE_FILE,
        codes.MISSING_EXTRA,
        codes.PROJECT_MISSING,
        codes.PROJECT_INVALID,
        codes.WRONG_USAGE,
        codes.UNWRITABLE_OUTPUT,
    }
)
"""Findings that say that there was nothing to look at: the exit code is that of wrong usage."""


def say(text: str) -> None:
    """A line for people, on standard error where standard output may be piped."""
    typer.echo(text, err=True)


def put(text: str) -> None:
    """Text for people on standard output."""
    sys.stdout.write(text)
    sys.stdout.flush()


def put_document(document: str) -> None:
    """A document on standard output: always UTF-8, whatever the terminal speaks."""
    sys.stdout.flush()
    try:
        sys.stdout.buffer.write(document.encode())
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        _discard(sys.stdout)


class PatientOutput:
    """Standard output that does not mind when nobody reads it any more, as under `| head`.

    The command goes on to its end then, and its exit code says what it always says.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)

    def write(self, text: str) -> int:
        """As of any text stream."""
        try:
            return self._stream.write(text)
        except BrokenPipeError:
            _discard(self._stream)
            return len(text)

    def flush(self) -> None:
        """As of any text stream."""
        try:
            self._stream.flush()
        except BrokenPipeError:
            _discard(self._stream)


def _discard(stream: TextIO) -> None:
    """Send what a stream still gets nowhere."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, stream.fileno())
    os.close(nowhere)


def print_json(document: Mapping[str, Any]) -> None:
    """One JSON document on standard output."""
    from groundeval.world.canonical import canonical_json  # noqa: PLC0415 - keeps start-up light

    put_document(canonical_json(document).decode() + "\n")


def print_findings(
    diagnostics: Iterable[Diagnostic], sources: Mapping[str, Source], *, err: bool = True
) -> None:
    """Findings with their carets and a closing count, in their fixed order."""
    from groundeval.diagnostics.render.text import render  # noqa: PLC0415

    ordered = in_order(diagnostics)
    if ordered:
        text = f"{render(ordered, sources)}\n{counted(ordered)}\n"
        typer.echo(text, err=True, nl=False) if err else put(text)


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
    code: Exit | None = None,
) -> NoReturn:
    """Print the findings, in the form asked for, and leave; by default with their exit code."""
    listed = in_order(diagnostics)
    if as_json:
        from groundeval.diagnostics.render.json import render as render_json  # noqa: PLC0415

        put_document(render_json(listed))
    else:
        print_findings(listed, sources)
    raise typer.Exit(exit_of(listed) if code is None else code)


def exit_of(diagnostics: Iterable[Diagnostic]) -> Exit:
    """What findings make of a command: unreadable input comes before everything else."""
    errors = [d.code for d in diagnostics if d.severity is Severity.ERROR]
    if _UNREADABLE.intersection(errors):
        return Exit.USAGE
    return Exit.FINDINGS if errors else Exit.FINE


@contextmanager
def writing(place: Path, *, as_json: bool) -> Iterator[None]:
    """Around what writes to `place`: where it cannot, that is told, and the command ends."""
    try:
        yield
    except OSError as fault:
        message = f"`{fault.filename or place}` cannot be written: {fault.strerror or fault}"
        help_ = "name another place with `-o`"
        finding = Diagnostic(
            codes.UNWRITABLE_OUTPUT, message, Span.at(place.as_posix(), 1), help=help_
        )
        stop([finding], {}, as_json=as_json)


def said_wrongly(fault: Any, *, as_json: bool) -> None:
    """Tell of a command line that cannot be understood: `fault` is what Typer raised."""
    if not as_json:
        fault.show()
        return
    from groundeval.diagnostics.render.json import render as render_json  # noqa: PLC0415

    message = str(fault.format_message()).rstrip(".")
    message = message[:1].lower() + message[1:]
    place = Span.at(COMMAND_LINE, 1)
    put_document(render_json([Diagnostic(codes.WRONG_USAGE, message, place)]))
