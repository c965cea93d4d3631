"""Conditions that decide nothing: what is told, and what is left alone."""

from __future__ import annotations

import pytest

from groundeval.diagnostics import Diagnostic, codes
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.semantics.symbols import DataFacts

HEAD = """gev 1
domain desk
timezone "UTC"
subsystem wiki, jira
role lead { reads: [wiki] }
actor ann: lead
event opened { jira: artifact  severity: text  labels: text }
"""


def found(rules: str, data: DataFacts | None = None) -> list[Diagnostic]:
    files = MemoryFiles({"desk.gev": HEAD + rules})
    return list(analyse("desk.gev", files, data=data).diagnostics)


def gate(condition: str, lets: str = "") -> str:
    return f'{lets}\ngate g "g" {{ permit read when {condition} }}\n'


@pytest.mark.parametrize(
    "condition",
    [
        "true",
        "artifact.created == as_of",
        'any e in artifact.events: e.severity == "low" and e.labels == "a"',
        # a data field may hold several values, so it may be both
        'any e in artifact.events: e.severity == "low" and e.severity == "high"',
        'artifact.subsystem == "wiki" or artifact.title == "wiki"',
        'artifact.subsystem == "wiki" and not (artifact.subsystem == "jira")',
        'artifact.title == "a" and artifact.title == "a" and artifact.subsystem == "wiki"',
        "holds(lead)",
        'role.id == "lead"',
        '"a" in artifact.labels and "b" in artifact.labels',
        'artifact.mood == "a" and artifact.mood == "b"',  # JSON of any kind
    ],
)
def test_what_may_be_meant_is_left_alone(condition: str) -> None:
    assert found(gate(condition)) == []


@pytest.mark.parametrize(
    ("condition", "text"),
    [
        ("not true", "reads nothing"),
        ('"a" == "b"', "reads nothing"),
        ("1 in [1, 2]", "reads nothing"),
        ("artifact.created <= artifact.created", "`<=` compares a value with itself"),
        ("artifact.`created` == artifact.created", "`==` compares a value with itself"),
        ("holds(lead) and artifact.title in []", "an empty list holds nothing"),
        ('artifact.title == "a" and holds(lead) and artifact.title == "b"', "never both so"),
        ('artifact.title != "a" or holds(lead) or artifact.title != "b"', "leave nothing out"),
        ('holds(lead) or (artifact.title == "a" and artifact.title == "b")', "never both so"),
    ],
)
def test_what_decides_nothing_is_a_warning(condition: str, text: str) -> None:
    (one,) = found(gate(condition))
    assert one.code is codes.SETTLED_CONDITION
    assert text in one.message


TRACK = """
track t "Anything" {
  param enough = 2
  param most = 3
  answer { said: bool }
  score answer { "said" 1 of answer.said ?? false }
  score trajectory { "path" 1 of empty(calls) }
  weights answer 1, trajectory 0
  correct when CONDITION
}
"""


def test_a_param_is_used_where_a_track_names_it() -> None:
    def unused(condition: str) -> list[tuple[str, int]]:
        diagnostics = found(TRACK.replace("CONDITION", condition))
        assert {d.code for d in diagnostics} <= {codes.UNUSED_PARAM}
        return [(d.message, d.span.line) for d in diagnostics]

    one, other = ("nothing uses the param `enough`", 10), ("nothing uses the param `most`", 11)
    assert unused("answer.said") == [one, other]
    assert unused("size(opened) >= enough") == [other]
    assert unused("size(opened) in [x for x in [enough, most]]") == []
    assert unused("enough < most") == [], "a project may set it"


def test_what_a_let_or_a_param_says_may_be_meant_to_be_changed() -> None:
    lets = "let strict = false\nlet alike(a, b) = a == b"
    assert found(gate("strict and alike(artifact.title, artifact.title)", lets)) == []


def test_long_chains_take_no_time_and_no_stack() -> None:
    many = " or ".join(f'artifact.title == "t{n}"' for n in range(3000))
    assert found(gate(many)) == []
    never = " and ".join(["holds(lead)"] * 3000)
    assert found(gate(f'{never} and artifact.title == "a" and artifact.title == "b"')) != []


@pytest.mark.parametrize(
    ("condition", "help_"),
    [
        ('role.id == "leed"', "did you mean `lead`?"),
        ('"leed" == role.id', "did you mean `lead`?"),
        ('role.id != "lead, boss"', "known are `lead`"),
        ('role.id in ["lead", "boss"]', "known are `lead`"),
    ],
)
def test_a_role_that_nobody_declares_is_a_warning(condition: str, help_: str) -> None:
    (one,) = found(gate(condition))
    assert one.code is codes.NEVER_EQUAL
    assert one.help == help_


def test_roles_of_the_data_are_known_and_those_of_a_source_may_be_anything() -> None:
    rule = gate('role.id == "boss"')
    assert [d.code for d in found(rule)] == [codes.NEVER_EQUAL]
    assert found(rule, DataFacts(roles=frozenset({"lead", "boss"}))) == []
    source = 'source actors "people.csv" { id = .email  role = .title }\n'
    assert codes.NEVER_EQUAL not in [d.code for d in found(rule + source)]
