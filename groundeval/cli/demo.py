"""`groundeval demo`: the whole pipeline on the bundled support desk."""

from __future__ import annotations

import sys
import tempfile
from importlib.resources import as_file
from pathlib import Path
from typing import Annotated

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import print_findings, say


def demo(
    output: Annotated[
        Path | None,
        typer.Option("-o", "--output", help="Keep what is written; by default it is thrown away."),
    ] = None,
) -> None:
    """Compile the bundled support desk, score its recorded agents, and show the table."""
    if output is not None:
        _run(output)
        return
    with tempfile.TemporaryDirectory(prefix="groundeval-") as folder:
        _run(Path(folder))


def _run(folder: Path) -> None:
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened  # noqa: PLC0415
    from groundeval.reports.terminal import Worst, print_summary  # noqa: PLC0415
    from groundeval.resources import builtin  # noqa: PLC0415

    with as_file(builtin("examples")) as examples:
        place = examples / "support"
        compiled = api.compile_project(opened(place, as_json=False))
        if compiled.value is None:
            print_findings(compiled.diagnostics, {})
            raise typer.Exit(Exit.BUG)
        api.write_compiled(compiled.value, folder)
        counts = compiled.value.drawn.counts
        asked = sum(sum(strata.values()) for strata in counts.values())
        report = compiled.value.contract.report
        say(
            f"support desk: {report.events} events, {report.artifacts} artifacts, {asked} questions"
        )
        scoring = api.scoring_of(compiled.value)
        worst = Worst()
        results = worst.noting(api.score_files(scoring, [place / "traces.jsonl"]))
        summary, found_late = api.write_scores(results, folder)
        print_findings(found_late, {})
    print_summary(summary, worst.results(), sys.stdout)
    if found_late:
        raise typer.Exit(Exit.BUG)
