"""What a model said and is told, the same for every API."""

from __future__ import annotations

import json
from collections.abc import Collection
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final, Protocol

Json = dict[str, Any]

_LONGEST_EXCERPT: Final = 200


class Stop(StrEnum):
    """Why a turn ended."""

    DONE = "done"
    LENGTH = "length"
    REFUSED = "refused"


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a tool; `arguments` is None where `raw`, what was written, is no JSON object."""

    id: str
    name: str
    arguments: Json | None
    raw: str = ""


@dataclass(frozen=True, slots=True)
class Result:
    """What a call brought back, as text for the model."""

    call: str
    text: str
    failed: bool = False


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens as the endpoint counts them; `input` holds those that its own cache had."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0


@dataclass(frozen=True, slots=True)
class Turn:
    """One turn of a model. `echo` is how it stands in the messages of the next request."""

    text: str
    calls: tuple[Call, ...]
    stop: Stop
    echo: tuple[Json, ...]
    refusal: str = ""
    usage: Usage = field(default_factory=Usage)
    model: str | None = None


@dataclass(frozen=True, slots=True)
class Fault:
    """Why there is no turn. `again`: the same request may do better; `wait`: seconds until then."""

    text: str
    again: bool = False
    wait: float | None = None


CUT_OFF: Final = Fault("the endpoint's response was cut off", again=True)


@dataclass(frozen=True, slots=True)
class Offered:
    """A tool that the model may call; `schema` is the JSON Schema of its arguments."""

    name: str
    description: str
    schema: Json


@dataclass(frozen=True, slots=True)
class Told:
    """What a model is told first.

    `form` is the schema that its final text is held to, None where it hands its answer in by
    a call.
    """

    system: str
    user: str
    tools: tuple[Offered, ...]
    form: Json | None = None


class Dialect(Protocol):
    """One API's way of writing conversations. Reads and writes plain JSON, sends nothing."""

    @property
    def path(self) -> str:
        """Where requests go, after the base URL."""
        ...

    def body(self, told: Told, history: list[Json]) -> Json:
        """The request for the next turn; `history` is what came after the question."""
        ...

    def turn(self, response: Json, taken: Collection[str]) -> Turn | Fault:
        """What a response says. Calls get ids of their own where theirs are missing or `taken`."""
        ...

    def results(self, results: tuple[Result, ...]) -> list[Json]:
        """The results of a turn's calls, in their order."""
        ...

    def remark(self, text: str) -> Json:
        """A further message of the user."""
        ...

    def merged(self, events: list[Json]) -> Json | Fault:
        """A streamed response as the one that would have come unstreamed."""
        ...


def arguments_of(raw: str | Json | None) -> tuple[Json | None, str]:
    """Arguments as an object, or None, beside what was written. Nothing written is no argument."""
    if isinstance(raw, dict):
        return raw, ""
    text = raw or ""
    if not text.strip():
        return {}, text
    try:
        found = json.loads(text, parse_constant=_no_json)
    except (ValueError, RecursionError):
        return None, text
    return (found, text) if isinstance(found, dict) else (None, text)


def object_in(text: str) -> Json | None:
    """A text that is one JSON object and nothing else; None for any other."""
    found, _ = arguments_of(text) if text.strip() else (None, "")
    return found


def echoed_arguments(call: Call) -> str:
    """Arguments as they are sent back. Servers read them, so that what is no JSON stays out."""
    return "{}" if call.arguments is None else call.raw or json.dumps(call.arguments)


class Ids:
    """Gives every call of a conversation an id of its own, the same in every run."""

    def __init__(self, taken: Collection[str]) -> None:
        self._taken = set(taken)

    def own(self, given: str | None) -> str:
        """The id that was given, if there is one and no other call has it."""
        name = given or ""
        if not name or name in self._taken:
            name = f"call_{len(self._taken) + 1}"
            while name in self._taken:
                name += "x"
        self._taken.add(name)
        return name


def excerpt(text: str) -> str:
    """The beginning of a foreign text on one line, such as an error can show."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat if len(flat) <= _LONGEST_EXCERPT else f"{flat[:_LONGEST_EXCERPT]}…"


def _no_json(name: str) -> Any:
    raise ValueError(name)
