"""`groundeval compile`: contract, graph and questions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Final

import typer

from groundeval.cli.output import (
    JsonOption,
    ProjectArgument,
    print_findings,
    print_json,
    say,
    stop,
    writing,
)

if TYPE_CHECKING:
    from groundeval.questions.causes import Cause
    from groundeval.reports.documents import CompileReport


def compile_project(
    project: ProjectArgument = Path(),
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Where to write; by default `contract/` in the project's output.",
        ),
    ] = None,
    skip_bad: Annotated[
        int,
        typer.Option(
            "--skip-bad",
            metavar="N",
            min=0,
            help="Leave out up to N bad records; they are counted.",
        ),
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Compile rules and data to a contract and its questions.

    Writes `contract.json` (with the truths), `questions.jsonl` (what an agent may see),
    `graph.json` and `compile.json`, and prints counts, or with `--json` the last of them.
    """
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened, today  # noqa: PLC0415
    from groundeval.world.loader import paused_collection  # noqa: PLC0415

    at_hand = opened(project, as_json=as_json)
    with paused_collection():  # not between the two either: it takes a second for a large log
        compiled = api.compile_project(at_hand, skip_bad=skip_bad, today=today())
        sources = api.sources_of(at_hand, compiled.diagnostics)
        if compiled.value is None:
            stop(compiled.diagnostics, sources, as_json=as_json)
        folder = output or at_hand.path(at_hand.file.output) / "contract"
        with writing(folder, as_json=as_json):
            api.write_compiled(compiled.value, folder)
    report = api.compile_report(compiled.value)
    print_findings(compiled.diagnostics, sources)
    if as_json:
        import msgspec  # noqa: PLC0415 - nothing heavy before a command runs

        print_json(msgspec.to_builtins(report))
        return
    for line in _summary(report):
        say(line)
    say(f"written to {folder}: contract.json, questions.jsonl, graph.json, compile.json")


def _summary(report: CompileReport) -> Iterator[str]:
    yield f"{_counted(report.events, 'event')}, {_counted(report.artifacts, 'artifact')}"
    if report.skipped:
        yield f"  {_counted(report.skipped, 'bad record')} left out"
    for spec, count in report.links.items():
        yield f"  link {spec}: {count}"
    for spec, statuses in report.silences.items():
        listed = ", ".join(f"{n} {status}" for status, n in statuses.items())
        yield f"  silence {spec}: {listed}"
    for track, strata in report.questions.items():
        listed = ", ".join(f"{n} {stratum or 'of any kind'}" for stratum, n in strata.items())
        yield f"  {_counted(sum(strata.values()), 'question')} of {track}: {listed or 'none'}"
    for track in report.looked:
        yield from _shortfall(track, report)
    if report.incomplete_events:
        yield f"  events that name artifacts the corpus lacks: {len(report.incomplete_events)}"


def _shortfall(track: str, report: CompileReport) -> Iterator[str]:
    """What a track falls short of, and where what it looked at went."""
    for short in report.shortfalls:
        if short.track == track:
            name = f"{track} `{short.stratum}`" if short.stratum else track
            found = f", of {_counted(short.candidates, 'candidate')}"
            if short.unmatched:
                found += f" ({short.unmatched} without a partner of the other answer)"
            yield f"  short of {name}: {short.drawn} of {short.wanted} could be drawn{found}"
    looked = report.looked[track]
    left_out = ", ".join(f"{n} {_LEFT_OUT[cause]}" for cause, n in looked.left_out.items())
    yield f"    looked at for {track}: {looked.looked_at}; left out: {left_out or 'none'}"


_LEFT_OUT: Final[Mapping[Cause, str]] = MappingProxyType(
    {
        "ruled_out": "that `where` rules out",
        "no_instant": "without an instant to ask as of",
        "no_role": "that ask an actor without a role",
        "nothing_open": "that ask an actor to whom no subsystem is open",
        "incomplete": "about events whose artifacts the corpus lacks",
        "no_evidence": "about pairs whose evidence is never complete",
        "no_place": "about silences without a place to look at",
        "ambiguous": "with a text that fits something else too",
        "unclear_truth": "with a truth that fits no stratum",
        "out_of_reach": "that no allowed path proves",
        "unworded": "for which a hole of the text has no value",
    }
)


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
