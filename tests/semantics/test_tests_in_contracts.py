"""Tests that are set in another contract, and which tests belong to a program."""

from __future__ import annotations

from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse, outline
from groundeval.semantics.track_params import Params

DESK = """gev 1
domain desk
timezone "UTC"
subsystem wiki
role agent { reads: [wiki] }
actor ada: agent
"""
GATE = """gev 1
gate own "own" { permit read "took part" when actor in artifact.participants }
test "who took part" {
  given contract "./desk.gev"
  given artifact `W-1` { subsystem: wiki  created: 2026-03-01  participants: [ada] }
  expect visible(ada, `W-1`, 2026-03-02) by own.`took part`
}
"""


def findings(texts: dict[str, str], root: str) -> list[tuple[str, str, int]]:
    checked = analyse(root, MemoryFiles(texts))
    return [(d.code.id, d.span.file, d.span.line) for d in checked.diagnostics]


def test_a_library_is_tested_in_a_contract_with_its_own_rules_added() -> None:
    checked = analyse("own.gev", MemoryFiles({"own.gev": GATE, "desk.gev": DESK}))
    assert checked.diagnostics == ()
    assert checked.value is not None
    (test,) = checked.value.tests
    assert test.program is not None
    assert (test.program.domain, test.program.timezone) == ("desk", "UTC")
    assert [g.name for g in test.program.gates] == ["own"]
    assert test.program.tests == ()


def test_a_contract_that_uses_the_library_already_has_it_once() -> None:
    texts = {"own.gev": GATE, "desk.gev": DESK + 'use "./own.gev"\n'}
    assert findings(texts, "own.gev") == []
    assert findings(texts, "desk.gev") == []


def test_a_whole_contract_adds_nothing_to_another_one() -> None:
    shop = DESK.replace("desk", "shop") + GATE.removeprefix("gev 1\n").replace(
        "by own.`took part`", ""
    )
    checked = analyse("shop.gev", MemoryFiles({"shop.gev": shop, "desk.gev": DESK}))
    assert checked.diagnostics == ()
    assert checked.value is not None
    program = checked.value.tests[0].program
    assert program is not None
    assert program.gates == ()


def test_what_is_wrong_in_the_other_contract_is_reported_where_it_stands() -> None:
    texts = {"own.gev": GATE, "desk.gev": DESK.replace("actor ada: agent", "actor ada: agnet")}
    assert findings(texts, "own.gev") == [("GEV206", "desk.gev", 6)]


def test_a_missing_contract_is_reported_once_per_place() -> None:
    found = findings({"own.gev": GATE, "desks.gev": DESK}, "own.gev")
    assert ("GEV201", "own.gev", 4) in found
    assert len([f for f in found if f[0] == "GEV201"]) == 1


def test_a_library_names_gates_that_only_its_users_have() -> None:
    text = 'gev 1\nextend gate access { permit read "x" when "x" in artifact.labels }\n'
    checked = analyse("more.gev", MemoryFiles({"more.gev": text}))
    assert checked.diagnostics == ()
    assert checked.value is not None
    assert [(g.name, len(g.rules)) for g in checked.value.gates] == [("access", 1)]
    assert findings({"more.gev": text, "d.gev": DESK + 'use "more.gev"\n'}, "d.gev") == [
        ("GEV209", "more.gev", 2)
    ]


def test_params_of_a_track_that_is_not_in_use_are_reported() -> None:
    files = MemoryFiles({"desk.gev": DESK})
    checked = analyse("desk.gev", files, params=Params({"silnce": {"k": 3}}))
    assert [(d.code.id, d.span.line) for d in checked.diagnostics] == [("GEV510", 1)]


def test_the_outline_is_there_before_the_data_are() -> None:
    text = DESK + (
        "event opened { page: artifact }\n"
        "link l { cause a: opened  effect b: unheard  join a.page == b.page  within 7d }\n"
        'source events "e.jsonl" { id = .id  at = .at  type = .type }\n'
    )
    found = outline("desk.gev", MemoryFiles({"desk.gev": text}))
    assert found is not None
    assert (found.timezone, len(found.sources), len(found.actors)) == ("UTC", 1, 1)
    assert outline("desk.gev", MemoryFiles({"desk.gev": text.replace("at = .at", "")})) is None
    assert outline("none.gev", MemoryFiles({})) is None
