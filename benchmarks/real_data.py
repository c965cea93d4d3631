"""What the real data sets give through `source` blocks: `python -m benchmarks.real_data`.

The contracts are those of `tests/cases/projects`; each is compiled in a folder of its own beside a
copy of its data, which are looked for in `$GROUNDEVAL_SHARED/data` (default: `../shared`). Printed
are, per data set, what was loaded and derived, and how many of the independently worked out values
of `checks.json` come out. What is absent is said by name. The exit code is 1 where a value differs.
"""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.real_values import VALUES, comparable
from groundeval import api
from groundeval.contracts.builder import build
from groundeval.contracts.contract import Contract
from groundeval.diagnostics import Diagnostic
from groundeval.loading import Loaded

ROOT = Path(__file__).resolve().parents[1]
PROJECTS = ROOT / "tests" / "cases" / "projects"
SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared"))
FOLDERS = {
    "beads": "beads-tracker",
    "enterprisebench": "enterprisebench",
    "k8s-audit": "k8s-audit-rbac",
    "k8s-enhancements": "k8s-enhancements",
}
"""The folder of each project's data, below `data`."""


VARIANTS: Mapping[str, Mapping[str, Mapping[str, str]]] = {
    "beads": {"as printed": {" + printed_behind": ""}},
}
"""Changes to a contract under which some of its values are taken."""


@dataclass(frozen=True, slots=True)
class Reading:
    """One data set, compiled: what was loaded, the contract, the findings, and how long it took."""

    loaded: Loaded
    contract: Contract
    findings: tuple[Diagnostic, ...]
    seconds: float


def copied(project: str, data: Path, into: Path, changes: Mapping[str, str] | None = None) -> Path:
    """A folder with the project's files, its rules changed as said, and its data; the contract."""
    shutil.copytree(PROJECTS / project, into, dirs_exist_ok=True, copy_function=shutil.copyfile)
    for path in sorted(p for p in data.rglob("*") if p.is_file()):
        target = into / "data" / path.relative_to(data)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    contract = into / "contract.gev"
    text = contract.read_text(encoding="utf-8")
    for old, new in (changes or {}).items():
        if old not in text:
            raise ValueError(f"the contract of {project} does not say {old!r}")
        text = text.replace(old, new)
    contract.write_text(text, encoding="utf-8")
    return contract


def read(contract: Path) -> Reading:
    """The contract with its data, without questions; ValueError where there are errors."""
    started = time.perf_counter()
    project = api.open_project(contract)
    loaded = api.load(project.value) if project.value is not None else None
    if project.value is None or loaded is None or loaded.value is None:
        found = loaded.diagnostics if loaded is not None else project.diagnostics
        raise ValueError("; ".join(f"{d.span.file}:{d.span.line}: {d.message}" for d in found))
    built = build(loaded.value.program, loaded.value.world, seed=project.value.file.seed)
    if built.value is None:
        raise ValueError("; ".join(d.message for d in built.diagnostics))
    findings = (*loaded.diagnostics, *built.diagnostics)
    return Reading(loaded.value, built.value, findings, time.perf_counter() - started)


def readings(project: str, data: Path, folder: Path) -> Mapping[str, Reading]:
    """The data set under its contract ("") and under each variant of it, by name."""
    changes: Mapping[str, Mapping[str, str]] = {"": {}, **VARIANTS.get(project, {})}
    return {
        name: read(copied(project, data, folder / f"{project}-{number}", change))
        for number, (name, change) in enumerate(changes.items())
    }


def outcomes(found: Mapping[str, Reading], checks: Iterable[Mapping[str, Any]]) -> dict[str, bool]:
    """For each check that a contract answers, whether its value comes out."""
    contracts = {name: reading.contract for name, reading in found.items()}
    return {
        check["id"]: VALUES[check["id"]](contracts) == comparable(check["expected"])
        for check in checks
        if check["id"] in VALUES
    }


def main() -> int:
    """Print the figures of every data set that is there; 1 where a value differs."""
    data = SHARED / "data"
    checks_file = data / "checks.json"
    checks = json.loads(checks_file.read_text(encoding="utf-8")) if checks_file.is_file() else []
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for project, name in FOLDERS.items():
            if not (data / name).is_dir():
                print(f"{name}: absent ({data / name})")
                continue
            of_it = [check for check in checks if check["source"] == name]
            found = readings(project, data / name, Path(folder))
            results = outcomes(found, of_it)
            failed += sum(1 for right in results.values() if not right)
            print("\n".join(_lines(name, found[""], results, [c["id"] for c in of_it])))
    if not checks:
        print(f"checks: absent ({checks_file})")
    return 1 if failed else 0


def _lines(
    name: str, reading: Reading, results: Mapping[str, bool], checks: Iterable[str]
) -> Iterator[str]:
    report, counts = reading.loaded.report, reading.contract.report
    yield (
        f"{name}: {report.events} events, {report.artifacts} artifacts, {report.actors} actors, "
        f"{report.passed_over} skipped, {len(reading.findings)} warnings, {reading.seconds:.1f} s"
    )
    for spec, number in counts.links.items():
        yield f"  link {spec}: {number}"
    for spec, statuses in counts.silences.items():
        yield f"  silence {spec}: " + ", ".join(f"{n} {s}" for s, n in statuses.items())
    listed = list(checks)
    yield f"  checks reproduced: {sum(results.values())} of {len(listed)}"
    for check in listed:
        if not results.get(check, False):
            yield f"    {check}: " + ("differs" if check in results else "not said by a contract")


if __name__ == "__main__":
    sys.exit(main())
