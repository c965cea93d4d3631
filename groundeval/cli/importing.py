"""`groundeval import`: contracts from other tools' files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from groundeval.cli.output import JsonOption, say, stop

importing = typer.Typer(
    help="Bring in contracts from other tools.", no_args_is_help=True, rich_markup_mode=None
)


@importing.callback()
def root() -> None:
    """Bring in contracts from other tools."""


@importing.command()
def config(
    file: Annotated[Path, typer.Argument(help="A YAML domain config of the method's preprint.")],
    output: Annotated[
        Path, typer.Option("-o", "--output", help="A new project folder, or a `.gev` file.")
    ],
    events: Annotated[
        Path | None,
        typer.Option(help="The event log; by default `events.jsonl` beside the config."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Translate a YAML domain config to a contract; what cannot be translated is listed."""
    from groundeval.migrate.config import translate  # noqa: PLC0415 - nothing heavy before
    from groundeval.migrate.log_types import event_types  # noqa: PLC0415

    log = events or file.parent / "events.jsonl"
    types = event_types(log) if log.is_file() else ()
    translated = translate(file, types)
    if translated.value is None:
        stop(translated.diagnostics, {}, as_json=as_json)
    contract = translated.value
    for line in contract.left_out:
        say(f"not translated: {line}")
    if output.suffix == ".gev":
        output.write_text(contract.text, encoding="utf-8")
        say(f"written to {output}")
        return
    output.mkdir(parents=True, exist_ok=True)
    (output / "contract.gev").write_text(contract.text, encoding="utf-8")
    artifacts = file.parent / (contract.artifacts or "artifacts")
    settings = ["contract: contract.gev"]
    if log.is_file():
        settings.append(f"events: {_beside(log, output)}")
    if artifacts.exists():
        settings.append(f"artifacts: {_beside(artifacts, output)}")
    if contract.seed is not None:
        settings.append(f"seed: {contract.seed}")
    (output / "groundeval.yaml").write_text("\n".join(settings) + "\n", encoding="utf-8")
    say(f"written to {output}: contract.gev, groundeval.yaml")


def _beside(path: Path, folder: Path) -> str:
    """The path as the project file in `folder` names it."""
    return Path(os.path.relpath(path, folder)).as_posix()
