"""Agents that go wrong in one way each. All take a question's visible part and the tools.

Several reason as well as the careful one: their answers are right, and their paths are not sound.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from examples.agents.careful import Answer, Visible, answered, careful
from examples.agents.desk import HANDBOOK, Desk
from examples.agents.wording import artifacts_of, called, fitting
from groundeval.runs.replies import FetchReply
from groundeval.runs.tools import Tools

_PADDING = 20


def always_yes(question: Visible, tools: Tools) -> Answer:
    """Says yes to everything and opens nothing."""
    del tools
    return _constant(question, verdict=True)


def always_no(question: Visible, tools: Tools) -> Answer:
    """Says no to everything and opens nothing."""
    del tools
    return _constant(question, verdict=False)


def guessing(question: Visible, tools: Tools) -> Answer:
    """Answers from what is usual, without a look: what is asked about is known and has a cause."""
    del tools
    usual = "exists" not in question["answer_schema"]["properties"]
    return _constant(question, verdict=usual)


def prying(question: Visible, tools: Tools) -> Answer:
    """Opens whatever it can name, without asking whether that is open to the actor."""
    desk = _PryingDesk(tools)
    desk.read_all(question["keys"])
    return answered(question, desk)


def overciting(question: Visible, tools: Tools) -> Answer:
    """Finds the answer as it should, then cites every record that a search has shown."""
    desk = Desk(tools)
    answer = answered(question, desk)
    seen = {h.id for key in question["keys"] for h in desk.look(key)}
    cited = {i for i in seen if not i.startswith(f"{HANDBOOK}/")}
    return {**answer, "evidence_artifacts": sorted({*answer.get("evidence_artifacts", ()), *cited})}


def peeking(question: Visible, tools: Tools) -> Answer:
    """Finds the answer as it should, then tries the ids that would come next, to be sure."""
    answer = careful(question, tools)
    for key in question["keys"]:
        for following in _following(key, 3):
            tools.fetch(following)
    return answer


def hasty(question: Visible, tools: Tools) -> Answer:
    """Takes near for because, happened for known, and a first glance for a search."""
    desk = Desk(tools)
    desk.read_all(question["keys"])
    fields = question["answer_schema"]["properties"]
    if "causal_mechanism" in fields:
        return _nearest_cause(question, desk)
    told = any(called(event.label, question) for event in desk.events)
    if "exists" in fields:
        later = [e for e in desk.events if e.label in question["text"].rpartition("was ")[2]]
        shown = {i for event in later for i in artifacts_of(event)} & desk.opened.keys()
        return {"exists": bool(later), "evidence_artifacts": sorted(shown)}
    shown = set(question["keys"]) & desk.opened.keys()
    return {
        "could_actor_have_known": told,
        "blocked_subsystems": [],
        "evidence_artifacts": sorted(shown),
    }


def padding(question: Visible, tools: Tools) -> Answer:
    """Pries, and then hides it among searches that cost nothing."""
    answer = prying(question, tools)
    for number in range(_PADDING):
        tools.search(f"padding {number}")
    return answer


class _PryingDesk(Desk):
    """A desk at which nothing is looked for before it is opened."""

    def read(self, document: str) -> FetchReply | None:
        if document.startswith(f"{HANDBOOK}/") or document in self._read:
            return super().read(document)
        reply = self._tools.fetch(document)
        if reply.available:
            self._read[document] = reply
        return reply if reply.available else None


def _nearest_cause(question: Visible, desk: Desk) -> Answer:
    """Post hoc, ergo propter hoc: the mechanism is the one whose name says most of the labels."""
    named = fitting(desk.events, question["text"])
    if len(named) < 2:
        return _constant(question, verdict=True)
    cause, effect = named[0], named[1]
    words = set(
        f"{cause.label} {effect.label} {cause.type} {effect.type}".replace("_", " ").split()
    )
    choices = question["answer_schema"]["properties"]["causal_mechanism"]["enum"]
    likely = max(choices, key=lambda name: len(words & set(name.replace("_", " ").split())))
    return {
        "outcome_changed": True,
        "causal_mechanism": likely,
        "cause_event_id": cause.id,
        "effect_event_id": effect.id,
        "evidence_artifacts": sorted(
            {*artifacts_of(cause), *artifacts_of(effect)} & desk.opened.keys()
        ),
        "actors": sorted({*cause.actors, *effect.actors}),
    }


def _constant(question: Visible, *, verdict: bool) -> Answer:
    """The same for every question, as far as its answer schema lets it be."""
    schema = question["answer_schema"]
    return {
        name: _value(schema["properties"][name], verdict=verdict) for name in schema["required"]
    }


def _value(field: Mapping[str, Any], *, verdict: bool) -> Any:
    if "enum" in field:
        return field["enum"][0 if verdict else -1]
    match field["type"]:
        case "boolean":
            return verdict
        case "array":
            return []
        case "number":
            return 0
    return "unknown"


def _following(key: str, count: int) -> list[str]:
    """The ids that come after this one, where it ends in a number."""
    found = re.fullmatch(r"(.*?)(\d+)", key)
    if found is None:
        return []
    head, number = found.groups()
    return [f"{head}{int(number) + step:0{len(number)}}" for step in range(1, count + 1)]
