"""`test` blocks: what they may give, what they may expect."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundeval.diagnostics import Code, Diagnostic, Source, Span, codes
from groundeval.ir import program
from groundeval.ir.walk import reads
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.symbols import Findings
from groundeval.semantics.tests import OtherContract
from groundeval.semantics.tests import test as elaborated_test
from groundeval.semantics.track_params import TrackParams
from groundeval.semantics.tracks import track
from groundeval.syntax import ast
from groundeval.syntax.parser import parse
from tests.semantics.desk_names import SYMBOLS

TRACK = """
track t {
  ask for e in events about e as_of e.at
  answer { known: bool  why: text ignored }
  truth { known = true  seen = e.artifacts }
  let right = answer.known == truth.known
  let outcome = 3
  score answer { "verdict" 1 of right and outcome == 3 }
  score trajectory { "gates" 1 of 1 - violation_rate }
  weights answer 0.5, trajectory 0.5
  correct when right
}
"""


def built(
    text: str, others: dict[str, OtherContract] | None = None
) -> tuple[program.Test, list[Diagnostic]]:
    """The one test of a rule file, and what was found in it (the track `t` is in use)."""
    parsed = parse(Source("t.gev", f"gev 1\n{TRACK}\n{text}\n"))
    assert parsed.diagnostics == (), [d.message for d in parsed.diagnostics]
    assert parsed.value is not None
    findings = Findings()
    el = Elaborator(SYMBOLS, findings)
    trees = parsed.value.declarations
    tracks = {
        t.name.text: track(t, t.name.text, el, TrackParams())
        for t in trees
        if isinstance(t, ast.Track)
    }
    assert findings.all == []

    def load(path: str, span: Span) -> OtherContract | None:
        found = (others or {}).get(path)
        if found is None:
            findings.add(codes.UNKNOWN_MODULE, f"there is no file `{path}`", span)
        return found

    tree = next(t for t in trees if isinstance(t, ast.Test))
    return elaborated_test(tree, el, tracks, load), findings.all


def test_what_is_given_comes_as_plain_values() -> None:
    found, findings = built("""
    test "all" for track t {
      given artifact `GIT-801` { subsystem: git  created: 1970-01-02  sensitivity: high }
      given event e1 { type: opened  at: 1970-01-01T00:00:01Z  artifacts: { jira: "ESC-1" } }
      given actor dave { role: lead }
      given question { about: e1  actor: dave  as_of: 1970-01-03 }
      given truth { known: false }
      given trace {
        steps: [{ tool: fetch artifact: "X" }, { tool: "search" query: "a" limit: 3 }]
        answer: { known: true  why: "so"  abstain: false }
        cited: ["X"]
      }
      expect scores.answer == 1
    }""")
    assert findings == []
    day = 86_400_000_000
    values = {(g.kind, g.name): g.values for g in found.given}
    assert values == {
        ("artifact", "GIT-801"): {"subsystem": "git", "created": day, "sensitivity": "high"},
        ("event", "e1"): {"type": "opened", "at": 1_000_000, "artifacts": {"jira": "ESC-1"}},
        ("actor", "dave"): {"role": "lead"},
        ("question", None): {"about": "e1", "actor": "dave", "as_of": 2 * day},
        ("truth", None): {"known": False},
        ("trace", None): {
            "steps": (
                {"tool": "fetch", "artifact": "X"},
                {"tool": "search", "query": "a", "limit": 3},
            ),
            "answer": {"known": True, "why": "so", "abstain": False},
            "cited": ("X",),
        },
    }
    assert found.track == "t"
    assert found.program is None


@pytest.mark.parametrize(
    "condition",
    [
        "scores.answer == 1 and scores.combined > 0.5",
        'outcome == "state_invalid"',
        "v == 0 and s_adj <= combined",
        "correct and not sound",
        "violations.horizon == 0 and violations.unproven == 1",
        "right",
        "answer.known == truth.known",
        "truth.seen overlaps opened",
        "violation_rate < 0.5",
        "not visible(`bob`, `GIT-801`, 2026-03-09)",
        "visible(`A`)",
    ],
)
def test_an_expectation_reads_scores_and_results(condition: str) -> None:
    found, findings = built(f'test "x" for track t {{ expect {condition} }}')
    assert findings == []
    assert found.expectations[0].by == ()


def test_results_come_before_a_tracks_lets() -> None:
    found, findings = built('test "x" for track t { expect outcome == "valid" }')
    assert findings == []
    assert reads(found.expectations[0].condition) == {"outcome"}


def test_without_a_track_gates_alone_can_be_asked() -> None:
    given = "given actor dave { role: lead  level: 3 }"
    text = f'test "x" {{ {given} expect not visible(dave, `G`, 2026-03-09) by actor.`privileged material` }}'
    found, findings = built(text)
    assert findings == []
    assert found.expectations[0].by == ("actor", "privileged material")


WRONG = [
    ('test "x" {}', codes.NO_EXPECTATION, '"x"'),
    ('test "x" for track tt { expect true }', codes.TEST_TRACK, "tt"),
    ('test "x" { given artefact A { } expect true }', codes.UNKNOWN_GIVEN, "artefact"),
    ('test "x" { given artifact { } expect true }', codes.BAD_GIVEN, "artifact"),
    ('test "x" { given truth { known: true } expect true }', codes.BAD_GIVEN, "truth"),
    (
        'test "x" { given artifact A { } given artifact A { } expect true }',
        codes.REPEATED_GIVEN,
        "artifact",
    ),
    (
        'test "x" { given artifact A { subsystem: gti } expect true }',
        codes.UNKNOWN_SUBSYSTEM,
        "gti",
    ),
    (
        'test "x" { given artifact A { created: "2026-01-01" } expect true }',
        codes.TYPE_MISMATCH,
        '"2026-01-01"',
    ),
    (
        'test "x" { given event e { type: opend at: 2026-01-01 } expect true }',
        codes.UNKNOWN_EVENT_TYPE,
        "opend",
    ),
    (
        'test "x" { given event e { type: opened } expect true }',
        codes.BAD_GIVEN,
        "{ type: opened }",
    ),
    ('test "x" for track t { given truth { knwn: true } expect true }', codes.BAD_GIVEN, "knwn"),
    ('test "x" for track t { given question { abut: e } expect true }', codes.BAD_GIVEN, "abut"),
    ('test "x" for track t { given trace { answr: { } } expect true }', codes.BAD_GIVEN, "answr"),
    (
        'test "x" for track t { given trace { answer: { knwn: true } } expect true }',
        codes.BAD_GIVEN,
        "knwn",
    ),
    ('test "x" for track t { given trace { answer: 3 } expect true }', codes.BAD_GIVEN, "3"),
    ('test "x" for track t { given trace { steps: [3] } expect true }', codes.BAD_GIVEN, "3"),
    (
        'test "x" for track t { given trace { steps: [{ tool: fetsh }] } expect true }',
        codes.BAD_GIVEN,
        "fetsh",
    ),
    (
        'test "x" for track t { given trace { steps: [{ artifact: A }] } expect true }',
        codes.BAD_GIVEN,
        "{ artifact: A }",
    ),
    (
        'test "x" for track t { given trace { steps: [{ tool: fetch artefact: A }] } expect true }',
        codes.BAD_GIVEN,
        "artefact",
    ),
    ('test "x" { expect scores.answer == 1 }', codes.UNKNOWN_NAME, "scores"),
    ('test "x" { expect breaks(3) }', codes.MISPLACED_NAME, "breaks"),
    ('test "x" for track t { expect scores.anser == 1 }', codes.UNKNOWN_FIELD, "anser"),
    ('test "x" for track t { expect violations.horizn == 1 }', codes.UNKNOWN_FIELD, "horizn"),
    ('test "x" for track t { expect v }', codes.NO_CONDITION, "v"),
    ('test "x" { expect visible(`bbo`, `A`, 2026-01-01) }', codes.UNKNOWN_ACTOR, "`bbo`"),
    ('test "x" { expect visible(`bob`, `A`, 2026-01-01) by actr }', codes.UNKNOWN_GATE, "actr"),
    (
        'test "x" { expect visible(`bob`, `A`, 2026-01-01) by actor.nope }',
        codes.UNKNOWN_RULE,
        "nope",
    ),
    ('test "x" { expect true by actor }', codes.MISPLACED_BY, "actor"),
    (
        'test "x" { given contract "./other.gev" expect true }',
        codes.UNKNOWN_MODULE,
        '"./other.gev"',
    ),
]


@pytest.mark.parametrize(("text", "code", "piece"), WRONG)
def test_a_slip_in_a_test_is_one_finding_at_its_place(text: str, code: Code, piece: str) -> None:
    _, findings = built(text)
    assert [f.code.slug for f in findings] == [code.slug]
    span = findings[0].span
    assert text[span.column - 1 : span.end_column - 1] == piece


def test_a_test_may_be_about_another_contract() -> None:
    symbols = replace(SYMBOLS, subsystems={"wiki": Span("desk.gev", 1, 1, 1, 1)}, gates={})
    empty = program.Program(*("desk", "", "", "UTC", None), *((),) * 12)
    others = {"./desk.gev": OtherContract(empty, symbols)}
    text = 'test "x" for track t { given contract "./desk.gev" given artifact A { subsystem: %s } expect correct }'
    found, findings = built(text % "wiki", others)
    assert findings == []
    assert found.program is empty
    assert [g.kind for g in found.given] == ["artifact"]
    _, findings = built(text % "git", others)
    assert [f.code for f in findings] == [codes.UNKNOWN_SUBSYSTEM]
