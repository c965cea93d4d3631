"""The compiled evaluator: expressions as Python functions that mean what `evaluator` says."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from groundeval.engine.codegen import Body, Module, add_function
from groundeval.engine.facts import of_type
from groundeval.ir.expressions import Expr
from groundeval.ir.program import Definition
from groundeval.ir.walk import reads


def compile_function(expr: Expr, params: tuple[str, ...]) -> Callable[..., Any]:
    """A function `f(host, *params)` that gives the value of `expr`.

    `params` are the variables that it reads, or more. Values must be what their types say; json
    and data fields of events may hold anything.
    """
    module = Module()
    name = add_function(module, expr, {param: f"p{n}" for n, param in enumerate(params)}, {})
    return module.load(name)


def compile_condition(expr: Expr, params: tuple[str, ...]) -> Callable[..., bool]:
    """A function `f(host, *params)` that says whether `expr` is true: never None."""
    module = Module()
    names = {param: f"p{n}" for n, param in enumerate(params)}
    return module.load(add_function(module, expr, names, {}, "true"))


def compile_block(
    definitions: Sequence[Definition],
    outputs: Sequence[Expr],
    params: tuple[str, ...],
    handed: Sequence[Definition] = (),
) -> Callable[..., tuple[Any, ...]]:
    """A function `f(host, *params)` that gives the values of `outputs`.

    These may read `definitions` by name, and each definition those before it; only what is needed
    is evaluated, once. `handed` are definitions whose values come in as parameters: they may be
    missing whatever their type says, since an answer's field is where the answer is malformed.
    """
    module = Module()
    names = {param: f"p{n}" for n, param in enumerate(params)}
    facts = {d.name: replace(of_type(d.value.type), maybe=True) for d in handed}
    body = Body(module, dict(names), facts)
    for definition in _needed(definitions, outputs):
        known = body.known(definition.value)
        text = body.name(body.value(definition.value))
        body.names = {**body.names, definition.name: text}
        body.facts = {**body.facts, definition.name: known}
    results = [body.value(output).text for output in outputs]
    head = f"def block({', '.join(['host', *names.values()])}):"
    module.functions.append(body.close(head, f"({''.join(f'{text}, ' for text in results)})"))
    return module.load("block")


def _needed(definitions: Sequence[Definition], outputs: Sequence[Expr]) -> list[Definition]:
    """The definitions that the outputs read, directly or not, in their order."""
    wanted = {name for output in outputs for name in reads(output)}
    kept: list[Definition] = []
    for definition in reversed(definitions):
        if definition.name in wanted:
            kept.append(definition)
            wanted |= reads(definition.value)
    return kept[::-1]
