"""Contracts as documents: the same bytes for the same inputs, and back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import networkx as nx
import pytest

from groundeval.contracts.builder import Contract
from groundeval.contracts.codec import decode_contract, encode_contract, encode_graph
from groundeval.diagnostics import codes

RULES = """gate horizon "it was there" { permit read when artifact.created <= as_of }
link l "opened, so written" {
  cause c: opened  effect e: written  join c.jira == e.jira  within 7d
}
silence s "written up" {
  after t: opened  expect r: written  join t.jira == r.jira  within 7d  fetch t.jira
}
"""
QUESTIONS: list[dict[str, Any]] = [
    {"id": "s-2", "track": "s"},
    {"id": "s-1", "track": "s", "truth": {"exists": True}},
]


def events(make: Any) -> list[Any]:
    return [
        make.event("o1", "opened", 1, jira=["J1"], actors=("bob", "ann"), weight=1.5),
        make.event("w1", "written", 2, jira=["J1"], wiki=["W1"], tags=("b", "a")),
        make.event("o2", "opened", 3, jira=["J2"]),
        make.event("end", "closed", 30),
    ]


def artifacts(make: Any) -> list[Any]:
    return [make.artifact(n, "wiki" if n == "W1" else "jira", 0) for n in ("W1", "J1", "J2")]


@pytest.fixture
def contract(make: Any) -> Contract:
    return make.contract(RULES, events(make), artifacts(make))  # type: ignore[no-any-return]


class TestContractJson:
    def test_it_holds_what_the_format_says(self, contract: Contract) -> None:
        document = json.loads(encode_contract(contract, QUESTIONS, {"events": ["events.jsonl"]}))
        assert document["schema"] == "groundeval.contract/1"
        assert {"rules", "graph", "questions", "handbook", "inputs", "hashes"} <= set(document)
        assert [q["id"] for q in document["questions"]] == ["s-1", "s-2"]
        assert document["inputs"]["events"]["paths"] == ["events.jsonl"]
        assert document["inputs"]["events"]["count"] == 4
        assert document["inputs"]["events"]["hash"] == document["hashes"]["events"]
        assert document["inputs"]["rules"][0]["name"] == "desk.gev"
        assert document["hashes"]["contract"] == contract.digest
        assert {page["id"] for page in document["handbook"]} == set(contract.handbook)

    def test_the_order_of_the_inputs_does_not_show(self, contract: Contract, make: Any) -> None:
        other = make.contract(RULES, events(make)[::-1], artifacts(make)[::-1])
        paths = {"events": ["b", "a"]}
        expected = encode_contract(contract, QUESTIONS, paths)
        assert encode_contract(other, QUESTIONS[::-1], {"events": ["a", "b"]}) == expected
        assert encode_graph(other) == encode_graph(contract)

    @pytest.mark.parametrize("change", ["fact", "artifact", "rule", "seed", "period"])
    def test_whatever_changes_a_verdict_changes_the_hash(
        self, contract: Contract, make: Any, change: str
    ) -> None:
        log, corpus, rules, seed = events(make), artifacts(make), RULES, 1
        match change:
            case "fact":
                log[2] = make.event("o2", "opened", 3, jira=["J2"], severity="x")
            case "artifact":
                corpus[0] = make.artifact("W1", "wiki", 0, text="more")
            case "rule":
                rules = RULES.replace("within 7d  fetch", "within 8d  fetch")
            case "seed":
                seed = 2
            case "period":
                log[1] = make.event(
                    "w1", "written", 2, jira=["J1"], wiki=["W1"], tags=("b", "a"), source="other"
                )
        assert make.contract(rules, log, corpus, seed=seed).digest != contract.digest

    def test_it_reads_back(self, contract: Contract) -> None:
        checked = decode_contract(encode_contract(contract, QUESTIONS), "contract.json")
        assert checked.diagnostics == ()
        assert checked.value is not None
        assert checked.value.program == contract.program
        assert checked.value.contract == contract.digest
        assert [q["id"] for q in checked.value.questions] == ["s-1", "s-2"]

    def test_unknown_fields_are_kept(self, contract: Contract) -> None:
        document = json.loads(encode_contract(contract)) | {"later": 1}
        checked = decode_contract(json.dumps(document).encode(), "contract.json")
        assert checked.value is not None
        assert checked.value.document["later"] == 1

    def test_another_major_version_is_refused_by_name(self, contract: Contract) -> None:
        document = json.loads(encode_contract(contract)) | {"schema": "groundeval.contract/2"}
        checked = decode_contract(json.dumps(document).encode(), "contract.json")
        assert checked.value is None
        assert [d.code for d in checked.diagnostics] == [codes.OTHER_SCHEMA]
        assert "groundeval.contract/2" in checked.diagnostics[0].message

    def test_damage_is_noticed(self, contract: Contract) -> None:
        data = encode_contract(contract, QUESTIONS)
        changed = data.replace(b'"exists":true', b'"exists":false')
        assert changed != data
        for damaged in (changed, b"{}", b"[]"):
            checked = decode_contract(damaged, "contract.json")
            assert checked.value is None
            assert {d.code for d in checked.diagnostics} == {codes.DAMAGED_CONTRACT}
        assert decode_contract(data[:100], "c").diagnostics[0].code is codes.MALFORMED_FILE


class TestGraphJson:
    def test_networkx_reads_it(self, contract: Contract) -> None:
        document = json.loads(encode_graph(contract))
        assert document["schema"] == "groundeval.graph/1"
        read = nx.node_link_graph(document, edges="edges")
        assert isinstance(read, nx.MultiDiGraph)
        assert set(read.edges(keys=True)) == {("o1", "w1", "l")}
        link = read.edges["o1", "w1", "l"]
        assert link["evidence"] == [["J1", "W1"]]
        assert link["gap"] == 86_400_000_000
        assert read.nodes["o1"] == {"type": "opened", "at": "2026-03-02T00:00:00Z"}


def test_the_hash_seed_does_not_show(tmp_path: Path) -> None:
    script = tmp_path / "build.py"
    script.write_text(
        f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from conftest import Making
from test_codec import QUESTIONS, RULES, artifacts, events
from groundeval.contracts.codec import encode_contract
make = Making()
contract = make.contract(RULES, events(make), artifacts(make))
pairs = [(p.id, sorted(p.actors), [sorted(e) for e in p.evidence]) for p in contract.near_misses]
sys.stdout.buffer.write(encode_contract(contract, QUESTIONS) + repr(pairs).encode())
"""
    )
    root = Path(__file__).parents[2]
    outputs = {
        subprocess.run(
            [sys.executable, str(script)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)},
            capture_output=True,
            check=True,
        ).stdout
        for seed in ("0", "1", "4242")
    }
    assert len(outputs) == 1
    assert outputs.pop()
