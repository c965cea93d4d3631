"""What anybody can see: gates against their plain meaning, edges, and searches."""

from __future__ import annotations

from itertools import pairwise

import msgspec
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.contracts.sight import Sight, Standing
from groundeval.index.coverage import Coverage
from groundeval.index.postings import Search
from groundeval.questions.model import Question
from groundeval.runs.tools import Tools
from groundeval.world.artifacts import Artifact
from groundeval.world.time import format_instant
from tests.properties import worlds
from tests.properties.worlds import ACTORS, ARTIFACTS, LAST, Drawn, day, gated

SOME = settings(max_examples=120, deadline=None)
TRACK = """track t "T" {
  ask for a in actors, e in events
    about e
    actor a
    as_of e.at
  answer { known: bool }
  truth { known = all x in e.artifacts: visible(a, x, e.at) }
  balance { "yes" 1/2 when truth.known  "no" 1/2 when not truth.known }
  text "{about.label} {about.keys} {actor} {as_of}"
  score answer { "a" 1 of answer.known == truth.known }
  score trajectory { "t" 1 of true }
  weights answer 0.5, trajectory 0.5
  correct when answer.known == truth.known
}
"""
INSTANTS = [moment for n in range(LAST + 2) for moment in (day(n) - 1, day(n))]


@SOME
@given(gated())
def test_visible_means_that_every_gate_permits_what_is_there(drawn: Drawn) -> None:
    host, gates = drawn.contract.host, drawn.contract.gates
    for actor in ACTORS:
        for artifact in ARTIFACTS:
            for at in INSTANTS:
                permits = [drawn.permits(g, actor, artifact, at) for g in drawn.gates]
                closing = {name for name, _ in gates.closing(actor, artifact, at)}
                assert closing == {f"g{n}" for n, fine in enumerate(permits) if not fine}
                assert host.visible(actor, artifact, at) == drawn.visible(actor, artifact, at)


@SOME
@given(gated())
def test_every_change_lies_between_two_instants_that_are_asked_about(drawn: Drawn) -> None:
    """Whoever looks just before and just after each change misses none between log instants."""
    log = drawn.contract.world.log
    instants = log.instants()
    for event in log:
        for actor in ACTORS[:-1]:
            sides = set(drawn.contract.host.edges(actor, event))
            assert sides <= set(instants)
            for before, after in pairwise(instants):
                for artifact in event.artifact_ids:
                    seen = [drawn.visible(actor, artifact, t) for t in (before, after)]
                    if seen[0] != seen[1]:
                        assert {before, after} <= sides, (actor, artifact)


@SOME
@given(gated())
def test_a_subsystem_is_open_when_something_in_it_is(drawn: Drawn) -> None:
    for actor in ACTORS:
        for at in (day(1), day(3), day(LAST)):
            expected = {
                drawn.scene.artifacts[name].subsystem
                for name in ARTIFACTS
                if drawn.visible(actor, name, at)
            }
            assert drawn.contract.host.subsystems_open(actor, at) == expected


def without_closed(drawn: Drawn, actor: str, at: int) -> list[Artifact]:
    return [x for x in drawn.scene.artifacts.values() if drawn.visible(actor, x.id, at)]


@SOME
@given(
    gated(),
    st.sampled_from(ACTORS),
    st.integers(0, LAST),
    st.sampled_from(["plan", "review A-1", "W-1", "plan review", "old"]),
    st.tuples(st.sampled_from([None, *worlds.SUBSYSTEMS]), st.integers(-1, 3)),
)
def test_what_is_closed_or_to_come_changes_no_byte_of_a_search(
    drawn: Drawn, actor: str, on: int, query: str, where: tuple[str | None, int]
) -> None:
    at = day(on)
    text = worlds.written(drawn.scene, drawn.gates, TRACK)
    open_ones = without_closed(drawn, actor, at)
    everything = worlds.contract(text, drawn.scene.events, drawn.scene.artifacts.values())
    remaining = worlds.contract(text, drawn.scene.events, open_ones)
    question = Question(id="q", track="t", actor=actor, as_of=format_instant(at))
    replies = []
    for contract in (everything, remaining):
        tools = Tools(contract, question)
        replies.append(msgspec.json.encode(tools.search(query, *where).hits))
        for name in ARTIFACTS:
            fetched = tools.fetch(name)
            assert fetched.available == (name in {x.id for x in open_ones})
            assert fetched.available or not (fetched.text or fetched.events or fetched.title)
    assert replies[0] == replies[1]


@SOME
@given(gated(), st.sampled_from(ACTORS), st.integers(0, LAST), st.integers(-1, 3))
def test_nor_does_it_change_what_a_search_covers(
    drawn: Drawn, actor: str, on: int, limit: int
) -> None:
    at = day(on)
    text = worlds.written(drawn.scene, drawn.gates)
    gates = tuple(f"g{n}" for n in range(len(drawn.gates)))
    corpora = (drawn.scene.artifacts.values(), without_closed(drawn, actor, at))
    place = worlds.place("review A-1")
    covered = []
    for corpus in corpora:
        contract = worlds.contract(text, drawn.scene.events, corpus)
        sight = Sight(contract, Standing(actor, at, gates))
        for query in ("review A-1", "A-1", "plan A-1 review"):
            asked = Search(query, None, limit)
            covered.append(Coverage(contract.index).covers(place, asked, sight.viewpoint(query)))
    assert covered[:3] == covered[3:]


@SOME
@given(gated())
def test_an_actor_without_a_role_sees_nothing_where_roles_are_needed(drawn: Drawn) -> None:
    """And is asked about nothing."""
    gate = 'gate rbac "roles" { permit read when artifact.subsystem in role.reads }\n'
    text = worlds.written(drawn.scene, drawn.gates, gate)
    contract = worlds.contract(text, drawn.scene.events, drawn.scene.artifacts.values())
    for at in INSTANTS:
        assert not any(contract.host.visible("none", x, at) for x in ARTIFACTS)
        assert contract.host.subsystems_open("none", at) == frozenset()
