"""Exit codes, the same for every command."""

from __future__ import annotations

from enum import IntEnum


class Exit(IntEnum):
    """What a command's exit code says."""

    FINE = 0
    FINDINGS = 1
    USAGE = 2
    UNDECIDED = 3
    BUG = 70
    INTERRUPTED = 130
