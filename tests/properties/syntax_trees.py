"""Random trees of the language, to be printed and read again."""

from __future__ import annotations

from typing import Literal

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from groundeval.diagnostics import Span
from groundeval.syntax import ast

AT = Span("a.gev", 1, 1, 1, 1)

words = st.sampled_from(
    ["a", "b1", "zoë", "나라", "हिन्दी", "search", "from", "text", "join", "let", "any", "count", "not",
     "in", "if", "true", "missing", "pairwise", "actor", "as_of", "_"]
)  # fmt: skip
odd = st.sampled_from(["GIT-801", "zoë@corp", "a b", "1", "#", '"', "{", "\\"])
# `any not in xs` is no quantifier: a name `not` comes in backticks
names = st.one_of(
    st.builds(ast.Name, st.just(AT), words.filter(lambda word: word != "not")),
    st.builds(ast.Name, st.just(AT), st.one_of(words, odd), st.just(True)),
)
variables = st.builds(ast.Variable, st.just(AT), st.one_of(words, odd))
NO_SURROGATES: tuple[Literal["Cs"]] = ("Cs",)
characters = st.characters(exclude_categories=NO_SURROGATES, exclude_characters="\x00")
plain = st.text(characters, min_size=1, max_size=8)
numbers = st.from_regex(r"[0-9]{1,4}(\.[0-9]{1,3})?", fullmatch=True, alphabet="0123456789.")
shares = st.builds(ast.Share, st.just(AT), numbers, st.none() | numbers)
constants = st.builds(ast.Constant, st.just(AT), st.sampled_from([True, False, None]))
literals = st.one_of(
    st.builds(ast.Number, st.just(AT), numbers),
    st.builds(ast.Duration, st.just(AT), st.sampled_from(["7d", "1h30m", "2w", "0s"])),
    st.builds(
        ast.InstantLiteral,
        st.just(AT),
        st.sampled_from(["2026-03-05", "2026-03-05T10:00Z", "2026-03-05T10:00:00.25+02:00"]),
    ),
)
patterns = st.sampled_from([(), (r"^\d{3}$",), (r"a\"b",), ("{}",)])
raw_fields = st.builds(ast.RawField, st.just(AT), st.none() | words | odd)


def node(kind: type[ast.Node], *parts: SearchStrategy[object]) -> SearchStrategy[ast.Node]:
    return st.builds(kind, st.just(AT), *parts)


def many(part: SearchStrategy[object], low: int = 0) -> SearchStrategy[tuple[object, ...]]:
    return st.lists(part, min_size=low, max_size=3).map(tuple)


def some(part: SearchStrategy[object]) -> SearchStrategy[object]:
    return st.none() | part


def expressions(
    leaf: SearchStrategy[object], names: SearchStrategy[object]
) -> SearchStrategy[object]:
    return st.recursive(leaf, lambda inner: _larger(inner, names), max_leaves=12)


def _larger(inner: SearchStrategy[object], names: SearchStrategy[object]) -> SearchStrategy[object]:
    compare = st.sampled_from(["==", "!=", "<", "<=", ">", ">="])
    binary = st.sampled_from(["+", "-", "|", "&", "*", "/"])
    kinds = ["any", "all", "count", "share", "first", "last", "sum", "mean", "min", "max"]
    argument = node(ast.Argument, some(names), inner)
    comprehension = node(
        ast.Comprehension, st.sampled_from(["list", "set"]), inner, names, inner, some(inner)
    )
    return st.one_of(
        node(ast.Not, inner),
        node(ast.Negate, inner),
        node(ast.And, inner, inner),
        node(ast.Or, inner, inner),
        node(ast.Coalesce, inner, inner),
        node(ast.Compare, compare, inner, inner),
        node(ast.Binary, binary, inner, inner),
        node(ast.Membership, inner, inner, st.booleans()),
        node(ast.Overlaps, inner, inner),
        node(ast.IsMissing, inner, st.booleans()),
        node(ast.If, inner, inner, inner),
        node(ast.Quantifier, st.sampled_from(kinds), names, inner, inner),
        comprehension,
        node(ast.Attribute, inner, names),
        node(ast.Index, inner, inner),
        node(ast.Call, inner, many(argument)),
        node(ast.ListLiteral, many(inner)),
        node(ast.Record, many(node(ast.Entry, names, inner))),
    )


# what stands in a hole holds no quote, so neither a text nor such a name
bare_variables = st.builds(ast.Variable, st.just(AT), words)
bare_names = words.flatmap(
    lambda word: st.builds(
        ast.Name,
        st.just(AT),
        st.just(word),
        st.just(value=True) if word == "not" else st.booleans(),
    )
)
in_holes = expressions(st.one_of(bare_variables, constants, literals), bare_names)
holes = st.builds(ast.Hole, st.just(AT), in_holes, st.none() | words)


def _alternate(parts: list[str | ast.Hole]) -> tuple[str | ast.Hole, ...]:
    """Plain parts that stand side by side are one."""
    joined: list[str | ast.Hole] = []
    for part in parts:
        if isinstance(part, str) and joined and isinstance(joined[-1], str):
            joined[-1] += part
        else:
            joined.append(part)
    return tuple(joined)


texts = st.builds(
    ast.Text, st.just(AT), st.lists(st.one_of(plain, plain, holes), max_size=3).map(_alternate)
)
matches = node(ast.Matches, variables, node(ast.Text, patterns))
exprs = expressions(st.one_of(variables, constants, literals, raw_fields, texts, matches), names)

records = node(ast.Record, many(node(ast.Entry, names, exprs)))
docs = st.sampled_from(["", "one line", "two\n  lines", "a\n\nb", "# sign"])
types = st.recursive(
    node(ast.NamedType, names, st.none()) | node(ast.OneOf, exprs),
    lambda inner: node(ast.NamedType, names, inner),
    max_leaves=3,
)
fields = node(ast.Field, names, types, st.booleans(), st.booleans(), docs)
mappings = node(ast.Mapping, names, exprs)
dotted = st.lists(st.sampled_from(["tracks", "silence", "x y", "let"]), min_size=1, max_size=3).map(
    ".".join
)
rules = node(
    ast.Rule, st.sampled_from(["permit", "forbid"]), names, some(texts), some(exprs), some(texts)
)
reasons = node(ast.Because, texts)
joins = node(ast.Join, exprs, st.booleans())
windows = node(ast.Within, exprs) | node(ast.Unless, exprs)


def _binding(*keywords: str) -> SearchStrategy[object]:
    return node(ast.Binding, st.sampled_from(keywords), names, names, some(exprs))


def _option(*keywords: str) -> SearchStrategy[object]:
    return node(ast.Option, st.sampled_from(keywords), names)


link_clauses = st.one_of(
    _binding("cause", "effect"),
    _option("match", "necessity", "outcome_changed"),
    joins,
    windows,
    node(ast.TiesInLogOrder),
    node(ast.Evidence, many(exprs, 1)),
    node(ast.Aka, many(texts, 1)),
    node(ast.Wording, st.sampled_from(["premise", "outcome"]), texts),
    reasons,
)
silence_clauses = st.one_of(
    _binding("after", "expect"),
    _option("match", "necessity"),
    joins,
    windows,
    node(ast.TiesInLogOrder),
    node(ast.SearchPlace, names, exprs),
    node(ast.FetchPlace, exprs),
    reasons,
)
wordings = node(ast.Wording, st.just("text"), texts)
lets = node(ast.Let, names, many(names), exprs)
items = (
    node(ast.Require, exprs)
    | node(ast.Component, texts, shares, some(exprs))
    | node(ast.Rounding, exprs)
)
track_clauses = st.one_of(
    node(ast.Param, names, exprs),
    node(ast.Ask, many(node(ast.Binder, names, exprs), 1), *[some(exprs)] * 4),
    node(ast.Enforce, many(names, 1)),
    node(ast.Answer, many(fields)),
    node(ast.Truth, many(mappings)),
    node(ast.Balance, many(node(ast.Stratum, texts, shares, exprs))),
    wordings,
    lets,
    node(ast.Score, names, some(exprs), many(items)),
    node(ast.Weights, many(node(ast.Weight, names, shares), 1)),
    node(ast.Verdict, st.sampled_from(["violation", "correct", "sound"]), exprs),
    node(ast.Rate, exprs, exprs),
    reasons,
)
statements = st.one_of(
    node(ast.Given, names, some(names), records, st.none()),
    node(ast.Given, names, st.none(), st.none(), texts),
    node(ast.Expect, exprs, many(names)),
)
modules = node(ast.Module, dotted, st.just(False)) | node(ast.Module, plain, st.just(True))
gates = st.one_of(
    node(ast.Gate, names, some(texts), many(rules), st.just(False), docs),
    node(ast.Gate, names, st.none(), many(rules), st.just(True), docs),
)
tests = st.one_of(
    node(ast.Test, texts, st.none(), st.none(), many(statements)),
    node(ast.Test, texts, dotted, st.just(AT), many(statements)),
)
stints = node(ast.Stint, names, some(exprs), some(exprs))
declarations = st.one_of(
    node(ast.Domain, names, some(texts), docs),
    node(ast.Timezone, texts),
    node(ast.Observed, exprs, exprs),
    node(ast.Use, many(modules, 1)),
    node(ast.Subsystems, many(names, 1)),
    node(ast.Role, names, many(names), records, docs),
    node(ast.Actor, names, many(stints, 1), some(records), docs),
    node(ast.EventType, names, some(texts), many(fields), some(texts), docs),
    node(
        ast.SourceBlock, names, texts, many(mappings),
        many(node(ast.Skip, exprs, some(texts))), docs,
    ),
    gates,
    node(ast.Link, names, some(texts), many(link_clauses), docs),
    node(ast.Silence, names, some(texts), many(silence_clauses), docs),
    node(ast.QuestionBlock, dotted, st.just(AT), many(wordings)),
    lets,
    node(ast.Track, names, some(texts), many(track_clauses), docs),
    tests,
)  # fmt: skip
trees = st.builds(ast.File, st.just(AT), st.just(1), many(declarations), st.just(()))


def shape(tree: object) -> object:
    """A tree as nested tuples, without its places."""
    match tree:
        case ast.Node():
            kept = [name for name in type(tree).__dataclass_fields__ if "span" not in name]
            return (type(tree).__name__, *(shape(getattr(tree, name)) for name in kept))
        case tuple():
            return tuple(shape(item) for item in tree)
        case _:
            return tree
