"""What a track asks: `ask for`, the gates it enforces, `answer`, `truth`, `balance`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.ir import expressions as ex
from groundeval.ir import program as ir
from groundeval.ir.types import ACTOR, ANSWER_TYPES, BOOL, MECHANISM, TEXT, TIME, Type
from groundeval.semantics.clauses import plain
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.elaborate.types import ERROR, describe, is_error
from groundeval.semantics.events import field_type
from groundeval.semantics.scope import Scope, Variable
from groundeval.semantics.symbols import Findings
from groundeval.semantics.track_scopes import ask_scope, truth_scope, with_variables
from groundeval.semantics.track_shares import hold_sum, share
from groundeval.syntax import ast

ABSTAIN: Final = "abstain"
"""The field that every answer has without being asked for it."""
_TAKEN: Final = frozenset({"about", "actor", "as_of", "truth"})
"""What binders cannot be called, because truths read something else by that name."""


@dataclass(frozen=True, slots=True)
class Asked:
    """`ask for` in the IR, with the scope that truths are elaborated in."""

    ask: ir.Ask
    scope: Scope


def asked(tree: ast.Ask, base: Scope, el: Elaborator) -> Asked:
    """Binders one after the other, then what the question is about."""
    scope, binders = ask_scope(base), list[ir.Binder]()
    bound: dict[str, Variable] = {}
    for binder in tree.binders:
        name = binder.variable.text
        _hold_binder(binder.variable, bound, el.findings)
        collection = el.expr(binder.collection, scope)
        item = _item(collection, el)
        bound[name] = Variable(name, item)
        scope = scope.with_variable(name, bound[name])
        binders.append(ir.Binder(name, collection))
    ask = ir.Ask(
        binders=tuple(binders),
        where=None if tree.where is None else el.condition(tree.where, scope),
        about=_about(tree, scope, el),
        actor=_part(tree.actor, ACTOR, scope, el),
        as_of=_part(tree.as_of, TIME, scope, el),
    )
    needed = (
        ("about", ask.about, "say what a question is about, as in `about s`"),
        ("as_of", ask.as_of, "say as of when a question is asked, as in `as_of t`"),
    )
    for keyword, value, help_ in needed:
        if value is None:
            lacks(f"`ask for` does not say `{keyword}`", tree.span, el.findings, help_)
    return Asked(ask, truth_scope(base, ask, bound))


def lacks(message: str, span: Span, findings: Findings, help: str = "") -> None:  # noqa: A002 - the field's name
    """Report a clause that a track needs."""
    findings.add(codes.MISSING_TRACK_CLAUSE, message, span, "", help)


def repeated(what: str, name: ast.Name, findings: Findings) -> None:
    """Report the second of two things of one name."""
    message = f"the {what} `{name.text}` stands twice"
    findings.add(codes.REPEATED_NAME, message, name.span, "the second")


def _hold_binder(name: ast.Name, bound: Mapping[str, Variable], findings: Findings) -> None:
    if name.text in bound:
        repeated("variable", name, findings)
    elif name.text in _TAKEN:
        message = f"a variable of `ask for` cannot be called `{name.text}`"
        help_ = f"truths read something of that name; call it `{name.text[0]}`"
        findings.add(codes.RESERVED_NAME, message, name.span, "taken", help_)


def _item(collection: ex.Expr, el: Elaborator) -> Type:
    shape = collection.type
    if is_error(shape):
        return shape
    if shape.is_collection and shape.item is not None:
        return shape.item
    el.report(
        codes.NO_COLLECTION,
        collection.span,
        f"`ask for` ranges over several values, not {describe(shape)}",
        describe(shape),
        "as in `e in events`",
    )
    return el.bad(collection.span).type


def _about(tree: ast.Ask, scope: Scope, el: Elaborator) -> ex.Expr | None:
    if tree.about is None:
        return None
    found = el.expr(tree.about, scope)
    shape = found.type
    if not is_error(shape) and (shape.is_collection or shape.name in {"json", "record"}):
        message = f"a question is about one thing of the model, not {describe(shape)}"
        el.report(codes.TYPE_MISMATCH, found.span, message, describe(shape))
    return found


def _part(node: ast.Expr | None, wanted: Type, scope: Scope, el: Elaborator) -> ex.Expr | None:
    if node is None:
        return None
    found = el.expr(node, scope, wanted)
    if not is_error(found.type) and found.type.name != wanted.name:
        message = f"{describe(wanted)} is needed here, not {describe(found.type)}"
        el.report(codes.TYPE_MISMATCH, found.span, message, describe(found.type))
    return found


def enforced(tree: ast.Enforce | None, el: Elaborator) -> tuple[str, ...] | None:
    """The gates that can be broken, None for all; a gate that is not declared is a finding."""
    names = [n.text for n in tree.gates] if tree is not None else ["all"]
    if names == ["all"]:
        return None
    if names == ["none"]:
        return ()
    found: list[str] = []
    for name in tree.gates if tree is not None else ():
        if name.text in found:
            repeated("gate", name, el.findings)
        elif name.text in el.symbols.gates:
            found.append(name.text)
        else:
            close = did_you_mean(name.text, el.symbols.gates)
            help_ = close or "`use policies.…` brings gates in; `enforce none` enforces none"
            message = f"there is no gate `{name.text}`"
            el.report(codes.UNKNOWN_GATE, name.span, message, "not declared", help_)
    return tuple(found)


def answer_fields(
    trees: Iterable[ast.Field], base: Scope, el: Elaborator
) -> tuple[ir.AnswerField, ...]:
    """The fields of an answer, in the order in which they are asked for."""
    found: dict[str, ir.AnswerField] = {}
    for tree in trees:
        name = tree.name.text
        if name == ABSTAIN:
            message = f"every answer has a field `{ABSTAIN}` already"
            el.report(codes.BAD_ANSWER_FIELD, tree.name.span, message, "taken", "leave it out")
        elif name in found:
            repeated("field", tree.name, el.findings)
        else:
            found[name] = _answer_field(tree, base, el)
    return tuple(found.values())


def _answer_field(tree: ast.Field, base: Scope, el: Elaborator) -> ir.AnswerField:
    choices: ex.Expr | None = None
    if isinstance(tree.type, ast.OneOf):
        choices = el.expr(tree.type.values, ask_scope(base), Type("list", TEXT))
        shape = _chosen(choices, el)
    else:
        before = len(el.findings.all)
        shape = field_type(tree.type, ANSWER_TYPES, el.findings)
        shape = shape if len(el.findings.all) == before else ERROR
    shape = replace(shape, optional=tree.optional)
    return ir.AnswerField(tree.name.text, shape, choices, tree.ignored, tree.doc)


def _chosen(choices: ex.Expr, el: Elaborator) -> Type:
    shape = choices.type
    item = shape.item if shape.is_collection else None
    if is_error(shape) or (item is not None and is_error(item)):
        return ERROR
    if item is None or not item.is_textual:
        message = f"`one of` takes a list of texts or ids, not {describe(shape)}"
        help_ = 'as in `one of ["a", "b"]` or `one of mechanisms`'
        el.report(codes.BAD_ANSWER_FIELD, choices.span, message, describe(shape), help_)
        return ERROR
    return MECHANISM if item.name == "mechanism" else Type(item.name)


def truth_fields(
    trees: Iterable[ast.Mapping], scope: Scope, el: Elaborator
) -> tuple[tuple[str, ex.Expr], ...]:
    """The fields of the truth; none reads another."""
    found: dict[str, ex.Expr] = {}
    for tree in trees:
        if tree.key.text in found:
            repeated("truth", tree.key, el.findings)
        else:
            found[tree.key.text] = el.expr(tree.value, scope)
    return tuple(found.items())


def truth_type(fields: Iterable[tuple[str, ex.Expr]]) -> Type:
    """The record that scores see."""
    return Type("record", fields=tuple((name, value.type) for name, value in fields))


EVERYTHING: Final = "all"
"""The one stratum of a track that says nothing of a balance."""


def strata(
    tree: ast.Balance | None, scope: Scope, truth: Type, el: Elaborator, whole: Span
) -> tuple[ir.Stratum, ...]:
    """The strata in their order, their shares adding up to 1; one that takes all without a block.

    `whole` is the track's place, for what stands nowhere.
    """
    if tree is None:
        return (ir.Stratum(EVERYTHING, 1.0, ex.Const(whole, BOOL, value=True)),)
    inner = with_variables(scope, "a stratum", {"truth": truth})
    found, names = list[ir.Stratum](), set[str]()
    shares = [share(s.share, el.findings) for s in tree.strata]
    hold_sum("shares", shares, tree.span, el.findings)
    for stratum, part in zip(tree.strata, shares, strict=True):
        name = plain(stratum.name, el.findings)
        if name in names:
            repeated("stratum", ast.Name(stratum.name.span, name), el.findings)
        names.add(name)
        condition = el.condition(stratum.condition, inner)
        found.append(ir.Stratum(name, float(part or 0), condition))
    return tuple(found)
