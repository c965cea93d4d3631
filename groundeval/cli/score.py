"""`groundeval score`: recorded traces to results and a summary."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import (
    JsonOption,
    ProjectArgument,
    print_findings,
    put_document,
    say,
    stop,
    writing,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundeval.diagnostics import Diagnostic
    from groundeval.reports.terminal import Worst
    from groundeval.scoring.summary import Summary

TracesOption = Annotated[
    list[Path],
    typer.Option(
        "--traces", metavar="FILE", help="A file of recorded traces; may be given several times."
    ),
]

ContractOption = Annotated[
    Path | None,
    typer.Option(
        "--contract",
        metavar="FILE",
        help="Score the questions of this `contract.json`, which must be of the same inputs.",
    ),
]
QuestionsOption = Annotated[
    Path | None,
    typer.Option(
        "--questions", metavar="FILE", help="Questions with truths that no contract generated."
    ),
]
FlagsOption = Annotated[
    bool,
    typer.Option(
        "--recorded-flags",
        help="Take the breaks that the traces carry, without a corpus; needs `--questions`.",
    ),
]
WorkersOption = Annotated[
    int, typer.Option("--workers", metavar="N", min=1, help="How many processes score at once.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Where to write; by default the project's output."
    ),
]


def score(
    traces: TracesOption,
    project: ProjectArgument = Path(),
    contract: ContractOption = None,
    questions: QuestionsOption = None,
    recorded_flags: FlagsOption = False,
    workers: WorkersOption = 1,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Score recorded traces: each answer, and the path to it.

    Writes `results.jsonl` and `summary.json`, and prints a table, or with `--json` the summary.
    Traces that cannot be read are reported, and scoring goes on behind them.
    """
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened, readable, today  # noqa: PLC0415
    from groundeval.cli.progress import counted_on_terminal  # noqa: PLC0415
    from groundeval.reports.terminal import Worst  # noqa: PLC0415

    at_hand = opened(project, as_json=as_json)
    if contract is not None and questions is not None:
        raise typer.BadParameter("`--contract` and `--questions` cannot be said together")
    readable([*traces, *(p for p in (contract, questions) if p)], as_json=as_json)
    prepared = api.prepare_scoring(
        at_hand,
        document=contract,
        questions=questions,
        recorded_flags=recorded_flags,
        today=today(),
    )
    sources = api.sources_of(at_hand, prepared.diagnostics)
    if prepared.value is None:
        stop(prepared.diagnostics, sources, as_json=as_json)
    print_findings(prepared.diagnostics, sources)
    folder = output or at_hand.path(at_hand.file.output)
    worst = Worst()
    results = worst.noting(api.score_files(prepared.value, traces, workers=workers))
    with writing(folder, as_json=as_json):
        summary, found = api.write_scores(counted_on_terminal(results), folder)
    if as_json or summary.overall.outcomes:
        _print(summary, worst, as_json=as_json)
    print_findings(found, {})
    say(f"written to {folder}: results.jsonl, summary.json")
    raise typer.Exit(_code(summary, found))


def _print(summary: Summary, worst: Worst, *, as_json: bool) -> None:
    from groundeval.reports.json_files import encode_summary  # noqa: PLC0415
    from groundeval.reports.terminal import print_summary  # noqa: PLC0415

    if as_json:
        put_document(encode_summary(summary).decode())
    else:
        print_summary(summary, worst.results(), sys.stdout)


def _code(summary: Summary, found: Sequence[Diagnostic]) -> Exit:
    if not summary.overall.n:
        say("no trace could be scored")
        return Exit.UNDECIDED
    return Exit.FINDINGS if found else Exit.FINE
