"""`groundeval compile`: contract, graph and questions."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from groundeval.cli.output import (
    JsonOption,
    ProjectArgument,
    print_findings,
    print_json,
    say,
    stop,
)


def compile_project(
    project: ProjectArgument = Path(),
    output: Annotated[
        Path | None, typer.Option("-o", "--output", help="The folder to write into.")
    ] = None,
    skip_bad: Annotated[
        int, typer.Option("--skip-bad", min=0, help="Leave out up to N bad records of an input.")
    ] = 0,
    as_json: JsonOption = False,
) -> None:
    """Compile rules and data to a contract and its questions."""
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened  # noqa: PLC0415

    at_hand = opened(project, as_json=as_json)
    compiled = api.compile_project(at_hand, skip_bad=skip_bad)
    sources = api.sources_of(at_hand, compiled.diagnostics)
    if compiled.value is None:
        stop(compiled.diagnostics, sources, as_json=as_json)
    folder = output or at_hand.path(at_hand.file.output) / "contract"
    api.write_compiled(compiled.value, folder)
    report = api.compile_report(compiled.value)
    if as_json:
        print_json(report)
        return
    print_findings(compiled.diagnostics, sources)
    for line in _summary(report):
        say(line)
    say(f"written to {folder}")


def _summary(report: dict[str, object]) -> list[str]:
    lines = [f"{report['events']} events, {report['artifacts']} artifacts"]
    for spec, count in _items(report["links"]):
        lines.append(f"  link {spec}: {count}")
    for spec, statuses in _items(report["silences"]):
        listed = ", ".join(f"{n} {status}" for status, n in _items(statuses))
        lines.append(f"  silence {spec}: {listed}")
    for track, strata in _items(report["questions"]):
        counts = dict(_items(strata))
        listed = ", ".join(f"{n} {stratum}" for stratum, n in counts.items())
        lines.append(f"  {sum(counts.values())} questions of {track}: {listed or 'none'}")
    shortfalls = report["shortfalls"]
    lines += [
        f"  short of {short['track']} `{short['stratum']}`: "
        f"{short['drawn']} of {short['wanted']} could be drawn"
        for short in (shortfalls if isinstance(shortfalls, list) else [])
    ]
    return lines


def _items(value: object) -> list[tuple[str, int]]:
    return list(value.items()) if isinstance(value, dict) else []
