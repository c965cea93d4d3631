"""Silences: what is expected after a trigger, and where one would see that it is missing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from groundeval.diagnostics import codes
from groundeval.ir import program as ir
from groundeval.ir.expressions import Expr, Text
from groundeval.ir.types import ARTIFACT
from groundeval.semantics import pairs
from groundeval.semantics.clauses import Clauses, known, plain
from groundeval.semantics.collect import HANDBOOK
from groundeval.semantics.declared import Declared
from groundeval.semantics.links import names_artifacts
from groundeval.semantics.pairs import Pair
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

_MISPLACED: Final = {
    "cause": "that is a clause of a link",
    "effect": "that is a clause of a link",
    "match": "any response in the window ends a silence",
    "necessity": "that is a clause of a link",
    "outcome_changed": "that is a clause of a link",
    "premise": "that is a clause of a link",
    "outcome": "that is a clause of a link",
}


def silences(
    declared: Declared, elaborator: Elaborator, findings: Findings
) -> tuple[ir.Silence, ...]:
    """The silences by name; one without both sides is left out (and has been reported)."""
    found: dict[str, ir.Silence] = {}
    for tree in declared.all(ast.Silence):
        silence = _silence(tree, elaborator, findings)
        if silence is not None:
            found.setdefault(silence.name, silence)
    return tuple(found[name] for name in sorted(found))


def _silence(tree: ast.Silence, elaborator: Elaborator, findings: Findings) -> ir.Silence | None:
    clauses = Clauses(f"the silence `{tree.name.text}`", tree.name.span, tree.clauses, findings)
    clauses.refuse(_MISPLACED)
    sides = pairs.pair(clauses, "after", "expect", elaborator)
    if sides is None:
        return None
    because = clauses.one(ast.Because, "because")
    _needs_place(clauses)
    return ir.Silence(
        name=tree.name.text,
        title=plain(tree.title, findings) or tree.name.text.replace("_", " "),
        doc=tree.doc,
        trigger=sides.first,
        expected=sides.second,
        join=pairs.join(clauses, sides, elaborator),
        within=pairs.window(clauses, elaborator, "it proves nothing before the end of the log"),
        unless=pairs.unless(clauses, sides, elaborator),
        ties_in_log_order=clauses.one(ast.TiesInLogOrder, "ties in log order") is not None,
        searches=tuple(
            _search(s, sides, elaborator, findings) for s in clauses.all(ast.SearchPlace)
        ),
        fetches=tuple(_fetch(f, sides, elaborator, findings) for f in clauses.all(ast.FetchPlace)),
        because=None if because is None else plain(because.text, findings),
        span=tree.span,
    )


def _needs_place(clauses: Clauses) -> None:
    if not clauses.all(ast.SearchPlace) and not clauses.all(ast.FetchPlace):
        message = f"{clauses.owner} says nowhere to look"
        help_ = 'add `search SUBSYSTEM for "what the missing record would have said"` or `fetch X`'
        clauses.findings.add(codes.NO_PLACE, message, clauses.span, "", help_)


def _search(
    tree: ast.SearchPlace, sides: Pair, elaborator: Elaborator, findings: Findings
) -> ir.SearchPlace:
    symbols, name = elaborator.symbols, tree.subsystem
    if name.text == HANDBOOK:
        message = "looking into the handbook proves nothing"
        findings.add(codes.BAD_PLACE, message, name.span, "", "name a subsystem of the corpus")
    elif not symbols.open_subsystems:
        known(name, symbols.subsystems, codes.UNKNOWN_SUBSYSTEM, "subsystem", findings)
    return ir.SearchPlace(name.text, _place_text(tree.text, sides, elaborator, findings))


def _place_text(node: ast.Expr, sides: Pair, elaborator: Elaborator, findings: Findings) -> Text:
    """The text of a place, which always names something by which the record is told apart."""
    if isinstance(node, ast.Text):
        text = elaborator.text(node, sides.first_scope)
    else:
        hole = ast.Hole(node.span, node, None)
        text = elaborator.text(ast.Text(node.span, (hole,)), sides.first_scope)
    if all(isinstance(part, str) for part in text.parts):
        message = "the text of a place names nothing of the trigger"
        variable = sides.first.variable
        help_ = f"add a hole that tells this record from others, as in `{{{variable}.x}}`"
        findings.add(codes.BAD_PLACE, message, node.span, "", help_)
    return text


def _fetch(tree: ast.FetchPlace, sides: Pair, elaborator: Elaborator, findings: Findings) -> Expr:
    artifact = elaborator.expr(tree.artifact, sides.first_scope, ARTIFACT)
    if not names_artifacts(artifact.type):
        message = f"what is fetched is an artifact, not of type `{artifact.type}`"
        findings.add(codes.BAD_PLACE, message, artifact.span)
    return artifact
