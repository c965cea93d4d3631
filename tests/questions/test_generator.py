"""Which questions are drawn: pairs, shares, caps, stability."""

from __future__ import annotations

import json
import os
import random
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from groundeval import api
from groundeval.contracts.builder import build
from groundeval.questions.api import draw
from groundeval.questions.generator import Shortfall
from groundeval.questions.model import Question

SUPPORT = Path(__file__).parents[2] / "examples" / "support"
VERDICTS = {
    "perspective": "could_actor_have_known",
    "counterfactual": "outcome_changed",
    "silence": "exists",
}


def verdict(question: Question) -> bool:
    assert question.truth is not None
    value: bool = question.truth[VERDICTS[question.track]]
    return value


def pairs(questions: Sequence[Question]) -> list[tuple[Question, Question]]:
    """(the one with a yes, the one with a no) of every pair."""
    by_id = {q.id: q for q in questions}
    return [(q, by_id[q.pair]) for q in questions if q.pair and verdict(q)]


def of_track(questions: Sequence[Question], track: str) -> list[Question]:
    return [q for q in questions if q.track == track]


def redrawn(compiled: api.Compiled, **caps: int) -> tuple[Question, ...]:
    seed = compiled.loaded.project.file.seed
    return draw(compiled.contract, seed=seed, caps=caps).questions


def test_strata_have_their_shares_and_caps_hold_exactly(support: api.Compiled) -> None:
    assert support.drawn.counts == {
        "perspective": {"reachable": 12, "permission": 6, "temporal": 6},
        "counterfactual": {
            "changes": 6,
            "near miss": 2,
            "overdetermined": 2,
            "contributing": 2,
        },
        "silence": {"absent": 8, "present": 8},
    }
    assert support.drawn.shortfalls == ()


def test_every_question_stands_in_a_pair_with_the_other_answer(support: api.Compiled) -> None:
    questions = support.drawn.questions
    by_id = {q.id: q for q in questions}
    for question in questions:
        assert question.pair is not None
        sibling = by_id[question.pair]
        assert sibling.pair == question.id
        assert verdict(sibling) is not verdict(question)
        assert sibling.track == question.track


def test_the_questions_of_a_pair_are_worded_alike(support: api.Compiled) -> None:
    """What is left of both texts without names, keys and instants is the same."""
    starts: Counter[bool] = Counter()
    for yes, no in pairs(of_track(support.drawn.questions, "perspective")):
        assert yes.spec == no.spec
        wording = [q.text.startswith("Going only") for q in (yes, no)]
        assert wording[0] == wording[1]
        starts[wording[0]] += 1
    assert len(starts) == 2, "both wordings are drawn"


def test_an_as_of_beside_an_edge_is_an_instant_of_the_log(support: api.Compiled) -> None:
    instants = {e.at for e in support.contract.world.log}
    from groundeval.world.time import parse_instant  # noqa: PLC0415

    for question in of_track(support.drawn.questions, "perspective"):
        assert parse_instant(question.as_of, None) in instants


def test_computed_instants_stand_on_both_sides(support: api.Compiled) -> None:
    """A silence's deadline is asked about as often where the record is there as where it isn't."""
    deadlines = {c.id: c.deadline for c in support.contract.silences}
    from groundeval.world.time import parse_instant  # noqa: PLC0415

    at_deadline = [
        tuple(parse_instant(q.as_of, None) == deadlines[q.about[0]] for q in pair)
        for pair in pairs(of_track(support.drawn.questions, "silence"))
    ]
    assert all(yes == no for yes, no in at_deadline)
    assert Counter(yes for yes, _ in at_deadline) == {True: 4, False: 4}


def test_actors_occur_on_both_sides(support: api.Compiled) -> None:
    sides = Counter((q.actor, verdict(q)) for q in of_track(support.drawn.questions, "perspective"))
    actors = {actor for actor, _ in sides}
    assert actors == {"amira", "bruno", "chen", "dana", "emil", "farah"}
    assert all(sides[actor, side] for actor in actors for side in (True, False))
    assert all(abs(sides[a, True] - sides[a, False]) <= 1 for a in actors)


def test_half_of_the_closed_records_lie_where_the_role_may_look(support: api.Compiled) -> None:
    closed = [q for q in support.drawn.questions if q.stratum == "permission"]
    inside = [q for q in closed if not (q.truth or {})["blocked_subsystems"]]
    assert len(inside) == len(closed) // 2


def test_permission_partners_are_of_another_role_or_another_time(support: api.Compiled) -> None:
    for yes, no in pairs(support.drawn.questions):
        if no.stratum == "permission":
            assert yes.about[1] == no.about[1], "the same event"
            assert yes.role != no.role or yes.as_of != no.as_of


def test_silences_have_siblings_with_the_same_trigger(support: api.Compiled) -> None:
    matched = pairs(of_track(support.drawn.questions, "silence"))
    assert all(yes.spec == no.spec for yes, no in matched)
    siblings = [yes.about[0] == no.about[0] for yes, no in matched]
    assert sum(siblings) >= len(siblings) // 2


def test_near_misses_match_links_in_their_gap(support: api.Compiled) -> None:
    by_id = {p.id: p for p in (*support.contract.links, *support.contract.near_misses)}
    looked_at = 0
    for yes, no in pairs(redrawn(support, counterfactual=40, perspective=0, silence=0)):
        link, miss = by_id[yes.about[0]], by_id[no.about[0]]
        if miss.kind in {"no_join", "shared_actor", "shared_subsystem"}:
            looked_at += 1
            longest = max(abs(link.gap), abs(miss.gap))
            assert abs(abs(link.gap) - abs(miss.gap)) <= longest / 4
    assert looked_at


def test_near_misses_share_a_key_at_least_half_of_the_time(support: api.Compiled) -> None:
    by_id = {p.id: p for p in support.contract.near_misses}
    drawn = redrawn(support, counterfactual=24, perspective=0, silence=0)
    words = support.contract.host.words
    misses = [by_id[q.about[0]] for q in drawn if q.stratum == "near miss"]
    sharing = [m for m in misses if words.key_values(m.cause) & words.key_values(m.effect)]
    assert misses
    assert 2 * len(sharing) >= len(misses)


@pytest.mark.parametrize("cap", [0, 1, 2, 5, 7, 10, 13])
def test_a_cap_is_never_exceeded_and_reached_where_there_is_enough(
    support: api.Compiled, cap: int
) -> None:
    questions = redrawn(support, perspective=cap, counterfactual=0, silence=cap)
    assert len(of_track(questions, "perspective")) == cap
    assert len(of_track(questions, "silence")) == cap
    assert len({q.id for q in questions}) == len(questions)
    single = [q for q in questions if q.pair is None]
    assert len(single) == (2 if cap % 2 else 0)


def test_what_is_missing_is_reported_and_polarity_stays_even(support: api.Compiled) -> None:
    drawn = draw(support.contract, seed=42, caps={"counterfactual": 400})
    asked = of_track(drawn.questions, "counterfactual")
    short = {s.stratum: s for s in drawn.shortfalls if s.track == "counterfactual"}
    assert short["changes"].wanted == 200
    assert short["changes"].drawn == sum(verdict(q) for q in asked)
    assert 2 * sum(map(verdict, asked)) == len(asked)
    for found in short.values():
        assert found.candidates == found.drawn + found.unmatched
    assert short["near miss"].unmatched > 0
    assert short["overdetermined"].unmatched == 0
    assert list(drawn.looked) == ["counterfactual"], "the others have all that they want"


def test_a_track_that_falls_short_says_where_what_it_looked_at_went(
    support: api.Compiled,
) -> None:
    drawn = draw(support.contract, seed=42, caps={"counterfactual": 400})
    looked = drawn.looked["counterfactual"]
    found = sum(s.candidates for s in drawn.shortfalls if s.track == "counterfactual")
    full = drawn.counts["counterfactual"]
    assert {s.stratum for s in drawn.shortfalls} == set(full), "else candidates are missing here"
    assert looked.at == found + sum(looked.left_out.values())
    assert list(looked.by_cause().values()) == sorted(looked.left_out.values(), reverse=True)


def test_strata_fill_each_other_up(support: api.Compiled) -> None:
    """There are four overdetermined pairs, so a near miss takes the place of a fifth."""
    drawn = draw(support.contract, seed=42, caps={"counterfactual": 28})
    assert drawn.counts["counterfactual"] == {
        "changes": 14, "near miss": 6, "overdetermined": 4, "contributing": 4,
    }  # fmt: skip
    assert [s for s in drawn.shortfalls if s.track == "counterfactual"] == [
        Shortfall("counterfactual", "overdetermined", wanted=5, drawn=4, candidates=4, unmatched=0)
    ]


def test_where_one_side_is_scarce_the_strata_keep_their_shares(support: api.Compiled) -> None:
    """There are fifteen links that change something, whatever the cap."""
    counts = draw(support.contract, seed=42, caps={"counterfactual": 400}).counts["counterfactual"]
    assert counts == {"changes": 15, "near miss": 6, "overdetermined": 4, "contributing": 5}


def test_one_event_more_renames_nothing_and_moves_little(support: api.Compiled) -> None:
    contract = support.contract
    log = list(contract.world.log)
    last = log[-1]
    from msgspec.structs import replace as changed  # noqa: PLC0415

    from groundeval.world.events import MemoryLog  # noqa: PLC0415

    added = changed(
        last, id="zz-new", type="policy_published", at=last.at + 86_400_000_000, artifacts={}
    )
    world = replace(contract.world, log=MemoryLog([*log, added]))
    more = build(contract.program, world, seed=contract.seed).value
    assert more is not None
    caps = support.loaded.project.file.caps
    after = {q.id: q for q in draw(more, seed=contract.seed, caps=caps).questions}
    before = {q.id: q for q in support.drawn.questions}
    kept = before.keys() & after.keys()
    assert len(kept) >= 0.9 * len(before)
    assert all(before[i].text == after[i].text for i in kept)


def test_equal_inputs_give_equal_bytes_whatever_the_hash_seed_and_order(tmp_path: Path) -> None:
    shuffled = tmp_path / "desk"
    shutil.copytree(SUPPORT, shuffled)
    lines = (SUPPORT / "events.jsonl").read_text().splitlines()
    random.Random(7).shuffle(lines)
    reordered = [json.dumps(dict(reversed(json.loads(line).items()))) for line in lines]
    (shuffled / "events.jsonl").write_text("\n".join(reordered) + "\n")
    outputs = []
    for folder, seed in ((SUPPORT, "0"), (SUPPORT, "1"), (shuffled, "2")):
        out = tmp_path / f"out-{seed}"
        command = [sys.executable, "-m", "groundeval", "compile", str(folder), "-o", str(out)]
        subprocess.run(
            command, check=True, env={**os.environ, "PYTHONHASHSEED": seed}, capture_output=True
        )
        outputs.append((out / "questions.jsonl").read_bytes())
    assert outputs[0] == outputs[1] == outputs[2]


def test_another_seed_draws_other_questions(support: api.Compiled) -> None:
    caps = dict(support.loaded.project.file.caps)
    other = {q.id for q in draw(support.contract, seed=1, caps=caps).questions}
    assert other != {q.id for q in support.drawn.questions}
