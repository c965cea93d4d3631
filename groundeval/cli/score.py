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
from groundeval.diagnostics import codes, has_errors

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundeval.api import Only, Scoring
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
AgentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="Score only this agent's traces; may be given several times.",
    ),
]
TrackOption = Annotated[
    list[str] | None,
    typer.Option(
        "--track",
        metavar="NAME",
        help="Score only answers to this track's questions; may be given several times.",
    ),
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
    agent: AgentOption = None,
    track: TrackOption = None,
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
    only = api.Only(tuple(agent or ()), _known(track or (), prepared.value))
    code = print_scores(prepared.value, traces, folder, workers, as_json=as_json, only=only)
    raise typer.Exit(code)


def _known(tracks: Iterable[str], scoring: Scoring) -> tuple[str, ...]:
    """The tracks that were named, once each; one that is not in use is wrong usage."""
    from groundeval.diagnostics.suggestions import did_you_mean  # noqa: PLC0415 - as all of it
    from groundeval.world.ids import shown  # noqa: PLC0415

    named = tuple(dict.fromkeys(tracks))
    known = sorted(t.id for t in scoring.tracks)
    for name in named:
        if name not in known:
            help_ = did_you_mean(name, known) or f"tracks are {', '.join(known)}"
            raise typer.BadParameter(f"no track is {shown(name)}; {help_}")
    return named


def print_scores(
    scoring: Scoring,
    traces: Sequence[Path],
    folder: Path,
    workers: int,
    *,
    as_json: bool,
    only: Only | None = None,
) -> Exit:
    """Score files of traces, write the results into `folder` and print them; gives the code."""
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.progress import counted_on_terminal  # noqa: PLC0415
    from groundeval.reports.terminal import Worst  # noqa: PLC0415

    worst = Worst()
    results = worst.noting(api.score_files(scoring, traces, workers=workers, only=only))
    with writing(folder, as_json=as_json):
        summary, found = api.write_scores(counted_on_terminal(results), folder, only=only)
    unknown = [finding for finding in found if finding.code is codes.UNKNOWN_AGENT]
    if unknown:
        stop(unknown, {}, as_json=as_json, code=Exit.USAGE)
    if as_json or summary.overall.outcomes:
        _print(summary, worst, as_json=as_json)
    print_findings(found, {})
    say(f"written to {folder}: results.jsonl, summary.json")
    return _code(summary, found)


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
    return Exit.FINDINGS if has_errors(found) else Exit.FINE
