"""The arguments of a call: put in order, and held against the function's parameters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.functions import ANY, Function, Parameter
from groundeval.ir import expressions as ir
from groundeval.ir.types import TEXT, Type
from groundeval.semantics.elaborate import texts
from groundeval.semantics.elaborate.types import comparable, describe, fits, is_error
from groundeval.semantics.elaborate.values import as_list, number
from groundeval.syntax import ast
from groundeval.world.time_forms import FIELDS, FormFault, time_form

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.semantics.scope import Scope


def argument(
    el: Elaborator, function: Function, parameter: Parameter, node: ast.Expr, scope: Scope
) -> ir.Expr:
    """One argument as its parameter wants it; after a finding, of type error."""
    if parameter.name == "gate" and parameter.type == TEXT:
        return _gate(el, node)
    if parameter.name == "form" and function.zoned:
        return _form(el, node)
    wanted = parameter.type
    found = el.visit(node, scope, _expected(wanted))
    shape = found.type
    if function.zoned and shape.name in {"time", "duration"}:
        return _unfit(el, function, parameter, found)
    if is_error(shape) or wanted == ANY:
        return found
    if shape.name in {"json", wanted.name} and wanted.name in {"number", "text"}:
        return (number(found) or found) if wanted.name == "number" else found
    if not wanted.is_collection and (shape.many or shape.name == "json"):
        return _several(el, function, found)
    listed = as_list(found) if wanted.is_collection else found
    if listed is not None and fits(listed.type, wanted):
        return listed
    return _unfit(el, function, parameter, found)


def of_one_kind(
    el: Elaborator, node: ast.Call, function: Function, values: tuple[ir.Expr, ...]
) -> bool:
    """Whether the collections that a function holds against each other can share a value."""
    if len(values) != 2 or any(p.type.item != ANY for p in function.parameters):
        return True
    a, b = (v.type for v in values)
    if comparable(a, b):
        return True
    message = f"`{function.name}` finds nothing in common: {describe(a)} and {describe(b)}"
    el.report(codes.WRONG_ARGUMENTS, node.span, message, "of two kinds")
    return False


def _expected(wanted: Type) -> Type | None:
    """What a parameter tells its argument: sets of anything are taken to hold texts."""
    if wanted == ANY:
        return None
    if wanted.item == ANY:
        return Type(wanted.name, TEXT)
    return wanted


def _gate(el: Elaborator, node: ast.Expr) -> ir.Expr:
    """The name of a gate: a literal, so that it can be checked here."""
    name = texts.plain_text(node) if isinstance(node, ast.Text) else None
    if isinstance(node, ast.Variable) and node.name in el.symbols.gates:
        name = node.name
    if name is None:
        el.report(
            codes.NOT_CONSTANT,
            node.span,
            "a gate is named by a plain text",
            "not the name of a gate",
            "write the name of a declared gate in quotes",
        )
        return el.bad(node.span)
    if name in el.symbols.gates:
        return ir.Const(node.span, TEXT, name)
    el.report(
        codes.UNKNOWN_GATE,
        node.span,
        f"there is no gate `{name}`",
        "not declared",
        did_you_mean(name, el.symbols.gates)
        or "the contract has no gates; `use policies.…` brings some in",
    )
    return el.bad(node.span)


def _form(el: Elaborator, node: ast.Expr) -> ir.Expr:
    """The form in which a time is written: a literal, so that it can be checked here."""
    written = texts.plain_text(node) if isinstance(node, ast.Text) else None
    if written is None:
        message = "the form of a time is a plain text"
        help_ = 'write it in place, as in `"DD-MM-YYYY"`'
        el.report(codes.NOT_CONSTANT, node.span, message, "not a plain text", help_)
        return el.bad(node.span)
    understood = time_form(written)
    if isinstance(understood, FormFault):
        message = f"`{written}` {understood.text}"
        help_ = f"the fields are {FIELDS}; what is no letter stands for itself"
        el.report(codes.BAD_TIME_FORM, node.span, message, "no form of a time", help_)
        return el.bad(node.span)
    return ir.Const(node.span, TEXT, written)


def _several(el: Elaborator, function: Function, found: ir.Expr) -> ir.Expr:
    el.report(
        codes.SEVERAL_VALUES,
        found.span,
        f"`{function.name}` takes one value, and data may hold several or of any kind",
        "perhaps several",
        f"walk it: `any x in …: {function.name}(… x …)`, with the field declared",
    )
    return el.bad(found.span)


def _unfit(el: Elaborator, function: Function, parameter: Parameter, found: ir.Expr) -> ir.Expr:
    shape, help_ = found.type, ""
    if parameter.type.name == "event" and shape.is_textual:
        help_ = "an event is meant, not its id"
    elif parameter.type.is_textual and shape.name == "event":
        help_ = "write `.id` for the event's id"
    elif parameter.type.is_collection and not shape.is_collection:
        help_ = "a list of one is written `[x]`"
    elif function.zoned and shape.name == "time":
        help_ = "this is a time already; leave the call out"
    elif shape.is_collection:
        help_ = f"walk it: `any x in …: {function.name}(… x …)`"
    el.report(
        codes.WRONG_ARGUMENTS,
        found.span,
        f"`{function.name}` takes {describe(parameter.type)} here, not {describe(shape)}",
        describe(shape),
        help_,
    )
    return el.bad(found.span)
