from __future__ import annotations

import hashlib
from pathlib import Path

from groundeval.traces.chain import chain
from groundeval.traces.model import Step, Trace
from groundeval.traces.reader import read_traces, write_traces

ONE = Step(n=1, tool="search", query="q", results=("A",))
TWO = Step(n=2, tool="fetch", artifact="A", results=("A",), text=True, latency_ms=0.25)


def test_the_bytes_are_as_documented() -> None:
    start = hashlib.sha256(b"groundeval.chain/1").digest()
    link = hashlib.sha256(start + b'{"n":1,"query":"q","results":["A"],"tool":"search"}').digest()
    assert chain([]) == "sha256:" + start.hex()
    assert chain([ONE]) == "sha256:" + link.hex()


def test_every_step_and_its_place_count() -> None:
    chains = {chain(s) for s in ([], [ONE], [TWO], [ONE, TWO], [TWO, ONE], [ONE, ONE])}
    assert len(chains) == 6


def test_a_sealed_chain_is_told_apart() -> None:
    assert chain([ONE], b"key").startswith("hmac-sha256:")
    assert chain([ONE], b"key") != chain([ONE], b"other")


def test_the_chain_survives_the_file(tmp_path: Path) -> None:
    path = tmp_path / "t.jsonl"
    write_traces(path, [Trace(question="q", steps=(ONE, TWO))])
    (back,) = read_traces([path])
    assert isinstance(back, Trace)
    assert chain(back.steps) == chain([ONE, TWO])
