"""All benchmarks: `python -m benchmarks [--full] [--write]`.

Each is measured in a process of its own. Everyday sizes take a minute or two; `--full` adds a
million events and a run's tools over 100,000 artifacts, and `--write` puts the table into
`benchmarks/RESULTS.md`.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks import runtime
from benchmarks.desk import Size
from benchmarks.generate import write_project
from benchmarks.table import Row, as_markdown, as_text, commit_at_hand, today

RESULTS = Path(__file__).with_name("RESULTS.md")
EVERYDAY = (1_000, 10_000, 100_000)
FULL = (*EVERYDAY, 1_000_000)
QUOTED = "the preprint's code needs 65.6 s for 100,000 events (quoted)"
OTHERS = ("scoring", "baselines", "cheats")
"""Benchmarks that print a text of their own."""


def measured(name: str, *folders: Path) -> dict[str, float]:
    """The figures of one worker; SystemExit with its message where it fails."""
    command = [sys.executable, "-m", "benchmarks.worker", name, *map(str, folders)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{name} failed:\n{done.stderr}")
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def rows(folders: dict[int, Path], *, full: bool) -> Iterator[Row]:
    """Every row, as soon as it is measured."""
    yield from compiling(folders)
    for events in EVERYDAY[:2]:
        found = measured("absences", folders[events])
        yield Row(
            f"{found['absences']:.0f} absences of {events:,} events",
            f"{found['indexed']:.3f} s",
            against=f"{found['scan'] / found['indexed']:.1f}x as fast as a nested scan; {QUOTED}",
        )
    yield from scoring(folders[10_000])
    yield from access()
    yield from search(folders[100_000])
    yield from runtime.rows(full=full)
    yield from start()


def compiling(folders: dict[int, Path]) -> Iterator[Row]:
    before: tuple[int, float] | None = None
    for events, folder in folders.items():
        found = measured("compiling", folder)
        bare = found["load"] + found["build"]
        whole = bare + found["questions"] + found["write"]
        large = events == FULL[-1]
        yield Row(
            f"load and build {events:,} events",
            f"{bare:.2f} s, {found['mb without questions']:.0f} MiB",
            against=f"load {found['load']:.2f}, build {found['build']:.2f}",
        )
        growth = "" if before is None else f"{whole / before[1]:.1f}x the time of {before[0]:,}"
        yield Row(
            f"compile {events:,} events, with questions, written",
            f"{whole:.2f} s (wall {found['wall']:.2f}), {found['mb']:.0f} MiB",
            target="30 s, 2048 MiB" if large else "",
            met=(whole <= 30 and found["mb"] <= 2048) if large else None,
            against=growth,
        )
        before = events, whole


def scoring(folder: Path) -> Iterator[Row]:
    found = measured("scoring", folder)
    yield Row(
        "score a new trace of ten steps, its question known",
        f"{found['compiled']:.1f} us",
        target="50 us",
        met=found["compiled"] <= 50,
        against=f"{found['plain'] / found['compiled']:.1f}x as fast as the plain evaluator",
    )
    yield Row("the same, traces that were scored before", f"{found['repeated']:.1f} us")
    yield Row("the same, by a scorer that knows no question yet", f"{found['first']:.1f} us")
    yield Row(
        "the same, one trace of each question, none of which is known",
        f"{found['question']:.1f} us",
        against=f"{found['question, plain'] / found['question']:.1f}x the plain evaluator",
    )


def access() -> Iterator[Row]:
    found = measured("access")
    yield Row(
        "read decisions, each with its rule",
        f"{found['compiled']:,.0f} a second",
        target="500,000 a second",
        met=found["compiled"] >= 500_000,
        against=f"{found['compiled'] / found['plain']:.0f}x the plain evaluator",
    )
    yield Row("the same, each for the first time", f"{found['first']:,.0f} a second")


def search(folder: Path) -> Iterator[Row]:
    found = measured("search", folder)
    yield Row(f"index {found['documents']:,.0f} documents", f"{found['build']:.2f} s")
    yield Row(
        f"search {found['documents']:,.0f} documents",
        f"{found['search'] * 1e3:.2f} ms",
        against=f"{found['scan'] / found['search']:.0f}x as fast as a look at each document",
    )


def start() -> Iterator[Row]:
    found = measured("start")
    python = f"{found['python'] * 1e3:.0f} ms of it are Python's own"
    for flag in ("version", "help"):
        yield Row(f"`groundeval --{flag}`", f"{found[flag] * 1e3:.0f} ms wall", against=python)


def others() -> str:
    """What benchmarks with an output of their own print, under their names."""
    found = []
    for name in OTHERS:
        if find_spec(f"benchmarks.{name}") is None:
            continue
        command = [sys.executable, "-m", f"benchmarks.{name}"]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise SystemExit(f"{name} failed:\n{done.stderr}")
        found.append(f"\n## {name}\n\n```\n{done.stdout.rstrip()}\n```\n")
    return "".join(found)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks")
    parser.add_argument("--full", action="store_true", help="a million events, and more artifacts")
    parser.add_argument("--write", action="store_true", help="write benchmarks/RESULTS.md")
    parser.add_argument("--commit", default=None, help="by default the one checked out")
    parser.add_argument("--date", default=None, help="by default today's")
    given = parser.parse_args()
    with TemporaryDirectory() as scratch:
        folders = {
            events: Path(scratch) / str(events)
            for events in FULL
            if given.full or events in EVERYDAY
        }
        for events, folder in folders.items():
            write_project(folder, Size.of(events))
        table = []
        for row in rows(folders, full=given.full):
            print(f"{row.what}: {row.figure}", file=sys.stderr, flush=True)
            table.append(row)
    extra = others()
    print(as_text(table) + "\n" + extra)
    if given.write:
        page = as_markdown(table, extra, given.commit or commit_at_hand(), given.date or today())
        RESULTS.write_text(page, encoding="utf-8")
        print(f"written to {RESULTS.name}")


if __name__ == "__main__":
    main()
