"""The agent that a model behind an API is."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import assert_never

from groundeval.diagnostics import Checked, Diagnostic, Span
from groundeval.diagnostics.codes import ENDPOINT_SETTING, MISSING_EXTRA, MISSING_KEY
from groundeval.runs.agent import Agent, Identity, Reply, Task
from groundeval.runs.endpoints.chat import Chat
from groundeval.runs.endpoints.conversation import Conversation
from groundeval.runs.endpoints.messages import Messages
from groundeval.runs.endpoints.prompt import WORDING
from groundeval.runs.endpoints.responses import Responses
from groundeval.runs.endpoints.sending import Clock, Deadline, Line, Sender
from groundeval.runs.endpoints.settings import Api, EndpointSettings, setting_faults
from groundeval.runs.endpoints.transport import transport_for
from groundeval.runs.endpoints.turns import Dialect
from groundeval.runs.response_cache import ResponseCache


def _at_once() -> None:
    """A pace that never waits."""


@dataclass(frozen=True, slots=True)
class Means:
    """What endpoint agents work with besides their settings.

    `pace` is called before each request that goes out, and may wait. `place` is where findings
    about the settings point.
    """

    cache: ResponseCache | None = None
    clock: Clock = field(default_factory=Clock)
    environment: Mapping[str, str] = field(default_factory=lambda: os.environ)
    pace: Callable[[], None] = _at_once
    place: Span = field(default_factory=lambda: Span.at("groundeval.yaml", 1))


class EndpointAgent:
    """Asks a model behind an API for one turn after the other, and carries out its calls."""

    def __init__(self, settings: EndpointSettings, dialect: Dialect, sender: Sender) -> None:
        self._settings = settings
        self._dialect = dialect
        self._sender = sender
        self._clock = sender.clock
        telling = {**settings.telling, "wording": WORDING}
        self.identity = Identity(name=settings.name, model=settings.model, settings=telling)

    def attempt(self, task: Task) -> Reply:
        """As of any agent. The budget's seconds begin with the call."""
        deadline = Deadline(self._clock, task.budget.seconds)
        talk = Conversation(self._settings, self._dialect, self._sender, task, deadline)
        return talk.held()

    def close(self) -> None:
        """As of any agent; attempts that are under way end soon, with an error."""
        self._sender.close()


def endpoint_agent(settings: EndpointSettings, means: Means | None = None) -> Checked[Agent]:
    """The agent of these settings; None, with findings, where they cannot be used.

    Findings are settings that do not fit, a key that is not in the environment, and an SDK that
    is not installed. Nothing is sent yet.
    """
    means = means or Means()
    # Blanks around a key are of the shell that set it.
    key = means.environment.get(settings.key_name, "").strip() if settings.key_name else None
    findings = tuple(_findings(settings, key, means.place))
    if findings:
        return Checked(None, findings)
    transport = transport_for(settings, key)
    if transport is None:
        return Checked(None, (_missing_extra(settings, means.place),))
    dialect = _dialect(settings)
    line = Line(settings, dialect, transport, key, means.pace)
    sender = Sender(line, means.clock, means.cache)
    return Checked(EndpointAgent(settings, dialect, sender))


def _dialect(settings: EndpointSettings) -> Dialect:
    match settings.api:
        case Api.CHAT:
            return Chat(settings)
        case Api.RESPONSES:
            return Responses(settings)
        case Api.MESSAGES:
            return Messages(settings)
        case other:
            assert_never(other)


def _findings(settings: EndpointSettings, key: str | None, place: Span) -> Iterator[Diagnostic]:
    for _, fault, mend in setting_faults(settings):
        message = f"agent `{settings.name}`: {fault}"
        yield Diagnostic(ENDPOINT_SETTING, message, place, help=mend)
    name = settings.key_name
    if name is not None and not _can_be_sent(key or ""):
        message = f"agent `{settings.name}`: the variable `{name}` holds no key"
        help_ = f"set `{name}` in the environment, or name another variable in `key_env`"
        yield Diagnostic(MISSING_KEY, message, place, help=help_)


def _can_be_sent(key: str) -> bool:
    """Whether a header can hold it: else the SDKs' errors would show it."""
    return bool(key) and key.isascii() and key.isprintable()


def _missing_extra(settings: EndpointSettings, place: Span) -> Diagnostic:
    extra = "anthropic" if settings.api is Api.MESSAGES else "openai"
    message = f"agent `{settings.name}` needs the package `{extra}`"
    help_ = f"pip install 'groundeval[{extra}]'"
    return Diagnostic(MISSING_EXTRA, message, place, help=help_)
