"""Random expressions: what is well typed elaborates without a finding, to a closed tree."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.diagnostics import Source
from groundeval.functions import FUNCTIONS
from groundeval.ir import expressions as ir
from groundeval.ir.walk import nodes, reads
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.symbols import Findings
from groundeval.syntax.parser import parse_expression
from tests.semantics.desk_names import SCOPE, SYMBOLS, elaborated, with_lets
from tests.semantics.test_elaborate import BAD

LETS = with_lets("""
let later(a, b) = a > b
let known(v) = v.at <= as_of and not empty(v.artifacts)
let any_known(vs) = any v in vs: known(v)
let both = ok and maybe
""")

_LEAVES = {
    "bool": [
        "ok",
        "maybe",
        "true",
        "answer.exists",
        "e.severity is missing",
        "holds(lead)",
        "both",
    ],
    "number": ["n", "1", "0.5", "e.hours", "size(cited)"],
    "time": ["as_of", "e.at", "2026-03-05", "e.due", "artifact.created"],
    "duration": ["7d", "1h30m", "s.window"],
    "text": ['"a"', "e.severity", "e.label", "artifact.title"],
    "artifact": ["artifact", "e.jira", '"GIT-1"'],
    "artifacts": ["cited", "opened_ids", "e.artifacts", "answer.items", "[artifact]"],
    "events": ["artifact.events"],
}

_BUILT = {
    "bool": [
        "(not {bool})",
        "({bool} and {bool})",
        "({bool} or {bool})",
        "({bool} ?? {bool})",
        "(if {bool} then {bool} else {bool})",
        "({number} < {number})",
        "({time} >= {time})",
        "({duration} == {duration})",
        "({text} != {text})",
        "({artifact} in {artifacts})",
        "({artifact} == {artifact})",
        "({artifacts} overlaps {artifacts})",
        '({text} matches "a+")',
        "(any k in {artifacts}: k == {artifact} or {bool})",
        "(all k in {events}: k.at > {time})",
        "empty({artifacts})",
        "later({time}, {time})",
        "later({number}, {number})",
        "any_known({events})",
        "same_label({text}, {text})",
    ],
    "number": [
        "({number} + {number})",
        "({number} / {number})",
        "({duration} / {duration})",
        "(-{number})",
        "(if {bool} then {number} else {bool})",
        "(share k in {artifacts}: {bool})",
        "(count k in {events}: known(k))",
        "(sum k in {events}: {number})",
        "(max k in {artifacts}: {bool})",
        "max({number}, {number})",
        "(recall({artifacts}, {artifacts}) ?? {number})",
    ],
    "time": ["({time} + {duration})", "({time} - {duration})", "(max k in {events}: k.at)"],
    "duration": ["({time} - {time})", "({duration} * {number})", "(-{duration})"],
    "text": ['"x {{{text}}} y"', "(if {bool} then {text} else {text})"],
    "artifact": ["(first k in {artifacts}: {bool})", "({artifact} ?? {artifact})"],
    "artifacts": [
        "({artifacts} | {artifacts})",
        "({artifacts} - {artifacts})",
        "({artifacts} & {artifacts})",
        "{{ k for k in {artifacts} if {bool} }}",
        "[k for k in {artifacts}]",
        "(if {bool} then {artifacts} else [])",
    ],
    "events": ["[k for k in {events} if {bool}]"],
}


@st.composite
def expressions(draw: st.DrawFn, kind: str, depth: int = 3) -> str:
    """The text of an expression of that kind."""
    if depth == 0 or draw(st.integers(0, 3)) == 0:
        return draw(st.sampled_from(_LEAVES[kind]))
    template = draw(st.sampled_from(_BUILT[kind]))
    text = template
    for part, leaves in _LEAVES.items():
        while "{" + part + "}" in text.replace("{{", "").replace("}}", ""):
            inner = draw(expressions(part, depth - 1))
            if '"' in template:
                inner = draw(st.sampled_from([t for t in leaves if '"' not in t]))
            text = text.replace("{" + part + "}", inner.replace("{", "{{").replace("}", "}}"), 1)
    return text.replace("{{", "{").replace("}}", "}")


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(sorted(_LEAVES)).flatmap(expressions))
def test_what_is_well_typed_has_no_finding_and_is_closed(text: str) -> None:
    found, findings = elaborated(text, LETS)
    assert [f.message for f in findings] == []
    assert reads(found) <= {v.name for v in SCOPE.variables.values()}
    bound = [
        n.name if isinstance(n, ir.Bind) else n.variable
        for n in nodes(found)
        if isinstance(n, ir.Quantifier | ir.Comprehension | ir.Bind)
    ]
    assert len(bound) == len(set(bound))
    assert not set(bound) & {v.name for v in SCOPE.variables.values()}
    for node in nodes(found):
        assert node.type.name != "error"
        if isinstance(node, ir.Call):
            function = FUNCTIONS[node.function]
            assert len(node.arguments) == len(function.parameters)


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(BAD), expressions("bool"), st.sampled_from(["and", "or"]), st.booleans())
def test_one_slip_among_right_things_is_one_finding(
    slip: tuple[str, object, str, str], right: str, word: str, first: bool
) -> None:
    wrong = f"same({slip[0]}, missing)"
    sides = (wrong, right) if first else (right, wrong)
    text = f"({sides[0]}) {word} ({sides[1]})"
    _, findings = elaborated(text, LETS)
    assert len(findings) == 1


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.sampled_from(
            [
                "e",
                "n",
                "ok",
                "cited",
                "artifact",
                "actor",
                "role",
                "missing",
                "1",
                "7d",
                "2026-03-05",
                '"t"',
                "[]",
                "(",
                ")",
                ".",
                "+",
                "-",
                "*",
                "/",
                "|",
                "&",
                "==",
                "<",
                "in",
                "overlaps",
                "not",
                "and",
                "or",
                "??",
                "is",
                "any",
                "x",
                ":",
                "if",
                "then",
                "else",
                "size",
                "same",
                "jira",
                "id",
                "at",
                "facts",
                "{",
                "}",
                "for",
                "holds",
                "lead",
                "visible",
                ",",
                "l",
                "s",
                "as_of",
            ]
        ),
        max_size=12,
    )
)
def test_nothing_that_parses_makes_elaboration_raise(words: list[str]) -> None:
    parsed = parse_expression(Source("desk.gev", " ".join(words)))
    if parsed.value is not None:
        findings = Findings()
        found = Elaborator(LETS, findings).expr(parsed.value, SCOPE)
        assert found.type.name != "error" or findings.all
        constants = Findings()
        Elaborator(SYMBOLS, constants).constant(parsed.value, SCOPE, names_as_text=True)
