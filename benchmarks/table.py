"""The figures as rows, for a terminal and for `RESULTS.md`."""

from __future__ import annotations

import os
import platform
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; `target` is what it should reach, `met` None where there is no target."""

    what: str
    figure: str
    target: str = ""
    met: bool | None = None
    against: str = ""

    @property
    def verdict(self) -> str:
        return "" if self.met is None else "met" if self.met else "missed"


HEAD = ("what", "figure", "target", "", "against the alternative")


def cells(row: Row) -> tuple[str, ...]:
    return row.what, row.figure, row.target, row.verdict, row.against


def as_text(rows: Sequence[Row]) -> str:
    """The rows in columns."""
    table = [HEAD, *map(cells, rows)]
    widths = [max(len(line[n]) for line in table) for n in range(len(HEAD))]
    lines = ("  ".join(c.ljust(w) for c, w in zip(line, widths, strict=True)) for line in table)
    return "\n".join(line.rstrip() for line in lines)


def as_markdown(rows: Sequence[Row], extra: str, commit: str, date: str) -> str:
    """The page: the machine, the table, and what other benchmarks printed."""
    cores = os.cpu_count() or 1
    table = [HEAD, ("---",) * len(HEAD), *map(cells, rows)]
    lines = "\n".join(f"| {' | '.join(line)} |" for line in table)
    return f"""# Results of the benchmarks

Written by `python -m benchmarks --full --write`. Commit {commit}, {date}; Python \
{platform.python_version()} on {platform.system()} {platform.machine()}, {cores} cores, one used.

Times are seconds of processor time (the machine may be shared) unless they say otherwise, memory is
the peak of the measuring process. The logs, corpora, contracts and traces come from
`python -m benchmarks.generate`; the alternatives run in the same run, on the same data.

{lines}
{extra}"""


def commit_at_hand() -> str:
    """The short hash of the commit that is checked out; `unknown` where there is none."""
    asked = ["git", "rev-parse", "--short", "HEAD"]
    found = subprocess.run(asked, capture_output=True, text=True, check=False)
    return found.stdout.strip() if found.returncode == 0 else "unknown"


def today() -> str:
    return datetime.now(UTC).date().isoformat()
