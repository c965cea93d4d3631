"""Same inputs and seed, same bytes: whatever the hash seed, the order of inputs and the workers."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.desk import Size
from benchmarks.generate import write_project
from benchmarks.traces import write_traces
from tests.cli.running import cli, traces_for, write_desk
from tests.determinism import SUPPORT, Run, digest, digests, disturb


def test_the_support_desk_is_the_same_in_every_way() -> None:
    found = digests(SUPPORT, SUPPORT / "traces.jsonl")
    assert len(set(found.values())) == 1, found


def test_other_inputs_are_other_bytes(tmp_path: Path) -> None:
    desk = write_desk(tmp_path / "desk")
    cli("compile", desk, "-o", tmp_path / "out")
    traces = tmp_path / "traces.jsonl"
    traces.write_text(traces_for(tmp_path / "out/questions.jsonl"))
    run = Run(0, "as it is", 1)
    before = digest(run, desk, traces)
    assert digest(Run(1, "all of it", 2), desk, traces) == before
    log = desk / "events.jsonl"
    log.write_text(log.read_text().replace("high", "low", 1))
    assert digest(run, desk, traces) != before


def test_disorder_is_disorder(tmp_path: Path) -> None:
    desk = write_desk(tmp_path / "desk")
    before = (desk / "events.jsonl").read_text()
    disturb(desk, "lines reversed")
    assert (desk / "events.jsonl").read_text().splitlines() == before.splitlines()[::-1]


@pytest.mark.soak
def test_a_generated_project_is_the_same_in_every_way(tmp_path: Path) -> None:
    write_project(tmp_path, Size.of(20_000, 2_000))
    write_traces(tmp_path, 2_000, steps=10, seed=7)
    found = digests(tmp_path, tmp_path / "traces.jsonl")
    assert len(set(found.values())) == 1, found
