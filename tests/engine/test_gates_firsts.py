"""What gates remember of artifacts: as good as working it out, and no more than fits."""

from dataclasses import replace
from typing import Any, cast

import pytest

from groundeval.diagnostics import Span
from groundeval.engine.gates_firsts import ALWAYS, NEVER, Happened, Joined, Labelled, Memories
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.world.access import Access, Actor, RoleDefinition, RoleView, Stint
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.world import World

SPAN = Span("desk.gev", 1, 1, 1, 2)
ARTIFACT, AS_OF = ir.Var(SPAN, t.ARTIFACT, "artifact"), ir.Var(SPAN, t.TIME, "as_of")
TYPE_OF_EVENT = ir.Attribute(SPAN, t.TEXT, ir.Var(SPAN, t.EVENT, "e"), "type")
HEARS = ir.RoleList(SPAN, t.set_of(t.TEXT), ir.Var(SPAN, t.ROLE, "role"), "hears")
"""The kinds of events that the role hears of."""


def field(name: str) -> ir.ArtifactField:
    return ir.ArtifactField(SPAN, t.ARTIFACT_FIELDS[name][0], ARTIFACT, name, AS_OF)


def heard() -> ir.Quantifier:
    hears = ir.Membership(SPAN, t.BOOL, TYPE_OF_EVENT, HEARS, negated=False)
    return ir.Quantifier(SPAN, t.BOOL, "any", "e", field("events"), hears)


def event(name: str, kind: str, at: int, *actors: str) -> Event:
    return Event(id=name, type=kind, at=at, actors=actors, artifacts={"about": ("A", "B")})


class WorldHost:
    """A small world: two artifacts, about which three things happened."""

    def __init__(self) -> None:
        roles = [RoleDefinition(n, frozenset({n}), {"hears": frozenset({n})}) for n in ("x", "y")]
        versions = (Version(start=2), Version(start=4, labels=("secret",)), Version(start=6))
        self.world = World(
            MemoryLog((event("1", "y", 3, "ann"), event("2", "x", 5, "ann", "bob"),
                       event("3", "x", 7, "eve"))),
            Corpus((
                Artifact(id="A", subsystem="wiki", participants=("eve",), versions=versions),
                Artifact(id="B", subsystem="wiki", versions=versions[:1]),
            )),
            Access([Actor(n, (Stint(n, None, None),)) for n in ("x", "y")], roles),
        )  # fmt: skip

    def role(self, name: str) -> RoleView:
        return self.world.access.role_at(name, 1)


@pytest.fixture
def host() -> Any:
    return WorldHost()


def happened(host: Any) -> Happened:
    found = Memories(cast("Host", host)).of(heard())
    assert found is not None
    return cast("Happened", found[1])


def test_actors_take_part_from_their_first_event_on(host: Any) -> None:
    joined = Joined(host)
    assert joined["A"] == {"ann": 3, "bob": 5, "eve": ALWAYS}
    assert joined["B"] == {"ann": 3, "bob": 5, "eve": 7}
    assert joined["C"] == {}


def test_the_first_event_that_satisfies_is_remembered_by_role_and_artifact(host: Any) -> None:
    first = happened(host)
    assert (first[host.role("x")]["A"], first[host.role("y")]["A"]) == (5, 3)
    assert first[host.role("nobody")]["A"] == NEVER
    assert first[host.role("x")]["C"] == NEVER
    assert dict(first[host.role("x")]) == {"A": 5, "C": NEVER}


def test_instants_of_all_roles_share_one_bound(host: Any) -> None:
    first = happened(host)
    first.room = 2
    assert [first[host.role(n)]["A"] for n in ("x", "y")] == [5, 3]
    assert first[host.role("x")]["B"] == 5
    assert dict(first[host.role("x")]) == {"B": 5}
    assert dict(first[host.role("y")]) == {}
    assert first.room > 1000


def test_a_label_counts_while_a_version_carries_it(host: Any) -> None:
    secret = Labelled("secret", host)
    assert secret.ever == {"A"}
    assert [secret.at("A", n) for n in (1, 2, 3, 4, 5, 6)] == [False, False, False, True, True,
                                                               False]  # fmt: skip


@pytest.mark.parametrize("negated", [False, True])
def test_a_label_is_a_look_into_memory(host: Any, negated: bool) -> None:
    label = ir.Const(SPAN, t.TEXT, "secret")
    node = ir.Membership(SPAN, t.BOOL, label, field("labels"), negated=negated)
    found = Memories(host).of(node)
    assert found is not None
    text, memory = found
    code = text.format(memory="memory", artifact="artifact", as_of="as_of")
    said = [
        eval(code, {"memory": memory, "artifact": artifact, "as_of": at})
        for artifact in ("A", "B", "none")
        for at in (3, 4, 6)
    ]
    assert said == [(x is not negated) for x in (False, True, False, *(False,) * 6)]


def test_a_condition_that_is_compiled_twice_has_one_memory(host: Any) -> None:
    memories, node = Memories(host), heard()
    first, again, other = memories.of(node), memories.of(node), memories.of(heard())
    assert first is not None
    assert again is not None
    assert other is not None
    assert first[1] is again[1]
    assert first[1] is not other[1]
    assert memories.of(ir.Const(SPAN, t.BOOL, True)) is None
    label = ir.Membership(SPAN, t.BOOL, ir.Const(SPAN, t.TEXT, "s"), field("labels"), negated=False)
    once, twice = memories.of(label), memories.of(replace(label, negated=True))
    assert once is not None
    assert twice is not None
    assert once[1] is twice[1]
