"""The words that rules may write, against those that results and traces have."""

from __future__ import annotations

from typing import get_args

from groundeval.scoring.model import Outcome
from groundeval.scoring.path import CITED
from groundeval.semantics.elaborate.vocabulary import OUTCOMES, STEP_TOOLS, TOOLS


def test_outcomes_are_those_of_results() -> None:
    assert frozenset(get_args(Outcome)) == OUTCOMES


def test_a_citation_is_seen_as_a_step_of_its_own_tool() -> None:
    assert {CITED} == STEP_TOOLS - TOOLS
