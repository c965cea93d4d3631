"""`groundeval import`: contracts from other tools' files."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundeval.cli.output import (
    JsonOption,
    exit_of,
    print_findings,
    print_json,
    say,
    stop,
    writing,
)

if TYPE_CHECKING:
    from groundeval.migrate.config import Translation

importing = typer.Typer(
    help="Bring in contracts from other tools.", no_args_is_help=True, rich_markup_mode=None
)


@importing.callback()
def root() -> None:
    """Bring in contracts from other tools."""


@importing.command()
def config(
    file: Annotated[
        Path,
        typer.Argument(metavar="FILE", help="A YAML domain config of the method's preprint."),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "-o", "--output", metavar="PATH", help="A new project folder, or a new `.gev` file."
        ),
    ],
    events: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The event log; by default `events.jsonl` beside the config."
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Translate a YAML domain config to a contract.

    What cannot be translated is listed, here and at the top of the contract, and nothing is
    guessed. The contract is checked at the end; what `check` would say is printed.
    """
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened, readable, today  # noqa: PLC0415
    from groundeval.migrate.config import translate  # noqa: PLC0415
    from groundeval.migrate.log_types import event_types  # noqa: PLC0415

    readable([file, *([events] if events else [])], as_json=as_json)
    log = events or file.parent / "events.jsonl"
    translated = translate(file, event_types(log) if log.is_file() else ())
    if translated.value is None:
        stop(translated.diagnostics, {}, as_json=as_json)
    contract, written = translated.value, _files(translated.value, output, log, file.parent)
    with writing(output, as_json=as_json):
        _write_new(written)
    _report(contract, list(written), output, as_json=as_json)
    project = opened(output, as_json=as_json)
    found = api.check_project(project, today=today())
    print_findings(found, api.sources_of(project, found))
    raise typer.Exit(exit_of(found))


def _report(contract: Translation, written: Sequence[Path], output: Path, *, as_json: bool) -> None:
    for line in contract.left_out:
        say(f"not translated: {line}")
    say(f"written to {output}" + ("" if output in written else ": contract.gev, groundeval.yaml"))
    if as_json:
        print_json(
            {
                "schema": "groundeval.import/1",
                "written": [path.as_posix() for path in written],
                "left_out": list(contract.left_out),
            }
        )


def _files(contract: Translation, output: Path, log: Path, beside: Path) -> Mapping[Path, str]:
    """The texts to write, by their places."""
    if output.suffix == ".gev":
        return {output: contract.text}
    artifacts = beside / (contract.artifacts or "artifacts")
    settings = ["contract: contract.gev"]
    if log.is_file():
        settings.append(f"events: {_beside(log, output)}")
    if artifacts.exists():
        settings.append(f"artifacts: {_beside(artifacts, output)}")
    if contract.seed is not None:
        settings.append(f"seed: {contract.seed}")
    project = "\n".join(settings) + "\n"
    return {output / "contract.gev": contract.text, output / "groundeval.yaml": project}


def _write_new(texts: Mapping[Path, str]) -> None:
    """Write files that are not there yet. Raises FileExistsError before it writes any."""
    for path in texts:
        if path.exists():
            raise FileExistsError(17, "it is there already, and is left as it is", str(path))
    for path, text in texts.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8", newline="\n")


def _beside(path: Path, folder: Path) -> str:
    """The path as the project file in `folder` names it, as a quoted YAML text."""
    relative = Path(os.path.relpath(path, folder)).as_posix()
    return "'" + relative.replace("'", "''") + "'"
