"""The project file `groundeval.yaml`: where a contract, its data and its outputs are."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, Final, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic_core import PydanticCustomError

from groundeval.diagnostics import Checked, Diagnostic, Span
from groundeval.diagnostics.codes import PROJECT_INVALID, PROJECT_MISSING
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.world.documents import read_yaml
from groundeval.world.files import DataFile
from groundeval.world.yaml_places import YamlPlaces

FILE_NAME = "groundeval.yaml"
Name = Annotated[str, Field(min_length=1, pattern="^[^\\x00]*$")]


_Text = Annotated[str, Field(min_length=1)]


class _Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class EndpointFile(_Settings):
    """How a model behind an API is asked; what is left out is not sent.

    `key_env` names the variable that holds the key; no key stands in a project file.
    """

    model: _Text
    base_url: _Text | None = None
    key_env: _Text | None = None
    temperature: float | None = None
    max_output_tokens: Annotated[int, Field(ge=1)] | None = None
    stream: bool = False
    instructions: _Text | None = None
    answer_by: Literal["tool", "json"] = "tool"
    infer: bool = False
    retries: Annotated[int, Field(ge=0)] = 4
    timeout: Annotated[float, Field(gt=0)] = 120.0
    turns: Annotated[int, Field(ge=1)] = 50
    extra_body: dict[str, Any] = Field(default_factory=dict)


class OpenAIFile(EndpointFile):
    """A model behind an OpenAI-compatible API."""

    api: Literal["chat", "responses"] = "chat"
    seed: int | None = None


class AnthropicFile(EndpointFile):
    """A model behind the Anthropic messages API."""


AGENT_KINDS: Final = ("python", "command", "openai", "anthropic")


class AgentFile(_Settings):
    """One agent: exactly one of `python`, `command`, `openai` and `anthropic`.

    `python` is `file.py:function` or `module:function`. `env` names the variables that its process
    gets besides the few that all do, `files` what is put into the folder that a command starts in.
    """

    model_config = ConfigDict(
        json_schema_extra={"oneOf": [{"required": [kind]} for kind in AGENT_KINDS]}
    )

    python: _Text | None = None
    command: Annotated[list[_Text], Field(min_length=1)] | None = None
    env: list[_Text] = Field(default_factory=list)
    files: list[_Text] = Field(default_factory=list)
    openai: OpenAIFile | None = None
    anthropic: AnthropicFile | None = None

    @model_validator(mode="after")
    def _is_one_agent(self) -> Self:
        said = [kind for kind in AGENT_KINDS if getattr(self, kind) is not None]
        if len(said) != 1:
            kinds = " and ".join(f"`{kind}`" for kind in said) or "nothing"
            known = ", ".join(f"`{kind}`" for kind in AGENT_KINDS)
            reason = f"an agent is one of {known}, and this is {kinds}"
            raise PydanticCustomError("agent_kind", "{reason}", {"reason": reason})
        if self.env and self.command is None and self.python is None:
            reason = "`env` is for agents with a process of their own"
            raise PydanticCustomError("agent_kind", "{reason}", {"reason": reason})
        if self.files and self.command is None:
            reason = "`files` is for a `command`"
            raise PydanticCustomError("agent_kind", "{reason}", {"reason": reason})
        return self


class ProjectFile(_Settings):
    """What `groundeval.yaml` may say; paths are relative to it.

    `contract` is the root `.gev` file, `events` and `artifacts` are read beside the contract's
    `source` blocks. `caps` are questions per track, `params` a track's parameters, `agents` those
    that `run` can be told to ask, by the names they are recorded under.
    """

    contract: Name
    events: Name | None = None
    artifacts: Name | None = None
    output: Name = "runs/"
    seed: int = 42
    caps: dict[str, Annotated[int, Field(ge=0)]] = Field(default_factory=dict)
    params: dict[str, dict[str, Any]] = Field(default_factory=dict)
    agents: dict[Name, AgentFile] = Field(default_factory=dict)


def project_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of `groundeval.yaml`."""
    found = ProjectFile.model_json_schema()
    return {"$schema": "https://json-schema.org/draft/2020-12/schema", **found, "title": "project"}


_SETTINGS: Final = f"settings are: {', '.join(ProjectFile.model_fields)}"


@dataclass(frozen=True, slots=True)
class Project:
    """A project on disk: its folder, what its file says, and the name that messages use for it."""

    folder: Path
    file: ProjectFile
    name: str
    lone: bool = field(default=False, kw_only=True)
    """Whether it is a rule file without a project file: then it has no data."""

    def path(self, relative: str) -> Path:
        """A path of the project file, from the current folder on."""
        return self.folder / relative

    @property
    def contract(self) -> Path:
        """Where the root rule file is."""
        return self.path(self.file.contract)

    @property
    def root(self) -> str:
        """The root rule file as findings name it: relative to the project's folder."""
        return posixpath.normpath(self.file.contract)

    def places(self) -> YamlPlaces:
        """Where the project file says what it says."""
        return _places(Path(self.name))


def open_project(path: Path) -> Checked[Project]:
    """The project at `path`: a folder with a `groundeval.yaml`, that file, or a lone `.gev` file.

    A lone rule file is a project without data. The value is None, with findings, where there is
    no such thing, or the project file cannot be used.
    """
    if path.suffix == ".gev":
        if not path.is_file():
            return _missing(path, f"there is no file `{path}`")
        file = ProjectFile(contract=path.name)
        return Checked(Project(path.parent, file, str(path), lone=True))
    file_path = path / FILE_NAME if path.is_dir() else path
    if file_path.is_file():
        return _read(file_path)
    what = f"`{FILE_NAME}` in `{path}`" if path.is_dir() else f"file `{path}`"
    return _missing(file_path, f"there is no {what}")


def _read(path: Path) -> Checked[Project]:
    raw = _settings(path)
    if isinstance(raw, Diagnostic):
        return Checked(None, (raw,))
    try:
        file = ProjectFile.model_validate(raw)
    except ValidationError as error:
        places = _places(path)
        return Checked(None, tuple(_setting(places, fault) for fault in error.errors()))
    project = Project(path.parent, file, str(path))
    if not project.contract.is_file():
        message = f"`contract` names `{file.contract}`, and there is no such file"
        return Checked(None, (_invalid(_places(path).value("contract"), message, ""),))
    return Checked(project)


def _settings(path: Path) -> dict[str, Any] | Diagnostic:
    """The one mapping that the file holds, or what is wrong with it."""
    documents = list(read_yaml(DataFile.of(path)))
    for document in documents:
        if isinstance(document, Diagnostic):
            return _invalid(document.span, f"not a mapping of settings: {document.message}")
    if len(documents) != 1 or isinstance(documents[0], Diagnostic):
        message = f"the file holds {len(documents)} mappings of settings, not one"
        return _invalid(Span.at(str(path), 1), message)
    return documents[0][1]


def _setting(places: YamlPlaces, fault: Any) -> Diagnostic:
    way = tuple(fault["loc"])
    name = f"`{'.'.join(part for part in way if isinstance(part, str))}`"
    if way and isinstance(way[-1], int):
        name = f"entry {way[-1] + 1} of {name}"
    match fault["type"]:
        case "extra_forbidden":
            known = _known(way)
            help_text = did_you_mean(str(way[-1]), known) or f"settings are: {', '.join(known)}"
            return _invalid(places.key(*way), f"unknown setting {name}", help_text)
        case "missing":
            return _invalid(places.key(*way), f"the setting {name} is missing")
        case "model_type" | "dict_type":
            message = f"the setting {name} does not fit: a mapping of settings belongs here"
            return _invalid(places.value(*way), message, "")
        case _:
            reason = fault["msg"][:1].lower() + fault["msg"][1:]
            message = f"the setting {name} does not fit: {reason}"
            return _invalid(places.value(*way), message, "" if len(way) > 1 else _SETTINGS)


def _known(way: tuple[int | str, ...]) -> tuple[str, ...]:
    """The settings that there are where an unknown one stands."""
    match way:
        case ("agents", _, "openai", _):
            return tuple(OpenAIFile.model_fields)
        case ("agents", _, "anthropic", _):
            return tuple(AnthropicFile.model_fields)
        case ("agents", _, _):
            return tuple(AgentFile.model_fields)
        case _:
            return tuple(ProjectFile.model_fields)


def _places(path: Path) -> YamlPlaces:
    """The places of a file that was read before; none where it is gone by now."""
    try:
        return YamlPlaces.of(str(path), path.read_text(encoding="utf-8-sig"))
    except (OSError, UnicodeDecodeError):
        return YamlPlaces.of(str(path), "")


def _missing(path: Path, message: str) -> Checked[Project]:
    help_text = f"name a folder that has a `{FILE_NAME}`, or a `.gev` file"
    place = Span.at(str(path), 1)
    return Checked(None, (Diagnostic(PROJECT_MISSING, message, place, help=help_text),))


def _invalid(place: Span, message: str, help_text: str = _SETTINGS) -> Diagnostic:
    return Diagnostic(PROJECT_INVALID, message, place, help=help_text)
