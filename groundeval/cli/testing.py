"""`groundeval test`: runs the tests inside contracts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import JsonOption, print_findings, print_json

if TYPE_CHECKING:
    from groundeval.project import Project
    from groundeval.testing.runner import Failure, Outcome


def test(
    places: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="PLACES",
            help="Rule files, project folders, or folders of rule files; by default this folder.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the tests inside contracts."""
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened, today  # noqa: PLC0415
    from groundeval.cli.values import shown_failure  # noqa: PLC0415
    from groundeval.testing.runner import run_tests  # noqa: PLC0415

    outcomes: list[tuple[str, Project, Outcome]] = []
    broken = False
    for place in _projects(places or [Path()]):
        project = opened(place, as_json=as_json)
        program = api.check_rules(project, today=today())
        if program.value is None:
            print_findings(program.diagnostics, api.sources_of(project, program.diagnostics))
            broken = True
            continue
        for outcome in run_tests(program.value):
            outcomes.append((place.as_posix(), project, outcome))
            if not as_json:
                for line in shown_failure(project, outcome):
                    typer.echo(line)
    failed = [o for _, _, o in outcomes if not o.passed]
    if as_json:
        print_json(_document(outcomes))
    else:
        typer.echo(_closing(len(outcomes), len(failed), broken=broken))
    raise typer.Exit(_code(len(outcomes), failed=bool(failed) or broken))


def _code(count: int, *, failed: bool) -> Exit:
    if failed:
        return Exit.FINDINGS
    return Exit.FINE if count else Exit.UNDECIDED


def _closing(count: int, failed: int, *, broken: bool) -> str:
    """The last line; where rules are `broken`, their tests were not run, and it says so."""
    if not count:
        return "no test was run, because of these errors" if broken else "there are no tests"
    run = f"{count} test{'s' if count != 1 else ''}"
    closing = f"{run}, {failed} failed" if failed else f"{run} passed"
    return f"{closing}; those of files with errors were not run" if broken else closing


def _projects(places: list[Path]) -> Iterator[Path]:
    """Each place itself, or the rule files under a folder that is no project."""
    for place in places:
        if place.is_dir() and not (place / "groundeval.yaml").exists():
            files = sorted(place.rglob("*.gev"))
            yield from files or [place]
        else:
            yield place


def _document(outcomes: list[tuple[str, Project, Outcome]]) -> dict[str, Any]:
    return {
        "schema": "groundeval.tests/1",
        "tests": [
            {
                "file": outcome.span.file,
                "line": outcome.span.line,
                "project": place,
                "name": outcome.name,
                "track": outcome.track,
                "passed": outcome.passed,
                "failures": [_failure(f, project) for f in outcome.failures],
                "because": list(outcome.because),
            }
            for place, project, outcome in outcomes
        ],
    }


def _failure(failure: Failure, project: Project) -> dict[str, Any]:
    from groundeval.cli.values import shown_parts  # noqa: PLC0415
    from groundeval.loading import source_of  # noqa: PLC0415

    source = source_of(project, failure.span.file)
    return {
        "line": failure.span.line,
        "column": failure.span.column,
        "message": failure.message,
        "help": failure.help,
        "expected": source.text_of(failure.span) if source is not None and failure.parts else None,
        "parts": list(shown_parts(failure.parts, source)),
    }
