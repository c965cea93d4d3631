"""Tools, index, gates and handbook of a real contract, together."""

from functools import cache

import msgspec
import pytest

from groundeval.contracts.builder import build
from groundeval.contracts.contract import Contract
from groundeval.contracts.sight import Sight, Standing
from groundeval.functions.host import Place
from groundeval.index.coverage import Coverage, place_keys
from groundeval.index.postings import Search
from groundeval.questions.model import Question
from groundeval.runs.replies import FetchReply
from groundeval.runs.tools import Tools
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.traces.model import Refusal
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.time import DAY, parse_instant
from groundeval.world.world import World

DESK = """gev 1
domain desk
timezone "UTC"
subsystem wiki, chat, crm
role agent { reads: [wiki, chat] }
actor zoë: agent
gate horizon { permit read when artifact.created <= as_of }
gate subsystem {
  permit read   when artifact.subsystem in role.reads
  permit search when search.subsystem in role.reads
}
event outage "outage" { wiki: artifact }
track looking "Did it look?" {
  ask for e in events, a in actors
    about e
    actor a
    as_of e.at
  answer { exists: bool }
  truth { exists = true }
  balance { "all" 1 when true }
  text "Was there an outage?"
  let right = answer.exists == truth.exists
  score answer { "verdict" 1 of right }
  score trajectory { "gates" 1 of 1 - violation_rate }
  weights answer 0.5, trajectory 0.5
  correct when right
}
"""
START = parse_instant("2026-03-01T00:00:00Z", None)


@cache
def desk() -> Contract:
    assert isinstance(START, int)
    program = analyse("desk.gev", MemoryFiles({"desk.gev": DESK}))
    assert program.value is not None, program.diagnostics

    def document(artifact_id: str, subsystem: str, day: int) -> Artifact:
        version = Version(start=START + day * DAY, title="", text=f"outage seen in {artifact_id}")
        return Artifact(
            id=artifact_id, subsystem=subsystem, created=version.start, versions=(version,)
        )

    corpus = Corpus(
        [document("W-1", "wiki", 0), document("W-9", "wiki", 9), document("CRM-1", "crm", 0)]
    )
    log = MemoryLog([Event(id="e", type="outage", at=START, artifacts={"wiki": ("W-1", "W-9")})])
    world = World(log, corpus, Access(program.value.actors, program.value.roles))
    contract = build(program.value, world, seed=1).value
    assert contract is not None
    return contract


def tools() -> Tools:
    question = Question(id="q", track="looking", actor="zoë", as_of="2026-03-02T00:00:00Z")
    return Tools(desk(), question)


def test_only_what_the_gates_permit_comes_back() -> None:
    asked = tools()
    assert [hit.id for hit in asked.search("outage").hits] == ["W-1"]
    assert asked.steps[0].suppressed == ("CRM-1", "W-9")
    assert asked.fetch("W-1").events[0].artifacts == {"wiki": ("W-1",)}
    closed = asked.search("outage", "crm")
    assert not closed.available
    assert [r.gate for r in asked.steps[2].refused] == ["subsystem"]


def test_refusals_name_gate_and_rule_and_replies_do_not() -> None:
    asked = tools()
    bodies = {
        msgspec.json.encode(msgspec.structs.replace(asked.fetch(i), id=""))
        for i in ("W-9", "CRM-1", "NONE-1")
    }
    assert bodies == {msgspec.json.encode(FetchReply("", available=False))}
    assert [step.refused for step in asked.steps] == [
        (Refusal("horizon"),),
        (Refusal("subsystem"),),
        (),
    ]


@pytest.mark.parametrize("page", ["role/agent", "gate/subsystem", "event/outage", "searching"])
def test_the_handbook_is_open(page: str) -> None:
    assert tools().fetch(f"handbook/{page}").available


def test_coverage_sees_what_the_tools_see() -> None:
    contract = desk()
    standing = Standing("zoë", START if isinstance(START, int) else None, ("horizon", "subsystem"))
    viewpoint = Sight(contract, standing).viewpoint("postmortem W-7")
    coverage = Coverage(contract.index)

    def covered(subsystem: str, confined_to: str | None) -> bool:
        place = Place(
            id=subsystem, subsystems=(subsystem,), keys=place_keys(["W-7"]), ghost="postmortem W-7"
        )
        return coverage.covers(place, Search("postmortem W-7", confined_to), viewpoint)

    assert covered("wiki", "wiki")
    assert covered("wiki", None)
    assert covered("chat", None)
    assert not covered("crm", None)
    assert not covered("wiki", "chat")
