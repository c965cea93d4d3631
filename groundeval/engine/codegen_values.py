"""Code for everything that is neither logic nor a loop: fields, operations, texts, calls."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, assert_never

from groundeval.engine import codegen
from groundeval.functions import FUNCTIONS
from groundeval.ir import expressions as ir
from groundeval.ir.types import OBJECT_FIELDS, Type

if TYPE_CHECKING:
    from groundeval.engine.codegen import Body, Code

_Field: TypeAlias = (
    ir.Attribute
    | ir.RecordField
    | ir.Item
    | ir.EventField
    | ir.EventArtifacts
    | ir.ArtifactField
    | ir.ActorField
    | ir.RoleList
)
_Operation: TypeAlias = ir.Arithmetic | ir.Negate | ir.ToNumber | ir.SetOperation | ir.AsList
_Rest: TypeAlias = (
    _Field | _Operation | ir.Const | ir.Var | ir.ListOf | ir.RecordOf | ir.Text | ir.Bind | ir.Call
)
_ATTRIBUTES = {name: name for fields in OBJECT_FIELDS.values() for name in fields}
"""The attributes that may be spelled in the source, by what a rule calls them."""
_ARITHMETIC = {"+": "add", "-": "sub", "*": "mul", "/": "div"}
_WHOLE = {"time": "instant", "duration": "micros"}
_INLINE = {
    "size/1": "len({})",
    "empty/1": "(not {})",
    "max/2": "max({}, {})",
    "min/2": "min({}, {})",
    "before/2": "({}.n < {}.n)",
    "breaks/1": "host.breaks({}, None)",
    "breaks/2": "host.breaks({}, {})",
    "covered/1": "host.covered({})",
}
"""What functions come to that are not worth a call."""
_SETS = {"|": ("unite", "|"), "&": ("intersect", "&"), "-": ("subtract", "-")}


def value(body: Body, node: _Rest) -> Code:
    """The value of any node that is neither logic, comparison nor loop."""
    match node:
        case ir.Const():
            return codegen.Code(literal(body, node.value), 0)
        case ir.Var():
            return codegen.Code(body.names[node.name], 0)
        case ir.Bind():
            return _bind(body, node)
        case ir.ListOf():
            codes = [body.value(item) for item in node.items]
            inner = "".join(f"{code.text}, " for code in codes)
            return codegen.Code(f"({inner})", _depth(codes))
        case ir.RecordOf():
            codes = [body.value(entry) for _, entry in node.entries]
            names = [literal(body, name) for name, _ in node.entries]
            pairs = ", ".join(f"{n}: {c.text}" for n, c in zip(names, codes, strict=True))
            return codegen.Code(f"{{{pairs}}}", _depth(codes))
        case ir.Text():
            return _text(body, node)
        case ir.Call():
            return _call(body, node)
        case _:
            return _operation_or_field(body, node)


def _operation_or_field(body: Body, node: _Operation | _Field) -> Code:
    if isinstance(node, _Operation):
        return _operation(body, node)
    return _field(body, node)


def literal(body: Body, value: Any) -> str:
    """How a constant stands in the source: by a name, but for None, True and False."""
    if value is None or value is True or value is False:
        return str(value)
    return body.module.constant(value)


def _depth(codes: list[Code]) -> int:
    return max((code.depth for code in codes), default=0) + 1


def _bind(body: Body, node: ir.Bind) -> Code:
    known = body.known(node.value)
    name = body.name(body.value(node.value))
    with body.bound(node.name, name, known):
        return body.value(node.body)


def _guarded(body: Body, code: Code, maybe: bool, form: str) -> Code:
    """`form` with the code in it, or None where the code may be None and is."""
    if not maybe:
        return codegen.Code(form.format(code.text), code.depth + 1)
    name = body.name(code)
    return codegen.Code(f"({form.format(name)} if {name} is not None else None)", 2)


def _unless_missing(text: str, guards: Sequence[str]) -> str:
    """`text`, or None where any of the names `guards` is None."""
    known = " and ".join(f"{name} is not None" for name in guards)
    return f"({text} if {known} else None)" if known else text


# --- fields


def _field(body: Body, node: _Field) -> Code:
    if isinstance(node, ir.ArtifactField):
        return _artifact_field(body, node)
    code = body.value(node.base)
    known = body.known(node.base)
    match node:
        case ir.Attribute():
            spelled = _ATTRIBUTES.get(node.name)
            name = f"getattr({{}}, {literal(body, node.name)})"
            return _guarded(body, code, known.maybe, f"{{}}.{spelled}" if spelled else name)
        case ir.RecordField():
            key = literal(body, node.name)
            if known.kind == "record":
                return _guarded(body, code, known.maybe, f"{{}}.get({key})")
            return codegen.Code(f"record_field({code.text}, {key})", code.depth + 1)
        case ir.Item():
            at = body.value(node.key)
            return codegen.Code(f"item({code.text}, {at.text})", _depth([code, at]))
        case ir.EventField():
            return _guarded(body, code, known.maybe, _event_field(body, node))
        case ir.EventArtifacts():
            return _guarded(body, code, known.maybe, "{}.artifact_ids")
        case ir.ActorField():
            text = f"actor_field({body.world()}, {code.text}, {literal(body, node.name)})"
            return codegen.Code(text, code.depth + 1)
        case ir.RoleList():
            form = f"{{}}.lists.get({literal(body, node.name)}, EMPTY)"
            return _guarded(body, code, known.maybe, form)
        case _:
            assert_never(node)


def _event_field(body: Body, node: ir.EventField) -> str:
    name = literal(body, node.name)
    match node.part:
        case "any":
            return f"{{}}.field({name})"
        case "artifacts":
            return f"one_or_many({{}}.artifacts.get({name}))"
        case "facts":
            return f"one_or_many({{}}.facts.get({name}))"
        case "extra":
            return f"one_or_many({{}}.extra.get({name}))"
        case _:
            assert_never(node.part)


_STEADY = {"subsystem": "subsystem", "created": "created", "deleted": "deleted"}


def _artifact_field(body: Body, node: ir.ArtifactField) -> Code:
    base = body.value(node.base)
    known = body.known(node.base)
    at = None if node.at is None else body.value(node.at)
    instant = node.at is None or (
        body.known(node.at).kind == "number" and not body.known(node.at).maybe
    )
    if known.kind == "text" and not known.maybe and instant:
        if node.name in _STEADY:
            found = body.temporary(f"{body.world()}.corpus.get({base.text})")
            return codegen.Code(f"({found}.{_STEADY[node.name]} if {found} is not None else None)")
        when = "None" if at is None else at.text
        name = literal(body, node.name)
        text = f"{body.world()}.artifact_field({base.text}, {name}, {when})"
        return codegen.Code(text, _depth([base]) + (at.depth if at else 0))
    name = literal(body, node.name)
    if at is None:
        return codegen.Code(f"newest_field({body.world()}, {base.text}, {name})", base.depth + 1)
    text = f"artifact_field({body.world()}, {base.text}, {name}, {at.text})"
    return codegen.Code(text, _depth([base, at]))


# --- operations


def _operation(body: Body, node: _Operation) -> Code:
    match node:
        case ir.Arithmetic():
            left, right = body.value(node.left), body.value(node.right)
            text = f"{_ARITHMETIC[node.op]}({left.text}, {right.text})"
            return codegen.Code(typed(text, node.type), _depth([left, right]) + 1)
        case ir.Negate():
            code = body.value(node.operand)
            return codegen.Code(f"negative({code.text})", code.depth + 1)
        case ir.ToNumber():
            code, known = body.value(node.operand), body.known(node.operand)
            if known.kind == "bool" and not known.maybe:
                return codegen.Code(f"(1 if {code.text} else 0)", code.depth + 1)
            return codegen.Code(f"number_of({code.text})", code.depth + 1)
        case ir.SetOperation():
            return _set_operation(body, node)
        case ir.AsList():
            code, known = body.value(node.operand), body.known(node.operand)
            if known.kind == "list" and not known.maybe:
                return code
            return codegen.Code(f"as_list({code.text})", code.depth + 1)
        case _:
            assert_never(node)


def typed(text: str, shape: Type) -> str:
    """The code of a number as one of this type: see `values.in_whole_micros`."""
    function = _WHOLE.get(shape.name)
    return text if function is None else f"{function}({text})"


def _set_operation(body: Body, node: ir.SetOperation) -> Code:
    left, right = body.value(node.left), body.value(node.right)
    first, second = body.known(node.left), body.known(node.right)
    function, sign = _SETS[node.op]
    as_set = node.type.name == "set"
    plain = first.kind == second.kind == "set" and first.plain_item == second.plain_item == "text"
    if as_set and plain:
        texts, guards = [], []
        for code, known in ((left, first), (right, second)):
            texts.append(body.name(code) if known.maybe else code.text)
            guards += texts[-1:] if known.maybe else []
        depth = _depth([left, right]) + 1
        return codegen.Code(_unless_missing(f"({f' {sign} '.join(texts)})", guards), depth)
    return codegen.Code(f"{function}({left.text}, {right.text}, {as_set})", _depth([left, right]))


# --- texts and calls


def _text(body: Body, node: ir.Text) -> Code:
    pieces, guards = [], []
    for part in node.parts:
        if isinstance(part, str):
            pieces.append(literal(body, part))
            continue
        code, known = body.value(part.expr), body.known(part.expr)
        if known.maybe:
            code = codegen.Code(body.name(code), 0)
            guards.append(code.text)
        shape = literal(body, part.expr.type)
        plain = known.kind == "text"
        form = literal(body, part.format)
        pieces.append(code.text if plain else f"show({code.text}, {shape}, {form})")
    text = f'"".join(({"".join(f"{piece}, " for piece in pieces)}))'
    return codegen.Code(body.temporary(_unless_missing(text, guards)), 0)


def _call(body: Body, node: ir.Call) -> Code:
    function = FUNCTIONS[node.function]
    texts, guards = [], []
    for argument, parameter in zip(node.arguments, function.parameters, strict=True):
        code, known = body.value(argument), body.known(argument)
        unverified = argument.type.many or argument.type.name == "json"
        coercion = _coercion(parameter.type) if unverified else ""
        if coercion:
            code = codegen.Code(f"{coercion}({code.text})")
        if (known.maybe or coercion) and not function.takes_missing:
            code = codegen.Code(body.name(code), 0)
            guards.append(code.text)
        texts.append(code.text)
    inline = _INLINE.get(node.function)
    if inline is not None:
        text = inline.format(*texts)
    else:
        text = f"{body.module.constant(function.call)}({', '.join(['host', *texts])})"
    return codegen.Code(body.temporary(_unless_missing(text, guards)), 0)


def _coercion(wanted: Type) -> str:
    """The function that makes of an unverified value what a parameter takes; "" for none."""
    if wanted.name == "any":
        return ""
    if wanted.is_collection:
        return "collection"
    if wanted.is_textual:
        return "text_only"
    if wanted.name == "bool":
        return "truth"
    return "number_only" if wanted.name in {"number", "time", "duration"} else "nothing"
