"""Python source from expressions: the plumbing, and which part of the generator does what.

An expression is emitted in one of three ways: for its value, or for whether it is true, or for
whether it is false. The last two are two-valued, so that Kleene's logic becomes plain `and` and
`or` wherever only one answer counts. What does not fit into a short expression is assigned to a
local first; what is nested deeply becomes a function of its own.

No text of a rule ever stands in the source: names are numbered, and every constant is an entry of
the table that the code runs with.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Literal

from groundeval.engine import codegen_logic, codegen_values, codegen_walks, dynamic
from groundeval.engine.facts import Facts, facts_of, item_facts
from groundeval.functions.text import show
from groundeval.ir import expressions as ir
from groundeval.ir.expressions import Expr
from groundeval.ir.walk import parts, reads
from groundeval.world.events import one_or_many

Mode = Literal["value", "true", "false"]
_DEEPEST_TEXT = 12
_DEEPEST_BLOCK = 10
_DEEPEST_WALK = 40
"""All far below what CPython's parser, its limit of nested blocks and its stack allow."""


_CLOSED = (
    ir.Const
    | ir.Not
    | ir.And
    | ir.Or
    | ir.Coalesce
    | ir.If
    | ir.IsMissing
    | ir.Equal
    | ir.Order
    | ir.Membership
    | ir.Overlaps
    | ir.Matches
    | ir.Arithmetic
    | ir.Negate
    | ir.ToNumber
    | ir.ListOf
    | ir.AsList
)
"""Nodes whose value is settled by their parts alone."""


@dataclass(frozen=True, slots=True)
class Code:
    """An expression in Python; `depth` is how deeply it nests, 0 for a name or a literal."""

    text: str
    depth: int = 1


def _runtime() -> dict[str, Any]:
    """The names that generated code may use besides its own."""
    names = {n: v for n, v in vars(dynamic).items() if callable(v) and not n.startswith("_")}
    return {
        **names,
        "show": show,
        "one_or_many": one_or_many,
        "EMPTY": frozenset(),
        "NEVER": float("inf"),
    }


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A function that is still to be written: the name it is called by, and what it does."""

    name: str
    node: Expr
    params: Mapping[str, str]
    facts: Mapping[str, Facts]
    mode: Mode


@dataclass(slots=True)
class Module:
    """Functions that are compiled together, and the constants they use."""

    functions: list[str] = field(default_factory=list)
    constants: dict[str, Any] = field(default_factory=dict)
    waiting: list[_Waiting] = field(default_factory=list)
    _texts: dict[str, str] = field(default_factory=dict)
    _count: int = 0

    def fresh(self, prefix: str) -> str:
        self._count += 1
        return f"{prefix}{self._count}"

    def constant(self, value: Any) -> str:
        """The name under which the generated code finds `value`."""
        if type(value) is not str:
            name = self.fresh("k")
            self.constants[name] = value
            return name
        if value not in self._texts:
            self._texts[value] = self.fresh("k")
            self.constants[self._texts[value]] = value
        return self._texts[value]

    @property
    def source(self) -> str:
        return "\n\n".join(self.functions)

    def finish(self) -> None:
        """Writes the functions that wait, one after another and not one inside another."""
        while self.waiting:
            task = self.waiting.pop()
            body = Body(self, dict(task.params), dict(task.facts))
            code = body.emit(task.node, task.mode)
            head = f"def {task.name}({', '.join(['host', *task.params.values()])}):"
            self.functions.append(body.close(head, code.text))

    def load(self, name: str) -> Callable[..., Any]:
        """The function of that name."""
        self.finish()
        namespace = {**_runtime(), **self.constants}
        exec(compile(self.source, "<rules>", "exec"), namespace)  # noqa: S102 - only our own words
        found: Callable[..., Any] = namespace[name]
        return found


@dataclass(slots=True)
class Body:
    """One function in the making: its lines so far and the names that its variables have."""

    module: Module
    names: dict[str, str]
    facts: dict[str, Facts]
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    depth: int = 0
    uses_world: bool = False
    fold: bool = True

    # --- lines

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def temporary(self, text: str) -> str:
        """A new local that holds what `text` gives."""
        name = self.module.fresh("t")
        self.line(f"{name} = {text}")
        return name

    def name(self, code: Code) -> str:
        """The code as something that may stand several times: a name or a literal."""
        return code.text if code.depth == 0 else self.temporary(code.text)

    @contextmanager
    def block(self, opening: str) -> Iterator[None]:
        """The lines within stand under `opening`, and there is always one."""
        self.line(opening)
        self.indent += 1
        before = len(self.lines)
        yield
        if len(self.lines) == before:
            self.line("pass")
        self.indent -= 1

    def apart(self, node: Expr, mode: Mode) -> tuple[list[str], Code]:
        """The code of `node` and, beside the lines so far, those it needs: one level deeper."""
        lines, self.lines = self.lines, []
        self.indent += 1
        code = self.emit(node, mode)
        self.indent -= 1
        lines, self.lines = self.lines, lines
        return lines, code

    @contextmanager
    def bound(self, variable: str, text: str, known: Facts) -> Iterator[None]:
        """Within, the rule's variable has this name and these facts."""
        names, facts = self.names, self.facts
        self.names = {**names, variable: text}
        self.facts = {**facts, variable: known}
        yield
        self.names, self.facts = names, facts

    def world(self) -> str:
        self.uses_world = True
        return "world"

    # --- expressions

    def value(self, node: Expr) -> Code:
        return self.emit(node, "value")

    def true(self, node: Expr) -> Code:
        return self.emit(node, "true")

    def false(self, node: Expr) -> Code:
        return self.emit(node, "false")

    def known(self, node: Expr) -> Facts:
        return facts_of(node, self.facts)

    def known_item(self, node: ir.Quantifier | ir.Comprehension) -> Facts:
        """The facts of what a comprehension gives for each item."""
        item = item_facts(self.known(node.collection))
        body = node.item if isinstance(node, ir.Comprehension) else node.body
        return facts_of(body, {**self.facts, node.variable: item})

    def emit(self, node: Expr, mode: Mode) -> Code:
        """The code of `node`, short enough to stand within another."""
        if self.indent > _DEEPEST_BLOCK or self.depth > _DEEPEST_WALK:
            return self._spilled(node, mode)
        self.depth += 1
        if self.fold and not isinstance(node, ir.Const) and is_constant(node):
            node = ir.Const(node.span, node.type, _folded(node))
        code = self._value(node) if mode == "value" else self._verdict(node, mode)
        self.depth -= 1
        return Code(self.temporary(code.text), 0) if code.depth > _DEEPEST_TEXT else code

    def _verdict(self, node: Expr, mode: Literal["true", "false"]) -> Code:
        found = codegen_logic.verdict(self, node, mode)
        if found is not None:
            return found
        known = self.known(node)
        if known.kind not in {"bool", None}:
            return Code("False", 0)
        value = self._value(node)
        if known.kind == "bool" and not known.maybe:
            return value if mode == "true" else Code(f"(not {value.text})", value.depth + 1)
        return Code(f"({value.text} is {mode.title()})", value.depth + 1)

    def _value(self, node: Expr) -> Code:
        match node:
            case ir.Not() | ir.And() | ir.Or() | ir.Coalesce() | ir.If() | ir.IsMissing():
                return codegen_logic.logic(self, node)
            case ir.Equal() | ir.Order() | ir.Membership() | ir.Overlaps() | ir.Matches():
                return codegen_logic.comparison(self, node)
            case ir.Quantifier() | ir.Comprehension():
                return codegen_walks.walk(self, node)
            case _:
                return codegen_values.value(self, node)

    def _spilled(self, node: Expr, mode: Mode) -> Code:
        """A call of a new function that does the work of `node`."""
        free = sorted(reads(node))
        params = {name: f"p{n}" for n, name in enumerate(free)}
        function = self.module.fresh("f")
        self.module.waiting.append(_Waiting(function, node, params, self.facts, mode))
        arguments = ", ".join(["host", *(self.names[name] for name in free)])
        return Code(f"{function}({arguments})")

    def close(self, head: str, result: str) -> str:
        """The source of the finished function."""
        world = ["    world = host.world"] if self.uses_world else []
        return "\n".join([head, *world, *self.lines, f"    return {result}"])


def add_function(
    module: Module,
    node: Expr,
    params: Mapping[str, str],
    facts: Mapping[str, Facts],
    mode: Mode = "value",
) -> str:
    """Adds the function `f(host, *params)` of an expression; returns its name."""
    name = module.fresh("f")
    module.waiting.append(_Waiting(name, node, params, facts, mode))
    module.finish()
    return name


def is_constant(node: Expr) -> bool:
    """Whether operators over constants are all there is."""
    pending = [node]
    while pending:
        part = pending.pop()
        if not isinstance(part, _CLOSED):
            return False
        pending.extend(parts(part))
    return True


def _folded(node: Expr) -> Any:
    """The value of a constant expression: its own code, run now."""
    module = Module()
    body = Body(module, {}, {}, fold=False)
    code = body.emit(node, "value")
    module.functions.append(body.close("def folded(host):", code.text))
    return module.load("folded")(None)
