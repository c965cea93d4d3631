"""`question` blocks: a domain's own wordings for the tracks that it uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.ir import program as ir
from groundeval.ir.expressions import Text
from groundeval.ir.types import ACTOR, ROLE, TIME
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.suggestions import did_you_mean
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast

if TYPE_CHECKING:
    from groundeval.semantics.elaborate import Elaborator


def wordings(
    declared: Declared, tracks: Sequence[ir.Track], elaborator: Elaborator, findings: Findings
) -> tuple[tuple[str, tuple[Text, ...]], ...]:
    """The wordings by track id, each track's in the order of their places."""
    asks = {t.id: t.ask for t in tracks}
    found: dict[str, list[Text]] = {}
    for block in declared.all(ast.QuestionBlock):
        if block.track not in elaborator.symbols.tracks:
            message = f"no track `{block.track}` is in use"
            help_ = did_you_mean(block.track, elaborator.symbols.tracks)
            help_ = help_ or f"add `use tracks.{block.track}`"
            findings.add(codes.UNKNOWN_TRACK, message, block.track_span, "", help_)
            continue
        if not block.wordings:
            message = f"the question `{block.track}` has no `text`"
            findings.add(codes.MISSING_CLAUSE, message, block.span)
        if block.track in asks:
            scope = wording_scope(asks[block.track])
            texts = (elaborator.text(w.text, scope) for w in block.wordings)
            found.setdefault(block.track, []).extend(texts)
    return tuple((track, tuple(found[track])) for track in sorted(found))


def wording_scope(ask: ir.Ask | None) -> Scope:
    """What a wording may read: `about`, `actor`, `role` and `as_of`, as the track binds them."""
    variables: Mapping[str, Variable] = {}
    if ask is not None:
        variables = {
            **({"about": Variable("about", ask.about.type)} if ask.about else {}),
            **({"actor": Variable("actor", ACTOR)} if ask.actor else {}),
            **({"role": Variable("role", ROLE)} if ask.actor else {}),
            **({"as_of": Variable("as_of", TIME)} if ask.as_of else {}),
        }
    return Scope(variables=variables, functions=frozenset({"anywhere", "truth"}), place="a wording")
