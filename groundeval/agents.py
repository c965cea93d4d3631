"""Agents by their names: those of a project, those that come with the product, and files."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from typing import Any, Final

import msgspec

from groundeval.diagnostics import Checked, Diagnostic, Span, codes
from groundeval.diagnostics.source import COMMAND_LINE
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.project import AgentFile, EndpointFile, Project
from groundeval.runs.agent import Agent, Identity, Mode, Reply, Task
from groundeval.runs.command import Command, CommandAgent
from groundeval.runs.response_cache import ResponseCache
from groundeval.world.ids import shown

_KINDS_HELP: Final = "or give a Python function as `file.py:function`"


@dataclass(frozen=True, slots=True)
class Wish:
    """What is asked of an agent besides its name.

    `infer` reads answers from free text where a model gave nothing else, `cache` keeps a model's
    responses in that folder, `report` is told what goes wrong with it.
    """

    mode: Mode = Mode.TOOL
    infer: bool = False
    cache: Path | None = None
    report: Callable[[str], None] = print


class NamedAgent:
    """An agent under the name that its traces are to have. It is closed once, and all it needs."""

    def __init__(self, agent: Agent, name: str, means: ExitStack | None = None) -> None:
        self._agent = agent
        self._means = means or ExitStack()
        self._means.callback(agent.close)
        self._closing = threading.Lock()
        self.identity: Identity = msgspec.structs.replace(agent.identity, name=name)

    def attempt(self, task: Task) -> Reply:
        """As of the agent."""
        return self._agent.attempt(task)

    def close(self) -> None:
        """As of any agent; a second call does nothing."""
        with self._closing:
            self._means.close()


def agent_called(project: Project, name: str, wish: Wish) -> Checked[Agent]:
    """The agent that `name` stands for, ready to answer; None, with findings, where none can.

    It is one of the project's `agents`, else one of the scripted ones, else a Python function as
    `file.py:function` (from the current folder on) or `module:function`.
    """
    set_by_project = project.file.agents.get(name)
    if set_by_project is not None:
        return _of_project(project, name, set_by_project, wish)
    from groundeval.scripted import NAMES, scripted_agent  # noqa: PLC0415 - only where it is used

    scripted = scripted_agent(name)
    if scripted is not None:
        return Checked(NamedAgent(scripted, name))
    if ":" in name:
        return _python(name, Path(), None)
    known = {*project.file.agents, *NAMES}
    near = did_you_mean(name, known)
    help_ = near or f"known: {', '.join(sorted(known))}; {_KINDS_HELP}"
    message = f"there is no agent {shown(name)}"
    lost = Diagnostic(codes.UNKNOWN_AGENT, message, Span.at(COMMAND_LINE, 1), help=help_)
    return Checked(None, (lost,))


def takes_inference(project: Project, name: str) -> bool:
    """Whether the agent is a model behind an API: answers of no other are read from free text."""
    found = project.file.agents.get(name)
    return found is not None and (found.openai or found.anthropic) is not None


def _of_project(project: Project, name: str, file: AgentFile, wish: Wish) -> Checked[Agent]:
    if file.python is not None:
        return _python(file.python, project.folder, name, tuple(file.env))
    if file.command is not None:
        return _command(project, name, file, wish)
    endpoint = file.openai or file.anthropic
    assert endpoint is not None, name  # the project file was held against its model
    return _endpoint(name, endpoint, wish, project.places().key("agents", name))


def _python(spec: str, folder: Path, name: str | None, env: tuple[str, ...] = ()) -> Checked[Agent]:
    """The function as an agent; without a name of its own it is called as it was given."""
    from groundeval.runs.hosted import python_agent  # noqa: PLC0415 - only where it is used

    made = python_agent(spec, folder, env=env)
    if made.value is None:
        return made
    called = made.value.identity.name if name is None else name
    return Checked(NamedAgent(made.value, called), made.diagnostics)


def _command(project: Project, name: str, file: AgentFile, wish: Wish) -> Checked[Agent]:
    place = project.places().key("agents", name)
    files: dict[str, Path] = {}
    for index, written in enumerate(file.files):
        found = _file(project, written)
        if isinstance(found, str):
            span = project.places().value("agents", name, "files", index)
            message = f"the setting `agents.{name}.files` names {shown(written)}, {found}"
            return Checked(None, (Diagnostic(codes.PROJECT_INVALID, message, span),))
        files[found.as_posix()] = project.folder / found
    words = tuple(file.command or ())
    command = Command(name, words, tuple(file.env), files)
    return _served(command, wish, place)


def _file(project: Project, written: str) -> PurePosixPath | str:
    """A file or folder of the project, or what is wrong with it."""
    relative = PurePosixPath(written)
    if relative.is_absolute() or ".." in relative.parts:
        return "which is not within the project's folder"
    if not (project.folder / relative).exists():
        return "and there is no such file"
    return relative


def _served(command: Command, wish: Wish, place: Span) -> Checked[Agent]:
    """The command, with a server for its tools where it gets any."""
    if wish.mode is not Mode.TOOL:
        return Checked(NamedAgent(CommandAgent(command, None), command.name))
    if find_spec("mcp") is None or find_spec("uvicorn") is None:
        message = f"agent `{command.name}` gets its tools over MCP, which needs a package"
        help_ = "pip install 'groundeval[mcp]'"
        return Checked(None, (Diagnostic(codes.MISSING_EXTRA, message, place, help=help_),))
    from groundeval.server.gateway import HttpGateway  # noqa: PLC0415 - needs an optional package

    means = ExitStack()
    gateway = means.enter_context(HttpGateway())
    return Checked(NamedAgent(CommandAgent(command, gateway), command.name, means))


def _endpoint(name: str, file: EndpointFile, wish: Wish, place: Span) -> Checked[Agent]:
    from groundeval.runs.endpoints.agent import Means, endpoint_agent  # noqa: PLC0415 - as above
    from groundeval.runs.endpoints.settings import (  # noqa: PLC0415 - as above
        AnswerBy,
        Api,
        EndpointSettings,
    )

    said: Mapping[str, Any] = file.model_dump(exclude={"api", "answer_by", "infer"})
    settings = EndpointSettings(
        name=name,
        api=Api(getattr(file, "api", Api.MESSAGES)),
        answer_by=AnswerBy(file.answer_by),
        infer=file.infer or wish.infer,
        **said,
    )
    cache = None if wish.cache is None else ResponseCache(wish.cache, wish.report)
    made = endpoint_agent(settings, Means(cache=cache, place=place))
    if made.value is None:
        return made
    return Checked(NamedAgent(made.value, name), made.diagnostics)
