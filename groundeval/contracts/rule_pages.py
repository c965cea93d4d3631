"""Handbook pages of links and silences, and of pairs of event types that nothing links."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from groundeval.contracts.page import named, page, sentence
from groundeval.contracts.rule_text import hole_text, rule_text
from groundeval.ir.expressions import Expr
from groundeval.ir.program import JoinCondition, Link, Pattern, Program, Silence
from groundeval.world.artifacts import Artifact
from groundeval.world.time import format_duration

_MATCH: Final = {
    "first": "Of several effects that fit one cause, only the earliest counts.",
    "nearest": "Of several causes that fit one effect, only the latest counts.",
    "every": "Every pair that fits counts.",
}
_NECESSITY: Final = {
    "necessary": "Necessary: the effect does not happen unless at least one of its causes under "
    "this mechanism happens.",
    "each": "Necessary, each by itself: the effect does not happen if any one of its causes under "
    "this mechanism is taken away.",
    "sufficient": "Sufficient: any one cause is enough, so the effect still happens as long as "
    "another sufficient cause of it happens.",
    "contributing": "Contributing: it plays a part but never decides; without it the effect still "
    "happens.",
}
_UNLINKED: Final = (
    "No mechanism of this handbook leads directly from the one to the other. That two such "
    "records share a key, or stand close in time, does not connect them."
)
_LATER: Final = "The effect must be strictly later than the cause"


def mechanism_pages(program: Program) -> Iterator[Artifact]:
    """A page for each link spec."""
    for link in program.links:
        yield page(f"mechanism/{link.name}", f"Mechanism {link.name}", _mechanism(program, link))


def unlinked_pages(program: Program) -> Iterator[Artifact]:
    """Pages of pairs of event types that no mechanism links, in the shape of mechanisms.

    They are of the types that mechanisms link, reversed pairs first, and no more than there are
    mechanisms. What they say follows from the rules alone, whatever the log holds.
    """
    linked = {(link.cause.event_type, link.effect.event_type) for link in program.links}
    causes, effects = {c for c, _ in linked}, {e for _, e in linked}
    crossed = ((c, e) for c in sorted(causes) for e in sorted(effects))
    pairs = dict.fromkeys([*sorted((e, c) for c, e in linked), *crossed])
    free = [(c, e) for c, e in pairs if c != e and (c, e) not in linked]
    for cause, effect in free[: len(program.links)]:
        title = f"No mechanism from {cause} to {effect}"
        lines = (
            f"Cause: {_type(program, cause)}.",
            f"Effect: {_type(program, effect)}.",
            _UNLINKED,
        )
        yield page(f"mechanism/none/{cause}/{effect}", title, lines)


def silence_pages(program: Program) -> Iterator[Artifact]:
    """A page for each silence spec: what is expected after what, and where it would stand."""
    for spec in program.silences:
        yield page(f"silence/{spec.name}", f"Expected record {spec.name}", _silence(program, spec))


def _mechanism(program: Program, link: Link) -> Iterator[str]:
    yield sentence(link.title)
    yield sentence(link.doc)
    yield named("Also called", link.aliases)
    yield f"Cause: {_pattern(program, link.cause)}"
    yield f"Effect: {_pattern(program, link.effect)}"
    yield _join(link.join)
    yield _window(_LATER, link.within)
    yield _ties(link.ties_in_log_order)
    yield _exception(link.unless)
    yield _MATCH[link.match]
    yield _NECESSITY[link.necessity]
    yield _evidence(link.evidence)
    yield sentence(link.because)


def _silence(program: Program, spec: Silence) -> Iterator[str]:
    yield sentence(spec.title)
    yield sentence(spec.doc)
    yield f"After: {_pattern(program, spec.trigger)}"
    yield f"Expected: {_pattern(program, spec.expected)}"
    yield _join(spec.join)
    yield _window("What is expected must come strictly later", spec.within)
    yield _ties(spec.ties_in_log_order)
    yield _exception(spec.unless)
    for search in spec.searches:
        yield f"It would be found in {search.subsystem} by a search for: {hole_text(search.text)}"
    yield named("Look also into", (rule_text(fetch) for fetch in spec.fetches))
    yield sentence(spec.because)


def _pattern(program: Program, side: Pattern) -> str:
    condition = "" if side.where is None else f", where {rule_text(side.where)}"
    return f"{_type(program, side.event_type)}, called {side.variable}{condition}."


def _type(program: Program, name: str) -> str:
    declared = program.event_type(name)
    label = name if declared is None else declared.label
    return name if label == name else f"{label} ({name})"


def _join(join: JoinCondition) -> str:
    conditions = [f"{rule_text(a)} == {rule_text(b)}" for a, b in join.equalities]
    if join.residual is not None:
        conditions.append(rule_text(join.residual))
    if not conditions:
        return "Any two such records are joined."
    return f"Joined when: {' and '.join(conditions)} (a missing value joins nothing)."


def _window(order: str, within: int | None) -> str:
    if within is None:
        return f"{order}; there is no bound on the time between."
    return f"{order}, and at most {format_duration(within)} later."


def _ties(in_log_order: bool) -> str:
    return "Of records at the same instant, the log's order decides." if in_log_order else ""


def _exception(unless: Expr | None) -> str:
    if unless is None:
        return ""
    return f"Not when {rule_text(unless)}, nor where that cannot be told."


def _evidence(alternatives: tuple[Expr, ...]) -> str:
    if not alternatives:
        return "Shown by: the artifacts of both records."
    return f"Shown by: {', or '.join(rule_text(a) for a in alternatives)}."
