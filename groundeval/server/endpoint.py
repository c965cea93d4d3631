"""The HTTP endpoint: one address, behind which each bearer token opens one attempt."""

from __future__ import annotations

import hashlib
import hmac
import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final

import anyio
from anyio.abc import TaskGroup, TaskStatus
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.datastructures import Headers
from starlette.responses import Response

from groundeval.server.limits import Bucket, Limits
from groundeval.server.protocol import served

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send

    from groundeval.server.attempt import Attempt

PATH: Final = "/mcp"
_STRANGERS: Final = Limits(rate=20.0, burst=40)
"""For all requests together that open nothing."""
_METHODS: Final = ("POST", "DELETE")
"""No GET: the server says nothing unasked, and a stream held open would never be idle."""


class _Door:
    """An attempt behind its token, with sessions of its own that end with it."""

    def __init__(self, attempt: Attempt, key: bytes, limits: Limits) -> None:
        self.key = key
        self.bucket = Bucket(limits.rate, limits.burst)
        self._manager = StreamableHTTPSessionManager(
            served(attempt),
            json_response=True,
            max_request_body_size=limits.request_bytes,
            session_idle_timeout=limits.idle,
            max_sessions=limits.sessions,
        )
        self._opening = anyio.Lock()
        self._open = False
        self._closed = anyio.Event()

    async def handle(self, tasks: TaskGroup, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; one that comes too late, or is overtaken by the end, opens nothing."""
        async with self._opening:
            if not self._open and not self._closed.is_set():
                await tasks.start(self._keep_open)
                self._open = True
        answered = False

        async def sent(message: Message) -> None:
            nonlocal answered
            answered = True
            await send(message)

        try:
            if not self._closed.is_set():
                await self._manager.handle_request(scope, receive, sent)
        except RuntimeError:  # what the SDK has for requests after the end of its sessions
            if not self._closed.is_set():
                raise
        if self._closed.is_set() and not answered:
            await _unauthorized()(scope, receive, send)

    def close(self) -> None:
        self._closed.set()

    async def _keep_open(self, *, task_status: TaskStatus[None]) -> None:
        async with self._manager.run():
            task_status.started()
            await self._closed.wait()


class Endpoint:
    """An ASGI application. Attempts are admitted and dismissed while it runs.

    In this order a request is held to the path, the `Host` and `Origin` headers (`hosts` are
    those that name this endpoint, in lower case and as they are spelt there), the method, its
    token and its token's limits.
    """

    def __init__(self, hosts: frozenset[str], limits: Limits) -> None:
        self._hosts = hosts
        self._origins = frozenset(f"{way}://{host}" for way in ("http", "https") for host in hosts)
        self._limits = limits
        self._doors: dict[bytes, _Door] = {}
        self._strangers = Bucket(_STRANGERS.rate, _STRANGERS.burst)
        self._tasks: TaskGroup | None = None

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Around its life; at the end all sessions end."""
        async with anyio.create_task_group() as tasks:
            self._tasks = tasks
            yield
            self._tasks = None
            tasks.cancel_scope.cancel()

    def admit(self, attempt: Attempt, token: str) -> None:
        """From now on `token` opens `attempt`."""
        key = _key(token)
        self._doors[key] = _Door(attempt, key, self._limits)

    def dismiss(self, token: str) -> None:
        """From now on `token` opens nothing, and its sessions end. In the endpoint's own loop."""
        door = self._doors.pop(_key(token), None)
        if door is not None:
            door.close()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or self._tasks is None:
            return
        headers = Headers(scope=scope)
        refusal = self._misdirected(scope, headers)
        door = None
        if refusal is None:
            door = self._door(headers)
            refusal = self._unopened() if door is None else _too_often(door.bucket)
        if refusal is not None:
            await refusal(scope, receive, send)
        elif door is not None:
            await door.handle(self._tasks, scope, receive, send)

    def _misdirected(self, scope: Scope, headers: Headers) -> Response | None:
        """The refusal of what was not meant for this endpoint, or comes from a page of others."""
        if scope["path"].rstrip("/") != PATH:
            return _refusal(404, "there is nothing here")
        if headers.get("host", "").lower() not in self._hosts:
            return _refusal(421, "the `Host` header names another server")
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in self._origins:
            return _refusal(403, "the `Origin` header names another site")
        if scope["method"] not in _METHODS:
            return _refusal(405, "only POST and DELETE are served", {"Allow": ", ".join(_METHODS)})
        return None

    def _door(self, headers: Headers) -> _Door | None:
        """The door that the request's token opens.

        It is found by the token's digest, which says nothing of how much of a guess was right,
        and then compared in constant time.
        """
        scheme, _, token = headers.get("authorization", "").partition(" ")
        key = _key(token.strip())
        door = self._doors.get(key)
        if door is None or scheme.lower() != "bearer" or not hmac.compare_digest(door.key, key):
            return None
        return door

    def _unopened(self) -> Response:
        late = _too_often(self._strangers)
        if late is not None:
            return late
        return _unauthorized()


def _key(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).digest()


def _too_often(bucket: Bucket) -> Response | None:
    wait = bucket.wait()
    if not wait:
        return None
    return _refusal(429, "too many requests", {"Retry-After": str(wait)})


def _unauthorized() -> Response:
    return _refusal(401, "a bearer token is needed", {"WWW-Authenticate": "Bearer"})


def _refusal(status: int, text: str, headers: Mapping[str, str] | None = None) -> Response:
    """A refusal in JSON-RPC's form, before any session knows of the request."""
    error = {"jsonrpc": "2.0", "id": None, "error": {"code": -32600, "message": text}}
    return Response(
        json.dumps(error), status, headers=dict(headers or {}), media_type="application/json"
    )
