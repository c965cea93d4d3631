"""What a command has of its own process: secrets in its environment, requests to end."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from types import FrameType


def secret(option: str, name: str | None) -> str | None:
    """What the environment variable holds that `option` names; None where it names none."""
    if name is None:
        return None
    found = os.environ.get(name)
    if not found:
        raise typer.BadParameter(f"`{option}` names `{name}`, and that variable is not set")
    return found


def seal_key(name: str | None) -> bytes | None:
    """The key in the variable that `--seal-key-env` names."""
    found = secret("--seal-key-env", name)
    return None if found is None else os.fsencode(found)


@contextmanager
def terminable() -> Iterator[None]:
    """Let a request to terminate end the block as ^C does: what is under way is put in order."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)
