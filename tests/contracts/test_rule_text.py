"""Expressions as rule text: what is printed reads back as the same rule."""

import re

import pytest

from groundeval.contracts.rule_text import hole_text, rule_text
from groundeval.ir.program import Program
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse

DESK = """gev 1
domain desk
timezone "UTC"
subsystem wiki, chat
role lead { reads: [wiki, chat] }
actor zoë: lead
actor dan: lead
event outage "outage" { wiki: artifact  severity: text  size: number?  seen: time?  found by "outage {wiki} of {severity}" }
"""


def program(text: str) -> Program:
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": DESK + text}))
    assert checked.value is not None, checked.diagnostics
    return checked.value


def printed(condition: str, before: str = "") -> str:
    gate = program(f"{before}\ngate g {{ permit read when {condition} }}").gates[0]
    when = gate.rules[0].when
    assert when is not None
    return rule_text(when)


_MINE = 'artifact.subsystem == "wiki" and artifact.created < as_of'

SAME = [
    "artifact.created <= as_of",
    "artifact.subsystem in role.reads and not holds(lead)",
    '"privileged" not in artifact.labels or actor in artifact.participants',
    '(actor == "zoë" or actor == "dan") and artifact.subsystem == "wiki"',
    "not (artifact.created < 2026-03-02T00:00:00Z and artifact.deleted is missing)",
    "artifact.deleted is not missing",
    "as_of - artifact.created >= 1d12h",
    'artifact.labels overlaps ["a", "b"]',
    'artifact.title matches "^on\\\\b \\"call\\""',
    "size(artifact.labels) * (2 + 1) - 3 > -1",
    "size(artifact.labels) - (2 - 1) == 0",
    'size(artifact.labels - ["x"]) == 1',
    "empty(artifact.labels) ?? false",
    "(if holds(lead) then 1 else 2) == 1",
]


@pytest.mark.parametrize("condition", SAME)
def test_it_prints_what_was_written(condition: str) -> None:
    assert printed(condition) == condition


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("((artifact.created)) <= (as_of)", "artifact.created <= as_of"),
        ("artifact.created <= 2026-03-02", "artifact.created <= 2026-03-02T00:00:00Z"),
        ("mine(artifact.subsystem)", _MINE),
        (
            "mine(artifact.subsystem) ?? not mine(artifact.subsystem)",
            f"{_MINE} ?? not ({_MINE})",
        ),
    ],
)
def test_what_a_rule_has_lost(condition: str, expected: str) -> None:
    let = 'let mine(s) = s == "wiki" and artifact.created < as_of'
    assert printed(condition, let if "mine" in condition else "") == expected


@pytest.mark.parametrize(
    "condition",
    [
        'any e in artifact.events: e.severity == "high" and e.actors overlaps artifact.participants',
        '(share e in artifact.events: e.type == "outage") >= 0.5 and holds(lead)',
        "not empty([e.id for e in artifact.events if e.at <= as_of])",
        '{e.facts.severity for e in artifact.events} overlaps ["high"]',
        "all e in artifact.events: (max f in artifact.events: size(f.actors)) > 1 or e.wiki == artifact.id",
    ],
)
def test_what_walks_reads_back_as_the_same_rule(condition: str) -> None:
    text = printed(condition)
    assert (
        printed(text) == text.replace("_1", "_1_1").replace("_2", "_2_2") or printed(text) == text
    )
    assert " in artifact.events" in text


def _unnumbered(text: str) -> str:
    """Bound variables as they were named before they were told apart."""
    return re.sub(r"\b([ef])(?:_\d)+", r"\1", text)


def test_a_text_with_holes() -> None:
    found_by = program("").event_types[0].found_by
    assert found_by is not None
    assert hole_text(found_by) == "outage {event.wiki} of {event.severity}"
    assert rule_text(found_by) == '"outage {event.wiki} of {event.severity}"'
