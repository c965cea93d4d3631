"""A small contract's names, for tests that elaborate single expressions."""

from __future__ import annotations

from dataclasses import replace

from groundeval.diagnostics import Diagnostic, Source, Span
from groundeval.ir import expressions as ir
from groundeval.ir.types import (
    ACTOR,
    ARTIFACT,
    BOOL,
    CALL,
    EVENT,
    LINK,
    NUMBER,
    ROLE,
    SILENCE,
    TEXT,
    TIME,
    Type,
    list_of,
    set_of,
)
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.symbols import DataFacts, EventSymbol, Findings, Symbols
from groundeval.syntax import ast
from groundeval.syntax.parser import parse, parse_expression

HERE = Span("desk.gev", 1, 1, 1, 1)


def places(*names: str) -> dict[str, Span]:
    return dict.fromkeys(names, HERE)


EVENTS = {
    "opened": EventSymbol(
        "opened",
        "ticket",
        {
            "jira": ARTIFACT,
            "severity": TEXT,
            "due": TIME,
            "hours": NUMBER,
            "urgent": BOOL,
            "owner": ACTOR,
            "reviewers": set_of(ACTOR),
        },
        HERE,
    ),
    "closed": EventSymbol("closed", "closing", {"jira": ARTIFACT, "hours": TEXT}, HERE),
}

SYMBOLS = Symbols(
    subsystems=places("jira", "git", "slack"),
    roles=places("sales", "lead"),
    role_lists={"reads": frozenset({"jira"}), "hears": frozenset({"opened"})},
    actors=places("alice", "bob"),
    actor_attributes=frozenset({"team"}),
    events=EVENTS,
    gates=places("horizon", "subsystem", "actor"),
    gate_rules={"actor": frozenset({"privileged material"}), "horizon": frozenset()},
    links=places("leads_to"),
    silences=places("no_postmortem"),
    tracks={},
    lets={},
    timezone="UTC",
    data=None,
)

DATA = DataFacts(
    event_fields={
        "opened": frozenset({"jira", "severity", "channel"}),
        "closed": frozenset({"jira"}),
    },
    actors=frozenset({"carol"}),
    subsystems=frozenset({"jira", "git", "slack"}),
    artifact_attributes=frozenset({"owner"}),
)

_VARIABLES = {
    "actor": ACTOR,
    "role": ROLE,
    "artifact": ARTIFACT,
    "as_of": TIME,
    "s": SILENCE,
    "l": LINK,
    "calls": list_of(CALL),
    "cited": set_of(ARTIFACT),
    "opened_ids": set_of(ARTIFACT),
    "n": NUMBER,
    "ok": BOOL,
    "maybe": BOOL.maybe,
    "answer": Type(
        "record",
        fields=(
            ("exists", BOOL),
            ("items", set_of(ARTIFACT)),
            ("cause", Type("event_id", optional=True)),
        ),
    ),
}

SCOPE = Scope(
    variables={
        **{name: Variable(name, shape) for name, shape in _VARIABLES.items()},
        "e": Variable("e", EVENT, frozenset({"opened"})),
        "f": Variable("f", EVENT, frozenset({"closed"})),
        "x": Variable("x", EVENT),
    },
    functions=frozenset({"anywhere", "truth", "score"}),
    as_of=ir.Var(HERE, TIME, "as_of"),
    raw_answer=True,
    place="a test",
)


def with_lets(text: str, symbols: Symbols = SYMBOLS) -> Symbols:
    """`symbols` and the lets of a rule file's text (without its first line)."""
    tree = parse(Source("lets.gev", f"gev 1\n{text}")).value
    assert tree is not None
    lets = {d.name.text: d for d in tree.declarations if isinstance(d, ast.Let)}
    return replace(symbols, lets=lets)


def parsed(text: str) -> ast.Expr:
    found = parse_expression(Source("desk.gev", text))
    assert found.value is not None, [d.message for d in found.diagnostics]
    return found.value


def elaborated(
    text: str, symbols: Symbols = SYMBOLS, scope: Scope = SCOPE, expected: Type | None = None
) -> tuple[ir.Expr, list[Diagnostic]]:
    """The IR of an expression and everything that was found."""
    findings = Findings()
    found = Elaborator(symbols, findings).expr(parsed(text), scope, expected)
    return found, findings.all


def pointed_at(text: str, finding: Diagnostic) -> str:
    """The piece of a one-line text at the finding's place."""
    return text[finding.span.column - 1 : finding.span.end_column - 1]
