"""`groundeval demo`: the whole pipeline on the bundled support desk."""

from __future__ import annotations

import sys
import tempfile
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import JsonOption, print_findings, put_document, say, writing

if TYPE_CHECKING:
    from groundeval.api import Compiled


def demo(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Keep what is written; by default it is thrown away.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the whole pipeline on the bundled support desk.

    Compiles its rules and data, scores its recorded agents, and prints the table.
    """
    if output is not None:
        _run(output, as_json=as_json)
        say(f"written to {output}")
        return
    with tempfile.TemporaryDirectory(prefix="groundeval-") as folder:
        _run(Path(folder), as_json=as_json)
    say("every reason of every result: groundeval demo -o DIR")


def _run(folder: Path, *, as_json: bool) -> None:
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened  # noqa: PLC0415
    from groundeval.reports.json_files import encode_summary  # noqa: PLC0415
    from groundeval.reports.terminal import Worst, print_summary  # noqa: PLC0415
    from groundeval.resources import builtin  # noqa: PLC0415

    worst = Worst()
    with as_file(builtin("examples")) as examples, writing(folder, as_json=as_json):
        desk = examples / "support"
        project = opened(desk, as_json=as_json)
        compiled = api.compile_project(project)
        if compiled.value is None:
            print_findings(compiled.diagnostics, api.sources_of(project, compiled.diagnostics))
            raise typer.Exit(Exit.BUG)
        api.write_compiled(compiled.value, folder)
        _introduce(compiled.value)
        results = api.score_files(api.scoring_of(compiled.value), [desk / "traces.jsonl"])
        summary, found_late = api.write_scores(worst.noting(results), folder)
    if as_json:
        put_document(encode_summary(summary).decode())
    else:
        print_summary(summary, worst.results(), sys.stdout)
    if found_late:
        print_findings(found_late, {})
        raise typer.Exit(Exit.BUG)


def _introduce(compiled: Compiled) -> None:
    report, counts = compiled.contract.report, compiled.drawn.counts
    asked = sum(sum(strata.values()) for strata in counts.values())
    say(f"support desk: {report.events} events, {report.artifacts} artifacts, {asked} questions")
