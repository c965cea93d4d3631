"""Runs command lines in this process, and a small project to run them on."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from groundeval.cli.app import run

CONTRACT = """\
gev 1
domain desk "A small desk"
timezone "UTC"

use policies.horizon, policies.rbac
use tracks.silence

subsystem tickets, wiki

role engineer { reads: [tickets, wiki] }
actor alice: engineer
actor bob: engineer

event opened "ticket" { tickets: artifact  severity: text }
event solved "solution" { tickets: artifact  wiki: artifact? }

link opened_leads_to_solved "A solution is there because of its ticket" {
  cause   c: opened
  effect  e: solved
  join    c.tickets == e.tickets
  within  7d
}

silence missing_solution "Every ticket gets a solution" {
  after   t: opened
  expect  r: solved
  join    t.tickets == r.tickets
  within  3d
  search  wiki for "solution {t.tickets}"
  fetch   t.tickets
}
"""
PROJECT = (
    "contract: desk.gev\nevents: events.jsonl\nartifacts: artifacts.jsonl\ncaps: { silence: 4 }\n"
)


def event(number: int, kind: str, day: int, actor: str = "alice", **more: Any) -> str:
    record = {
        "id": f"e{number}-{kind}",
        "type": kind,
        "timestamp": f"2026-03-{day:02}T10:00:00Z",
        "actors": [actor],
        "artifact_ids": {"tickets": f"T-{number}"},
        **more,
    }
    if kind == "opened":
        record["facts"] = {"severity": "high"}
    if kind == "solved":
        record["artifact_ids"] |= {"wiki": f"W-{number}"}
    return json.dumps(record) + "\n"


def artifact(name: str, subsystem: str, day: int, text: str) -> str:
    created = f"2026-03-{day:02}T09:00:00Z"
    record = {"id": name, "subsystem": subsystem, "timestamp": created, "text": text}
    return json.dumps(record) + "\n"


EVENTS = "".join(
    [event(n, "opened", n) for n in range(1, 9)]
    + [event(n, "solved", n + 1, "bob") for n in range(2, 9, 2)]
    + [event(20, "opened", 28), event(20, "solved", 29)]
)
ARTIFACTS = "".join(
    [artifact(f"T-{n}", "tickets", n, f"ticket T-{n}") for n in (*range(1, 9), 20)]
    + [artifact(f"W-{n}", "wiki", n + 1, f"solution T-{n}") for n in range(2, 9, 2)]
    + [artifact("W-20", "wiki", 29, "solution T-20")]
)
FILES: Mapping[str, str] = {
    "groundeval.yaml": PROJECT,
    "desk.gev": CONTRACT,
    "events.jsonl": EVENTS,
    "artifacts.jsonl": ARTIFACTS,
}


def write_desk(folder: Path, changed: Mapping[str, str | bytes | None] | None = None) -> Path:
    """The small project, with some files changed, added, or (None) left out."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in {**FILES, **(changed or {})}.items():
        if content is None:
            continue
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@dataclass(frozen=True)
class Done:
    """What a command line did."""

    code: int
    out: str
    err: str

    @property
    def document(self) -> dict[str, Any]:
        """Standard output, which must be one JSON document."""
        found = json.loads(self.out)
        assert isinstance(found, dict)
        return found

    @property
    def findings(self) -> list[dict[str, Any]]:
        assert self.document["schema"] == "groundeval.findings/1"
        return list(self.document["findings"])

    @property
    def slugs(self) -> list[str]:
        return [f["slug"] for f in self.findings]


def cli(*arguments: object, encoding: str = "utf-8") -> Done:
    """Run a command line in this process; a traceback is a failure by itself."""
    with pytest.MonkeyPatch.context() as patch:
        streams = {}
        for name in ("stdout", "stderr"):
            streams[name] = io.TextIOWrapper(
                io.BytesIO(), encoding=encoding, errors="backslashreplace", write_through=True
            )
            patch.setattr(sys, name, streams[name])
        code = run([str(a) for a in arguments])
    out, err = (s.buffer.getvalue().decode(encoding, "replace") for s in streams.values())
    assert "Traceback" not in out + err, err
    return Done(int(code), out, err)


def traces_for(questions: Path, **changed: Any) -> str:
    """A trace for each question of a `questions.jsonl`, by an agent that says no and looks nowhere."""
    lines = []
    for line in questions.read_text(encoding="utf-8").splitlines():
        question = json.loads(line)
        trace = {
            "schema": "groundeval.trace/1",
            "question": question["id"],
            "agent": "lazy",
            "answer": {"exists": False},
            **changed,
        }
        lines.append(json.dumps(trace) + "\n")
    return "".join(lines)
