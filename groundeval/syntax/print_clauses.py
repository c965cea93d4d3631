"""The clauses of blocks in their one layout."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias, assert_never

from groundeval.syntax import ast
from groundeval.syntax.print_expressions import (
    COALESCE,
    at,
    print_entry,
    print_expr,
    print_name,
    print_sum,
    print_text,
)
from groundeval.syntax.print_lines import block, field, mapping, short_block


def titled(name: ast.Name, title: ast.Text | None) -> str:
    """A name and its title, where it has one."""
    return print_name(name) + (f" {print_text(title)}" if title is not None else "")


def _because(text: ast.Text | None) -> str:
    return f" because {print_text(text)}" if text is not None else ""


def _optional(word: str, expr: ast.Expr | None) -> str:
    return f" {word} {print_expr(expr)}" if expr is not None else ""


def rule(node: ast.Rule) -> str:
    """A rule of a gate."""
    name = f" {print_text(node.name)}" if node.name is not None else ""
    when, because = _optional("when", node.when), _because(node.because)
    return f"{node.effect} {print_name(node.action)}{name}{when}{because}"


def skip(node: ast.Skip) -> str:
    """`skip when …` of a source."""
    return f"skip when {print_expr(node.condition)}{_because(node.because)}"


def let(node: ast.Let) -> str:
    """`let name(parameters) = …`, of a domain or a track."""
    parameters = f"({', '.join(map(print_name, node.parameters))})" if node.parameters else ""
    return f"let {print_name(node.name)}{parameters} = {print_expr(node.value)}"


# --- links and silences

_Shared: TypeAlias = (
    ast.Binding | ast.Join | ast.Within | ast.Unless | ast.Option | ast.TiesInLogOrder | ast.Because
)


def link_clause(node: ast.LinkClause) -> str:
    """A clause of a link."""
    match node:
        case ast.Evidence():
            return f"evidence {' or '.join(map(print_sum, node.alternatives))}"
        case ast.Aka():
            return f"aka {', '.join(map(print_text, node.names))}"
        case ast.Wording():
            return f"{node.keyword} {print_text(node.text)}"
        case _:
            return _shared_clause(node)


def silence_clause(node: ast.SilenceClause) -> str:
    """A clause of a silence."""
    match node:
        case ast.SearchPlace():
            return f"search {print_name(node.subsystem)} for {print_sum(node.text)}"
        case ast.FetchPlace():
            return f"fetch {print_sum(node.artifact)}"
        case _:
            return _shared_clause(node)


def _shared_clause(node: _Shared) -> str:
    match node:
        case ast.Binding():
            sides = f"{print_name(node.variable)}: {print_name(node.event_type)}"
            return f"{node.keyword} {sides}{_optional('where', node.where)}"
        case ast.Join():
            return f"join {'pairwise ' if node.pairwise else ''}{print_expr(node.condition)}"
        case ast.Within():
            return f"within {print_sum(node.duration)}"
        case ast.Unless():
            return f"unless {print_expr(node.condition)}"
        case ast.Option():
            return f"{node.keyword} {print_name(node.value)}"
        case ast.TiesInLogOrder():
            return "ties in log order"
        case ast.Because():
            return f"because {print_text(node.text)}"
        case _:
            assert_never(node)


# --- tracks

_Block: TypeAlias = ast.Answer | ast.Truth | ast.Balance | ast.Score
_Line: TypeAlias = (
    ast.Param | ast.Enforce | ast.Wording | ast.Let | ast.Weights | ast.Verdict | ast.Rate
    | ast.Because
)  # fmt: skip


def track_clause(node: ast.TrackClause) -> Iterable[str]:
    """A clause of a track, as lines."""
    match node:
        case ast.Ask():
            return _ask(node)
        case ast.Answer() | ast.Truth() | ast.Balance() | ast.Score():
            return _track_block(node)
        case _:
            return [_track_line(node)]


def _ask(node: ast.Ask) -> Iterable[str]:
    pairs = (f"{print_name(b.variable)} in {print_sum(b.collection)}" for b in node.binders)
    lines = [f"ask for {', '.join(pairs)}"]
    if node.where is not None:
        lines.append(f"  where {print_expr(node.where)}")
    for keyword, value in (("about", node.about), ("actor", node.actor), ("as_of", node.as_of)):
        if value is not None:
            lines.append(f"  {keyword} {print_sum(value)}")
    return lines


def _track_block(node: _Block) -> Iterable[str]:
    match node:
        case ast.Answer():
            return block("answer", (line for each in node.fields for line in field(each)))
        case ast.Truth():
            return block("truth", map(mapping, node.fields))
        case ast.Balance():
            return block("balance", map(_stratum, node.strata))
        case ast.Score():
            head = f"score {print_name(node.name)}{_optional('when', node.when)}"
            return block(head, map(_score_item, node.items))
        case _:
            assert_never(node)


def _stratum(node: ast.Stratum) -> str:
    return f"{print_text(node.name)} {_share(node.share)} when {print_expr(node.condition)}"


def _score_item(node: ast.Require | ast.Component | ast.Rounding) -> str:
    match node:
        case ast.Require():
            return f"require {print_expr(node.condition)}"
        case ast.Rounding():
            return f"round {print_sum(node.decimals)}"
        case ast.Component():
            return f"{print_text(node.name)} {_share(node.weight)}{_optional('of', node.value)}"
        case _:
            assert_never(node)


def _share(node: ast.Share) -> str:
    return node.numerator + (f"/{node.denominator}" if node.denominator is not None else "")


def _track_line(node: _Line) -> str:
    match node:
        case ast.Param():
            return f"param {print_name(node.name)} = {print_expr(node.value)}"
        case ast.Enforce():
            return f"enforce {', '.join(map(print_name, node.gates))}"
        case ast.Wording():
            return f"{node.keyword} {print_text(node.text)}"
        case ast.Let():
            return let(node)
        case ast.Weights():
            pairs = (f"{print_name(w.score)} {_share(w.weight)}" for w in node.weights)
            return f"weights {', '.join(pairs)}"
        case ast.Verdict():
            return f"{node.keyword} when {print_expr(node.condition)}"
        case ast.Rate():
            return f"rate {at(node.numerator, COALESCE)} of {at(node.denominator, COALESCE)}"
        case ast.Because():
            return f"because {print_text(node.text)}"
        case _:
            assert_never(node)


# --- tests


def statement(node: ast.Given | ast.Expect) -> Iterable[str]:
    """A statement of a test, as lines."""
    match node:
        case ast.Given():
            return _given(node)
        case ast.Expect():
            by = ".".join(map(print_name, node.by))
            return [f"expect {print_expr(node.condition)}{f' by {by}' if by else ''}"]
        case _:
            assert_never(node)


def _given(node: ast.Given) -> Iterable[str]:
    name = f" {print_name(node.name)}" if node.name is not None else ""
    head = f"given {print_name(node.kind)}{name}"
    if node.path is not None:
        return [f"{head} {print_text(node.path)}"]
    entries = node.record.entries if node.record is not None else ()
    return short_block(head, map(print_entry, entries))
