"""Why points are lost, in words: one sentence a step, short numbers, the requirement quoted."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.scoring.model import Violation
from groundeval.scoring.reasons import _violation, loss
from tests.scoring.desk import absent, scored, search


@pytest.mark.parametrize(
    ("gates", "text"),
    [
        ([("a", None)], "step 3 asked for `X`, which gate `a` closes"),
        ([("a", "p.gev:7")], "step 3 asked for `X`, which gate `a` closes (p.gev:7)"),
        (
            [("a", "p.gev:7"), ("b", None)],
            "step 3 asked for `X`, which gates `a` (p.gev:7) and `b` close",
        ),
        ([("a", None), ("b", None), ("c", None)], "which gates `a`, `b` and `c` close"),
    ],
)
def test_what_several_gates_refuse_is_one_sentence(
    gates: list[tuple[str, str | None]], text: str
) -> None:
    said = _violation([Violation(3, gate, "attempt", "X", rule) for gate, rule in gates])
    assert said.endswith(text)


@pytest.mark.parametrize(
    ("weight", "value", "text"),
    [
        (0.2, 2 / 3, "lost 0.067 on `gates`, which is 0.667"),
        (0.8, 0.0, "lost 0.8 on `gates`, which is 0"),
        (1.0, 0.25, "lost 0.75 on `gates`, which is 0.25"),
        (0.1, 0.99999, "lost less than 0.001 on `gates`, which is more than 0.999"),
        (1.0, 1e-9, "lost more than 0.999 on `gates`, which is less than 0.001"),
    ],
)
def test_numbers_are_short_and_never_read_as_what_they_are_not(
    weight: float, value: float, text: str
) -> None:
    assert loss("answer", "gates", weight, value) == f"answer {text}"


@given(st.floats(0, 1, exclude_max=True), st.floats(0.001, 1))
def test_no_number_has_more_than_three_decimals(value: float, weight: float) -> None:
    said = loss("answer", "gates", weight, value)
    assert not re.search(r"\d\.\d{4}", said)
    assert "e-" not in said


def test_a_requirement_is_quoted_with_its_place() -> None:
    wrong = scored(absent(), search("writing T-2", "wiki"), answer={"exists": True})
    (said,) = (x for x in wrong.because if x.startswith("answer is 0"))
    assert re.fullmatch(
        r"answer is 0: it requires `right`, which is not so \(tracks/silence\.gev:\d+\)", said
    )
