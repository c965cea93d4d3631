"""The declared words that a text may have to be one of: subsystems, actors, event types."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from groundeval.diagnostics import Code, Span, codes
from groundeval.diagnostics.suggestions import did_you_mean

if TYPE_CHECKING:
    from groundeval.ir.types import Type
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.symbols import DataFacts, Symbols

HANDBOOK = "handbook"
"""The subsystem of the generated reference documents: always there, never declared."""


TOOLS: Final = frozenset({"search", "fetch", "given", "other"})
"""What a step of a trace may be."""
STEP_TOOLS: Final = TOOLS | {"cited"}
"""What rules may see a step as: a citation is one too."""
OUTCOMES: Final = frozenset(
    {
        *("agent_error", "unobserved", "malformed", "abstained"),
        *("valid", "state_invalid", "wrong_sound", "wrong"),
    }
)
"""How one attempt may end."""


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What `word`s there are; `closed`: another one is a slip."""

    what: str
    code: Code
    words: Collection[str]
    closed: bool


def vocabulary(symbols: Symbols, expected: Type) -> Vocabulary | None:
    """The words that a text of this type is one of; None where any text will do."""
    data = symbols.data
    match expected.name:
        case "subsystem":
            words = {*symbols.subsystems, HANDBOOK, *(data.subsystems if data else ())}
            closed = bool(symbols.subsystems) and not symbols.open_subsystems
            return Vocabulary("subsystem", codes.UNKNOWN_SUBSYSTEM, words, closed)
        case "actor":
            words = {*symbols.actors, *(data.actors if data else ())}
            closed = bool(symbols.actors) and not symbols.open_actors
            return Vocabulary("actor", codes.UNKNOWN_ACTOR, words, closed)
        case "event_type":
            return _event_types(symbols, data)
        case "spec":
            closed = bool(symbols.silences)
            return Vocabulary("silence", codes.UNKNOWN_WORD, symbols.silences, closed)
        case "tool":
            return Vocabulary("tool", codes.UNKNOWN_WORD, STEP_TOOLS, closed=True)
        case "outcome":
            return Vocabulary("outcome", codes.UNKNOWN_WORD, OUTCOMES, closed=True)
    return None


def _event_types(symbols: Symbols, data: DataFacts | None) -> Vocabulary:
    words = {*symbols.events, *(data.event_fields if data else ())}
    closed = bool(words) and not symbols.open_event_types
    return Vocabulary("event type", codes.UNKNOWN_EVENT_TYPE, words, closed)


def check_word(el: Elaborator, span: Span, word: str, expected: Type) -> bool:
    """Whether `word` may stand where `expected` is; reports one that is not declared."""
    known = vocabulary(el.symbols, expected)
    if known is None or not known.closed or word in known.words:
        return True
    el.report(
        known.code,
        span,
        f"there is no {known.what} `{word}`",
        "not declared",
        did_you_mean(word, known.words),
    )
    return False
