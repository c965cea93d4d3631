"""The same inputs give the same bytes: compiled and scored again in new processes.

    python -m tests.determinism [PROJECT TRACES]

Each process has another hash seed, another order of files and lines, and another number of
workers. Prints how many digests came out over all outputs; one is right.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
SUPPORT = ROOT / "examples" / "support"
OUTPUTS = (
    "contract.json", "questions.jsonl", "graph.json", "compile.json", "results.jsonl",
    "summary.json",
)  # fmt: skip
SEEDS = (0, 1, 2, 3, 4)
DISORDERS = ("as it is", "lines reversed", "lines shuffled", "files renamed", "all of it")


@dataclass(frozen=True)
class Run:
    """One way to come to the outputs."""

    seed: int
    disorder: str
    workers: int

    def __str__(self) -> str:
        return f"hash seed {self.seed}, {self.disorder}, {self.workers} worker(s)"


def runs() -> Iterator[Run]:
    for number, (seed, disorder) in enumerate(zip(SEEDS, DISORDERS, strict=True)):
        yield Run(seed, disorder, 1 + number % 2)


def digest(run: Run, project: Path, traces: Path) -> str:
    """The hash over all outputs of one run, in a process of its own."""
    with tempfile.TemporaryDirectory() as folder:
        copy, out = Path(folder) / "copy", Path(folder) / "out"
        shutil.copytree(project, copy, ignore=shutil.ignore_patterns("runs", "__pycache__"))
        disturb(copy, run.disorder)
        workers = str(run.workers)
        commands = [
            ["compile", str(copy), "-o", str(out)],
            ["score", str(copy), "--traces", str(traces), "-o", str(out), "--workers", workers],
        ]
        script = f"from groundeval.cli.app import run; print([int(run(c)) for c in {commands!r}])"
        done = subprocess.run(
            [sys.executable, "-c", script],
            env={**os.environ, "PYTHONHASHSEED": str(run.seed)},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.stdout.splitlines()[-1] in {"[0, 0]", "[0, 1]"}, done.stderr
        whole = hashlib.sha256()
        for name in OUTPUTS:
            whole.update(name.encode() + b"\0" + (out / name).read_bytes())
        return whole.hexdigest()


def disturb(project: Path, disorder: str) -> None:
    """Put the lines of JSONL files and the names of artifact files into another order."""
    chance = random.Random(disorder)
    if disorder in {"lines reversed", "lines shuffled", "all of it"}:
        for path in (project / "events.jsonl", project / "artifacts.jsonl"):
            if path.is_file():
                lines = path.read_text(encoding="utf-8").splitlines()
                lines.reverse()
                if disorder != "lines reversed":
                    chance.shuffle(lines)
                path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    if disorder in {"files renamed", "all of it"} and (project / "artifacts").is_dir():
        files = sorted(p for p in (project / "artifacts").rglob("*") if p.is_file())
        chance.shuffle(files)
        for number, path in enumerate(files):
            text = path.read_bytes()
            path.unlink()
            path.with_name(f"{number:04}{path.suffix}").write_bytes(text)


def digests(project: Path, traces: Path) -> dict[Run, str]:
    return {run: digest(run, project, traces) for run in runs()}


def main() -> None:
    project = Path(sys.argv[1]) if len(sys.argv) > 1 else SUPPORT
    traces = Path(sys.argv[2]) if len(sys.argv) > 2 else project / "traces.jsonl"
    found = digests(project, traces)
    for run, value in found.items():
        sys.stdout.write(f"  {value[:16]}  {run}\n")
    different = len(set(found.values()))
    sys.stdout.write(
        f"{len(SEEDS)} hash seeds x reversed, shuffled and renamed inputs x 1 and 2 workers, "
        f"{len(OUTPUTS)} outputs: {different} digest{'s' if different != 1 else ''}\n"
    )
    sys.exit(different != 1)


if __name__ == "__main__":
    main()
