"""The epochs of attempts that are served: each at a question is the next one of its agent."""

from __future__ import annotations

import threading
from collections import Counter
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from groundeval.runs.journal import Journal
    from groundeval.traces.model import Trace


class Ledger:
    """Numbers traces as they end, counted from what the journal holds, and appends them to it."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._turn = threading.Lock()
        self._epochs: Counter[tuple[str, str]] = Counter()
        for mark in journal.made:
            key = (mark.agent, mark.question)
            self._epochs[key] = max(self._epochs[key], mark.epoch)

    def append(self, trace: Trace) -> None:
        """Append a trace as its question's next epoch; when this returns, it is on the disk.

        Raises OSError where it cannot be written.
        """
        key = (trace.agent, trace.question)
        with self._turn:
            epoch = self._epochs[key] + 1
            self._journal.append(msgspec.structs.replace(trace, epoch=epoch))
            self._epochs[key] = epoch
