"""Several attempts over HTTP at once, until all of them have ended."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundeval.server.attempt import Attempt

if TYPE_CHECKING:
    from groundeval.runs.agent import Address

SESSIONS: Final = "sessions.jsonl"
"""Where the addresses stand, a line for each question: `question`, `url`, `token`."""
_LOOK: Final = 0.1
_PARTING: Final = 1.0
"""Seconds after the last answer in which clients may still take their leave."""

Addresses = Mapping[str, "Address"]


def write_addresses(path: Path, addresses: Addresses) -> None:
    """Write the addresses where only this user can read them. Raises OSError."""
    draft = path.with_name(f".{path.name}.{os.getpid()}.part")
    descriptor = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as out:
            for question, address in addresses.items():
                line = {"question": question, "url": address.url, "token": address.token}
                out.write(json.dumps(line) + "\n")
        draft.replace(path)
    finally:
        draft.unlink(missing_ok=True)


def wait_for_all(
    attempts: Mapping[str, Attempt], idle: float, ended: Callable[[str], None]
) -> None:
    """Return when every attempt has ended, by its answer or by `idle` seconds without a call.

    One that nobody has used yet is waited for. `ended` is told each name once.
    """
    waiting = dict(attempts)
    while waiting:
        for name, attempt in list(waiting.items()):
            if not attempt.over and attempt.used and attempt.idle > idle:
                attempt.end()
            if attempt.over:
                del waiting[name]
                ended(name)
        time.sleep(_LOOK if waiting else _PARTING)
