"""Small desks with as many questions as asked for, and agents that need no model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from groundeval import api
from groundeval.runs.agent import Identity, Reply, Task
from tests.cli.running import CONTRACT, write_desk


def _record(name: str, kind: str, hour: int, **ids: str) -> str:
    return json.dumps(
        {
            "id": f"{name}-{kind}",
            "type": kind,
            "timestamp": _instant(hour),
            "actors": ["alice"],
            "artifact_ids": ids,
            "facts": {"severity": "high"} if kind == "opened" else {},
        }
    )


def _instant(hour: int) -> str:
    day, hour = divmod(hour, 24)
    month, day = divmod(day, 28)
    return f"2026-{month + 1:02}-{day + 1:02}T{hour:02}:00:00Z"


def _document(name: str, subsystem: str, hour: int, text: str) -> str:
    fields = {"id": name, "subsystem": subsystem, "timestamp": _instant(hour), "text": text}
    return json.dumps(fields)


def big_desk(folder: Path, questions: int) -> Path:
    """A project with `questions` questions: of so many tickets half were never solved."""
    events, artifacts = [], []
    for n in range(questions + 20):
        ticket, page, hour = f"T-{n}", f"W-{n}", 3 * n
        events.append((hour, _record(f"e{n}", "opened", hour, tickets=ticket)))
        artifacts.append(_document(ticket, "tickets", hour, f"ticket {ticket}"))
        if n % 2:
            events.append(
                (hour + 24, _record(f"e{n}", "solved", hour + 24, tickets=ticket, wiki=page))
            )
            artifacts.append(_document(page, "wiki", hour + 24, f"solution {ticket}"))
    return write_desk(
        folder,
        {
            "groundeval.yaml": "contract: desk.gev\nevents: events.jsonl\n"
            f"artifacts: artifacts.jsonl\ncaps: {{ silence: {questions} }}\n",
            "desk.gev": CONTRACT,
            "events.jsonl": "\n".join(line for _, line in sorted(events)) + "\n",
            "artifacts.jsonl": "\n".join(artifacts) + "\n",
        },
    )


def compiled_in(folder: Path) -> api.Compiled:
    project = api.open_project(folder)
    assert project.value is not None, project.diagnostics
    compiled = api.compile_project(project.value)
    assert compiled.value is not None, compiled.diagnostics
    return compiled.value


@cache
def desk(questions: int = 8) -> api.Compiled:
    """A compiled desk with so many questions."""
    with TemporaryDirectory() as folder:
        return compiled_in(big_desk(Path(folder), questions))


def looking(task: Task) -> Reply:
    """Looks for the solution of the ticket, and says what it found."""
    (ticket, *_) = task.question["keys"]
    if task.tools is None:
        return Reply(answer={"exists": any(d.subsystem == "wiki" for d in task.given)})
    hits = task.tools.search(f"solution {ticket}", "wiki").hits
    task.tools.fetch(ticket)
    found = [hit.id for hit in hits if ticket in hit.snippet.split()]
    return Reply(answer={"exists": bool(found), "evidence_artifacts": found}, cited=tuple(found))


@dataclass
class Playing:
    """An agent that does what a function does with its task, in this process."""

    does: Callable[[Task], Reply] = looking
    name: str = "playing"
    settings: Mapping[str, Any] = field(default_factory=dict)
    model: str | None = None
    closed: threading.Event = field(default_factory=threading.Event)

    @property
    def identity(self) -> Identity:
        return Identity(name=self.name, model=self.model, settings=dict(self.settings))

    def attempt(self, task: Task) -> Reply:
        return self.does(task)

    def close(self) -> None:
        self.closed.set()


def slowly(seconds: float, does: Callable[[Task], Reply] = looking) -> Callable[[Task], Reply]:
    def wait(task: Task) -> Reply:
        time.sleep(seconds)
        return does(task)

    return wait
