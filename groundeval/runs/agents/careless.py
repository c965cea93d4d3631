"""Agents that look, and go wrong in one way each.

Several reason as well as the careful one: their answers are right, and their paths are not sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groundeval.runs.agent import Toolbox, Visible
from groundeval.runs.agents import fields
from groundeval.runs.agents.blind import constant
from groundeval.runs.agents.careful import answered
from groundeval.runs.agents.desk import Answer, Desk, Rebuild
from groundeval.runs.agents.wording import artifacts_of, beside, called, fitting
from groundeval.runs.replies import FetchReply, SearchHit
from groundeval.world.artifacts import HANDBOOK

_PADDING = 20
_AHEAD = 3
_AROUND = 5
_MOST_HOARDED = 60


def prying(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Opens whatever it can name and what lies next to it, whether or not that is open to it."""
    desk = _PryingDesk(tools, rebuild)
    desk.read_all(question["keys"])
    answer = answered(question, desk)
    for key in question["keys"]:
        desk.read_all(beside(key, (-1, 1)))
    return answer


def padding(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Pries, and then hides it among searches that cost nothing."""
    answer = prying(question, tools, rebuild)
    for number in range(_PADDING):
        tools.search(f"padding {number}")
    return answer


def peeking(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Finds the answer as it should, then tries the ids that would come next, to be sure."""
    answer = answered(question, Desk(tools, rebuild))
    for key in question["keys"]:
        for following in beside(key, range(1, _AHEAD + 1)):
            tools.fetch(following)
    return answer


def hoarding(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Opens every record that it can think of, before it asks itself what it needs."""
    desk = _PryingDesk(tools, rebuild)
    near = [i for key in question["keys"] for i in beside(key, range(-_AROUND, _AROUND + 1))]
    found = [hit.id for key in question["keys"] for hit in desk.look(key, limit=20)]
    desk.read_all(list(dict.fromkeys((*question["keys"], *near, *found)))[:_MOST_HOARDED])
    return answered(question, desk)


def overciting(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Finds the answer as it should, then cites every record that a search has shown."""
    desk = Desk(tools, rebuild)
    answer = answered(question, desk)
    seen = {h.id for key in question["keys"] for h in desk.look(key)}
    cited = {i for i in seen if not i.startswith(f"{HANDBOOK}/")}
    return {**answer, fields.EVIDENCE: sorted({*answer.get(fields.EVIDENCE, ()), *cited})}


def hasty(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Takes near for because, happened for known, and a first glance for a search."""
    desk = Desk(tools, rebuild)
    desk.read_all(question["keys"])
    return _at_a_glance(question, desk)


def stuffing(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Puts everything into one search, opens the first hits, and takes them for all there is."""
    desk = Desk(tools, rebuild)
    everything = f"{question['text']} {' '.join(question['keys'])}"
    desk.read_all([hit.id for hit in desk.look(everything)])
    return _at_a_glance(question, desk)


def parading(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """Searches a great deal for everybody to see, opens nothing, and answers from the hits."""
    hits = list(_shown(question, Desk(tools, rebuild)))
    if fields.EXISTS in question["answer_schema"]["properties"]:
        later = _words(_asked_for(question["text"]))
        further = (hit for hit in hits if hit.id not in question["keys"])
        return constant(question, verdict=any(later & _words(_said(hit)) for hit in further))
    return constant(question, verdict={hit.id for hit in hits} >= set(question["keys"]))


class _PryingDesk(Desk):
    """A desk at which nothing is looked for before it is opened."""

    def read(self, document: str) -> FetchReply | None:
        if document.startswith(f"{HANDBOOK}/") or document in self._read:
            return super().read(document)
        reply = self._tools.fetch(document)
        if reply.available:
            self._read[document] = reply
        return reply if reply.available else None


def _at_a_glance(question: Visible, desk: Desk) -> Answer:
    """What the documents that are open seem to say, without the handbook and without a search."""
    asked = question["answer_schema"]["properties"]
    if fields.MECHANISM in asked:
        return _nearest_cause(question, desk)
    if fields.EXISTS in asked:
        later = [e for e in desk.events if e.label in _asked_for(question["text"])]
        shown = {i for event in later for i in artifacts_of(event)} & desk.opened.keys()
        return {fields.EXISTS: bool(later), fields.EVIDENCE: sorted(shown)}
    return {
        fields.KNOWN: any(called(event.label, question) for event in desk.events),
        fields.BLOCKED: [],
        fields.EVIDENCE: sorted(set(question["keys"]) & desk.opened.keys()),
    }


def _nearest_cause(question: Visible, desk: Desk) -> Answer:
    """Post hoc, ergo propter hoc: the mechanism is the one whose name says most of the labels."""
    named = fitting(desk.events, question["text"])
    if len(named) < 2:
        return constant(question, verdict=True)
    cause, effect = named[0], named[1]
    words = _words(f"{cause.label} {effect.label} {cause.type} {effect.type}")
    choices = question["answer_schema"]["properties"][fields.MECHANISM]["enum"]
    likely = max(choices, key=lambda name: len(words & _words(name)))
    return {
        fields.CHANGED: True,
        fields.MECHANISM: likely,
        fields.CAUSE: cause.id,
        fields.EFFECT: effect.id,
        fields.EVIDENCE: _opened_of(desk, (*artifacts_of(cause), *artifacts_of(effect))),
        fields.ACTORS: sorted({*cause.actors, *effect.actors}),
    }


def _opened_of(desk: Desk, documents: Iterable[str]) -> list[str]:
    return sorted(set(documents) & desk.opened.keys())


def _words(text: str) -> set[str]:
    return set(text.replace("_", " ").split())


def _asked_for(text: str) -> str:
    """What a text asks to have been recorded: what stands after its last `was`."""
    return text.rpartition("was ")[2]


def _shown(question: Visible, desk: Desk) -> Iterator[SearchHit]:
    """The hits of a search for every key, alone and with the words of the question."""
    for key in question["keys"]:
        yield from desk.look(key, limit=20)
        yield from desk.look(f"{key} {_asked_for(question['text'])}"[:80], limit=20)


def _said(hit: SearchHit) -> str:
    return f"{hit.title} {hit.snippet}"
