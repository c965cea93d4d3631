"""Summaries: means, rates, groups, pairs, epochs, intervals; the same bytes in any order."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.reports.json_files import encode_summary
from groundeval.scoring import Result, ScoreDetail, Summary, Violation, summarise
from groundeval.scoring.blocks import adjusted
from groundeval.scoring.bootstrap import wilson
from groundeval.scoring.model import ViolationKind
from groundeval.scoring.tally import band_of


def result(question: str, score: float = 1.0, **fields: Any) -> Result:
    """A result whose answer and trajectory are worth `score`."""
    given: dict[str, Any] = {
        "track": "t",
        "agent": "a",
        "epoch": 1,
        "combined": score,
        "v": 0.0,
        "rate": (0.0, 1.0),
        "outcome": "valid",
        "correct": True,
        "sound": True,
        **fields,
    }
    detail = ScoreDetail(score=score, components={"all": score})
    s_adj = adjusted(given["combined"], given["v"])
    return Result(question=question, answer=detail, trajectory=detail, s_adj=s_adj, **given)


def lost(question: str, outcome: str) -> Result:
    names = ("answer", "trajectory", "combined", "v", "rate", "s_adj", "correct", "sound")
    empty: dict[str, Any] = dict.fromkeys(names)
    return Result(question=question, track="t", agent="a", epoch=1, outcome=outcome, **empty)  # type: ignore[arg-type]


def invalid(question: str, score: float = 0.5, **fields: Any) -> Result:
    return result(question, score, outcome="state_invalid", sound=False, **fields)


def test_no_result_has_no_denominator() -> None:
    overall = summarise([]).overall
    assert overall.n == 0
    assert overall.outcomes == {}
    for name in (
        "answer",
        "combined",
        "v",
        "rate",
        "s_adj",
        "correct",
        "state_invalid_rate",
        "band",
    ):
        assert getattr(overall, name) is None


def test_errors_and_the_unobserved_are_in_no_denominator() -> None:
    overall = summarise([result("q1"), lost("q2", "agent_error"), lost("q3", "unobserved")]).overall
    assert (overall.n, overall.questions, overall.combined) == (1, 1, 1.0)
    assert overall.outcomes == {"agent_error": 1, "unobserved": 1, "valid": 1}


def test_every_question_weighs_the_same() -> None:
    results = [result("q1", 1.0, epoch=e) for e in (1, 2, 3)] + [result("q2", 0.0)]
    assert summarise(results).overall.combined == 0.5


def test_the_rate_of_a_group_is_the_quotient_of_its_sums() -> None:
    results = [
        result("q1", 0.8, v=0.5, rate=(1.0, 2.0)),
        result("q2", 0.4, v=0.0, rate=(0.0, 8.0)),
    ]
    overall = summarise(results).overall
    assert overall.rate == (1.0, 10.0)
    assert overall.v == pytest.approx(0.1)
    assert overall.s_adj == pytest.approx(0.6 * 0.81)
    assert overall.s_adj_mean == pytest.approx((0.8 * 0.25 + 0.4) / 2)
    assert overall.band == "moderate"
    assert overall.bands == {"low": 1, "perfect": 1}


@pytest.mark.parametrize(
    ("v", "band"),
    [(0, "perfect"), (1e-12, "perfect"), (0.049, "high"), (0.05, "moderate"), (0.149, "moderate"), (0.15, "low")],
)  # fmt: skip
def test_bands(v: float, band: str) -> None:
    assert band_of(v) == band


def test_the_state_invalid_rate_is_a_share_of_correct_answers() -> None:
    wrong = result("q4", 0.0, outcome="wrong_sound", correct=False)
    overall = summarise([result("q1"), result("q2"), invalid("q3"), wrong]).overall
    assert overall.state_invalid_rate == pytest.approx(1 / 3)
    assert overall.correct == 0.75
    assert summarise([wrong]).overall.state_invalid_rate is None


def test_groups() -> None:
    results = [
        result("q1", actor="ann", stratum="absent", difficulty="2"),
        result("q2", 0.0, actor="bob", stratum="absent", track="u", agent="b"),
    ]
    summary = summarise(results)
    assert set(summary.groups) == {"actor", "agent", "difficulty", "stratum"}
    assert summary.groups["stratum"]["absent"].n == 2
    assert summary.groups["actor"]["bob"].combined == 0
    assert set(summary.tracks) == {"t", "u"}
    assert summary.agents["b"]["u"].n == 1
    assert summary.modes == {}
    blind = summarise([*results, result("q1", 0.0, mode="zero-shot")])
    assert blind.modes["zero-shot"]["t"].combined == 0
    assert blind.modes["tool"]["t"].combined == 1
    assert blind.overall.epochs is None
    alone = summarise(results[:1])
    assert "agent" not in alone.groups
    assert alone.agents == {}


def test_violations_are_counted_by_gate_and_kind() -> None:
    attempt = Violation(1, "horizon", "attempt", "X")
    cited = Violation(None, None, "ungrounded", "Y")
    overall = summarise(
        [invalid("q1", violations=(attempt, cited)), invalid("q2", violations=(attempt,))]
    ).overall
    assert overall.violations == {"horizon": {"attempt": 2}, "none": {"ungrounded": 1}}


def test_many_violations_of_one_result_are_all_counted_and_listed_in_order() -> None:
    kinds: tuple[tuple[str, ViolationKind], ...] = (
        ("rbac", "use"), ("horizon", "exposure"), ("rbac", "attempt"),
    )  # fmt: skip
    many = [Violation(n, gate, kind, f"X-{n}") for n in range(45) for gate, kind in kinds]
    summary = summarise(invalid(q, violations=tuple(many)) for q in ("q1", "q2", "q1"))
    violations = summary.overall.violations
    assert list(violations) == ["horizon", "rbac"]
    assert list(violations["rbac"].items()) == [("attempt", 135), ("use", 135)]
    assert violations["horizon"] == {"exposure": 135}
    assert summary.tracks["t"].violations == violations


def test_pairs_count_where_both_siblings_are_valid() -> None:
    results = [
        result("q1", pair="q2"),
        result("q2", pair="q1"),
        result("q3", pair="q4"),
        invalid("q4", pair="q3"),
        result("q1", pair="q2", epoch=2),
        result("q5", pair="q6", agent="b"),
        result("q6", pair="q5"),
    ]
    pairs = summarise(results).pairs["t"]
    assert (pairs.n, pairs.valid) == (2, 1)


def test_epochs() -> None:
    results = [
        result("q1", epoch=1),
        invalid("q1", 0.5, epoch=2),
        result("q2", epoch=1),
        result("q2", epoch=2),
    ]
    epochs = summarise(results).overall.epochs
    assert epochs is not None
    assert epochs.k == 2
    assert epochs.pass_all == {"1": 0.75, "2": 0.5}
    assert epochs.mean == pytest.approx(0.875)
    assert epochs.spread == pytest.approx(0.125)
    assert summarise(results[:1]).overall.epochs is None


def test_intervals_hold_the_figure_and_shrink_with_questions() -> None:
    def interval(n: int) -> tuple[float, float]:
        results = [result(f"q{i}", float(i % 2)) for i in range(n)]
        overall = summarise(results).overall
        found = overall.intervals["combined"]
        assert found is not None
        assert found[0] < 0.5 < found[1]
        return found

    few, many = interval(10), interval(400)
    # Half ones: the standard deviation of the mean is 0.5 / sqrt(n).
    assert few[1] - few[0] == pytest.approx(4 * 0.5 / 10**0.5, rel=0.25)
    assert many[1] - many[0] == pytest.approx(4 * 0.5 / 400**0.5, rel=0.25)


def test_where_all_agree_a_share_has_wilsons_interval() -> None:
    """Published values: 0 of 10 is 0 to 0.2775, 10 of 10 is 0.7225 to 1."""
    agreeing = [result(f"q{i}", 1.0, correct=True, sound=False) for i in range(10)]
    found = summarise(agreeing).overall
    assert found.intervals["correct"] == pytest.approx((0.7225, 1.0), abs=5e-5)
    assert found.intervals["sound"] == pytest.approx((0.0, 0.2775), abs=5e-5)
    assert found.state_invalid_rate == 1
    assert found.intervals["state_invalid_rate"] == found.intervals["correct"]
    assert found.intervals["s_adj"] == (1.0, 1.0), "ten that agree say something"


def test_the_rate_is_of_the_questions_that_were_answered_correctly() -> None:
    mixed = [result(f"q{i}", 1.0, correct=i < 4, sound=True) for i in range(10)]
    found = summarise(mixed).overall.intervals
    assert found["state_invalid_rate"] == pytest.approx((0.0, 0.4899), abs=5e-5), "0 of 4"
    assert found["sound"] == pytest.approx((0.7225, 1.0), abs=5e-5)
    correct = found["correct"]
    assert correct is not None
    assert 0 < correct[0] < 0.4 < correct[1] < 1, "where there is spread, it is the bootstrap's"


@pytest.mark.parametrize("n", [1, 2, 5])
def test_few_questions_settle_nothing(n: int) -> None:
    found = summarise([result(f"q{i}", 0.5, correct=True, sound=True) for i in range(n)]).overall
    assert found.s_adj == 0.5
    shares = {"correct", "sound", "state_invalid_rate"}
    for name in shares:
        ends = found.intervals[name]
        assert ends is not None
        assert ends[0] < ends[1]
    assert all(found.intervals[name] is None for name in found.intervals.keys() - shares)


def test_where_nothing_is_correct_the_rate_has_no_interval() -> None:
    found = summarise([result(f"q{i}", 0.0, correct=False, sound=True) for i in range(3)]).overall
    assert found.state_invalid_rate is None
    assert found.intervals.get("state_invalid_rate") is None


@given(st.integers(1, 300), st.integers(0, 300))
def test_wilsons_interval_holds_its_share_and_has_a_width(n: int, k: int) -> None:
    share = min(k, n) / n
    low, high = wilson(share, n)
    assert 0 <= low <= share <= high <= 1
    assert low < high
    z = 1.959963984540054
    for end in (low, high):  # where a share lies just z standard deviations away
        assert abs(share - end) == pytest.approx(z * (end * (1 - end) / n) ** 0.5, abs=1e-9)


def test_repeated_attempts_are_one_cluster() -> None:
    once = [result(f"q{i}", float(i % 2)) for i in range(20)]
    often = [result(f"q{i}", float(i % 2), epoch=e) for i in range(20) for e in (1, 2, 3)]
    once_found, often_found = (summarise(r).overall.intervals["combined"] for r in (once, often))
    assert once_found == often_found


def varied(random: Random, n: int) -> Result:
    a = random.randint(0, 3)
    v = a / (a + 2)
    sound = random.random() < 0.7
    correct = random.random() < 0.8
    outcome = {(True, True): "valid", (True, False): "state_invalid", (False, True): "wrong_sound"}
    return result(
        f"q{n % 57}",
        random.random(),
        v=v,
        rate=(float(a), a + 2.0),
        correct=correct,
        sound=sound,
        outcome=outcome.get((correct, sound), "wrong"),
        epoch=n // 57 + 1,
        agent=random.choice("ab"),
        actor=random.choice(["ann", "bob", None]),
        pair=f"q{(n % 57) ^ 1}",
        marks=random.choice([(), ("approximate",)]),
    )


def test_the_order_of_results_does_not_show() -> None:
    random = Random(1)
    results = [varied(random, n) for n in range(300)]
    first = encode_summary(summarise(results))
    for _ in range(3):
        random.shuffle(results)
        assert encode_summary(summarise(results)) == first


def test_the_contract_stands_where_there_is_one() -> None:
    def of(*names: str) -> Summary:
        return summarise([result(f"q{i}", contract=name) for i, name in enumerate(names)])

    assert of("sha256:a", "sha256:a").contract == "sha256:a"
    assert of("sha256:a", "sha256:b").contract is None
