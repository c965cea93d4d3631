"""`groundeval test`: what is played, what is read, and how a failure is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.testing.runner import Outcome, run_tests
from tests.cli.running import cli

CASES = Path(__file__).parents[1] / "cases" / "testing"
DESK = (CASES / "desk.gev").read_text(encoding="utf-8")
USES = """
use policies.horizon, policies.rbac, policies.participation
use tracks.perspective, tracks.counterfactual, tracks.silence
"""
OUTAGE = """
  given artifact `T-1` { subsystem: tickets  created: 2026-03-02T09:00:00Z  text: "all is down" }
  given event `e1` { type: outage  at: 2026-03-02T09:00:00Z  artifacts: { ticket: "T-1" } }
"""
REVIEWED = (
    OUTAGE
    + """
  given event `e2` { type: review  at: 2026-03-04T12:00:00Z  artifacts: { ticket: "T-1"  page: "P-1" } }
"""
)


def played(body: str, name: str = '"a test" for track silence', desk: str = DESK + USES) -> Outcome:
    """The outcome of the one test with that body."""
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": f"{desk}\ntest {name} {{{body}}}\n"}))
    assert checked.value is not None, [d.message for d in checked.diagnostics]
    (outcome,) = run_tests(checked.value)
    return outcome


def problems(outcome: Outcome) -> list[str]:
    return [f.message for f in outcome.failures]


def test_failures_are_told_with_every_value_that_made_them() -> None:
    done = cli("test", CASES / "failing.gev")
    assert done.code == 1
    assert done.out == (CASES / "failing.txt").read_text(encoding="utf-8")


def test_the_document_has_what_the_lines_say() -> None:
    done = cli("test", CASES / "failing.gev", "--json")
    assert done.code == 1
    tests = {t["name"]: t for t in done.document["tests"]}
    assert [name for name, t in tests.items() if t["passed"]] == ["types"]
    first = tests["values"]["failures"][0]
    assert first["expected"] == "expect scores.answer == 1 and scores.trajectory > 0.9"
    assert {"text": "scores.trajectory", "value": "0.6"} in first["parts"]
    assert tests["values"]["because"][1] == "trajectory lost 0.4 on `coverage`, which is 0.5"
    assert "`about: e2" in tests["wrong question"]["failures"][0]["help"]


def test_all_that_pass_say_so_and_leave_with_0(tmp_path: Path) -> None:
    body = f'test "a" for track silence {{{OUTAGE} given trace {{ answer: {{ exists: false }} }} expect correct }}'
    (tmp_path / "desk.gev").write_text(DESK + USES + body, encoding="utf-8")
    done = cli("test", tmp_path)
    assert (done.code, done.out) == (0, "1 test passed\n")


def test_no_tests_decide_nothing(tmp_path: Path) -> None:
    (tmp_path / "desk.gev").write_text(DESK, encoding="utf-8")
    assert cli("test", tmp_path).code == 3


def test_what_is_broken_fails_even_where_all_else_passes(tmp_path: Path) -> None:
    (tmp_path / "desk.gev").write_text(
        DESK.replace("inherits agent", "inherits nobody"), encoding="utf-8"
    )
    done = cli("test", tmp_path / "desk.gev")
    assert done.code == 1
    assert "GEV" in done.err


def test_results_hide_lets_of_the_same_name() -> None:
    body = (
        REVIEWED
        + """
      given question { about: [e1, e2]  as_of: 2026-03-04T12:00:00Z }
      given trace { answer: { outcome_changed: true } }
      expect outcome == "malformed"
      expect cause == false
    """
    )
    assert problems(played(body, '"a" for track counterfactual')) == []


def test_every_gate_and_kind_is_counted_from_zero() -> None:
    body = (
        OUTAGE
        + """
      given trace { answer: { exists: false } }
      expect violations.horizon == 0 and violations.actor == 0 and violations.ungrounded == 0
      expect violations.unproven == 2
    """
    )
    assert problems(played(body)) == []


def test_a_truth_that_is_given_is_read_by_its_type() -> None:
    body = (
        OUTAGE
        + """
      given question { about: e1  actor: dee  as_of: 2026-03-03 }
      given truth { evidence_artifacts: ["T-1", "T-1", "T-2"]  blocked_subsystems: "repo" }
      given trace { answer: { could_actor_have_known: true } }
      expect truth.evidence_artifacts == ["T-2", "T-1"]
      expect truth.blocked_subsystems == [repo]
      expect size(truth.evidence_artifacts - ["T-2"]) == 1
      expect truth.could_actor_have_known
    """
    )
    assert problems(played(body, '"a" for track perspective')) == []


def test_a_step_without_results_is_played_on_the_test_s_world() -> None:
    body = (
        OUTAGE
        + """
      given artifact `T-9` { subsystem: tickets  created: 2026-03-20T09:00:00Z }
      given trace {
        steps: [
          { tool: "fetch"  artifact: "T-1" },
          { tool: "fetch"  artifact: "T-9" },
          { tool: "fetch"  artifact: "T-8"  results: ["T-8"] }
        ]
        answer: { exists: false }
      }
      expect opened == ["T-1", "T-8"]
      expect violations.horizon == 1
    """
    )
    assert problems(played(body)) == []


def test_an_artifact_that_only_an_event_names_exists_from_then_on() -> None:
    body = """
      given event `e1` { type: outage  at: 2026-03-02T09:00:00Z  artifacts: { ticket: "T-1" } }
      expect not opens("horizon", `dee`, `T-1`, 2026-03-02T08:59:59Z)
      expect opens("horizon", `dee`, `T-1`, 2026-03-02T09:00:00Z)
    """
    assert problems(played(body, '"a"')) == []


def test_a_contract_that_is_given_has_the_test_file_s_own_rules() -> None:
    own = """gev 1
gate own { permit read when "open" in artifact.labels }
test "labels open" {
  given contract "./desk.gev"
  given artifact `T-1` { labels: ["open"] }
  given artifact `T-2` {}
  expect visible(`dee`, `T-1`, 2026-03-02) by own
  expect not visible(`dee`, `T-2`, 2026-03-02) by own
}
"""
    checked = analyse("own.gev", MemoryFiles({"own.gev": own, "desk.gev": DESK}))
    assert checked.value is not None
    (outcome,) = run_tests(checked.value)
    assert outcome.passed, outcome.failures


@pytest.mark.parametrize(
    ("expectation", "told"),
    [
        ("visible(`dee`, `T-1`, 2026-03-01)", "closed by gate `actor` (no rule permits it), closed by gate `horizon`"),
        ("not visible(`dee`, `T-1`, 2026-03-03)", "every gate permits it"),
        ("not visible(`dee`, `T-1`, 2026-03-01) by subsystem", "in gate `subsystem`, it is otherwise: permitted by `may read it`"),
        ("visible(`dee`, `T-1`, 2026-03-03) by actor.`took part`", "`took part` did not decide: permitted by `announced`"),
        ('opens("horizon", `dee`, `T-1`, 2026-03-03) by actor.announced', ""),
    ],
)  # fmt: skip
def test_a_read_that_is_decided_otherwise_says_by_what(expectation: str, told: str) -> None:
    found = problems(played(OUTAGE + f"expect {expectation}\n", '"a"'))
    assert len(found) == (1 if told else 0)
    assert told in "".join(found)


@pytest.mark.parametrize(
    ("body", "message", "help_"),
    [
        ("", "nothing that is given can be asked about by `silence`", "give the events"),
        (OUTAGE + "given question { about: e9 }", "no question of `silence` fits", "`about: e1  as_of: 2026-03-09"),
        (OUTAGE + OUTAGE.replace("e1", "e2").replace("T-1", "T-2"), "2 questions of `silence` fit the test", "as in `given question { about: e1  as_of: 2026-03-09T09:00:00Z }`"),
        (OUTAGE + 'given truth { exists: "yes" }', "has a truth in which `exists` is no bool", "`given truth`"),
        (OUTAGE + 'given trace { steps: [{ tool: "fetch"  artifact: "T-1"  results: [1] }] }', "step 1 of the trace is none", "is played"),
        (OUTAGE + "given trace { gated: 3 }", "the trace is none", ""),
    ],
)  # fmt: skip
def test_a_set_up_that_does_not_work_says_how_to_mend_it(
    body: str, message: str, help_: str
) -> None:
    (failure,) = played(body + "\nexpect correct\n").failures
    assert message in failure.message
    assert help_ in failure.help
    assert failure.parts == ()
