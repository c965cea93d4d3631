"""An oracle: it reads a question's truth, and follows its places and evidence through the tools."""

from __future__ import annotations

import re
from typing import Any
from zoneinfo import ZoneInfo

import msgspec

from groundeval.contracts.builder import Contract
from groundeval.questions.model import Question
from groundeval.runs.tools import Tools
from groundeval.scoring.model import Result
from groundeval.scoring.scorer import TrackScorer
from groundeval.traces.model import Step, Trace
from groundeval.world.time import DAY, format_instant, parse_instant


def trace_of(contract: Contract, question: Question) -> Trace:
    """A trace with a full score, if the question is a fair one."""
    tools = Tools(contract, question)
    assert question.truth is not None
    truth = question.truth
    places = [p for p in truth.get("places", ()) if not truth.get("exists")]
    for place in places:
        if "fetch" in place:
            tools.fetch(place["fetch"])
        else:
            for subsystem in place["search"][:1]:
                tools.search(place["for"], subsystem, 20)
    shown = _shown(contract, question)
    for artifact in shown:
        assert tools.fetch(artifact).available, (question.id, artifact)
    return tools.finish(_answer(question, shown))


def _shown(contract: Contract, question: Question) -> list[str]:
    """What has to be opened: of alternatives the first that is open."""
    truth = question.truth or {}
    if "evidence" in truth:
        for alternative in truth["evidence"]:
            tools = Tools(contract, question)
            if all(tools.fetch(artifact).available for artifact in alternative):
                return sorted(alternative)
        raise AssertionError(f"{question.id}: no alternative is open")
    if "witness" in truth:
        tools = Tools(contract, question)
        return [w for w in truth["witness"] if tools.fetch(w).available][:1]
    return sorted(truth["evidence_artifacts"])


def _answer(question: Question, shown: list[str]) -> dict[str, Any]:
    truth = question.truth or {}
    fields = (question.answer_schema or {})["properties"]
    answer = {name: value for name, value in truth.items() if name in fields and value is not None}
    if "causal_mechanisms" in truth:
        answer["causal_mechanism"] = truth["causal_mechanisms"][0]
    return {**answer, "evidence_artifacts": shown}


class Scoring:
    """The scorers of one contract."""

    def __init__(self, contract: Contract) -> None:
        self.contract = contract
        self._scorers = {t.id: TrackScorer(t, contract) for t in contract.program.tracks}

    def __call__(self, question: Question, trace: Trace) -> Result:
        return self._scorers[question.track].score(question, trace)

    def closed(self, question: Question) -> tuple[str, ...]:
        """The artifacts that the question's gates close, in the order of their ids."""
        at = parse_instant(question.as_of or "", None)
        assert isinstance(at, int)
        gates = self.contract.enforced(question.track, question.actor)
        return tuple(
            artifact.id
            for artifact in self.contract.world.corpus
            if self.contract.closing(question.actor, artifact.id, at, gates)
        )


def with_steps(trace: Trace, steps: list[Step]) -> Trace:
    numbered = tuple(msgspec.structs.replace(s, n=n) for n, s in enumerate(steps, start=1))
    return msgspec.structs.replace(trace, steps=numbered)


_INSTANT = re.compile(r"\b20\d\d-\d\d-\d\d(?:T\d\d:\d\d:\d\d(?:\.\d+)?Z)?")


def moved(text: str, days: int) -> str:
    """The text with every date and instant moved."""

    def later(match: re.Match[str]) -> str:
        at = parse_instant(match[0], ZoneInfo("UTC"))
        assert isinstance(at, int), match[0]
        written = format_instant(at + days * DAY)
        return written if "T" in match[0] else written.partition("T")[0]

    return _INSTANT.sub(later, text)
