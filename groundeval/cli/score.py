"""`groundeval score`: recorded traces to results and a summary."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import JsonOption, ProjectArgument, print_findings, say, stop

TracesOption = Annotated[
    list[Path], typer.Option("--traces", help="A file of traces; may be given several times.")
]


def score(
    traces: TracesOption,
    project: ProjectArgument = Path(),
    contract: Annotated[
        Path | None, typer.Option(help="Score the questions of this `contract.json`.")
    ] = None,
    questions: Annotated[
        Path | None, typer.Option(help="Questions with truths that no contract generated.")
    ] = None,
    recorded_flags: Annotated[
        bool, typer.Option("--recorded-flags", help="Take the breaks that the traces carry.")
    ] = False,
    workers: Annotated[int, typer.Option(min=1, help="Processes to score with.")] = 1,
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The folder to write into.")
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Score recorded traces: the answer and the path to it."""
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened  # noqa: PLC0415
    from groundeval.reports.json_files import encode_summary  # noqa: PLC0415
    from groundeval.reports.terminal import Worst, print_summary  # noqa: PLC0415

    at_hand = opened(project, as_json=as_json)
    prepared = api.prepare_scoring(
        at_hand, document=contract, questions=questions, recorded_flags=recorded_flags
    )
    sources = api.sources_of(at_hand, prepared.diagnostics)
    if prepared.value is None:
        stop(prepared.diagnostics, sources, as_json=as_json)
    folder = output or at_hand.path(at_hand.file.output)
    worst = Worst()
    results = worst.noting(api.score_files(prepared.value, traces, workers=workers))
    summary, found = api.write_scores(results, folder)
    if as_json:
        sys.stdout.write(encode_summary(summary).decode())
    else:
        print_findings(prepared.diagnostics, sources)
        print_summary(summary, worst.results(), sys.stdout)
    print_findings(found, {})
    say(f"written to {folder}")
    if found:
        raise typer.Exit(Exit.FINDINGS)
    if not summary.overall.n:
        say("no trace could be scored")
        raise typer.Exit(Exit.UNDECIDED)
