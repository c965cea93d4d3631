"""A desk with a vault: two worlds that its engineers must not be able to tell apart.

In one of them stands all that is closed to an engineer, or written after the question's instant;
in the other it never was. `CANARY` stands in everything that is closed, a stamp of its own in
every ticket and page, `SECRET` in whatever a question keeps to itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import msgspec

from groundeval import api
from groundeval.questions.model import PlaceRecord, Question, visible_part
from groundeval.runs.fitting import faults_of
from groundeval.runs.tools import Tools
from groundeval.server.attempt import Attempt, Keeping
from tests.cli.running import write_desk
from tests.runs.desks import compiled_in

CANARY = "zanzibar"
SECRET = "quetzalcoatl"
SETTINGS = (
    "contract: desk.gev\nevents: events.jsonl\nartifacts: artifacts.jsonl\n"
    "caps: { silence: 8, perspective: 8 }\n"
)
RULES = """gev 1
domain desk "A desk with a vault"
timezone "UTC"
observed from 2026-03-01 until 2026-05-01
use policies.horizon, policies.rbac
use tracks.perspective, tracks.silence
subsystem tickets, wiki, vault
role engineer { reads: [tickets, wiki] }
role keeper { reads: [vault] }
actor ada: engineer
actor kim: keeper
event outage "outage" { ticket: artifact  page: artifact }
event review "review" { ticket: artifact  page: artifact }
silence missing_review "Every outage gets a review" {
  after t: outage
  expect r: review
  join   t.ticket == r.ticket
  within 7d
  search wiki for "review {t.ticket}"
  fetch  t.ticket
}
"""


def _events() -> Iterator[dict[str, Any]]:
    for n in range(40):
        held = {"page": f"V-{n}"} if n % 3 == 0 else {}
        yield _event(f"o{n}", "outage", _opened(n), {"ticket": f"T-{n}", **held})
        if n % 2:
            yield _event(f"r{n}", "review", _reviewed(n), {"ticket": f"T-{n}", "page": f"W-{n}"})


def _event(name: str, kind: str, at: str, named: dict[str, str]) -> dict[str, Any]:
    return {"id": name, "type": kind, "timestamp": at, "actors": ["ada"], "artifact_ids": named,
            "facts": {}}  # fmt: skip


def _opened(n: int) -> str:
    return f"2026-03-{1 + n // 2:02}T{8 + n % 2:02}:00:00Z"


def _reviewed(n: int) -> str:
    return f"2026-03-{4 + n // 2:02}T12:00:00Z"


def _artifacts() -> Iterator[dict[str, Any]]:
    for n in range(40):
        yield _artifact(f"T-{n}", "tickets", _opened(n), f"outage T-{n} stamp{n}t")
        if n % 3 == 0:
            text = f"{CANARY} outage T-{n} shared words"
            yield _artifact(f"V-{n}", "vault", _opened(n), text, f"{CANARY} vault")
        if n % 2:
            yield _artifact(f"W-{n}", "wiki", _reviewed(n), f"review of T-{n} stamp{n}w")
    for n in range(5):
        text = f"{CANARY} review of T-{n} shared words"
        yield _artifact(f"F-{n}", "wiki", "2026-04-20T00:00:00Z", text, f"{CANARY} future")


def _artifact(name: str, place: str, at: str, text: str, title: str = "") -> dict[str, Any]:
    return {"id": name, "subsystem": place, "timestamp": at, "title": title, "text": text}


def _compiled(artifacts: list[dict[str, Any]]) -> api.Compiled:
    files = {
        "groundeval.yaml": SETTINGS,
        "desk.gev": RULES,
        "events.jsonl": "".join(json.dumps(e) + "\n" for e in _events()),
        "artifacts.jsonl": "".join(json.dumps(a) + "\n" for a in artifacts),
    }
    with TemporaryDirectory() as folder:
        return compiled_in(write_desk(Path(folder), files))


@cache
def vault() -> api.Compiled:
    """The world with all there is."""
    return _compiled(list(_artifacts()))


@cache
def bare() -> api.Compiled:
    """The world that never had what is closed at the question's instant."""
    return _compiled([a for a in _artifacts() if a["id"] not in closed()])


@cache
def question() -> Question:
    """A question of somebody to whom the vault is closed, with secrets wherever it has any."""
    drawn = [q for q in vault().drawn.questions if q.actor == "ada"]
    asked = sorted(drawn, key=lambda q: q.as_of or "")[len(drawn) // 2]
    return msgspec.structs.replace(
        asked,
        truth={**(asked.truth or {}), "why": SECRET},
        about=(*asked.about, SECRET),
        places=(*asked.places, PlaceRecord(search=("wiki",), text=SECRET, ghost=SECRET)),
        stratum=SECRET,
        spec=SECRET,
        pair=SECRET,
        difficulty=SECRET,
    )


@cache
def closed() -> tuple[str, ...]:
    """The ids that are not to be opened at the question's instant."""
    instant = question().as_of or ""
    return tuple(
        a["id"]
        for a in _artifacts()
        if a["subsystem"] == "vault" or a["timestamp"] > instant
    )  # fmt: skip


@cache
def canaries() -> tuple[str, ...]:
    """Words and ids that no reply may hold, unless the caller or the question says them."""
    stamps = [
        a["text"].rpartition(" ")[2]
        for a in _artifacts()
        if a["id"] in closed() and "stamp" in a["text"]
    ]
    told = json.dumps(visible_part(question()), default=str)
    return tuple(word for word in (CANARY, SECRET, *stamps, *closed()) if word not in told)


def attempt(world: api.Compiled) -> tuple[Attempt, Tools]:
    """The question as it is served in one of the worlds, and what is recorded of it."""
    tools = Tools(world.contract, question())
    visible = visible_part(question())
    return Attempt(visible, tools, faults_of(visible), Keeping(note=tools.note)), tools
