"""How a function that rules may call is declared: signature, documentation, implementation."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from groundeval.ir.types import Type

Where = Literal["anywhere", "ask", "truth", "score"]
"""Where a call may stand: `ask for`, truths, scores; tests call what truths and scores may."""

ANY = Type("any")
"""A parameter that takes every type."""


@dataclass(frozen=True, slots=True)
class Parameter:
    name: str
    type: Type


@dataclass(frozen=True, slots=True)
class Function:
    """A function of the language.

    `key` is unique (`name/arity`); `call(host, *arguments)` is total: it never raises on values
    that the types allow, and None stands for missing. A None argument gives None without a call,
    unless `takes_missing`. A `method` is called as `first.name(rest)`; `hidden` functions have no
    spelling of their own (the checker inserts them). The last parameter of a `zoned` function is
    never written: the checker gives it the zone of the place, "" for none.
    """

    name: str
    parameters: tuple[Parameter, ...]
    result: Type
    doc: str
    call: Callable[..., Any]
    where: Where = "anywhere"
    takes_missing: bool = False
    method: bool = False
    hidden: bool = False
    zoned: bool = False

    @property
    def written(self) -> tuple[Parameter, ...]:
        """The parameters that a call names."""
        return self.parameters[:-1] if self.zoned else self.parameters

    @property
    def key(self) -> str:
        return f"{self.name}/{len(self.parameters)}"

    @property
    def signature(self) -> str:
        """As it is written in the documentation."""
        listed = ", ".join(f"{p.name}: {p.type}" for p in self.written)
        return f"{self.name}({listed}) -> {self.result}"


def function(
    signature: str, where: Where = "anywhere", **options: bool
) -> Callable[[Callable[..., Any]], Function]:
    """Declare the decorated callable as a function with `signature`, `f(a: type, …) -> type`.

    Types are written as in rules (`set<artifact>`, `number?`), and `any`. The result is the
    `Function`; nothing is registered anywhere: `functions.FUNCTIONS` lists them.
    """

    def declare(call: Callable[..., Any]) -> Function:
        name, parameters, result = _parse(signature)
        doc = (call.__doc__ or "").strip()
        return Function(name, parameters, result, doc, call, where, **options)

    return declare


_SIGNATURE = re.compile(r"(\w+)\((.*)\) -> (\S+)")


def _parse(signature: str) -> tuple[str, tuple[Parameter, ...], Type]:
    match = _SIGNATURE.fullmatch(signature)
    if match is None:
        raise ValueError(f"not a signature: {signature}")
    name, listed, result = match.groups()
    parts = [part.split(": ") for part in listed.split(", ") if part]
    return name, tuple(Parameter(n, _type(t)) for n, t in parts), _type(result)


def _type(text: str) -> Type:
    optional = text.endswith("?")
    text = text.removesuffix("?")
    if text.endswith(">"):
        name, inner = text[:-1].split("<", 1)
        return Type(name, _type(inner), optional=optional)
    return Type(text, optional=optional)
