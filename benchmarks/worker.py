"""One measurement in a process of its own: `python -m benchmarks.worker NAME [FOLDER]`.

Prints a JSON object of figures. Times are seconds of processor time unless they say `wall`, since
machines are shared; memory is the process's peak.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from time import perf_counter, process_time
from typing import cast

from benchmarks.access import DAYS, WorldOnly, gates, rate, world
from benchmarks.passes import Project
from benchmarks.passes import measured as passes
from groundeval import api
from groundeval.contracts.builder import build
from groundeval.contracts.host import ContractHost
from groundeval.contracts.silences import match_silences
from groundeval.engine.gates import decide, read_env
from groundeval.engine.gates_compiled import CompiledGates
from groundeval.functions.host import Host as GateHost
from groundeval.index.postings import Index, Search, Viewpoint
from groundeval.index.tokens import terms
from groundeval.loading import load
from groundeval.questions.api import draw, with_contract
from groundeval.world.artifacts import Corpus
from groundeval.world.events import Event
from groundeval.world.loader import load_artifacts, paused_collection

Figures = dict[str, float]


def peak_mb() -> float:
    """The peak of this process's memory, in MiB."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1 << 20 if sys.platform == "darwin" else 1 << 10)


def compiling(folder: Path) -> Figures:
    """`groundeval compile` stage by stage, the last ones being about questions."""
    project = api.open_project(folder).value
    assert project is not None
    marks = [(process_time(), perf_counter())]

    def mark() -> None:
        marks.append((process_time(), perf_counter()))

    with paused_collection():
        loaded = load(project).value
        assert loaded is not None
        mark()
        contract = build(loaded.program, loaded.world, seed=project.file.seed).value
        assert contract is not None
        assert contract.digest
        mark()
        without_questions = peak_mb()
        drawn = draw(contract, seed=project.file.seed, caps=project.file.caps)
        mark()
        compiled = api.Compiled(loaded, contract, with_contract(drawn, contract.digest))
        with TemporaryDirectory() as scratch:
            api.write_compiled(compiled, Path(scratch))
        mark()
    stages = ("load", "build", "questions", "write")
    spent = {s: b[0] - a[0] for s, a, b in zip(stages, marks, marks[1:], strict=False)}
    return {
        **spent,
        "events": len(loaded.world.log),
        "wall": marks[-1][1] - marks[0][1],
        "mb": peak_mb(),
        "mb without questions": without_questions,
    }


def absences(folder: Path) -> Figures:
    """The silences of a log by the index, and by holding every trigger against every event."""
    project = api.open_project(folder).value
    assert project is not None
    loaded = load(project).value
    assert loaded is not None
    program, around = loaded.program, loaded.world
    host = ContractHost(program, around)
    before = process_time()
    found = 0
    for silence in program.silences:
        period = around.log.period(silence.expected.event_type)
        found += match_silences(silence, "", period, host).statuses["absent"]
    indexed = process_time() - before
    before = process_time()
    scanned = sum(_scanned(list(around.log), *spec) for spec in _SCANS)
    if scanned != found:
        raise SystemExit(f"{found} absences by index, {scanned} by scan")
    return {"indexed": indexed, "scan": process_time() - before, "absences": found}


_DAY = 86_400_000_000
_SCANS = (
    ("ticket_opened", "ticket_answered", "desk", 2 * _DAY),
    ("ticket_escalated", "fix_deployed", "tracker", 5 * _DAY),
    ("incident_declared", "review_published", "tracker", 7 * _DAY),
)


def _scanned(events: Sequence[Event], trigger: str, response: str, kind: str, window: int) -> int:
    """The absences of one silence by nested loops, the quadratic way: nothing is looked up."""
    absent = 0
    for t in events:
        if t.type != trigger:
            continue
        for r in events:
            if (
                r.type == response
                and 0 < r.at - t.at <= window
                and r.artifacts[kind] == t.artifacts[kind]
            ):
                break
        else:
            absent += 1
    return absent


def scoring(folder: Path) -> Figures:
    """Scoring traces of ten steps over a project's questions, compiled and plain.

    `first` is the first pass over a contract, by scorers that know no question; the other figures
    are those of `benchmarks.passes`.
    """
    project = Project(folder)
    first = project.spent(project.bare_scorers(compiled=True), project.made(7))
    found = passes(project)
    return {
        "first": first,
        "compiled": found["trace"].compiled,
        "plain": found["trace"].plain,
        "repeated": found["nothing"].compiled,
        "question": found["question"].compiled,
        "question, plain": found["question"].plain,
        "questions": found["question"].traces,
        "traces": found["trace"].traces,
        "passes": found["trace"].passes,
    }


def access() -> Figures:
    """Read decisions with their deciding rule, per second and core: see `benchmarks.access`."""

    rng = Random(7)
    around = world(rng)
    host, declared = cast("GateHost", WorldOnly(around)), gates()
    compiled = CompiledGates(declared, around, host)
    by_name = {gate.name: gate for gate in declared}
    people = [actor.id for actor in around.access.actors]
    ids = [artifact.id for artifact in around.corpus]
    reads = [
        (name, rng.choice(people), rng.choice(ids), rng.randrange(DAYS))
        for _ in range(20_000)
        for name in by_name
    ]

    def plainly(gate: str, actor: str, artifact: str, as_of: int) -> object:
        return decide(by_name[gate], "read", read_env(host, actor, artifact, as_of), host)

    if any(compiled.read(*read) != plainly(*read) for read in reads[:1500]):
        raise SystemExit("the evaluators differ")
    first = rate(compiled.read, reads, 0)
    fast = max(rate(compiled.read, reads, 0.5) for _ in range(3))
    return {"first": first, "compiled": fast, "plain": rate(plainly, reads[:3000], 0.5)}


def search(folder: Path) -> Figures:
    """Building the search index, and searching it, against a look at every document."""
    loaded = load_artifacts(folder / "artifacts.jsonl").value
    assert loaded is not None
    before = process_time()
    index = Index(Corpus(loaded.artifacts))
    as_of = max(a.created or 0 for a in loaded.artifacts)
    view = Viewpoint(as_of, lambda _: True)
    index.search(Search("desk", None, 10), view)
    built = process_time() - before
    asked = [f"invoice {a.id}" for a in loaded.artifacts[:: max(1, len(loaded.artifacts) // 200)]]
    before = process_time()
    for query in asked:
        index.search(Search(query, None, 10), view)
    indexed = (process_time() - before) / len(asked)
    held = [(a.id, f"{v.title} {v.text}") for a in loaded.artifacts for v in a.versions]
    before = process_time()
    for query in asked[:2]:
        wanted = set(terms(query))
        sorted(held, key=lambda d: (-len(wanted.intersection(terms(d[1]))), d[0]))[:10]
    scan = (process_time() - before) / 2
    return {"documents": len(held), "build": built, "search": indexed, "scan": scan}


def start() -> Figures:
    """From the command line to the answer, in wall seconds: the best of five."""

    def best(*arguments: str) -> float:
        spent = []
        for _ in range(5):
            before = perf_counter()
            subprocess.run([sys.executable, *arguments], check=True, capture_output=True)
            spent.append(perf_counter() - before)
        return min(spent)

    return {
        "version": best("-m", "groundeval", "--version"),
        "help": best("-m", "groundeval", "--help"),
        "python": best("-c", "pass"),
    }


WORK: dict[str, Callable[..., Figures]] = {
    "compiling": compiling,
    "absences": absences,
    "scoring": scoring,
    "access": access,
    "search": search,
    "start": start,
}


def main() -> None:
    name, *folders = sys.argv[1:]
    print(json.dumps(WORK[name](*map(Path, folders))))


if __name__ == "__main__":
    main()
