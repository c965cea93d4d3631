"""Context mode: what is packed, and that an honest reader of it can be valid."""

from __future__ import annotations

from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from groundeval import api
from groundeval.index.tokens import distinct_words
from groundeval.questions.model import Question, visible_part
from groundeval.runs.context import Packed, packed
from groundeval.runs.replies import FetchReply, SearchHit, SearchReply
from groundeval.runs.tools import Tools
from groundeval.scoring.stream import Scorers, score_traces
from groundeval.scripted import careful

ROOT = Path(__file__).parents[2]


@cache
def desk() -> api.Compiled:
    project = api.open_project(ROOT / "examples" / "support").value
    assert project is not None
    compiled = api.compile_project(project).value
    assert compiled is not None
    return compiled


QUESTIONS = desk().drawn.questions


class Reader:
    """The two tools over nothing but the documents that were given."""

    def __init__(self, given: tuple[FetchReply, ...]) -> None:
        self._given = {reply.id: reply for reply in given}

    def search(self, query: str = "", subsystem: str | None = None, limit: int = 10) -> SearchReply:
        words = set(distinct_words(query))
        found = [
            (-len(words & set(distinct_words(f"{r.id} {r.title} {r.text}"))), r.id)
            for r in self._given.values()
            if r.subsystem == subsystem or (subsystem is None and r.subsystem != "handbook")
        ]
        hits = [self._given[name] for score, name in sorted(found)[:limit] if score]
        return SearchReply(True, tuple(self._hit(reply) for reply in hits))

    def fetch(self, artifact_id: str) -> FetchReply:
        return self._given.get(artifact_id) or FetchReply(artifact_id, available=False)

    @staticmethod
    def _hit(reply: FetchReply) -> SearchHit:
        return SearchHit(reply.id, reply.title, reply.subsystem, reply.created, None, reply.text)


def outcome(question: Question, context: Packed, answer: dict[str, Any]) -> str:
    tools = Tools(desk().contract, question)
    for handed in context.handed:
        tools.give(handed.results, handed.query, handed.subsystem)
    scoring = api.scoring_of(desk())
    scorers = Scorers(scoring.tracks, scoring.contract, recorded_flags=False)
    trace = tools.finish(answer)
    (result,) = score_traces([trace], scoring.questions, scorers, source="t")
    assert not hasattr(result, "span"), result
    return str(result.outcome)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.id)
def test_an_honest_reader_of_the_context_is_valid(question: Question) -> None:
    context = packed(desk().contract, question)
    assert context.left_out == 0
    answer = careful(visible_part(question), Reader(context.given))  # type: ignore[arg-type]
    assert outcome(question, context, answer) == "valid"


@pytest.mark.parametrize("question", QUESTIONS[::3], ids=lambda q: q.id)
def test_nothing_closed_or_later_is_in_a_gated_context(question: Question) -> None:
    context = packed(desk().contract, question)
    tools = Tools(desk().contract, question)
    assert context.given == tuple(tools.fetch(reply.id) for reply in context.given)
    assert all(reply.available for reply in context.given)


@pytest.mark.parametrize("tokens", [0, 200, 1_500, 4_000, 32_000])
def test_the_budget_is_kept(tokens: int) -> None:
    for question in QUESTIONS[::4]:
        context = packed(desk().contract, question, tokens=tokens)
        assert context.tokens <= tokens
        assert (context.tokens > 0) == bool(context.given)
        handed = Counter(name for h in context.handed for name in set(h.results))
        assert set(handed) == {reply.id for reply in context.given}


def test_what_had_no_room_is_counted() -> None:
    for question in QUESTIONS:
        tools = Tools(desk().contract, question)
        there = any(tools.fetch(key).available for key in question.keys)
        assert bool(packed(desk().contract, question, tokens=0).left_out) >= there
        assert packed(desk().contract, question, tokens=0).given == ()


def test_the_order_says_nothing_of_why_a_document_is_there() -> None:
    for question in QUESTIONS[::5]:
        given = packed(desk().contract, question).given
        assert list(given) == sorted(given, key=lambda reply: (reply.subsystem, reply.id))


def test_ungated_the_closed_is_given_too() -> None:
    closed = 0
    for question in QUESTIONS:
        gated = {r.id for r in packed(desk().contract, question).given}
        ungated = {r.id for r in packed(desk().contract, question, gated=False).given}
        closed += len(ungated - gated)
    assert closed > 0
