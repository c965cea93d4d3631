"""An attempt over standard input and output: the server that a client starts as its child."""

from __future__ import annotations

import logging
import os
import signal
from typing import TYPE_CHECKING, Final

import anyio
import anyio.to_thread
from anyio.abc import TaskGroup
from mcp.server.stdio import stdio_server

from groundeval.server.protocol import served

if TYPE_CHECKING:
    from groundeval.server.attempt import Attempt

_SIGNALS: Final = (signal.SIGTERM, signal.SIGINT)
_BY_SIGNAL: Final = 128


def serve_stdio(attempt: Attempt) -> None:
    """Serve until the client closes our standard input; then the attempt ends, and is recorded.

    A signal ends the attempt and the process at once, with 128 and the signal's number as shells
    have it: a thread that waits for standard input cannot be called off.
    """
    anyio.run(_serve, attempt)


async def _serve(attempt: Attempt) -> None:
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_until_signal, attempt)
        await _talk(attempt, tasks)


async def _talk(attempt: Attempt, tasks: TaskGroup) -> None:
    server = served(attempt)
    try:
        async with stdio_server() as (incoming, outgoing):
            await server.run(incoming, outgoing, server.create_initialization_options())
    except* (BrokenPipeError, anyio.BrokenResourceError):
        logging.getLogger(__name__).info("the client left before it had read what it asked for")
    finally:
        with anyio.CancelScope(shield=True):
            await anyio.to_thread.run_sync(attempt.end)
    tasks.cancel_scope.cancel()


async def _until_signal(attempt: Attempt) -> None:
    with anyio.open_signal_receiver(*_SIGNALS) as signals:
        async for number in signals:
            await anyio.to_thread.run_sync(attempt.end)
            os._exit(_BY_SIGNAL + number)
