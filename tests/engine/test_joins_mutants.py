"""Fixed cases that notice each of the listed mistakes in matching, gates and the causal graph.

A mutant is a copy of one module with one mistake; where it is reached through others, these are
loaded anew as well. The real modules are untouched.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import groundeval
from groundeval.ir.program import Program
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.time import DAY
from groundeval.world.world import World

ROOT = Path(groundeval.__file__).parent
ORDER = (
    "graph.queries",
    "graph.builder",
    "engine.joins",
    "engine.gates",
    "engine.gates_firsts",
    "engine.gates_codegen",
    "engine.gates_compiled",
    "contracts.pairing",
    "contracts.links",
    "contracts.silences",
)
"""Each after what it imports of the others."""


@dataclass(frozen=True)
class Mutant:
    module: str
    old: str
    new: str

    def __str__(self) -> str:
        return f"{self.module}: {self.old} -> {self.new}"


@contextmanager
def loaded(mutant: Mutant | None) -> Iterator[dict[str, ModuleType]]:
    """The modules of ORDER, loaded anew with the mutant among them."""
    names = [f"groundeval.{name}" for name in ORDER]
    for name in names:
        importlib.import_module(name)
    kept = {name: sys.modules[name] for name in names}
    found: dict[str, ModuleType] = {}
    try:
        for short, name in zip(ORDER, names, strict=True):
            file = ROOT / f"{short.replace('.', '/')}.py"
            text = file.read_text(encoding="utf-8")
            if mutant is not None and mutant.module == short:
                assert text.count(mutant.old) == 1, f"{short} holds {mutant.old!r} not just once"
                text = text.replace(mutant.old, mutant.new)
            spec = spec_from_loader(name, loader=None, origin=str(file))
            assert spec is not None
            module = module_from_spec(spec)
            sys.modules[name] = module
            exec(compile(text, str(file), "exec"), vars(module))
            found[short] = module
        yield found
    finally:
        sys.modules.update(kept)


@dataclass(frozen=True)
class WorldHost:
    """A host with a world and nothing else."""

    world: World


def program(body: str) -> Program:
    heading = """gev 1
domain d "D"
timezone "UTC"
subsystem jira, wiki
role staff { reads: [wiki]  hears: [a] }
actor ann: staff until 2026-03-05
actor bob: staff from 2026-03-03
event a "a" { doc: artifact  tag: text?  n: number? }
event b "b" { doc: artifact  tag: text?  n: number? }
"""
    checked = analyse("d.gev", MemoryFiles({"d.gev": heading + body}))
    assert checked.value is not None, checked.diagnostics
    return checked.value


START = 1_772_323_200_000_000


def event(name: str, day: float, *docs: str, **fields: Any) -> Event:
    own = {n: fields.pop(n) for n in ("rank", "actors", "source") if n in fields}
    at = START + int((day - 1) * DAY)
    return Event(id=name, type=name[0], at=at, artifacts={"doc": docs}, facts=fields, **own)


# --- links and silences

LOG = (
    event("a1", 1, "X", tag="t", n=1),
    event("a2", 2, "X", "Y", tag="u"),
    event("a3", 4, "Y", tag="t", n=3),
    event("b1", 1, "X", tag="t"),
    event("b2", 3, "Y", "X", tag="t", n=1),
    event("b3", 3, "X", tag="v", n=2),
    event("b0", 4, "Y", tag="t", n=4),
    event("b5", 6, "Y", "Z", tag="t", n=3),
    event("b6", 9, "X", tag=None),
    event("b7", 30, "Q"),
)
TIES = tuple(
    event(name, 1, "X", rank=rank, source=source)
    for name, rank, source in (
        ("b1", 1, "s"), ("a1", 2, "s"), ("b3", 3, "s"), ("b2", 4, "s"), ("b4", 5, "t"),
        ("b5", None, "s"),
    )
)  # fmt: skip
LINKS = (
    "join c.doc == e.doc within 2d",
    "join c.doc == e.doc within 2d match every",
    "join c.doc == e.doc within 5d match nearest",
    "join c.doc == e.doc within 1d match nearest",
    "join c.doc == e.doc and c.tag == e.tag within 9d match every",
    "join c.doc == e.doc and c.n < e.n within 9d match every",
    "join c.doc == e.doc within 9d match every unless c.n == e.n",
    "join pairwise c.n != e.n within 9d match every",
)
TIED = (
    "join c.doc == e.doc match every within 1d ties in log order",
    "join c.doc == e.doc ties in log order",
    "join c.doc == e.doc match nearest ties in log order",
)


def matched(modules: dict[str, ModuleType], clauses: str, log: tuple[Event, ...]) -> Any:
    (link,) = program(f'link l "L" {{ cause c: a effect e: b {clauses} }}').links
    host: Any = WorldHost(World(MemoryLog(log)))
    pairing = modules["contracts.pairing"].Pairing(link, host)
    edges = modules["contracts.links"].match_links(link, pairing, host)
    listed = [(e.cause.id, e.effect.id) for e in edges]
    held = [(c.id, e.id) for c in pairing.firsts for e in pairing.seconds if pairing.holds(c, e)]
    return listed, held


def silent(modules: dict[str, ModuleType], observed: Any, clauses: str) -> Any:
    rules = f'silence s "S" {{ after t: a expect r: b join t.doc == r.doc {clauses} fetch t.doc }}'
    (silence,) = program(rules).silences
    log = MemoryLog(LOG)
    host: Any = WorldHost(World(log))
    found = modules["contracts.silences"]
    cases = found.match_silences(silence, "b", observed, host).cases
    return [
        (c.id, c.status, [r.id for r in c.responses], found.instants_of(c, log.instants()))
        for c in cases
    ]


def day(number: float) -> int:
    return START + int((number - 1) * DAY)


def matching(modules: dict[str, ModuleType]) -> Any:
    yield [matched(modules, clauses, LOG) for clauses in LINKS]
    yield [matched(modules, clauses, TIES) for clauses in TIED]
    periods = (None, (day(1), day(30)), (day(1), day(3)), (day(2), day(30)), (day(1), day(2.5)))
    for period in periods:
        yield [silent(modules, period, clauses) for clauses in ("within 12h", "within 2d", "")]


# --- gates

GATES = """
gate one "1" { permit read when artifact.created <= as_of
  forbid read when "secret" in artifact.labels  forbid read when as_of >= artifact.deleted }
gate two "2" { permit read when actor in artifact.participants
  permit read when any e in artifact.events: e.type in role.hears }
gate three "3" { permit read when artifact.subsystem in role.reads
  permit search when search.subsystem in role.reads }
gate four "4" { permit read when actor not in artifact.participants and artifact.title == "T"
    and "secret" not in artifact.labels }
"""


def gates(modules: dict[str, ModuleType]) -> Any:
    rules = program(GATES)
    log = (event("a1", 3, "W", actors=("ann",)), event("b1", 2, "J", actors=("bob",)))
    corpus = (
        artifact("W", "wiki", 2), artifact("J", "jira", None), artifact("S", "wiki", 1, "secret"),
        artifact("D", "wiki", 1, deleted=day(9)),
    )  # fmt: skip
    world = World(MemoryLog(log), Corpus(corpus), Access(rules.actors, rules.roles))
    host: Any = WorldHost(world)
    compiled = modules["engine.gates_compiled"].CompiledGates(rules.gates, world, host)
    for at in (None, *(day(n) - m for n in (1, 2, 3, 5, 9) for m in (0, 1))):
        for actor in ("ann", "bob", "eve", None):
            for found in corpus:
                yield compiled.visible(actor, found.id, at)
                yield _told(compiled.closing(actor, found.id, at))
                for name in compiled.names:
                    d = compiled.read(name, actor, found.id, at)
                    yield d.outcome, d.missing, d.rule and d.rule.where
            yield _told(compiled.closing_search(actor, "wiki", "q", at))
            yield compiled.search_allowed(actor, "jira", at)


def _told(closing: Any) -> Any:
    return [(name, rule and rule.where) for name, rule in closing]


def artifact(
    name: str, subsystem: str, created: int | None, *labels: str, deleted: int | None = None
) -> Artifact:
    at = None if created is None else day(created)
    version = Version(start=at or day(1), title="T", labels=labels)
    return Artifact(id=name, subsystem=subsystem, created=at, deleted=deleted, versions=(version,))


# --- the graph

EDGES = (
    ("p", "necessary", 0, 2), ("p", "necessary", 1, 2), ("q", "each", 1, 3), ("q", "each", 2, 3),
    ("r", "sufficient", 0, 4), ("s", "sufficient", 3, 4), ("t", "contributing", 3, 5),
    ("p", "necessary", 3, 5), ("q", "each", 4, 6), ("r", "sufficient", 1, 7),
    ("r", "sufficient", 5, 7), ("p", "necessary", 0, 7), ("p", "necessary", 6, 7),
)  # fmt: skip


def graph(modules: dict[str, ModuleType]) -> Any:
    log = [event(f"a{n}", n + 1) for n in range(9)]
    builder = modules["graph.builder"]
    made = builder.build_graph(
        builder.CausalEdge(spec, kind, log[c], log[e]) for spec, kind, c, e in EDGES
    )
    for one in log:
        yield [e.id for e in (*made.causes(one), *made.effects(one))]
        yield [e.id for e in (*made.ancestors(one), *made.descendants(one))]
        yield [[e.id for e in path] for longest in (1, 2, 5) for path in made.paths(one, longest)]
        for other in log:
            yield made.has_path(one, other), made.prevented(other, one)
            yield sorted(made.not_happening(one, other))


CASES: dict[str, Callable[[dict[str, ModuleType]], Any]] = {
    "matching": matching,
    "gates": gates,
    "graph": graph,
}

MUTANTS: tuple[tuple[str, Mutant], ...] = (
    ("matching", Mutant("engine.joins", "0 if after is None else bisect_right(", "0 if after is None else -1 + bisect_right(")),
    ("matching", Mutant("engine.joins", "else bisect_right(events, until, key=_at)", "else bisect_right(events, until - 1, key=_at)")),
    ("matching", Mutant("engine.joins", "if event is not before:", "if True:")),
    ("matching", Mutant("engine.joins", "for e in found if residual(host, event, e))", "for e in found)")),
    ("matching", Mutant("engine.joins", "else _merged(windows)", "else iter(windows[0])  # ")),
    ("matching", Mutant("engine.joins", '_place = attrgetter("at", "id")', '_place = attrgetter("id")')),
    ("matching", Mutant("contracts.pairing", "self._unless(self._host, first, second) is not False", "self._unless(self._host, first, second) is True")),
    ("matching", Mutant("contracts.pairing", "min(first.at + self.within, LATEST)", "min(first.at + self.within - 1, LATEST)")),
    ("matching", Mutant("contracts.pairing", "after = first.at - 1 if", "after = first.at - 2 if False and")),
    ("matching", Mutant("contracts.pairing", "return second.rank > first.rank", "return second.rank >= first.rank - 1")),
    ("matching", Mutant("contracts.pairing", "or first.source != second.source", "")),
    ("matching", Mutant("contracts.pairing", "for event in reversed(found):", "for event in found:")),
    ("matching", Mutant("contracts.pairing", "max(after, second.at - self.within - 1)", "max(after, second.at - self.within)")),
    ("matching", Mutant("contracts.pairing", "second.at - first.at <= self.within", "second.at - first.at < self.within")),
    ("matching", Mutant("contracts.pairing", "            and self.is_later(second, first)\n", "")),
    ("matching", Mutant("contracts.pairing", "            and not self.excepted(first, second)\n", "")),
    ("matching", Mutant("contracts.pairing", "(e.rank is None, e.rank or 0, e.id)", "e.id")),
    ("matching", Mutant("contracts.links", "pairing.following(cause), 1)", "pairing.following(cause), 2)")),
    ("matching", Mutant("contracts.links", "pairing.preceding(effect), 1)", "pairing.preceding(effect), 2)")),
    ("matching", Mutant("contracts.silences", "triggered < observed[0] - 1", "False")),
    ("matching", Mutant("contracts.silences", "deadline > observed[1]:", "deadline >= observed[1]:")),
    ("matching", Mutant("contracts.silences", "    if responses:\n", "    if len(responses) > 1:\n")),
    ("matching", Mutant("contracts.silences", "if not (case.responses or case.begins_observed):", "if False:")),
    ("matching", Mutant("contracts.silences", "bisect_right(log, start), bisect_right(log, end)", "bisect_right(log, start - 1), bisect_right(log, end)")),
    ("matching", Mutant("contracts.silences", "trigger.at + within,", "trigger.at + within + 1,")),
    ("gates", Mutant("engine.gates_compiled", "views[bisect_right(bounds, instant)]", "views[bisect_right(bounds, instant - 1)]")),
    ("gates", Mutant("engine.gates_compiled", "before = bounds[0] - 1 if bounds else 0", "before = bounds[0] if bounds else 0")),
    ("gates", Mutant("engine.gates_compiled", "if not opened(host, actor, role, as_of, artifact):", "if opened(host, actor, role, as_of, artifact) is None:")),
    ("gates", Mutant("engine.gates_firsts", '">" if node.negated else "<="', '">" if node.negated else "<"')),
    ("gates", Mutant("engine.gates_firsts", '">" if node.negated else "<="', '"<=" if node.negated else "<="')),
    ("gates", Mutant("engine.gates_firsts", 'text = "({memory}[{role}][{artifact}] <= {as_of})"', 'text = "({memory}[{role}][{artifact}] < {as_of})"')),
    ("gates", Mutant("engine.gates_firsts", "since[actor] = at", "since[actor] = NEVER")),
    ("gates", Mutant("engine.gates_firsts", 'f"(not ({carries}))" if node.negated', 'f"({carries})" if node.negated')),
    ("gates", Mutant("engine.gates_firsts", "return version is not None and self._label", "return version is None and self._label")),
    ("gates", Mutant("engine.gates_compiled", '& {"actor", "role"}', '& {"role"}')),
    ("gates", Mutant("engine.gates_codegen", "last = PERMITTED if not rules else NOT_PERMITTED", "last = NOT_PERMITTED")),
    ("gates", Mutant("engine.gates_codegen", 'if {name} is not False:"', 'if {name} is True:"')),
    ("gates", Mutant("engine.gates_codegen", "if rule.action == action]", "]")),
    ("gates", Mutant("engine.gates", "if rule.action == action]", "]")),
    ("gates", Mutant("engine.gates", "    if not rules:\n        return PERMITTED\n", "")),
    ("graph", Mutant("graph.queries", 'if "each" in kinds or', "if")),
    ("graph", Mutant("graph.queries", '"sufficient" not in kinds or self._keeps(node, removed, None)', "True")),
    ("graph", Mutant("graph.queries", "if cause not in removed and (", "if (")),
    ("graph", Mutant("graph.queries", 'if necessity == "necessary"}', "}")),
    ("graph", Mutant("graph.queries", "place <= last:", "place < last:")),
    ("graph", Mutant("graph.queries", "if node != without.id and self._happens", "if self._happens")),
    ("graph", Mutant("graph.queries", "for _ in range(longest):", "for _ in range(longest - 1):")),
    ("graph", Mutant("graph.queries", "order(self.event(following)) < last:", "order(self.event(following)) > last:")),
)  # fmt: skip


def outcome(name: str, modules: dict[str, ModuleType]) -> Any:
    """What the cases come to; a failure of any kind is an outcome too."""
    try:
        return list(CASES[name](modules))
    except Exception as fault:  # noqa: BLE001 - a mutant may fail in any way
        return repr(fault)


@pytest.fixture(scope="module")
def right() -> dict[str, Any]:
    with loaded(None) as modules:
        return {name: outcome(name, modules) for name in CASES}


def test_the_cases_come_to_something(right: dict[str, Any]) -> None:
    assert all(isinstance(found, list) and found for found in right.values()), right


@pytest.mark.parametrize(("name", "mutant"), MUTANTS, ids=str)
def test_a_mistake_shows(name: str, mutant: Mutant, right: dict[str, Any]) -> None:
    with loaded(mutant) as modules:
        assert outcome(name, modules) != right[name], f"unnoticed: {mutant}"
