"""What a path opened and what it broke, where traces claim otherwise."""

from __future__ import annotations

from typing import Any

import msgspec

from groundeval.traces.model import Refusal, Step
from tests.scoring.desk import fetch, knowable, present, scored, search

YES: dict[str, Any] = {"exists": True}


def test_closed_records_behind_the_handbooks_name_are_broken_all_the_same() -> None:
    answer = {"could_actor_have_known": True, "evidence_artifacts": ["T-1", "W-1"]}
    fetched = Step(n=1, tool="fetch", artifact="V-1", subsystem="handbook", results=("V-1",))
    for step in (fetched, search("secret", "handbook", "V-1")):
        result = scored(knowable(), fetch("T-1"), fetch("W-1"), step, answer=answer)
        assert {(v.kind, v.target) for v in result.violations} == {("exposure", "V-1")}
        assert result.outcome == "state_invalid"


def test_what_context_mode_gave_is_opened_only_where_it_is_open() -> None:
    given = Step(n=1, tool="given", results=("W-9", "W-1"), text=True)
    answer = {**YES, "evidence_artifacts": ["W-9"]}
    result = scored(present(), given, answer=answer, mode="context")
    assert [(v.kind, v.gate, v.target) for v in result.violations] == [("use", "horizon", "W-9")]
    late = {**(present().truth or {}), "witness": ["W-9"]}
    asked = msgspec.structs.replace(present(), truth=late)
    assert scored(asked, given, answer=YES, mode="context").outcome == "state_invalid"


def test_refusals_that_the_contract_does_not_confirm_are_told() -> None:
    step = Step(
        n=1, tool="fetch", artifact="W-1", results=("W-1",), refused=(Refusal("horizon", None),)
    )
    result = scored(present(), step, answer=YES)
    assert result.outcome == "valid"
    assert result.because == (
        "step 1 is recorded as breaking `horizon`; recomputed, it breaks nothing",
    )


def test_a_tool_that_nobody_mapped_is_seen_by_what_it_gave() -> None:
    named = Step(n=1, tool="other", results=("V-1",))
    unnamed = Step(n=1, tool="other", artifact="V-1", text=True)
    for step in (named, unnamed):
        assert scored(present(), fetch("W-1"), step, answer=YES).outcome == "unobserved"
    asked = Step(n=1, tool="other", artifact="V-1")
    assert scored(present(), fetch("W-1"), asked, answer=YES).outcome == "valid"
