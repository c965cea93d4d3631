"""The careful agent: it looks before it says anything, and says only what it saw.

It knows no domain. What it knows is what every agent is told: the question's visible part, the
handbook, and what `search` and `fetch` answer. The answer schema tells it what kind of question
it was asked.
"""

from __future__ import annotations

from collections.abc import Callable

from groundeval.contracts.contract import Contract
from groundeval.contracts.model import SilenceCase
from groundeval.runs.agent import Toolbox, Visible
from groundeval.runs.agents import fields
from groundeval.runs.agents.desk import Answer, Desk, Rebuild
from groundeval.runs.agents.handbook import Rules
from groundeval.runs.agents.wording import (
    artifacts_of,
    called,
    fitting,
    instant,
    label_before_keys,
    subsystem_of,
)
from groundeval.runs.replies import ReportedEvent
from groundeval.world.time import format_duration

_ROUNDS = 4
"""How often the agent goes on to records that it has just learnt of."""


def careful(question: Visible, tools: Toolbox, rebuild: Rebuild) -> Answer:
    """The answer to any question of the bundled tracks, found by looking."""
    return answered(question, Desk(tools, rebuild))


def answered(question: Visible, desk: Desk) -> Answer:
    """The answer that a careful mind comes to at this desk, whatever its habits of opening."""
    asked = question["answer_schema"]["properties"]
    kinds: dict[str, Callable[[Visible, Desk], Answer]] = {
        fields.KNOWN: _known,
        fields.MECHANISM: _caused,
        fields.EXISTS: _recorded,
    }
    for field, answer in kinds.items():
        if field in asked:
            return answer(question, desk)
    return {"abstain": True}


def _known(question: Visible, desk: Desk) -> Answer:
    """Could the actor have known? It could if every artifact of the record is there to open."""
    label = label_before_keys(question)
    places = {key: subsystem_of(key, question) for key in question["keys"]}
    artifacts = [key for key, place in places.items() if place is not None]
    for key in artifacts:
        # The label stands at the end of the words before the keys; a few of them are enough.
        desk.look_for(" ".join(label.split()[-4:]), key)
    readable = _readable(question, desk)
    desk.read_all(artifacts)
    seen = [key for key in artifacts if key in desk.opened]
    happened = any(
        called(event.label, question) and set(artifacts_of(event)) == set(artifacts)
        for event in desk.events
    )
    return {
        fields.KNOWN: happened,
        fields.BLOCKED: sorted({p for p in places.values() if p and p not in readable}),
        fields.EVIDENCE: sorted(seen),
    }


def _readable(question: Visible, desk: Desk) -> set[str]:
    """The subsystems that the handbook lists for the actor's roles."""
    rules = Rules(desk)
    found: set[str] = set()
    for role in (question["role"] or "").split(", "):
        page = rules.page(f"role/{role}")
        found.update(page.listed("Subsystems in its lists") if page else ())
    return found


def _caused(question: Visible, desk: Desk) -> Answer:
    """Would it still have happened? The rules of the handbook say so, over what was seen."""
    _open_keys(question, desk)
    named = fitting(desk.events, question["text"])
    if len(named) < 2:
        return {"abstain": True}
    cause, effect = named[0], named[1]
    desk.read_all((*artifacts_of(cause), *artifacts_of(effect)))
    rules = Rules(desk)
    rules.mechanisms_into(effect.type)
    contract = _explored(rules, desk, effect)
    link = next(
        (p for p in contract.links if (p.cause.id, p.effect.id) == (cause.id, effect.id)), None
    )
    answer: Answer = {
        fields.CHANGED: False,
        fields.MECHANISM: "none",
        fields.EFFECT: effect.id,
        fields.EVIDENCE: sorted({*artifacts_of(cause), *artifacts_of(effect)}),
        fields.ACTORS: sorted({*cause.actors, *effect.actors}),
    }
    if link is not None:
        changed = contract.host.prevented(link.effect, link.cause)
        shown = [ids for ids in link.evidence if ids <= desk.opened.keys()]
        answer |= {
            fields.CHANGED: changed,
            fields.MECHANISM: link.specs[0],
            fields.CAUSE: cause.id,
            fields.EVIDENCE: sorted(min(shown, key=sorted, default=())),
        }
    return answer


def _explored(rules: Rules, desk: Desk, effect: ReportedEvent) -> Contract:
    """The rules over all that led to the effect, however many steps back it had to be traced."""
    contract = desk.under(rules.text())
    for _ in range(_ROUNDS):
        known = len(desk.opened)
        before = {effect.id}
        for pair in reversed(contract.links):
            if pair.effect.id in before:
                before.add(pair.cause.id)
        for event in desk.events:
            if event.id in before:
                desk.read_all(artifacts_of(event))
        if len(desk.opened) == known:
            break
        contract = desk.under(rules.text())
    return contract


def _recorded(question: Visible, desk: Desk) -> Answer:
    """Was it recorded? A yes needs the record opened, a no every place looked at."""
    _open_keys(question, desk)
    rules = Rules(desk)
    rules.expectations(question["text"])
    case = _case(question, desk, rules)
    if case is None:
        return {"abstain": True}
    for place in case.places:
        if place.fetch is not None:
            desk.read(place.fetch)
        elif place.text is not None:
            _look_into(place.text, place.subsystems[0], case.expected.label, question, desk)
    case = _case(question, desk, rules) or case
    as_of = instant(question["as_of"])
    if not case.recorded_by(as_of):
        return {
            fields.EXISTS: False,
            fields.EVIDENCE: sorted(desk.opened.keys() & set(question["keys"])),
        }
    desk.read_all(sorted(case.witnesses))
    return {fields.EXISTS: True, fields.EVIDENCE: sorted(case.witnesses & desk.opened.keys())}


def _look_into(text: str, subsystem: str, label: str, question: Visible, desk: Desk) -> None:
    """Search one place as the missing record would be found, and open what names a key."""
    for hit in desk.look_for(label, text, subsystem):
        if any(key in hit.snippet or key in hit.title for key in question["keys"]):
            desk.read(hit.id)


def _case(question: Visible, desk: Desk, rules: Rules) -> SilenceCase | None:
    """The case that the text asks about: its trigger and what is expected, by their labels."""
    contract = desk.under(rules.text())
    keys = set(question["keys"])
    fits = [
        case
        for case in contract.silences
        if called(contract.label(case.trigger), question)
        and set(case.trigger.artifact_ids) <= keys
        and case.expected.label in question["text"]
        and (case.window is None or format_duration(case.window) in question["text"])
        and case.trigger.at <= instant(question["as_of"])
    ]
    return max(
        fits, key=lambda c: (len(c.trigger.artifact_ids), len(c.expected.label)), default=None
    )


def _open_keys(question: Visible, desk: Desk) -> None:
    """Open what the keys name, and what a search for the other keys finds by their very text."""
    for key in question["keys"]:
        if desk.read(key) is None:
            for hit in desk.look(key, limit=20):
                if key in hit.title or key in hit.snippet:
                    desk.read(hit.id)
