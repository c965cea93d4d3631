"""What a process that runs an agent gets around it, and how it is ended."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

ALLOWED: Final = ("PATH", "LANG", "LC_ALL", "LC_CTYPE", "TZ", "SYSTEMROOT")
"""What every agent's process gets of our environment. `HOME` and `TMPDIR` are its own folder."""


def environment(folder: Path, names: Iterable[str]) -> dict[str, str]:
    """The whole environment of a process in `folder`; `names` are variables that it gets too."""
    found = {name: os.environ[name] for name in (*ALLOWED, *names) if name in os.environ}
    return found | {"HOME": str(folder), "TMPDIR": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}


def kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a process that leads a session of its own, and whatever it started."""
    with suppress(ProcessLookupError, PermissionError):
        if sys.platform == "win32":
            process.kill()
        else:
            os.killpg(process.pid, signal.SIGKILL)
