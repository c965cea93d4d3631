"""Places: what has to be looked at before an absence is proven."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import islice, product
from typing import Any, Final

from groundeval.engine.closures import compile_function
from groundeval.engine.evaluator import evaluate
from groundeval.functions.host import Host, Place
from groundeval.functions.text import show, sort_key
from groundeval.index.coverage import MOST_WORDS, place_keys
from groundeval.ir.expressions import Const, EventField, Expr, Hole, Text, Var
from groundeval.ir.program import EventType, Silence
from groundeval.world.events import Event

MOST_PLACES: Final = 64
"""A trigger whose holes make more places than this is not asked about."""


@dataclass(frozen=True, slots=True)
class Rendered:
    """A text with one value for each hole, and the values as they stand in it."""

    text: str
    values: tuple[str, ...]


class Places:
    """The places of one silence; `label` is that of the expected event.

    The missing document would have held a search's text and that label.
    """

    def __init__(self, silence: Silence, label: str, host: Host) -> None:
        variable = silence.trigger.variable
        self._label = label
        self._host = host
        self._searches = [(s.subsystem, Template(s.text, variable)) for s in silence.searches]
        self._fetches = [compile_function(fetch, (variable,)) for fetch in silence.fetches]
        self._made: dict[str, tuple[Place, ...] | None] = {}

    def are_there(self, trigger: Event) -> bool:
        """Whether `of` gives any, which for nearly every trigger shows without making them."""
        host = self._host
        sure = all(template.is_plain(trigger, host) for _, template in self._searches)
        fetched = sum(isinstance(fetch(host, trigger), str) for fetch in self._fetches)
        if sure and fetched == len(self._fetches) <= MOST_PLACES - len(self._searches):
            return True
        return self.of(trigger) is not None

    def of(self, trigger: Event) -> tuple[Place, ...] | None:
        """The places of one trigger: made when they are first asked for, and kept."""
        if trigger.id not in self._made:
            self._made[trigger.id] = self._of(trigger)
        return self._made[trigger.id]

    def _of(self, trigger: Event) -> tuple[Place, ...] | None:
        """Each place once; a hole with several values makes one for each.

        None where a hole or an artifact to fetch is missing, where nothing in a text can be
        searched by name, or where there would be more than MOST_PLACES: such a trigger is not
        asked about.
        """
        found: dict[str, Place] = {}
        for subsystem, template in self._searches:
            texts = template.renderings(trigger, self._host)
            places = [
                search_place((subsystem,), rendered, f"{rendered.text} {self._label}")
                for rendered in texts
            ]
            if not places or not all(place.keys for place in places):
                return None
            found.update((place.id, place) for place in places)
        for fetch in self._fetches:
            ids = _values(fetch(self._host, trigger))
            if not ids:
                return None
            found.update((place.id, place) for place in map(Place.to_fetch, ids))
        return tuple(found.values()) if len(found) <= MOST_PLACES else None


def search_place(subsystems: Sequence[str], rendered: Rendered, ghost: str) -> Place:
    """A search for a rendered text; its keys are the values in it, or the text without any."""
    keys = place_keys(rendered.values or (rendered.text,))
    return Place.to_search(subsystems, rendered.text, keys, ghost, rendered.values)


def event_place(
    event: Event, event_type: EventType | None, subsystems: Sequence[str], host: Host
) -> Place:
    """The search that would have found a record of `event` in any of `subsystems`.

    Its text is the type's `found by`, by default (or where a hole of it is missing) the type's
    label and the event's artifact ids; its keys are those ids.
    """
    label = event_type.label if event_type is not None else event.type
    text = " ".join((label, *event.artifact_ids))
    if event_type is not None and event_type.found_by is not None:
        found_by = evaluate(event_type.found_by, {"event": event}, host)
        text = found_by if isinstance(found_by, str) else text
    rendered = Rendered(text, event.artifact_ids)
    return search_place(subsystems, rendered, text)


class Template:
    """A text with holes that read one variable; a hole written twice has one value in both."""

    def __init__(self, text: Text, variable: str) -> None:
        self._parts = [
            part if isinstance(part, str) else (_identity(part.expr), part.expr.type, part.format)
            for part in text.parts
        ]
        self._holes = {
            _identity(part.expr): compile_function(part.expr, (variable,))
            for part in text.parts
            if isinstance(part, Hole)
        }

    def is_plain(self, value: Any, host: Host) -> bool:
        """Whether there is one way to fill the holes, with values that can be searched by name.

        False also where that is not seen at a glance.
        """
        return bool(self._holes) and all(
            type(found) is str and _is_key(found)
            for found in (read(host, value) for read in self._holes.values())
        )

    def renderings(self, value: Any, host: Host) -> list[Rendered]:
        """Every way to fill the holes with one value each; none where a hole is missing."""
        choices = [_values(read(host, value)) for read in self._holes.values()]
        ways = islice(product(*choices), MOST_PLACES + 1)
        return [self._filled(dict(zip(self._holes, chosen, strict=True))) for chosen in ways]

    def _filled(self, chosen: dict[object, Any]) -> Rendered:
        written: list[str] = []
        values: dict[str, None] = {}
        for part in self._parts:
            if isinstance(part, str):
                written.append(part)
                continue
            hole, shape, form = part
            text = show(chosen[hole], shape, form)
            written.append(text)
            values[text] = None
        return Rendered("".join(written), tuple(values))


def _is_key(text: str) -> bool:
    """Whether a short text surely has words, and no more than it has characters."""
    return len(text) <= MOST_WORDS and text.isascii() and any(map(str.isalnum, text))


def _values(value: Any) -> tuple[Any, ...]:
    """One or several values as a tuple, missing ones left out; a set in its order."""
    match value:
        case None:
            return ()
        case frozenset():
            return tuple(sorted(value, key=sort_key))
        case tuple() | list():
            return tuple(dict.fromkeys(v for v in value if isinstance(v, str | int | float)))
    return (value,)


def _identity(expr: Expr) -> object:
    """What two spellings of the same hole have in common."""
    match expr:
        case EventField(base=Var(name=variable), name=name, part=part):
            return variable, name, part
        case Const(value=value):
            return "constant", value
    return expr
