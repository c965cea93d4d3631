"""A program as JSON and back."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.diagnostics import Span
from groundeval.ir import expressions as ir
from groundeval.ir.codec import NODES, SCHEMA, RulesFormatError, decode, encode, from_json, to_json
from groundeval.ir.types import BOOL, JSON, NUMBER, TEXT, Type, list_of, set_of
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse

names = st.text(max_size=8)
spans = st.builds(
    Span, names, st.integers(0, 99), st.integers(0, 99), st.integers(0, 99), st.integers(0, 99)
)
types = st.recursive(
    st.sampled_from([BOOL, NUMBER, TEXT, JSON, TEXT.maybe, Type("text", many=True)]),
    lambda inner: st.one_of(
        inner.map(list_of),
        inner.map(set_of),
        st.lists(st.tuples(names, inner), max_size=2).map(
            lambda fields: Type("record", fields=tuple(fields))
        ),
    ),
    max_leaves=4,
)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(allow_nan=False), st.text(max_size=8)
)
constants = st.one_of(scalars, st.lists(scalars, max_size=3).map(tuple))
leaves = st.one_of(
    st.builds(ir.Const, spans, types, constants), st.builds(ir.Var, spans, types, names)
)


def _grown(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    holes = st.builds(ir.Hole, inner, st.sampled_from([None, "date"]))
    kinds = st.sampled_from(["any", "count", "max"])
    return st.one_of(
        st.builds(ir.And, spans, types, inner, inner),
        st.builds(ir.Equal, spans, types, inner, inner, st.booleans(), st.booleans()),
        st.builds(ir.ArtifactField, spans, types, inner, names, st.none() | inner),
        st.builds(ir.Quantifier, spans, types, kinds, names, inner, inner),
        st.builds(ir.ListOf, spans, types, st.lists(inner, max_size=2).map(tuple)),
        st.builds(
            ir.RecordOf, spans, types, st.lists(st.tuples(names, inner), max_size=2).map(tuple)
        ),
        st.builds(ir.Text, spans, types, st.lists(names | holes, max_size=3).map(tuple)),
        st.builds(ir.Bind, spans, types, names, inner, inner),
        st.builds(ir.Call, spans, types, names, st.lists(inner, max_size=2).map(tuple)),
    )


expressions = st.recursive(leaves, _grown, max_leaves=8)
raw = st.recursive(
    scalars,
    lambda inner: st.one_of(
        st.lists(inner, max_size=3),
        st.lists(inner, max_size=3).map(tuple),
        st.dictionaries(names, inner, max_size=3),
        st.frozensets(st.text(max_size=4), max_size=3),
    ),
    max_leaves=8,
)


def through_text(value: object) -> Any:
    return from_json(json.loads(json.dumps(to_json(value))))


def typed(value: Any) -> Any:
    """The value with the types of everything in it: `1 == True == 1.0` is not the same."""
    if isinstance(value, dict):
        return {k: typed(v) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return type(value).__name__, [typed(v) for v in value]
    return type(value).__name__, value


@given(expressions)
def test_expressions_come_back_the_same(expression: ir.Expr) -> None:
    assert through_text(expression) == expression
    assert repr(through_text(expression)) == repr(expression)


@given(raw)
def test_raw_values_come_back_with_their_types(value: object) -> None:
    assert typed(through_text(value)) == typed(value)


DESK = """gev 1
domain desk
timezone "UTC"
observed from 2026-03-01 until 2026-04-01
subsystem tickets, wiki
role agent { reads: [tickets] }
actor `ann`: agent from 2026-03-02 { team: "a", tags: ["x", "y"] }
event opened "ticket" { ticket: artifact  count: number?  found by "ticket {ticket}" }
event solved { ticket: artifact }
gate access { permit read "own" when any p in artifact.participants: p == actor because "rule 1"
              permit search when search.subsystem in role.reads }
link l { cause a: opened where a.count > 1  effect b: solved  join a.ticket == b.ticket and a.at < b.at
         within 7d  evidence a.ticket or b.ticket  premise "the {a.ticket}" }
silence s { after a: opened  expect b: solved  join a.ticket == b.ticket  within 1h30m
            search wiki for "solution {a.ticket}"  fetch a.ticket }
source events "log/*.jsonl" { id = .id  at = .at  type = "x"  skip when .n >= 2.5 }
""".replace('team: "a", tags', 'team: "a"  tags')


def test_a_whole_program_comes_back_the_same() -> None:
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": DESK}))
    assert checked.value is not None, [str(d) for d in checked.diagnostics]
    document = json.loads(json.dumps(encode(checked.value)))
    assert document["schema"] == SCHEMA
    assert decode(document) == checked.value
    assert repr(decode(document)) == repr(checked.value)
    assert encode(decode(document)) == encode(checked.value)


def test_every_node_has_a_tag_of_its_own() -> None:
    assert {"Program", "Track", "Test", "Const", "Type", "Actor", "RoleDefinition"} <= NODES.keys()
    assert all(name == node.__name__ for name, node in NODES.items())


@pytest.mark.parametrize(
    "document",
    [
        None,
        {"schema": "groundeval.rules/2", "program": []},
        {"schema": SCHEMA},
        {"schema": SCHEMA, "program": {"node": "Const", "value": 1}},
        {"schema": SCHEMA, "program": {"node": "Unheard"}},
        {"schema": SCHEMA, "program": {"node": "Stint", "role": "r"}},
        {"schema": SCHEMA, "program": {"at": [1, 2]}},
        {"schema": SCHEMA, "program": {"what": []}},
        {"schema": SCHEMA, "program": {"a": 1, "b": 2}},
    ],
)
def test_what_is_no_program_is_refused(document: object) -> None:
    with pytest.raises(RulesFormatError):
        decode(document)


def test_what_a_later_version_adds_is_ignored() -> None:
    stint = to_json(from_json({"node": "Stint", "role": "r", "added": [1]}))
    assert stint == {"node": "Stint", "role": "r"}


def test_what_is_no_value_of_a_program_is_a_mistake_of_ours() -> None:
    with pytest.raises(TypeError, match="object"):
        to_json(object())
