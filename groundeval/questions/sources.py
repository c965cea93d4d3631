"""What questions are drawn from, and which of them may be asked at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from groundeval.contracts.builder import Contract
from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.contracts.sight import Sight, Standing
from groundeval.functions.host import Host, Place
from groundeval.questions.causes import Cause
from groundeval.world.access import RoleView
from groundeval.world.events import Event


@dataclass(frozen=True, slots=True)
class Reached:
    """What somebody may open as of `as_of` under the gates that a track enforces."""

    sight: Sight
    as_of: int

    def proves(self, about: Any, truth: Mapping[str, Any]) -> bool:
        """Whether an allowed path leads to what a full score needs.

        Every place can be looked at, a record that there is can be opened, and so can one way to
        show a link. A silence's trigger can be opened in any case: without it nobody could tell
        what to look for.
        """
        if not all(self._lookable(place) for place in _places(truth)):
            return False
        match about:
            case SilenceCase():
                recorded = about.recorded_by(self.as_of)
                return self._any(about.trigger.artifact_ids) and (
                    not recorded or self._any(about.witnesses)
                )
            case CausalPair():
                return any(all(map(self.sight.shows, ids)) for ids in about.evidence)
        return True

    def _any(self, artifact_ids: Iterable[str]) -> bool:
        return any(map(self.sight.shows, artifact_ids))

    def _lookable(self, place: Place) -> bool:
        """A place that is searched needs a subsystem that is open and a key that can be named."""
        if place.fetch is not None:
            return self.sight.shows(place.fetch)
        return bool(place.keys) and any(self._searches(name, place) for name in place.subsystems)

    def _searches(self, subsystem: str, place: Place) -> bool:
        return not self.sight.closing_search(subsystem, place.text or "")


class Source:
    """The collections by name (`events`, `links`, …), and the rules that drop a candidate.

    A question whose artifacts the corpus lacks, whose text would decide its truth, or that nobody
    could answer by looking is never asked (semantics, sections 2, 5, 6 and 9).
    """

    def __init__(self, contract: Contract, collections: Mapping[str, Any]) -> None:
        self.contract = contract
        self.collections = collections
        self._gates = tuple(gate.name for gate in contract.program.gates)
        self._by_key: dict[str, dict[str, list[Event]]] = {}
        self._cases: dict[str, list[SilenceCase]] = {}
        for case in contract.silences:
            self._cases.setdefault(case.trigger.id, []).append(case)

    @property
    def host(self) -> Host:
        """The contract, as rules ask it."""
        return self.contract.host

    def role(self, actor: str, as_of: int) -> RoleView:
        """The roles that the actor holds at an instant."""
        return self.contract.world.access.role_at(actor, as_of)

    def reached(self, track: str, actor: str | None, as_of: int) -> Reached:
        """What a question of this track lets its actor open."""
        standing = Standing(actor, as_of, self.contract.enforced(track, actor))
        return Reached(Sight(self.contract, standing), as_of)

    def unaskable(self, about: Any, actor: str | None, as_of: int) -> Cause | None:
        """Why this may not be asked of this actor as of this instant, before its truth is known.

        None where it may be.
        """
        if actor is not None and not self.host.subsystems_open(actor, as_of):
            return "nothing_open" if self.role(actor, as_of).names else "no_role"
        match about:
            case Event():
                if not self._complete(about):
                    return "incomplete"
                return "ambiguous" if self._betrayed(about, as_of) else None
            case CausalPair():
                return self._unaskable_pair(about)
            case SilenceCase():
                return self._unaskable_silence(about, as_of)
        return None

    def trait(self, about: Any, actor: str | None, as_of: int) -> bool | None:
        """What half of the questions with one answer should have; None where there is no such.

        Of an event and an actor: that the actor may search all of its subsystems, so that a
        closed record is not always one in a closed subsystem. Of a pair of events: that they
        share a key, since nearly all linked ones do. Of a silence: that it is asked as of its
        deadline, so that not every absence is one that a later record may end.
        """
        match about:
            case Event() if actor is not None:
                corpus = self.contract.world.corpus
                named = {a.subsystem for a in map(corpus.get, about.artifact_ids) if a}
                return not any(self._closed_to_searches(s, actor, as_of) for s in named)
            case CausalPair():
                return not self._names(about.cause).isdisjoint(self._names(about.effect))
            case SilenceCase():
                return as_of == about.deadline
        return None

    def closing_gates(
        self, actor: str | None, artifact_ids: Iterable[str], as_of: int
    ) -> frozenset[str]:
        """The gates that close some of the artifacts to an actor; none where nobody asks."""
        if actor is None:
            return frozenset()
        closing = (self.contract.closing(actor, a, as_of, self._gates) for a in artifact_ids)
        return frozenset(name for found in closing for name, _ in found)

    def _closed_to_searches(self, subsystem: str, actor: str, as_of: int) -> bool:
        return bool(self.contract.closing_search(actor, subsystem, "", as_of, self._gates))

    def _unaskable_pair(self, pair: CausalPair) -> Cause | None:
        if pair.known_from is None or not pair.evidence or not all(pair.evidence):
            return "no_evidence"
        events = (pair.cause, pair.effect)
        if not self._complete(*events):
            return "incomplete"
        return "ambiguous" if any(self._twin(e) for e in events) else None

    def _unaskable_silence(self, case: SilenceCase, as_of: int) -> Cause | None:
        """It needs places, and a text that fits no other case than this one."""
        if not case.places:
            return "no_place"
        needed = (case.trigger, *(case.responses[:1] if case.recorded_by(as_of) else ()))
        if not self._complete(*needed):
            return "incomplete"
        keys = self._names(case.trigger)
        others = [case.trigger, *(e for e in self._akin(case.trigger) if keys <= self._names(e))]
        confusable = any(
            self._confusable(case, other, as_of)
            for event in others
            for other in self._cases.get(event.id, ())
        )
        return "ambiguous" if confusable else None

    def _confusable(self, case: SilenceCase, other: SilenceCase, as_of: int) -> bool:
        """Whether the text of `case` is that of another case with other places or another truth."""
        if other is case or other.trigger.at > as_of:
            return False
        if (case.expected.label, case.window) != (other.expected.label, other.window):
            return False
        same_places = {p.id for p in case.places} == {p.id for p in other.places}
        return not same_places or case.recorded_by(as_of) != other.recorded_by(as_of)

    def _complete(self, *events: Event) -> bool:
        incomplete = self.contract.report.incomplete_events
        return not any(e.id in incomplete for e in events)

    def _names(self, event: Event) -> frozenset[str]:
        return self.contract.host.words.key_values(event)

    def _twin(self, event: Event) -> bool:
        """Whether another event has the same label, keys and instant."""
        keys = self._names(event)
        return any(
            other.at == event.at and self._names(other) == keys for other in self._akin(event)
        )

    def _betrayed(self, event: Event, as_of: int) -> bool:
        """Whether the text fits another event that lies on the other side of `as_of`."""
        keys = self._names(event)
        return any(
            (other.at <= as_of) != (event.at <= as_of) and keys <= self._names(other)
            for other in self._akin(event)
        )

    def _akin(self, event: Event) -> list[Event]:
        """The other events of the same label that share its first artifact: all with its keys."""
        log, of = self.contract.world.log, self.host.label
        label = of(event)
        if event.artifact_ids:
            near: Iterable[Event] = log.of_artifact(event.artifact_ids[0])
        else:
            near = self._of_one_key(event)
        return [e for e in near if e is not event and (e.type == event.type or of(e) == label)]

    def _of_one_key(self, event: Event) -> Sequence[Event]:
        """The events of the type that share the event's rarest key; all of them if it has none."""
        same_type, names = self.contract.world.log.of_type(event.type), self._names(event)
        if not names:
            return same_type
        by_key = self._by_key.get(event.type)
        if by_key is None:
            by_key = self._by_key[event.type] = {}
            for other in same_type:
                for name in self._names(other):
                    by_key.setdefault(name, []).append(other)
        return min((by_key[name] for name in sorted(names)), key=len)


def _places(truth: Mapping[str, Any]) -> Iterator[Place]:
    for value in truth.values():
        if isinstance(value, tuple):
            yield from (item for item in value if isinstance(item, Place))
