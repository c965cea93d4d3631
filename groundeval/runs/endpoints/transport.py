"""Requests over the providers' own SDKs, which are loaded when the first agent needs them."""

from __future__ import annotations

import json
import os
import threading
from collections.abc import Callable, Mapping
from itertools import islice
from typing import Any, Final, Protocol, TypeVar

import msgspec

from groundeval.runs.endpoints.outcomes import Trouble, fault_of_status
from groundeval.runs.endpoints.settings import Api, EndpointSettings
from groundeval.runs.endpoints.turns import Fault, Json, excerpt

T = TypeVar("T")
_NO_KEY: Final = "none"
"""What stands for a key where the endpoint asks for none; the SDKs do without only by guessing."""


class Transport(Protocol):
    """Sends one request to an endpoint."""

    def post(self, path: str, body: Json, timeout: float) -> Json | list[Json] | Fault:
        """The response, or the events of a streamed one. Waits `timeout` seconds for each part."""
        ...

    def close(self) -> None: ...


def transport_for(settings: EndpointSettings, key: str | None) -> Transport | None:
    """The transport of an API's SDK; None where that is not installed."""
    try:
        if settings.api is Api.MESSAGES:
            return _anthropic(settings, key)
        return _openai(settings, key)
    except ImportError:
        return None


def _openai(settings: EndpointSettings, key: str | None) -> Transport:
    import openai  # noqa: PLC0415 - an extra, which most runs do without

    client = openai.OpenAI(
        api_key=key or _NO_KEY,
        admin_api_key="",
        base_url=settings.address,
        max_retries=0,
        http_client=openai.DefaultHttpxClient(follow_redirects=False),
    )
    return _Sdk(openai, client, _withheld(settings, openai.Omit(), client.auth_headers))


def _anthropic(settings: EndpointSettings, key: str | None) -> Transport:
    import anthropic  # noqa: PLC0415 - an extra, which most runs do without

    client = anthropic.Anthropic(
        api_key=key or _NO_KEY,
        base_url=settings.address,
        max_retries=0,
        http_client=anthropic.DefaultHttpxClient(follow_redirects=False),
    )
    return _Sdk(anthropic, client, _withheld(settings, anthropic.Omit(), client.auth_headers))


def _withheld(settings: EndpointSettings, omit: object, own: Mapping[str, str]) -> Json:
    """Headers that keep what the environment says to the provider from every other server.

    The SDKs add those that their variables name, and let them replace even the key's.
    """
    if settings.official:
        return {}
    lines = "\n".join(os.environ.get(name, "") for name in _HEADERS).split("\n")
    named = [line.partition(":")[0].strip() for line in lines if ":" in line]
    auth = {name.lower() for name in own}
    omitted = [name for name in (*_WHOSE, *named) if name.lower() not in auth]
    return {**dict.fromkeys(omitted, omit), **own}


_WHOSE: Final = ("OpenAI-Organization", "OpenAI-Project")
_HEADERS: Final = ("OPENAI_CUSTOM_HEADERS", "ANTHROPIC_CUSTOM_HEADERS")
_MOST_EVENTS: Final = 200_000


class _Sdk:
    """Either SDK: both are made by one generator, and are alike in all that is used here.

    `sdk` is the module, `client` its client. Requests are posted as they are, so that a parameter
    which this version of the SDK does not know goes through.
    """

    def __init__(self, sdk: Any, client: Any, headers: Mapping[str, object]) -> None:
        import httpx2  # noqa: PLC0415 - comes with either extra

        self._broken = httpx2.RequestError
        self._sdk = sdk
        self._client = client
        self._headers = headers

    def post(self, path: str, body: Json, timeout: float) -> Json | list[Json] | Fault:
        """As of any transport."""
        options = {"timeout": timeout, "headers": self._headers}
        try:
            if body.get("stream"):
                return self._streamed(path, body, options)
            found = self._client.post(path, cast_to=object, body=body, options=options)
            found = json.loads(found) if isinstance(found, str) else found
        except self._sdk.APITimeoutError:
            return Fault(f"the endpoint said nothing for {timeout:.3g} s", again=True)
        except self._sdk.APIConnectionError as fault:
            return _unconnected(fault.__cause__ or fault)
        except self._sdk.APIStatusError as fault:
            return fault_of_status(
                Trouble(fault.status_code, fault.response.headers, fault.body, fault.message)
            )
        except self._sdk.APIError as fault:  # in the middle of a stream
            return fault_of_status(Trouble(200, {}, fault.body, fault.message))
        except self._broken as fault:  # in a stream, where not every SDK has a word for it
            return _unconnected(fault)
        except ValueError:
            return Fault("the endpoint's response is no JSON", again=True)
        if not isinstance(found, dict):
            return Fault("the endpoint's response is no JSON object", again=True)
        return found

    def close(self) -> None:
        """As of any transport."""
        self._client.close()

    def _streamed(self, path: str, body: Json, options: Json) -> list[Json] | Fault:
        stream = self._client.post(
            path,
            cast_to=object,
            body=body,
            options=options,
            stream=True,
            stream_cls=self._sdk.Stream[object],
        )
        with stream:
            events = [event for event in islice(stream, _MOST_EVENTS) if isinstance(event, dict)]
        if len(events) < _MOST_EVENTS:
            return events
        return Fault(f"the endpoint's stream has more than {_MOST_EVENTS:,} events")


def _unconnected(cause: BaseException) -> Fault:
    reason = excerpt(str(cause)) or type(cause).__name__
    return Fault(f"the connection to the endpoint failed: {reason}", again=True)


def within(seconds: float | None, work: Callable[[], T]) -> T | None:
    """What `work` gives, or None where that takes longer than so many seconds.

    It is left to itself then, in a thread that ends when the endpoint does or says nothing more.
    What it raises is raised here.
    """
    if seconds is None:
        return work()
    given: list[T] = []
    raised: list[BaseException] = []

    def working() -> None:
        try:
            given.append(work())
        except BaseException as fault:  # noqa: BLE001 - handed over to the thread that waits
            raised.append(fault)

    thread = threading.Thread(target=working, daemon=True)
    thread.start()
    thread.join(max(0.0, seconds))
    if raised:
        raise raised[0]
    return given[0] if given else None


def encoded(response: Json) -> bytes | Fault:
    """A response as the JSON that is kept and read; a fault where no JSON can hold it."""
    try:
        return msgspec.json.encode(response)
    except (UnicodeEncodeError, OverflowError, RecursionError, TypeError, ValueError):
        return Fault("the endpoint's response holds what no JSON can", again=True)
