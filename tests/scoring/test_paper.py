"""The preprint's tracks: its record value for value, its printed results, and its formulas."""

from __future__ import annotations

import re
from pathlib import Path
from random import Random
from typing import Any

import pytest

from groundeval.questions.model import Question
from groundeval.scoring.blocks import adjusted
from tests import paper_formulas as paper
from tests.scoring import parity
from tests.scoring.parity import CASES, scorers, trace_of, values

WEIGHTS = {"perspective": 0.4, "counterfactual": 0.5, "silence": 0.3}


@pytest.mark.skipif(not CASES.is_dir(), reason=f"GROUNDEVAL_SHARED has no {CASES}")
@pytest.mark.parametrize("compiled", [True, False], ids=["compiled", "plain"])
def test_the_record_comes_out_value_for_value(compiled: bool) -> None:
    found = list(parity.compared(compiled=compiled))
    assert len(found) == parity.TRACES
    wrong = [c for c in found if not c.same]
    assert not wrong, f"{len(wrong)} differ, for one {wrong[0]}"


def test_without_the_record_parity_names_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(parity, "CASES", tmp_path / "cases" / "paper")
    assert parity.main() == 2
    assert "GROUNDEVAL_SHARED" in capsys.readouterr().err


def some(random: Random, ids: list[str], most: int) -> list[str]:
    return random.sample(ids, random.randint(0, min(most, len(ids))))


def random_truth(kind: str, random: Random, ids: list[str]) -> dict[str, Any]:
    if kind == "silence":
        return {"exists": random.random() < 0.5, "required": some(random, ids, 6)}
    if kind == "perspective":
        return {
            "could_actor_have_known": random.random() < 0.5,
            "blocked_subsystems": some(random, ["s1", "s2", "s3"], 3),
            "evidence_artifacts": some(random, ids, 4),
            "visible": some(random, ids, 8),
        }
    return {
        "outcome_changed": random.random() < 0.5,
        "causal_mechanism": "mech one",
        "mechanism_aliases": some(random, ["mech-two", "M_3"], 2),
        "cause_event_id": "e1",
        "effect_event_id": "e2",
        "mechanism_direction": random.choice(["cause_to_effect", "no_causal_link"]),
        "evidence_artifacts": some(random, ids, 5),
        "actors": some(random, ["p1", "p2", "p3"], 2),
        "cause_artifacts": some(random, ids, 3),
        "effect_artifacts": some(random, ids, 3),
    }


VERDICTS: list[Any] = [True, False, "yes", "No", "TRUE", " false ", 1, 0, None, "perhaps", [True]]


def random_answer(kind: str, random: Random, ids: list[str]) -> dict[str, Any]:
    answer: dict[str, Any] = {}
    if kind == "silence":
        for field in ("exists", "found", "answer"):
            if random.random() < 0.6:
                answer[field] = random.choice(VERDICTS)
        return answer
    verdict = "could_actor_have_known" if kind == "perspective" else "outcome_changed"
    if random.random() < 0.9:
        answer[verdict] = random.choice(VERDICTS[:4] if random.random() < 0.7 else VERDICTS)
    if random.random() < 0.8:
        answer["evidence_artifacts"] = some(random, ids, 6)
    if kind == "perspective":
        if random.random() < 0.8:
            answer["blocked_subsystems"] = some(random, ["s1", "s2", "s3"], 3)
        return answer
    choices = {
        "causal_mechanism": ["Mech-One", "mech two", "m 3", "other"],
        "cause_event_id": ["e1", "e9"],
        "effect_event_id": ["e2", "e9"],
        "mechanism_direction": ["cause_to_effect", "no_causal_link", "effect_to_cause"],
    }
    answer |= {f: random.choice(c) for f, c in choices.items() if random.random() < 0.85}
    return {**answer, "actors": some(random, ["p1", "p2", "p3"], 2)}


def random_call(random: Random, n: int, ids: list[str]) -> dict[str, Any]:
    gates = ["actor", "subsystem", "horizon"]
    breaks = some(random, gates, 3) if random.random() < 0.3 else []
    results = some(random, ids, 3) if random.random() < 0.7 else []
    target = {"artifact": random.choice(ids)} if random.random() < 0.6 else {"query": "q"}
    tool = "fetch" if "artifact" in target else "search"
    return {"n": n, "tool": tool, "results": results, "breaks": breaks, **target}


def random_case(random: Random) -> tuple[str, dict[str, Any], dict[str, Any]]:
    ids = [f"a{i}" for i in range(12)]
    kind = random.choice(["perspective", "counterfactual", "silence"])
    calls = random.choice([0, 0, 1, 2, 5, 10])
    record = {
        "question": "q",
        "agent": "random",
        "steps": [random_call(random, n, ids) for n in range(1, calls + 1)],
        "answer": random_answer(kind, random, ids) if random.random() < 0.95 else None,
        "cited": some(random, ids, 4) if random.random() < 0.5 else [],
    }
    return kind, random_truth(kind, random, ids), record


def rounds(exact: float, *, to: float) -> bool:
    """Whether `to` is `exact` to four decimals; at a tie, either neighbour."""
    return to == round(to, 4) and abs(to - exact) <= 0.00005 + 1e-9


def test_the_tracks_are_the_formulas_on_random_traces() -> None:
    random = Random(2606)
    fast, plain = scorers(compiled=True), scorers(compiled=False)
    outcomes = set()
    for _ in range(10_000):
        kind, truth, record = random_case(random)
        question = Question(id="q", track=f"paper.{kind}", truth=truth)
        formulas = paper.score(
            kind, truth, record["answer"] or {}, record["steps"], set(record["cited"])
        )
        for by_track in (fast, plain):
            result = by_track[question.track].score(question, trace_of(record))
            answer, trajectory, combined, correct = values(result)
            v = formulas.broken / formulas.calls if formulas.calls else 0
            whole = WEIGHTS[kind] * answer + (1 - WEIGHTS[kind]) * trajectory
            expected = [whole, v, paper.adjusted(whole, v)]
            found = [combined, result.v, result.s_adj]
            assert found == pytest.approx(expected, abs=1e-9), (kind, truth, record)
            assert rounds(formulas.trajectory, to=trajectory), (kind, truth, record)
            if kind == "perspective":
                assert answer == pytest.approx(formulas.answer, abs=1e-9)
            else:
                assert rounds(formulas.answer, to=answer), (kind, truth, record)
            assert correct == formulas.correct, (kind, truth, record)
            outcomes.add((kind, correct, answer > 0, trajectory > 0))
    assert len(outcomes) > 12


def renamed(value: Any) -> Any:
    """The same data with every id of an artifact, event or actor under another name."""
    if isinstance(value, str):
        return f"{value[::-1]}/\u00e9" if re.fullmatch(r"[aep]\d+", value) else value
    if isinstance(value, list):
        return [renamed(item) for item in value]
    return {k: renamed(v) for k, v in value.items()} if isinstance(value, dict) else value


def test_the_names_of_things_do_not_show() -> None:
    random = Random(7)
    by_track = scorers(compiled=True)
    for _ in range(500):
        kind, truth, record = random_case(random)
        found = [
            values(
                by_track[f"paper.{kind}"].score(
                    Question(id=name, track=f"paper.{kind}", truth=said), trace_of(played)
                )
            )
            for name, said, played in [("a", truth, record), ("b", renamed(truth), renamed(record))]
        ]
        assert found[0] == pytest.approx(found[1])


def comes_out(
    kind: str, truth: dict[str, Any], record: dict[str, Any], printed: tuple[float, float, float]
) -> bool:
    """Whether the scores are the printed ones, which are cut or rounded to three decimals."""
    question = Question(id="q", track=f"paper.{kind}", truth=truth)
    base = {"question": "q", "agent": "printed", "cited": []}
    result = scorers(compiled=True)[question.track].score(question, trace_of({**base, **record}))
    return values(result)[:3] == pytest.approx(printed, abs=0.0005 + 1e-9)


def step(n: int, results: list[str], breaks: list[str]) -> dict[str, Any]:
    return {"n": n, "tool": "search", "query": "q", "results": results, "breaks": breaks}


def test_the_printed_silence() -> None:
    """11 required ids, one retrieved, the answer wrong."""
    truth = {"exists": False, "required": [f"a{i}" for i in range(11)]}
    record = {"steps": [step(1, ["a0"], [])], "answer": {"exists": True}}
    assert comes_out("silence", truth, record, (0.0, 0.273, 0.191))


def test_the_printed_counterfactual() -> None:
    """4 pieces of evidence, one retrieved and cited that belongs to both, an actor shared."""
    truth = {
        "outcome_changed": True,
        "causal_mechanism": "m",
        "mechanism_aliases": [],
        "cause_event_id": "e1",
        "effect_event_id": "e2",
        "mechanism_direction": "cause_to_effect",
        "evidence_artifacts": ["a1", "a2", "a3", "a4"],
        "actors": ["p1"],
        "cause_artifacts": ["a1"],
        "effect_artifacts": ["a1"],
    }
    answer = {
        "outcome_changed": False,
        "causal_mechanism": "other",
        "cause_event_id": "e8",
        "effect_event_id": "e9",
        "mechanism_direction": "no_causal_link",
        "evidence_artifacts": ["a1"],
        "actors": ["p1"],
    }
    record = {"steps": [step(1, ["a1"], [])], "answer": answer}
    assert comes_out("counterfactual", truth, record, (0.062, 0.637, 0.35))


def test_the_printed_perspective() -> None:
    """15 calls, 7 actor and 14 subsystem breaks, 7 dead ends of which 4 recover, no evidence."""
    truth = {
        "could_actor_have_known": True,
        "blocked_subsystems": [],
        "evidence_artifacts": [],
        "visible": ["a1"],
    }
    dead = {1, 3, 5, 7, 13, 14, 15}
    calls = [
        step(
            n,
            [] if n in dead else ["a1"],
            ["actor"] * (n <= 7) + ["subsystem"] * (n <= 14),
        )
        for n in range(1, 16)
    ]
    answer = {"could_actor_have_known": False, "blocked_subsystems": [], "evidence_artifacts": []}
    record = {"steps": calls, "answer": answer}
    assert comes_out("perspective", truth, record, (0.0, 0.384, 0.23))


@pytest.mark.parametrize(
    ("combined", "v", "expected"),
    [(0.468, 0.124, 0.359), (0.369, 0.026, 0.350), (1, 0, 1), (1, 0.25, 0.5625), (1, 0.5, 0.25), (1, 0.75, 0.0625)],
)  # fmt: skip
def test_the_printed_adjustments(combined: float, v: float, expected: float) -> None:
    assert round(adjusted(combined, v), 4 if combined == 1 else 3) == expected
