"""The project file `groundeval.yaml`: where a contract, its data and its outputs are."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from groundeval.diagnostics import Checked, Diagnostic, Span
from groundeval.diagnostics.codes import PROJECT_INVALID, PROJECT_MISSING

FILE_NAME = "groundeval.yaml"


class ProjectFile(BaseModel):
    """What `groundeval.yaml` may say; paths are relative to it.

    `contract` is the root `.gev` file, `events` and `artifacts` are read beside the contract's
    `source` blocks. `caps` are questions per track, `params` a track's parameters.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    contract: str
    events: str | None = None
    artifacts: str | None = None
    output: str = "runs/"
    seed: int = 42
    caps: dict[str, int] = Field(default_factory=dict)
    params: dict[str, dict[str, Any]] = Field(default_factory=dict)
    agents: dict[str, Any] = Field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Project:
    """A project on disk: its folder, what its file says, and the name that messages use for it."""

    folder: Path
    file: ProjectFile
    name: str

    def path(self, relative: str) -> Path:
        return self.folder / relative

    @property
    def contract(self) -> Path:
        return self.path(self.file.contract)


def open_project(path: Path) -> Checked[Project]:
    """The project at `path`: a folder with a `groundeval.yaml`, that file, or a lone `.gev` file.

    A lone rule file is a project without data.
    """
    if path.suffix == ".gev":
        if not path.is_file():
            return _missing(path, f"there is no file `{path}`")
        return Checked(Project(path.parent, ProjectFile(contract=path.name), str(path)))
    file = path / FILE_NAME if path.is_dir() else path
    if not file.is_file():
        return _missing(
            file,
            f"there is no `{FILE_NAME}` in `{path}`"
            if path.is_dir()
            else f"there is no file `{file}`",
        )
    try:
        raw = yaml.safe_load(file.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        return Checked(
            None, (_invalid(file, _line_of(error), f"not readable as YAML: {_short(error)}"),)
        )
    if not isinstance(raw, dict):
        return Checked(None, (_invalid(file, 1, "the file is not a mapping of settings"),))
    try:
        return Checked(Project(file.parent, ProjectFile.model_validate(raw), str(file)))
    except ValidationError as error:
        return Checked(None, tuple(_setting(file, fault) for fault in error.errors()))


def _setting(file: Path, fault: Any) -> Diagnostic:
    name = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        message = f"unknown setting `{name}`"
    elif fault["type"] == "missing":
        message = f"the setting `{name}` is missing"
    else:
        message = f"the setting `{name}` does not fit: {fault['msg'].lower()}"
    return _invalid(file, _line_with(file, str(fault["loc"][0])), message)


def _line_with(file: Path, key: str) -> int:
    lines = file.read_text(encoding="utf-8-sig").splitlines()
    return next((n for n, line in enumerate(lines, 1) if line.startswith(f"{key}:")), 1)


def _line_of(error: Exception) -> int:
    mark = getattr(error, "problem_mark", None)
    return mark.line + 1 if mark else 1


def _short(error: Exception) -> str:
    return str(getattr(error, "problem", None) or error).splitlines()[0]


def _missing(path: Path, message: str) -> Checked[Project]:
    help_text = f"name a folder that has a `{FILE_NAME}`, or a `.gev` file"
    return Checked(
        None, (Diagnostic(PROJECT_MISSING, message, Span.at(str(path), 1), help=help_text),)
    )


def _invalid(file: Path, line: int, message: str) -> Diagnostic:
    known = ", ".join(ProjectFile.model_fields)
    return Diagnostic(
        PROJECT_INVALID, message, Span.at(str(file), line), help=f"settings are: {known}"
    )
