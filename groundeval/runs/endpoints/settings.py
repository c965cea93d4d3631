"""How a model behind an API is to be asked."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from enum import StrEnum
from typing import Any, Final
from urllib.parse import urlsplit

import msgspec

from groundeval.world.ids import shown


class Api(StrEnum):
    """The APIs that are spoken."""

    CHAT = "chat"
    RESPONSES = "responses"
    MESSAGES = "messages"


class AnswerBy(StrEnum):
    """How the model hands its answer in: by a call of `submit_answer`, or as its final text.

    With `json`, the endpoint is asked to hold that text to the answer's schema.
    """

    TOOL = "tool"
    JSON = "json"


class EndpointSettings(msgspec.Struct, frozen=True, kw_only=True):
    """A model, where it is, and with what parameters it is asked.

    `key_env` names the variable that holds the key; without one, a `base_url` of one's own gets
    no key, and the provider's own the one in its usual variable. `timeout` is in seconds, for one
    request; `turns` bounds the requests of an attempt. `extra_body` goes into each request as it
    is, null taking a parameter out. What is None is not sent.
    """

    name: str
    api: Api
    model: str
    base_url: str | None = None
    key_env: str | None = None
    temperature: float | None = None
    max_output_tokens: int | None = None
    seed: int | None = None
    stream: bool = False
    instructions: str | None = None
    answer_by: AnswerBy = AnswerBy.TOOL
    infer: bool = False
    retries: int = 4
    timeout: float = 120.0
    turns: int = 50
    extra_body: dict[str, Any] = msgspec.field(default_factory=dict)

    @property
    def key_name(self) -> str | None:
        """The variable that the key is read from; None where none is sent."""
        if self.key_env is not None or self.base_url is not None:
            return self.key_env
        return "ANTHROPIC_API_KEY" if self.api is Api.MESSAGES else "OPENAI_API_KEY"

    @property
    def address(self) -> str:
        """The base URL in use, without a slash at its end."""
        own = _MESSAGES_URL if self.api is Api.MESSAGES else _OPENAI_URL
        return (self.base_url or own).rstrip("/")

    @property
    def official(self) -> bool:
        """Whether the provider's own servers are asked."""
        return self.address in {_OPENAI_URL, _MESSAGES_URL}

    @property
    def telling(self) -> dict[str, Any]:
        """What changes what the model does: no secrets, nor how patient we are with it."""
        told: dict[str, Any] = {"api": self.api.value, "base_url": self.address}
        for field in _TELLING:
            value = getattr(self, field)
            if value is not None and value is not False and value != {}:
                told[field] = value.value if isinstance(value, StrEnum) else value
        return told


_OPENAI_URL: Final = "https://api.openai.com/v1"
_MESSAGES_URL: Final = "https://api.anthropic.com"
_TELLING: Final = (
    "temperature", "max_output_tokens", "seed", "stream", "instructions", "answer_by", "infer",
    "turns", "extra_body",
)  # fmt: skip
_OURS: Final = frozenset(
    {"model", "messages", "input", "instructions", "system", "tools", "stream", "n"}
)
"""Parts of a request that only we write."""


def setting_faults(settings: EndpointSettings) -> Iterator[tuple[str, str, str]]:
    """What cannot be used: the setting, what is wrong with it, how to mend it."""
    if settings.base_url is not None:
        yield from _url_faults(settings.base_url)
    if settings.seed is not None and settings.api is not Api.CHAT:
        yield "seed", f"the API `{settings.api.value}` takes no `seed`", "leave `seed` out"
    if settings.temperature is not None and not math.isfinite(settings.temperature):
        yield "temperature", "`temperature` is no number", "give a number, or leave it out"
    if not settings.timeout > 0:
        yield "timeout", "`timeout` is not above 0", "give the seconds that one request may take"
    for name, number, least in (("retries", settings.retries, 0), ("turns", settings.turns, 1)):
        if number < least:
            yield name, f"`{name}` is below {least}", f"give {least} or more"
    for name in sorted(_OURS & settings.extra_body.keys()):
        fault = f"`extra_body` sets {shown(name)}, which each request has of its own"
        yield "extra_body", fault, "use the setting of its own, or leave it out"


def _url_faults(url: str) -> Iterator[tuple[str, str, str]]:
    """A URL is written into traces: no secret may stand in it."""
    try:
        parts = urlsplit(url)
        host, _ = parts.hostname, parts.port
    except ValueError:
        host, parts = None, urlsplit("")
    if parts.scheme not in {"http", "https"} or not host:
        message = "`base_url` is not an address of the web"
        yield "base_url", message, "it begins with `http://` or `https://` and a host"
    elif parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        message = "`base_url` holds more than scheme, host, port and path"
        yield "base_url", message, "traces show it: let `key_env` name a variable with the key"


def set_parts(parts: Mapping[str, Any], extra: Mapping[str, Any]) -> dict[str, Any]:
    """A request of the parts that are set; those of `extra` win, null takes one out."""
    return {name: value for name, value in {**parts, **extra}.items() if value is not None}
