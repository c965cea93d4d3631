"""`question` blocks: a domain's own wordings for the tracks that it uses."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.functions.registry import Where
from groundeval.ir import program as ir
from groundeval.ir.expressions import Text
from groundeval.ir.types import ROLE
from groundeval.semantics.declared import Declared
from groundeval.semantics.scope import Scope
from groundeval.semantics.symbols import Findings
from groundeval.semantics.track_scopes import asked_about, variables
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
    named = asked_about(ask) if ask is not None else {}
    if ask is not None and ask.actor is not None:
        named = {**named, "role": ROLE}
    functions: frozenset[Where] = frozenset({"anywhere", "truth"})
    return Scope(variables=variables(named), functions=functions, place="a wording")
