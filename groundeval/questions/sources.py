"""What `ask for` may range over, and which of it can be asked at all."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from groundeval.contracts.model import CausalPair, SilenceCase
from groundeval.functions.host import Host
from groundeval.world.events import Event


@dataclass(frozen=True, slots=True, eq=False)
class Source:
    """The collections by name (`events`, `links`, …), and the rules that drop a candidate.

    A question whose artifacts the corpus lacks, whose text would decide its truth, or that nobody
    could answer by looking is never asked (semantics, sections 2, 5, 6 and 9).
    """

    host: Host
    collections: Mapping[str, Any]
    incomplete: frozenset[str]
    """Ids of events that name an artifact which the corpus lacks."""

    def askable(self, about: Any, actor: str | None, as_of: int) -> bool:
        """Whether this may be asked of this actor as of this instant, before its truth is known."""
        if actor is not None and not self.host.subsystems_open(actor, as_of):
            return False
        match about:
            case Event():
                return self._complete(about) and not self._betrayed(about, as_of)
            case CausalPair():
                return self._askable_pair(about)
            case SilenceCase():
                return bool(about.places) and self._complete(about.trigger, *about.responses[:1])
        return True

    def provable(self, about: Any, truth: Mapping[str, Any]) -> bool:
        """Whether what proves the answer exists: a place that is to be searched has a subsystem."""
        del about
        for value in truth.values():
            for place in value if isinstance(value, tuple) else ():
                if getattr(place, "text", None) is not None and not place.subsystems:
                    return False
        return True

    def _askable_pair(self, pair: CausalPair) -> bool:
        if pair.known_from is None or not pair.evidence or not all(pair.evidence):
            return False
        events = (pair.cause, pair.effect)
        return self._complete(*events) and not any(self._twin(e) for e in events)

    def _complete(self, *events: Event) -> bool:
        return not any(e.id in self.incomplete for e in events)

    def _twin(self, event: Event) -> bool:
        """Whether another event has the same type, keys and instant."""
        keys = self.host.keys(event)
        return any(
            other is not event and other.at == event.at and self.host.keys(other) == keys
            for other in self._akin(event)
        )

    def _betrayed(self, event: Event, as_of: int) -> bool:
        """Whether the text fits another event that lies on the other side of `as_of`."""
        keys = set(self.host.keys(event))
        return any(
            (other.at <= as_of) != (event.at <= as_of) and keys <= set(self.host.keys(other))
            for other in self._akin(event)
        )

    def _akin(self, event: Event) -> list[Event]:
        """The events of the same type that share one of its artifacts (all that can share keys)."""
        log = self.host.world.log
        if not event.artifact_ids:
            return [e for e in log.of_type(event.type) if e is not event]
        near = log.of_artifact(event.artifact_ids[0])
        return [e for e in near if e.type == event.type and e is not event]
