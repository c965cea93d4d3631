"""From the declarations of all files to the names of a program."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from groundeval.diagnostics import Span, codes
from groundeval.functions import FUNCTION_NAMES
from groundeval.functions.text import fold_label
from groundeval.semantics.clauses import place, plain
from groundeval.semantics.declared import Declared
from groundeval.semantics.events import event_symbols
from groundeval.semantics.roles import role_lists
from groundeval.semantics.settings import timezone
from groundeval.semantics.symbols import DataFacts, Findings, Symbols
from groundeval.syntax import ast

HANDBOOK = "handbook"
NO_MECHANISM = "none"
_RESERVED: Mapping[str, Mapping[str, str]] = {
    "subsystem": {HANDBOOK: "the handbook's subsystem, which no gate closes"},
    "gate": {
        "all": "what `enforce all` means by it",
        "none": "what `enforce none` means by it",
        "ungrounded": "how citations that were never opened are counted",
        "unproven": "how places that no step covered are counted",
    },
    "link": {NO_MECHANISM: "the answer where no mechanism holds"},
}


def collect(declared: Declared, data: DataFacts | None, findings: Findings) -> Symbols:
    """The names of a program, with a finding for each that is declared twice or is reserved.

    Of two declarations of one name the first one counts. Names that only the data have are there
    too where a `source` block supplies such names.
    """
    facts = data or DataFacts()
    closed = data is not None
    supplied = _supplied(declared)
    subsystems = _spans(
        "subsystem", (n for d in declared.all(ast.Subsystems) for n in d.names), findings
    )
    events = event_symbols(declared, facts if "events" in supplied else None, findings)
    lists = role_lists(declared)
    links, silences = _specs(declared, findings)
    _mechanisms(declared.all(ast.Link), findings)
    return Symbols(
        subsystems=_with_data(subsystems, facts.subsystems, "artifacts" in supplied, declared),
        roles=_with_data(
            _spans("role", (r.name for r in declared.all(ast.Role)), findings),
            facts.roles,
            bool({"actors", "stints", "roles"} & supplied),
            declared,
        ),
        role_lists=lists,
        actors=_with_data(
            _spans("actor", (a.name for a in declared.all(ast.Actor)), findings),
            facts.actors,
            bool({"actors", "events"} & supplied),
            declared,
        ),
        actor_attributes=_actor_attributes(declared),
        events=events,
        gates=_gates(declared, findings),
        gate_rules=_gate_rules(declared, findings),
        links=links,
        silences=silences,
        tracks=_tracks(declared, findings),
        lets=_lets(declared, findings),
        timezone=timezone(declared, findings),
        data=data,
        open_actors=bool({"actors", "events"} & supplied) and not closed,
        open_roles=bool({"actors", "stints", "roles"} & supplied) and not closed,
        open_subsystems="artifacts" in supplied and not closed,
        open_event_types="events" in supplied and not closed,
    )


def _supplied(declared: Declared) -> frozenset[str]:
    return frozenset(s.kind.text for s in declared.all(ast.SourceBlock))


def _spans(what: str, names: Iterable[ast.Name], findings: Findings) -> dict[str, Span]:
    found: dict[str, Span] = {}
    for name in names:
        _declare(found, name.text, name.span, what, findings)
        _reserved(what, name, findings)
    return found


def _declare(found: dict[str, Span], name: str, span: Span, what: str, findings: Findings) -> None:
    first = found.setdefault(name, span)
    if first is not span:
        message = f"the {what} `{name}` is declared twice"
        help_ = f"the first is at {place(first)}"
        findings.add(codes.DUPLICATE_NAME, message, span, "the second", help_)


def _reserved(what: str, name: ast.Name, findings: Findings) -> None:
    meaning = _RESERVED.get(what, {}).get(name.text)
    if meaning is not None:
        message = f"no {what} can be called `{name.text}`: that is {meaning}"
        findings.add(codes.RESERVED_NAME, message, name.span)


def _with_data(
    spans: dict[str, Span], found: frozenset[str], supplied: bool, declared: Declared
) -> Mapping[str, Span]:
    """The declared names and, where a `source` supplies such, those that the data have."""
    if not supplied:
        return spans
    somewhere = next(s.span for s in declared.all(ast.SourceBlock))
    return {**dict.fromkeys(sorted(found), somewhere), **spans}


def _actor_attributes(declared: Declared) -> frozenset[str]:
    written = {
        e.key.text for a in declared.all(ast.Actor) if a.attributes for e in a.attributes.entries
    }
    mapped = {m.key.text for s in declared.sources("actors") for m in s.mappings}
    return frozenset(written | (mapped - {"id", "role"}))


class OpenNames(dict[str, Span]):
    """Names of which any may exist: a file without a `domain` knows not what its users declare."""

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str)


def _gates(declared: Declared, findings: Findings) -> Mapping[str, Span]:
    gates = _spans("gate", (g.name for g in declared.gates), findings)
    return gates if declared.all(ast.Domain) else OpenNames(gates)


def _gate_rules(declared: Declared, findings: Findings) -> Mapping[str, frozenset[str]]:
    rules: dict[str, dict[str, Span]] = {g.name.text: {} for g in declared.gates}
    for gate in (*declared.gates, *declared.extensions):
        named = rules.setdefault(gate.name.text, {})
        for rule in gate.rules:
            if rule.name is not None:
                name = plain(rule.name, findings)
                what = f"rule of gate `{gate.name.text}`"
                _declare(named, name, rule.name.span, what, findings)
    return {gate: frozenset(named) for gate, named in rules.items()}


def _specs(declared: Declared, findings: Findings) -> tuple[dict[str, Span], dict[str, Span]]:
    """Links and silences; they share their names, since results are grouped by them."""
    both: dict[str, Span] = {}
    links, silences = dict[str, Span](), dict[str, Span]()
    specs: tuple[ast.Link | ast.Silence, ...] = (
        *declared.all(ast.Link),
        *declared.all(ast.Silence),
    )
    for spec in specs:
        what = "link or silence"
        _declare(both, spec.name.text, spec.name.span, what, findings)
        _reserved("link", spec.name, findings)
        own = links if isinstance(spec, ast.Link) else silences
        own.setdefault(spec.name.text, spec.name.span)
    return links, silences


def _mechanisms(links: Sequence[ast.Link], findings: Findings) -> None:
    """Names and aliases are compared by `same_label`, so no two links' may fold to the same."""
    names = [(link.name.text, link.name.span, link.name.text) for link in links]
    aliases = [
        (plain(text, findings), text.span, link.name.text)
        for link in links
        for clause in link.clauses
        if isinstance(clause, ast.Aka)
        for text in clause.names
    ]
    owners: dict[str, tuple[str, str]] = {fold_label(NO_MECHANISM): (NO_MECHANISM, "")}
    for name, span, link in names + aliases:
        other, owner = owners.setdefault(fold_label(name), (name, link))
        if owner != link and not (name == link == NO_MECHANISM):
            message = f"`{name}` and `{other}` are the same name for an answer"
            help_ = "names are compared without case, blanks, `-` and `_`"
            findings.add(codes.CONFUSABLE_MECHANISM, message, span, "", help_)


def _tracks(declared: Declared, findings: Findings) -> Mapping[str, Span]:
    found: dict[str, Span] = {}
    for track in declared.tracks:
        span = track.tree.name.span
        _declare(found, track.id, span, "track", findings)
        stem = track.module.rpartition(".")[2] if track.module else track.tree.name.text
        if track.tree.name.text != stem:
            message = f"the track of `{span.file}` is called `{track.tree.name.text}`"
            help_ = f"a track under `tracks/` is named like its file: `track {stem}`"
            findings.add(codes.TRACK_NAME, message, span, "", help_)
    return found


def _lets(declared: Declared, findings: Findings) -> Mapping[str, ast.Let]:
    found: dict[str, Span] = {}
    lets: dict[str, ast.Let] = {}
    for let in declared.all(ast.Let):
        _declare(found, let.name.text, let.name.span, "let", findings)
        lets.setdefault(let.name.text, let)
        if let.name.text in FUNCTION_NAMES:
            message = f"no let can be called `{let.name.text}`: that is a function"
            findings.add(codes.RESERVED_NAME, message, let.name.span)
        parameters: dict[str, Span] = {}
        for parameter in let.parameters:
            _declare(parameters, parameter.text, parameter.span, "parameter", findings)
    return lets
