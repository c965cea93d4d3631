"""Random small worlds with gates, in which nearly everything happens at the same few instants.

Rules are drawn as `.gev` text and read by `analyse`; beside each stands what it means, in plain
Python that shares no code with the engine.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from hypothesis import strategies as st

from groundeval.contracts.builder import Contract, build
from groundeval.contracts.places import Rendered, search_place
from groundeval.functions.host import Place
from groundeval.ir.program import Program
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.time import DAY
from groundeval.world.world import World

START = 1_772_323_200_000_000
"""2026-03-01T00:00:00Z; instants are days 1 to LAST of March."""
LAST = 6
SUBSYSTEMS = ("mail", "wiki")
ACTORS = ("ann", "bob", "cy", "none")
ARTIFACTS = ("A-1", "A-2", "A-3", "W-1")


def day(number: int) -> int:
    return START + (number - 1) * DAY


def text_of(number: int) -> str:
    return f"2026-03-{number:02}"


@dataclass(frozen=True)
class Stay:
    """A role held in [start, end), None being open."""

    role: str
    start: int | None
    end: int | None


@dataclass(frozen=True)
class Scene:
    """What a condition reads, with the stays and lists as they were drawn."""

    reads: dict[str, tuple[str, ...]]
    hears: dict[str, tuple[str, ...]]
    stays: dict[str, tuple[Stay, ...]]
    events: tuple[Event, ...]
    artifacts: dict[str, Artifact]

    def roles(self, actor: str, at: int) -> set[str]:
        held = {
            s.role
            for s in self.stays[actor]
            if (s.start is None or day(s.start) <= at) and (s.end is None or at < day(s.end))
        }
        return held | ({"staff"} if "lead" in held else set())

    def listed(self, lists: dict[str, tuple[str, ...]], actor: str, at: int) -> set[str]:
        return {x for role in self.roles(actor, at) for x in lists[role]}

    def about(self, artifact: str, at: int) -> list[Event]:
        return [e for e in self.events if artifact in e.artifact_ids and e.at <= at]

    def version(self, artifact: str, at: int) -> Version | None:
        started = [v for v in self.artifacts[artifact].versions if v.start <= at]
        return started[-1] if started else None


Verdict = bool | None
Meaning = Callable[[Scene, str, str, int], Verdict]


def _created(s: Scene, _: str, artifact: str, at: int) -> Verdict:
    created = s.artifacts[artifact].created
    return None if created is None else created <= at


def _kept(s: Scene, _: str, artifact: str, at: int) -> Verdict:
    deleted = s.artifacts[artifact].deleted
    return None if deleted is None else at < deleted


def _took_part(s: Scene, actor: str, artifact: str, at: int) -> Verdict:
    named = actor in s.artifacts[artifact].participants
    return named or any(actor in e.actors for e in s.about(artifact, at))


def _heard(s: Scene, actor: str, artifact: str, at: int) -> Verdict:
    return any(e.type in s.listed(s.hears, actor, at) for e in s.about(artifact, at))


def _secret(s: Scene, _: str, artifact: str, at: int) -> Verdict:
    version = s.version(artifact, at)
    return version is not None and "secret" in version.labels


def _titled(s: Scene, _: str, artifact: str, at: int) -> Verdict:
    version = s.version(artifact, at)
    return None if version is None else version.title == "new"


ATOMS: tuple[tuple[str, Meaning], ...] = (
    ("artifact.created <= as_of", _created),
    ("as_of < artifact.deleted", _kept),
    ("artifact.deleted is missing", lambda s, _, x, t: s.artifacts[x].deleted is None),
    (
        "artifact.subsystem in role.reads",
        lambda s, a, x, t: s.artifacts[x].subsystem in s.listed(s.reads, a, t),
    ),
    ("actor in artifact.participants", _took_part),
    ("any e in artifact.events: e.type in role.hears", _heard),
    ('"secret" in artifact.labels', _secret),
    ('artifact.title == "new"', _titled),
    ("holds(lead)", lambda s, a, x, t: "lead" in s.roles(a, t)),
    ("holds(staff)", lambda s, a, x, t: "staff" in s.roles(a, t)),
)


def _not(inner: Meaning) -> Meaning:
    def meaning(*scene: Any) -> Verdict:
        found = inner(*scene)
        return None if found is None else not found

    return meaning


def _joined(left: Meaning, right: Meaning, decisive: bool) -> Meaning:
    def meaning(*scene: Any) -> Verdict:
        found = {left(*scene), right(*scene)}
        return decisive if decisive in found else None if None in found else not decisive

    return meaning


def _compound(inner: Any) -> Any:
    def pair(word: str, decisive: bool) -> Any:
        return st.tuples(inner, inner).map(
            lambda p: (f"({p[0][0]}) {word} ({p[1][0]})", _joined(p[0][1], p[1][1], decisive))
        )

    negation = inner.map(lambda c: (f"not ({c[0]})", _not(c[1])))
    return st.one_of(negation, pair("and", False), pair("or", True))


CONDITIONS = st.recursive(st.sampled_from(ATOMS), _compound, max_leaves=4)
RULES = st.lists(st.tuples(st.sampled_from(["permit", "permit", "forbid"]), CONDITIONS), max_size=3)
Gate = list[tuple[str, tuple[str, Meaning]]]


@dataclass(frozen=True)
class Drawn:
    """A contract, and what it was drawn from."""

    contract: Contract
    scene: Scene
    gates: tuple[Gate, ...]

    def permits(self, gate: Gate, actor: str, artifact: str, at: int) -> bool:
        """The definition: a forbid fires on true or unknown, a permit needs true."""
        worth = [(effect, rule[1](self.scene, actor, artifact, at)) for effect, rule in gate]
        if not worth:
            return True
        if any(effect == "forbid" and found is not False for effect, found in worth):
            return False
        return any(effect == "permit" and found is True for effect, found in worth)

    def visible(self, actor: str, artifact: str, at: int) -> bool:
        found = self.scene.artifacts[artifact]
        there = self.scene.version(artifact, at) is not None
        gone = found.deleted is not None and found.deleted <= at
        return there and not gone and all(self.permits(g, actor, artifact, at) for g in self.gates)


DAYS = st.integers(1, LAST)
MAYBE = st.none() | DAYS


@st.composite
def artifacts(draw: st.DrawFn, name: str) -> Artifact:
    created = draw(MAYBE)
    starts = sorted({created or 0, *draw(st.lists(DAYS, max_size=2))})
    versions = tuple(
        Version(
            start=day(start),
            title=draw(st.sampled_from(["old", "new"])),
            text=f"{name} {draw(st.sampled_from(['plan', 'review', 'plan review']))}",
            labels=draw(st.sampled_from([(), ("secret",)])),
        )
        for start in starts
        if start >= (created or 0)
    )
    deleted = draw(st.none() | st.integers(created or 1, LAST))
    return Artifact(
        id=name,
        subsystem=draw(st.sampled_from(SUBSYSTEMS)),
        created=None if created is None else day(created),
        deleted=None if deleted is None else day(deleted),
        participants=draw(st.sampled_from([(), ("ann",), ("cy",)])),
        versions=versions,
    )


def _events(draw: st.DrawFn) -> tuple[Event, ...]:
    found = draw(
        st.lists(
            st.tuples(
                st.sampled_from(["opened", "closed"]),
                DAYS,
                st.sampled_from(ARTIFACTS),
                st.sampled_from([(), ("ann",), ("bob", "cy")]),
            ),
            max_size=5,
        )
    )
    return tuple(
        Event(id=f"e{n}", type=kind, at=day(at), actors=who, artifacts={"doc": (what,)})
        for n, (kind, at, what, who) in enumerate(found)
    )


def _stays(draw: st.DrawFn) -> tuple[Stay, ...]:
    """One or two stays; with a start behind its end one holds at no instant."""
    roles = st.sampled_from(["staff", "lead"])
    drawn = st.tuples(roles, MAYBE, MAYBE)
    found = draw(st.lists(drawn, min_size=1, max_size=2, unique_by=lambda stay: stay[0]))
    return tuple(
        Stay(role, start, end) if start is None or end is None or start < end
        else Stay(role, start, None)
        for role, start, end in found
    )  # fmt: skip


def _stint(stay: Stay) -> str:
    start = f" from {text_of(stay.start)}" if stay.start else ""
    return f"{stay.role}{start}{f' until {text_of(stay.end)}' if stay.end else ''}"


def written(scene: Scene, gates: tuple[Gate, ...], tail: str = "") -> str:
    lines = ["gev 1", 'domain d "D"', 'timezone "UTC"', f"subsystem {', '.join(SUBSYSTEMS)}"]
    for role, head in (("staff", "role staff"), ("lead", "role lead inherits staff")):
        lists = f"reads: [{', '.join(scene.reads[role])}]  hears: [{', '.join(scene.hears[role])}]"
        lines.append(f"{head} {{ {lists} }}")
    for actor, stays in scene.stays.items():
        if stays:
            lines.append(f"actor {actor}: {', '.join(map(_stint, stays))}")
    lines += [f'event {kind} "{kind}" {{ doc: artifact }}' for kind in ("opened", "closed")]
    for number, gate in enumerate(gates):
        lines.append(f'gate g{number} "g" {{')
        lines += [f"  {effect} read when {condition}" for effect, (condition, _) in gate]
        lines.append("}")
    return "\n".join([*lines, tail, ""])


@cache
def program(text: str) -> Program:
    checked = analyse("d.gev", MemoryFiles({"d.gev": text}))
    assert checked.value is not None, (checked.diagnostics, text)
    return checked.value


def contract(text: str, events: Any, corpus: Any) -> Contract:
    rules = program(text)
    log = MemoryLog(events, rules.observed)
    world = World(log, Corpus(corpus), Access(rules.actors, rules.roles))
    checked = build(rules, world, seed=1)
    assert checked.value is not None
    return checked.value


@st.composite
def gated(draw: st.DrawFn) -> Drawn:
    """A contract of one to three gates over a small world; the actor `none` holds no role."""
    subsets = st.lists(st.sampled_from(SUBSYSTEMS), max_size=2, unique=True).map(tuple)
    kinds = st.lists(st.sampled_from(["opened", "closed"]), max_size=1).map(tuple)
    stays = {actor: _stays(draw) for actor in ACTORS[:-1]}
    own = {role: (draw(subsets), draw(kinds)) for role in ("staff", "lead")}
    scene = Scene(
        {role: lists[0] for role, lists in own.items()},
        {role: lists[1] for role, lists in own.items()},
        stays,
        _events(draw),
        {name: draw(artifacts(name)) for name in ARTIFACTS},
    )
    gates = tuple(draw(st.lists(RULES, min_size=1, max_size=3)))
    text = written(scene, gates)
    built = contract(text, scene.events, scene.artifacts.values())
    scene.stays["none"] = ()
    return Drawn(built, scene, gates)


def place(text: str) -> Place:
    """A place in any subsystem where a document of this text is missing."""
    return search_place(SUBSYSTEMS, Rendered(text, ("A-1",)), text)
