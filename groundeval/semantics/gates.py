"""Gates: their rules, and those that `extend gate` adds."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final, Literal

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import program as ir
from groundeval.ir.expressions import Var
from groundeval.ir.types import ACTOR, ARTIFACT, ROLE, SUBSYSTEM, TEXT, TIME, Type
from groundeval.ir.walk import reads
from groundeval.semantics.clauses import known, plain
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

Action = Literal["read", "search"]
ACTIONS: Final[tuple[Action, ...]] = ("read", "search")
SEARCH = Type("record", fields=(("subsystem", SUBSYSTEM), ("query", TEXT)))
_COMMON: Mapping[str, Variable] = {
    "actor": Variable("actor", ACTOR),
    "role": Variable("role", ROLE),
    "as_of": Variable("as_of", TIME),
}
_OBJECT: Mapping[Action, Variable] = {
    "read": Variable("artifact", ARTIFACT),
    "search": Variable("search", SEARCH),
}


def gates(declared: Declared, elaborator: Elaborator, findings: Findings) -> tuple[ir.Gate, ...]:
    """The gates by name, each with its own rules and then those of its extensions by place."""
    symbols = elaborator.symbols
    added: dict[str, list[ast.Rule]] = {}
    for extension in declared.extensions:
        if _is_known(extension, symbols, findings):
            added.setdefault(extension.name.text, []).extend(extension.rules)
    found: dict[str, ir.Gate] = {}
    for tree in declared.gates:
        rules = (*tree.rules, *added.pop(tree.name.text, ()))
        found.setdefault(tree.name.text, _gate(tree, rules, elaborator, findings))
    for tree in declared.extensions:  # those whose gate only the users of this file have
        if tree.name.text in added:
            found[tree.name.text] = _gate(tree, added.pop(tree.name.text), elaborator, findings)
    return tuple(found[name] for name in sorted(found))


def hold_enforced(declared: Declared, gates: Iterable[ir.Gate], findings: Findings) -> None:
    """Report gates that look at an actor, named by tracks whose questions have none."""
    needing = {gate.name for gate in gates if gate.needs_actor}
    for clauses in (t.tree.clauses for t in declared.tracks):
        asks = [c for c in clauses if isinstance(c, ast.Ask)]
        if not asks or any(ask.actor is not None for ask in asks):
            continue
        enforced = (n for c in clauses if isinstance(c, ast.Enforce) for n in c.gates)
        for name in (n for n in enforced if n.text in needing):
            message = f"the gate `{name.text}` looks at an actor, and these questions have none"
            help_ = "say `actor …` in `ask for`, or leave the gate out of `enforce`"
            findings.add(codes.UNENFORCED_GATE, message, name.span, "never broken", help_)


def _is_known(extension: ast.Gate, symbols: Symbols, findings: Findings) -> bool:
    gates = symbols.gates
    if extension.name.text in gates:
        return True
    return known(extension.name, gates, codes.UNKNOWN_GATE, "gate", findings) is not None


def _gate(
    tree: ast.Gate, trees: Iterable[ast.Rule], elaborator: Elaborator, findings: Findings
) -> ir.Gate:
    written = tuple(trees)
    rules = tuple(r for t in written if (r := _rule(t, elaborator, findings)) is not None)
    _lint(tree, rules, written, findings)
    return ir.Gate(
        name=tree.name.text,
        title=plain(tree.title, findings) or tree.name.text,
        doc=tree.doc,
        rules=rules,
        needs_actor=any(r.when is not None and reads(r.when) & {"actor", "role"} for r in rules),
        span=tree.span,
    )


def _rule(tree: ast.Rule, elaborator: Elaborator, findings: Findings) -> ir.Rule | None:
    action = next((a for a in ACTIONS if a == tree.action.text), None)
    if action is None:
        message = f"no step of an agent is a `{tree.action.text}`"
        help_ = did_you_mean(tree.action.text, ACTIONS)
        findings.add(codes.UNKNOWN_ACTION, message, tree.action.span, "", help_)
        return None
    when = None if tree.when is None else elaborator.condition(tree.when, rule_scope(action))
    return ir.Rule(
        effect=tree.effect,
        action=action,
        name=None if tree.name is None else plain(tree.name, findings),
        when=when,
        because=None if tree.because is None else plain(tree.because, findings),
        span=tree.span,
    )


def rule_scope(action: Action) -> Scope:
    """What the condition of a rule may read."""
    thing = _OBJECT[action]
    return Scope(
        variables={**_COMMON, thing.name: thing},
        as_of=Var(_NOWHERE, TIME, "as_of"),
        place=f"a rule on `{action}`",
    )


_NOWHERE: Final = Span("", 0, 0, 0, 0)
"""The place of what nobody wrote: the instant at which a gate looks at an artifact."""


def _lint(
    tree: ast.Gate,
    rules: tuple[ir.Rule, ...],
    written: tuple[ast.Rule, ...],
    findings: Findings,
) -> None:
    if not written:
        message = f"the gate `{tree.name.text}` has no rule and so constrains nothing"
        findings.add(codes.EMPTY_GATE, message, tree.name.span)
    for action in ACTIONS if not tree.extends else ():
        effects = {r.effect for r in rules if r.action == action}
        if effects == {"forbid"}:
            message = f"the gate `{tree.name.text}` never permits a {action}, so it closes them all"
            help_ = f"what no rule permits is closed: add `permit {action}`"
            findings.add(codes.NEVER_PERMITS, message, tree.name.span, "", help_)
