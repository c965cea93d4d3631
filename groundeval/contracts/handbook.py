"""The handbook: what an agent may know of the rules, and nothing of any question's truth.

It is made of the rule files alone, never of log or corpus, so no page can hold what happened.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final

from groundeval.contracts.page import named, page, sentence
from groundeval.contracts.rule_pages import mechanism_pages, silence_pages, unlinked_pages
from groundeval.contracts.rule_text import hole_text, rule_text
from groundeval.index.coverage import MOST_WORDS
from groundeval.index.postings import DEFAULT_LIMIT, GREATEST_LIMIT
from groundeval.ir.program import EventType, Gate, Program, Rule
from groundeval.ir.types import Type
from groundeval.ir.walk import reads
from groundeval.world.access import RoleDefinition
from groundeval.world.artifacts import Artifact

_MOST_RULES: Final = 40
"""Rules of one gate that a role's page prints; the gate's own page has them all."""


def handbook(program: Program) -> tuple[Artifact, ...]:
    """The contract's reference documents, in the order of their ids.

    They stand in the reserved subsystem `handbook`, open to everyone at any time: a page for each
    role, gate, subsystem, event type, mechanism and expected record, pages of pairs of event
    types that no mechanism links, and one on searching. Equal rules give equal pages.
    """
    pages = [
        page("searching", "How to search", _searching()),
        *_role_pages(program),
        *_gate_pages(program),
        *_subsystem_pages(program),
        *_event_pages(program),
        *mechanism_pages(program),
        *unlinked_pages(program),
        *silence_pages(program),
    ]
    return tuple(sorted(pages, key=lambda document: document.id))


def _searching() -> Iterator[str]:
    yield (
        f"A search returns at most {DEFAULT_LIMIT} results, or as many as its limit says, up to "
        f"{GREATEST_LIMIT}. It may name one subsystem; otherwise it goes through all that are open."
    )
    yield (
        "Rare words count most, and a document all of whose id's words stand in the query comes "
        "first. So name ids and other keys as they are written."
    )
    yield (
        "That something is missing is shown by a search that would have found it: in the right "
        f"subsystem or in all open ones, with at most {MOST_WORDS} different words, among them "
        "all words of a key of the missing record and what kind of record it is."
    )
    yield "What a search returns is only a pointer; a fetch opens the document."
    yield "This handbook is searched only when its subsystem is named."


def _role_pages(program: Program) -> Iterator[Artifact]:
    for role in program.roles:
        yield page(f"role/{role.name}", f"Role {role.name}", _role(program, role))


def _role(program: Program, role: RoleDefinition) -> Iterator[str]:
    yield f"What actors in the role {role.name} may use."
    yield named("It includes the roles", sorted(role.includes - {role.name}))
    values = {value for listed in role.lists.values() for value in listed}
    for name, listed in sorted(role.lists.items()):
        yield named(f"role.{name}", sorted(listed))
    yield named("Subsystems in its lists", (s for s in program.subsystems if s in values))
    types = (t for t in program.event_types if t.name in values)
    yield named("Event types in its lists", (_labelled(t) for t in types))
    if program.gates:
        yield "An artifact is open when every gate permits it; an actor may hold several roles."
    for gate in program.gates:
        yield f"Gate {gate.name}: {sentence(gate.title)} See handbook/gate/{gate.name}."
        yield from _rules([rule for rule in gate.rules if _asks_role(rule)], _MOST_RULES)


def _asks_role(rule: Rule) -> bool:
    return rule.when is not None and "role" in reads(rule.when)


def _gate_pages(program: Program) -> Iterator[Artifact]:
    for gate in program.gates:
        yield page(f"gate/{gate.name}", f"Gate {gate.name}", _gate(gate))


def _gate(gate: Gate) -> Iterator[str]:
    yield sentence(gate.title)
    yield sentence(gate.doc)
    for action in ("read", "search"):
        if all(rule.action != action for rule in gate.rules):
            yield f"It says nothing on {action}, so it permits every {action}."
    yield "What no rule permits is closed; a forbid beats every permit."
    yield from _rules(gate.rules, len(gate.rules))


def _rules(rules: Iterable[Rule], most: int) -> Iterator[str]:
    listed = list(rules)
    for rule in listed[:most]:
        condition = "" if rule.when is None else f" when {rule_text(rule.when)}"
        name = f' "{rule.name}"' if rule.name else ""
        because = f" Because: {sentence(rule.because)}" if rule.because else ""
        yield f"- {rule.effect} {rule.action}{name}{condition}{because}"
    if len(listed) > most:
        yield f"- and {len(listed) - most} more rules, on the gate's own page"


def _subsystem_pages(program: Program) -> Iterator[Artifact]:
    for name in program.subsystems:
        yield page(f"subsystem/{name}", f"Subsystem {name}", _subsystem(program, name))


def _subsystem(program: Program, name: str) -> Iterator[str]:
    yield f"Artifacts of {name} are found by a search in {name}, or in all open subsystems."
    lists = (
        f"{role.name} ({key})"
        for role in program.roles
        for key, values in sorted(role.lists.items())
        if name in values
    )
    yield named("In the lists of the roles", lists)
    types = (t for t in program.event_types if name in _kinds(t))
    yield named("Event types that name artifacts of this kind", (_labelled(t) for t in types))
    specs = (s.name for s in program.silences if any(p.subsystem == name for p in s.searches))
    yield named("Where these expected records would stand", specs)


def _event_pages(program: Program) -> Iterator[Artifact]:
    for declared in program.event_types:
        yield page(
            f"event/{declared.name}", f"Event type {declared.name}", _event(program, declared)
        )


def _event(program: Program, declared: EventType) -> Iterator[str]:
    yield f"Texts call it: {declared.label}."
    yield sentence(declared.doc)
    yield named("Fields", (f"{name} ({kind})" for name, kind in declared.fields))
    yield named("Kinds of artifacts", _kinds(declared))
    yield named("Told apart by", declared.key_fields)
    if declared.found_by is not None:
        yield f"Its record would be found by a search for: {hole_text(declared.found_by)}"
    name = declared.name
    causes = (link.name for link in program.links if link.cause.event_type == name)
    yield named("It may be the cause in", causes)
    effects = (link.name for link in program.links if link.effect.event_type == name)
    yield named("It may be the effect in", effects)
    expected = (spec.name for spec in program.silences if spec.expected.event_type == name)
    yield named("It is expected by", expected)


def _kinds(declared: EventType) -> tuple[str, ...]:
    """The fields that hold artifacts."""
    return tuple(name for name, kind in declared.fields if _holds_artifacts(kind))


def _holds_artifacts(kind: Type) -> bool:
    return kind.name == "artifact" or (kind.item is not None and kind.item.name == "artifact")


def _labelled(declared: EventType) -> str:
    label = declared.label
    return declared.name if label == declared.name else f"{label} ({declared.name})"
