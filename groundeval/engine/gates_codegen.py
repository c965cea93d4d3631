"""Code for gates: rules in one function, with what needs only role and subsystem kept apart."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any, cast

from groundeval.engine.codegen import Body, Module
from groundeval.engine.facts import Facts
from groundeval.engine.gates import NOT_PERMITTED, PERMITTED, Action, Decision, Outcome
from groundeval.engine.gates_firsts import Memories
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.program import Gate, Rule
from groundeval.ir.types import BOOL, SUBSYSTEM
from groundeval.ir.walk import nodes, reads

PARAMS = {
    "read": ("actor", "role", "as_of", "artifact"),
    "search": ("actor", "role", "as_of", "search"),
}
_FACTS = {
    "actor": Facts("text", maybe=False),
    "role": Facts("object", maybe=False),
    "as_of": Facts("number", maybe=False),
    "artifact": Facts("text", maybe=False),
    "search": Facts("record", maybe=False),
}
_SUBSYSTEM = "subsystem of it"
"""The variable that stands for the subsystem in question; no rule can name it so."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """A rule that a missing field leaves unknown; naming the field is left to who asks."""

    outcome: Outcome
    rule: Rule


@dataclass(frozen=True, slots=True)
class _Clause:
    """A rule, and its condition as it is compiled."""

    rule: Rule
    when: Expr | None


class Cells(dict[Any, Any]):
    """What one gate makes of each (role view, subsystem) that has come up."""

    def __init__(self, make: Callable[..., Any], host: Host) -> None:
        super().__init__()
        self._make, self._host = make, host

    def __missing__(self, key: tuple[Any, Any]) -> Any:
        found = self[key] = self._make(self._host, *key)
        return found


def compile_gate(
    gate: Gate, action: Action, host: Host, memories: Memories, *, bare: bool
) -> Callable[..., Any]:
    """A function of `host` and the PARAMS of the action that gives the gate's decision.

    It gives a `Decision` or, where a field was missing, an `Undecided`; `bare`, it only says
    whether the action is permitted.
    """
    rules = [rule for rule in gate.rules if rule.action == action]
    if all(rule.when is None or _is_cell(rule.when) for rule in rules):
        return _table(rules, action, host, bare=bare)
    return _function(rules, action, host, memories, bare=bare)


def _function(
    rules: Sequence[Rule], action: Action, host: Host, memories: Memories, *, bare: bool
) -> Callable[..., Any]:
    """The rules as code, with a cell of values for what needs only role and subsystem."""
    names = {name: f"p{n}" for n, name in enumerate(PARAMS[action])}
    body = Body(Module(), dict(names), dict(_FACTS))
    split = _Split(body, memories)
    clauses = [_Clause(rule, None if rule.when is None else split(rule.when)) for rule in rules]
    if split.cells:
        cells = body.module.constant(Cells(_compile_parts(split.cells), host))
        split.bind_cells(f"{cells}[({names['role']}, {_subsystem(body, action)})]")
    _decide(body, clauses, bare=bare)
    head = f"def gate({', '.join(['host', *names.values()])}):"
    body.module.functions.append(body.close(head, _constant(body, NOT_PERMITTED, bare=bare)))
    return body.module.load("gate")


def _table(rules: Sequence[Rule], action: Action, host: Host, *, bare: bool) -> Callable[..., Any]:
    """A gate that needs only role and subsystem: each pair is decided once."""
    inner = Module()
    body = Body(inner, {"role": "p0", _SUBSYSTEM: "p1"}, dict(_FACTS))
    clauses = [
        _Clause(rule, None if rule.when is None else _with_variable(rule.when)) for rule in rules
    ]
    _decide(body, clauses, bare=bare)
    last = PERMITTED if not rules else NOT_PERMITTED
    inner.functions.append(
        body.close("def decided(host, p0, p1):", _constant(body, last, bare=bare))
    )
    module = Module()
    names = {name: f"p{n}" for n, name in enumerate(PARAMS[action])}
    outer = Body(module, dict(names), {})
    cells = module.constant(Cells(inner.load("decided"), host))
    result = f"{cells}[({names['role']}, {_subsystem(outer, action)})]"
    head = f"def gate({', '.join(['host', *names.values()])}):"
    module.functions.append(outer.close(head, result))
    return module.load("gate")


def _subsystem(body: Body, action: Action) -> str:
    """The subsystem of the artifact or the search at hand."""
    if action == "search":
        return f"{body.names['search']}.get({body.module.constant('subsystem')})"
    found, artifact = body.module.fresh("t"), body.names["artifact"]
    looked_up = f"({found} := {body.world()}.corpus.get({artifact}))"
    return f"({found}.subsystem if {looked_up} is not None else None)"


# --- the decision


def _decide(body: Body, clauses: Sequence[_Clause], *, bare: bool) -> None:
    """The lines that return what `gates.decide` says; without one, nothing is permitted."""
    _forbid(body, [clause for clause in clauses if clause.rule.effect == "forbid"], bare=bare)
    permits = [clause for clause in clauses if clause.rule.effect == "permit"]
    for clause in permits:
        condition = "True" if clause.when is None else body.true(clause.when).text
        with body.block(f"if {condition}:"):
            body.line(f"return {_constant(body, Decision('permitted', clause.rule), bare=bare)}")
    for clause in permits:
        if bare or clause.when is None or _is_strict(body, clause.when):
            continue
        with body.block(f"if not {body.false(clause.when).text}:"):
            body.line(f"return {_constant(body, Undecided('unknown', clause.rule), bare=bare)}")


def _forbid(body: Body, clauses: Sequence[_Clause], *, bare: bool) -> None:
    """True ones first, then unknown ones, since the former say more."""
    verdicts = [
        ("True" if clause.when is None else body.name(body.value(clause.when)), clause)
        for clause in clauses
    ]
    for name, clause in verdicts:
        with body.block(f"if {name} is True:"):
            body.line(f"return {_constant(body, Decision('forbidden', clause.rule), bare=bare)}")
    for name, clause in verdicts:
        if clause.when is not None and not _is_strict(body, clause.when):
            undecided = Undecided("forbidden", clause.rule)
            with body.block(f"if {name} is not False:"):
                body.line(f"return {_constant(body, undecided, bare=bare)}")


def _is_strict(body: Body, condition: Expr) -> bool:
    return body.known(condition) == Facts("bool", maybe=False)


def _constant(body: Body, decision: Decision | Undecided, *, bare: bool) -> str:
    if bare:
        return str(decision.outcome == "permitted")
    return body.module.constant(decision)


# --- what depends on role and subsystem alone


def _is_subsystem(node: Expr) -> bool:
    match node:
        case ir.ArtifactField(base=ir.Var(name="artifact"), name="subsystem", at=at):
            return at is None or (isinstance(at, ir.Var) and at.name == "as_of")
        case ir.RecordField(base=ir.Var(name="search"), name="subsystem"):
            return True
        case _:
            return False


def _with_variable(node: Expr) -> Expr:
    """The expression with the subsystem in question as a variable."""
    if _is_subsystem(node):
        return ir.Var(node.span, SUBSYSTEM.maybe, _SUBSYSTEM)
    values: dict[str, Any] = {f.name: _in_value(getattr(node, f.name)) for f in fields(node)}
    return replace(node, **values)


def _in_value(value: Any) -> Any:
    if isinstance(value, ir.ExprNode):
        return _with_variable(cast("Expr", value))
    if isinstance(value, ir.Hole):
        return replace(value, expr=_with_variable(value.expr))
    return tuple(map(_in_value, value)) if type(value) is tuple else value


def _is_cell(node: Expr) -> bool:
    """Whether the expression is settled by role and subsystem."""
    return reads(_with_variable(node)) <= {"role", _SUBSYSTEM}


class _Split:
    """Takes conditions apart.

    What is settled by role and subsystem becomes a cell, what turns true once is looked up in a
    memory, and the rest stays code.
    """

    def __init__(self, body: Body, memories: Memories) -> None:
        self._body, self._memories = body, memories
        self.cells: list[Expr] = []

    def __call__(self, node: Expr) -> Expr:
        """The condition with a variable for each part that is taken out."""
        if _is_cell(node):
            return self._cell(node)
        found = self._memories.of(node)
        if found is not None:
            return self._remembered(node, *found)
        match node:
            case ir.And() | ir.Or():
                left = self(node.left)
                return replace(node, left=left, right=self(node.right))
            case ir.Not():
                return replace(node, operand=self(node.operand))
            case _:
                return node

    def bind_cells(self, text: str) -> None:
        """`text` gives the values of the cells, in their order; one is got where it is needed."""
        cell = text if len(self.cells) == 1 else self._body.temporary(text)
        names = {_cell_name(n): f"{cell}[{n}]" for n in range(len(self.cells))}
        self._body.names = {**self._body.names, **names}

    def _cell(self, node: Expr) -> Expr:
        if not any(isinstance(part, ir.Var) for part in nodes(node)):
            return node
        self.cells.append(_with_variable(node))
        return ir.Var(node.span, BOOL.maybe, _cell_name(len(self.cells) - 1))

    def _remembered(self, node: Expr, form: str, memory: Any) -> Expr:
        body = self._body
        name = f"memory {body.module.constant(memory)}"
        params = {param: body.names[param] for param in PARAMS["read"]}
        text = form.format(memory=name.split()[1], **params)
        body.names = {**body.names, name: text}
        return ir.Var(node.span, BOOL, name)


def _cell_name(number: int) -> str:
    return f"cell {number}"


def _compile_parts(parts: Sequence[Expr]) -> Callable[..., tuple[Any, ...]]:
    module = Module()
    body = Body(module, {"role": "p0", _SUBSYSTEM: "p1"}, dict(_FACTS))
    texts = [f"truth({body.value(part).text}), " for part in parts]
    module.functions.append(body.close("def cell(host, p0, p1):", f"({''.join(texts)})"))
    return module.load("cell")
