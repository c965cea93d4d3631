"""What functions ask of the place where a rule is evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from groundeval.traces.model import Step
from groundeval.world.events import Event
from groundeval.world.ids import escaped
from groundeval.world.world import World


@dataclass(frozen=True, slots=True)
class Key:
    """A value by which a text tells an event from another, with the kind or field it stands in."""

    kind: str
    value: str

    @property
    def id(self) -> str:
        return f"{self.kind} {self.value}"


@dataclass(frozen=True, slots=True, eq=False)
class Place:
    """What has to be looked at.

    `fetch` is an artifact id; otherwise it is a search in any one of `subsystems` (all that count)
    for `text`, covered only if it names all tokens of one of `keys`.

    `ghost` is the text that the missing document would have had, `values` are what fills the holes
    of `text`, as written (a place that is read from a document has none).
    """

    id: str
    fetch: str | None = None
    subsystems: tuple[str, ...] = ()
    text: str | None = None
    keys: tuple[tuple[str, ...], ...] = ()
    ghost: str = ""
    values: tuple[str, ...] = ()

    @classmethod
    def to_fetch(cls, artifact_id: str) -> Place:
        """The place that is one artifact."""
        return cls(f"fetch:{artifact_id}", fetch=artifact_id)

    @classmethod
    def to_search(
        cls,
        subsystems: Sequence[str],
        text: str,
        keys: tuple[tuple[str, ...], ...],
        ghost: str,
        values: tuple[str, ...] = (),
    ) -> Place:
        """The place that is a search; different subsystems or texts make different ids."""
        where = ",".join(escaped(name, ",:") for name in subsystems)
        return cls(f"search:{where}:{text}", None, tuple(subsystems), text, keys, ghost, values)


class Host(Protocol):
    """Gates, graph and trace as functions see them.

    At compile time the trace part is empty, while scoring it is about the trace at hand; where a
    rule is evaluated outside any contract, only `world` is there and the rest raises (the checker
    has refused such calls).
    """

    @property
    def world(self) -> World: ...

    # --- the contract's words
    def label(self, event: Event) -> str: ...
    def keys(self, event: Event) -> tuple[Key, ...]: ...

    # --- gates, all of them
    def visible(self, actor: str | None, artifact: str, at: int) -> bool: ...
    def opens(self, gate: str, actor: str | None, artifact: str, at: int) -> bool: ...
    def closed_by_other_than(
        self, gate: str, actor: str | None, artifact: str, at: int
    ) -> bool: ...
    def subsystems_open(self, actor: str | None, at: int) -> frozenset[str]: ...

    # --- the causal graph, silences, places
    def ghost(self, event: Event, subsystems: frozenset[str]) -> Place: ...
    def prevented(self, effect: Event, without: Event) -> bool: ...
    def paths(self, effect: Event, longest: int) -> tuple[tuple[Event, ...], ...]: ...
    def recorded_by(self, silence: Any, at: int) -> bool: ...
    def edges(self, actor: str, event: Event) -> Sequence[int]: ...
    def instants(self, silence: Any) -> Sequence[int]: ...

    # --- the trace at hand
    def visible_now(self, artifact: str) -> bool: ...
    def breaks(self, step: Step, gate: str | None) -> bool: ...
    def covers(self, step: Step, place: Any) -> bool: ...
    def covered(self, place: Any) -> bool: ...
    def recovered(self, step: Step) -> bool: ...
