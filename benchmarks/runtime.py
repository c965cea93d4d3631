"""What a run's tools cost: `python -m benchmarks.runtime [--full]`.

For a desk of 1,000 artifacts (`--full`: of 100,000 as well), behind the contract's own index and
behind SQLite's full text: searches and fetches a second in this process, calls a second over MCP
(streamable HTTP, with a client in a process of its own), and memory. Each question gets tools of
its own and a few calls, as in a run; nothing that one question remembers serves another.

Rates are per second of processor time of the process that holds the tools.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from benchmarks.desk import Size
from benchmarks.generate import write_project
from benchmarks.table import Row, as_text

Figures = dict[str, float]

EVERYDAY: Final = ((10_000, 1_000),)
FULL: Final = (*EVERYDAY, (100_000, 100_000))
"""Events and artifacts of the desks."""
OWN, OTHER = "index", "sqlite"


def measured_apart(folder: Path, backend: str) -> Figures:
    """`measured` in a process of its own."""
    command = [sys.executable, "-m", "benchmarks.runtime_worker", str(folder), backend]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"runtime failed:\n{done.stderr}")
    figures: Figures = json.loads(done.stdout)
    return figures


def rows(*, full: bool) -> Iterator[Row]:
    """The table, as soon as each part is measured."""
    for events, artifacts in FULL if full else EVERYDAY:
        with TemporaryDirectory() as scratch:
            write_project(Path(scratch), Size.of(events, artifacts))
            own, other = (measured_apart(Path(scratch), name) for name in (OWN, OTHER))
        yield from _compared(f"{artifacts:,} artifacts", own, other)


def _compared(desk: str, own: Figures, other: Figures) -> Iterator[Row]:
    def against(name: str) -> str:
        return f"{own[name] / other[name]:.2f}x {OTHER}'s {other[name]:,.0f}"

    yield Row(f"`search` over {desk}", f"{own['search']:,.0f} a second", against=against("search"))
    yield Row(f"`fetch` over {desk}", f"{own['fetch']:,.0f} a second", against=against("fetch"))
    yield Row(f"calls over MCP, {desk}", f"{own['http']:,.0f} a second", against=against("http"))
    yield Row(
        f"index of {desk}",
        f"{own['ready']:.2f} s, {own['index']:.0f} MiB beside {own['before']:.0f} MiB of contract",
        against=f"{OTHER}: {other['ready']:.2f} s, {other['index']:.0f} MiB",
    )


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.runtime")
    parser.add_argument("--full", action="store_true", help="100,000 artifacts as well")
    print(as_text(list(rows(full=parser.parse_args().full))))


if __name__ == "__main__":
    main()
