"""Causal links."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Literal, TypeVar

from groundeval.diagnostics import codes
from groundeval.ir import program as ir
from groundeval.ir.expressions import Expr, Text
from groundeval.ir.types import Type
from groundeval.semantics import pairs
from groundeval.semantics.clauses import Clauses, place, plain, word
from groundeval.semantics.declared import Declared
from groundeval.semantics.pairs import Pair
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator

W = TypeVar("W", bound=str)
Match = Literal["first", "nearest", "every"]
Necessity = Literal["necessary", "each", "sufficient", "contributing"]
MATCHES: Final[tuple[Match, ...]] = ("first", "nearest", "every")
NECESSITIES: Final[tuple[Necessity, ...]] = ("necessary", "each", "sufficient", "contributing")
_TRUTHS: Final = ("true", "false")
_INHIBITING: Final = re.compile(
    r"(?<![^\W_])(?:prevent|block|inhibit|avert|suppress|thwart|avoid)(?:s|ed|ing|ped|ping|ion)?"
    r"(?![^\W_])",
    re.IGNORECASE,
)
_SILENCES_ONLY: Final = "that is a clause of a silence"


def links(declared: Declared, elaborator: Elaborator, findings: Findings) -> tuple[ir.Link, ...]:
    """The links by name; one without both sides is left out (and has been reported)."""
    found: dict[str, ir.Link] = {}
    for tree in declared.all(ast.Link):
        link = _link(tree, elaborator, findings)
        if link is not None:
            found.setdefault(link.name, link)
    _mixed(list(found.values()), findings)
    return tuple(found[name] for name in sorted(found))


def _link(tree: ast.Link, elaborator: Elaborator, findings: Findings) -> ir.Link | None:
    clauses = Clauses(f"the link `{tree.name.text}`", tree.name.span, tree.clauses, findings)
    clauses.refuse({"after": _SILENCES_ONLY, "expect": _SILENCES_ONLY})
    sides = pairs.pair(clauses, "cause", "effect", elaborator)
    if sides is None:
        return None
    because = clauses.one(ast.Because, "because")
    link = ir.Link(
        name=tree.name.text,
        title=plain(tree.title, findings) or tree.name.text.replace("_", " "),
        doc=tree.doc,
        cause=sides.first,
        effect=sides.second,
        join=pairs.join(clauses, sides, elaborator),
        within=pairs.window(clauses, elaborator, "an effect may come at any time after its cause"),
        unless=pairs.unless(clauses, sides, elaborator),
        match=_option(clauses, "match", MATCHES) or "first",
        necessity=_option(clauses, "necessity", NECESSITIES) or "necessary",
        ties_in_log_order=clauses.one(ast.TiesInLogOrder, "ties in log order") is not None,
        evidence=_evidence(clauses, sides, elaborator),
        aliases=tuple(plain(t, findings) for c in clauses.all(ast.Aka) for t in c.names),
        premise=_wording(clauses, "premise", sides, elaborator),
        outcome=_wording(clauses, "outcome", sides, elaborator),
        outcome_changed=_changed(clauses),
        because=None if because is None else plain(because.text, findings),
        span=tree.span,
    )
    _lint(link, clauses)
    return link


def _option(
    clauses: Clauses, keyword: Literal["match", "necessity", "outcome_changed"], words: Sequence[W]
) -> W | None:
    clause = clauses.one(ast.Option, keyword)
    return None if clause is None else word(clause.value, words, keyword, clauses.findings)


def _changed(clauses: Clauses) -> bool | None:
    written = _option(clauses, "outcome_changed", _TRUTHS)
    return None if written is None else written == "true"


def _wording(
    clauses: Clauses, keyword: Literal["premise", "outcome"], sides: Pair, elaborator: Elaborator
) -> Text | None:
    clause = clauses.one(ast.Wording, keyword)
    return None if clause is None else elaborator.text(clause.text, sides.both)


def _evidence(clauses: Clauses, sides: Pair, elaborator: Elaborator) -> tuple[Expr, ...]:
    clause = clauses.one(ast.Evidence, "evidence")
    if clause is None:
        return ()
    found = tuple(elaborator.expr(a, sides.both) for a in clause.alternatives)
    for alternative in found:
        if not names_artifacts(alternative.type):
            message = f"evidence is an artifact or several, not of type `{alternative.type}`"
            clauses.findings.add(codes.BAD_EVIDENCE, message, alternative.span)
    return found


def names_artifacts(shape: Type) -> bool:
    """Whether a value of this type can be an artifact's id, or a collection of them."""
    if shape.is_collection and shape.item is not None:
        return names_artifacts(shape.item)
    return shape.name in {"artifact", "text", "json", "error"}


def _lint(link: ir.Link, clauses: Clauses) -> None:
    option = clauses.one(ast.Option, "match")
    bounded = clauses.one(ast.Within, "within") is not None
    if link.match == "every" and not bounded and option is not None:
        message = "`match every` needs a `within`, or every later effect would be linked"
        clauses.findings.add(codes.UNBOUNDED_EVERY, message, option.span)
    if link.necessity != "contributing":
        spoken = _inhibiting_words(link)
        if spoken is not None:
            message = f"`{spoken}` speaks of preventing, but {clauses.owner} is {link.necessity}"
            help_ = (
                "a link makes its effect happen; one that holds it up is `necessity contributing`"
            )
            clauses.findings.add(codes.INHIBITING_LINK, message, clauses.span, "", help_)


def _inhibiting_words(link: ir.Link) -> str | None:
    outcome = [p for p in link.outcome.parts if isinstance(p, str)] if link.outcome else []
    for text in (link.name, *link.aliases, *outcome):
        found = _INHIBITING.search(text)
        if found is not None:
            return found.group()
    return None


def _mixed(found: Sequence[ir.Link], findings: Findings) -> None:
    """A warning where one type of effect has necessary and sufficient links: rarely meant."""
    for link in found:
        if link.necessity != "sufficient":
            continue
        for other in found:
            same = other.effect.event_type == link.effect.event_type
            if same and other.necessity in {"necessary", "each"}:
                message = (
                    f"`{link.effect.event_type}` has a sufficient cause by `{link.name}` "
                    f"and a necessary one by `{other.name}`"
                )
                help_ = f"it then needs both of them; `{other.name}` is at {place(other.span)}"
                findings.add(codes.MIXED_NECESSITY, message, link.span, "", help_)
