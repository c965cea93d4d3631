"""A project of any size, by a seed: log, corpus, rules and traces, streamed to disk.

    python -m benchmarks.generate --events N --artifacts M --traces T --seed S DIR

The same arguments give the same bytes. Traces are over the project's compiled questions, so
asking for some compiles it.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable
from pathlib import Path

from benchmarks.desk import Size, artifact_lines, event_lines
from benchmarks.rules import project_file, rules


def write_project(folder: Path, size: Size, *, seed: int = 7, cap: int = 40) -> None:
    """Write `groundeval.yaml`, `desk.gev`, `events.jsonl` and `artifacts.jsonl`."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "groundeval.yaml").write_text(project_file(seed, cap), encoding="utf-8")
    (folder / "desk.gev").write_text(rules(size), encoding="utf-8")
    _write(folder / "events.jsonl", event_lines(size, seed))
    _write(folder / "artifacts.jsonl", artifact_lines(size, seed))


def _write(path: Path, lines: Iterable[str]) -> None:
    with path.open("w", encoding="utf-8", newline="\n") as out:
        out.writelines(lines)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.generate")
    parser.add_argument("--events", type=int, default=10_000, help="rounded down to whole cases")
    parser.add_argument("--artifacts", type=int, default=None, help="by default a tenth as many")
    parser.add_argument("--traces", type=int, default=0)
    parser.add_argument("--steps", type=int, default=10, help="calls of each trace")
    parser.add_argument("--cap", type=int, default=40, help="questions of each track")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("folder", type=Path)
    return parser.parse_args()


def main() -> None:
    given = _arguments()
    try:
        size = Size.of(given.events, given.artifacts)
    except ValueError as fault:
        raise SystemExit(str(fault)) from None
    write_project(given.folder, size, seed=given.seed, cap=given.cap)
    print(f"{size.events} events, {size.artifacts} artifacts in {given.folder}")
    if given.traces:
        from benchmarks.traces import write_traces  # noqa: PLC0415 - the product itself

        written = write_traces(given.folder, given.traces, steps=given.steps, seed=given.seed)
        print(f"{written} traces in {given.folder / 'traces.jsonl'}")


if __name__ == "__main__":
    main()
