"""An endpoint on a socket of its own, served from a background thread."""

from __future__ import annotations

import secrets
import socket
import sys
from contextlib import ExitStack
from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, Self

import anyio
import uvicorn
from anyio.abc import TaskStatus
from anyio.from_thread import BlockingPortal, start_blocking_portal

from groundeval.runs.agent import Address
from groundeval.server.endpoint import PATH, Endpoint
from groundeval.server.limits import Limits

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from collections.abc import Set as Names
    from types import TracebackType

    from groundeval.server.attempt import Attempt

LOOPBACK: Final = "127.0.0.1"
_LOOPBACK_NAMES: Final = (LOOPBACK, "localhost", "[::1]")
_HTTP: Final = 80
_MOST_CONNECTIONS: Final = 1000
_GRACE: Final = 2
"""Seconds that requests under way get when the server ends."""


def new_token() -> str:
    """A bearer token that nobody can guess: 256 random bits."""
    return secrets.token_urlsafe(32)


def is_loopback(host: str) -> bool:
    """Whether only this machine can reach what listens there."""
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def bound(host: str, port: int) -> socket.socket:
    """A socket at that address, any free port for 0. Raises OSError where it cannot be had."""
    family, kind, protocol, _, address = socket.getaddrinfo(
        host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
    )[0]
    sock = socket.socket(family, kind, protocol)
    try:
        if sys.platform != "win32":  # where it would let another program listen there as well
            sock.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        sock.bind(address)
    except OSError:
        sock.close()
        raise
    return sock


class _Server(uvicorn.Server):
    """Says when it takes requests."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = anyio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.ready.set()


class Listener:
    """Serves attempts over HTTP until its block ends.

    `host` is where it listens, `names` are further names by which clients may call it, with or
    without a port: a proxy before it has one of its own.
    """

    def __init__(
        self,
        host: str = LOOPBACK,
        port: int = 0,
        *,
        names: Iterable[str] = (),
        limits: Limits | None = None,
    ) -> None:
        names = tuple(names)
        self._socket = bound(host, port)
        self._stack = ExitStack()
        self._stack.callback(self._socket.close)
        taken: int = self._socket.getsockname()[1]
        shown = _bracketed(_name_of(host, names))
        self.url = f"http://{shown}:{taken}{PATH}"
        hosts = _spelt({*_LOOPBACK_NAMES, shown}, set(map(_bracketed, names)), taken)
        self._endpoint = Endpoint(hosts, limits or Limits())
        self._server = _Server(
            uvicorn.Config(
                self._endpoint,
                http="h11",
                ws="none",
                lifespan="off",
                log_config=None,
                log_level="error",
                access_log=False,
                server_header=False,
                limit_concurrency=_MOST_CONNECTIONS,
                date_header=False,
                timeout_graceful_shutdown=_GRACE,
            )
        )
        self._portal: BlockingPortal | None = None

    def __enter__(self) -> Self:
        try:
            portal = self._stack.enter_context(start_blocking_portal())
            self._stack.callback(self._leave)
            portal.start_task(self._serve)
        except BaseException:
            self._stack.close()
            raise
        self._portal = portal
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._portal = None
        self._stack.close()

    def admit(self, attempt: Attempt, token: str | None = None) -> Address:
        """Serve an attempt; gives where, and the token that opens it (a random one by default)."""
        address = Address(self.url, token or new_token())
        self._endpoint.admit(attempt, address.token)
        return address

    def dismiss(self, address: Address) -> None:
        """Serve an attempt no more; its sessions end, a call under way is not waited for."""
        if self._portal is not None:
            self._portal.call(self._endpoint.dismiss, address.token)

    def _leave(self) -> None:
        self._server.should_exit = True

    async def _serve(self, *, task_status: TaskStatus[None]) -> None:
        async with self._endpoint.running(), anyio.create_task_group() as tasks:
            tasks.start_soon(self._server.serve, [self._socket])
            await self._server.ready.wait()
            task_status.started()


def _name_of(host: str, names: Sequence[str]) -> str:
    """What clients call: of a server that listens everywhere, the first of its names, or us."""
    try:
        everywhere = ip_address(host).is_unspecified
    except ValueError:
        everywhere = False
    bare = [name for name in names if ":" not in name]
    return next(iter(bare), LOOPBACK) if everywhere else host


def _bracketed(host: str) -> str:
    """A host as addresses spell it: an IPv6 address stands in brackets."""
    return f"[{host}]" if host.count(":") > 1 and not host.startswith("[") else host


def _spelt(own: Names[str], named: Names[str], port: int) -> frozenset[str]:
    """How a `Host` header may spell them; the port may be left out where it is that of HTTP.

    A page of a stranger whose name is made to point here still calls us by that name: so any name
    of ours will do, but no other.
    """
    spelt = {f"{name}:{port}" for name in own | named} | named
    return frozenset(name.lower() for name in (spelt | own if port == _HTTP else spelt))
