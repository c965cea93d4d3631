"""What roles and actors carry for gates to read: a misspelt name there would never match."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import program as ir
from groundeval.ir.expressions import ActorField, Expr, Membership, Overlaps, RoleList
from groundeval.ir.types import NEVER, Type
from groundeval.ir.walk import nodes
from groundeval.semantics.declared import Declared
from groundeval.semantics.elaborate.comparisons import word_of
from groundeval.semantics.elaborate.vocabulary import Vocabulary, vocabulary
from groundeval.semantics.roles import Listed, listed
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.syntax import ast


@dataclass(slots=True)
class _Read:
    """The lists of roles that rules read, what each is searched for, and actors' attributes."""

    lists: dict[str, list[Type]] = field(default_factory=lambda: defaultdict(list))
    attributes: set[str] = field(default_factory=set)


def hold_carried(
    declared: Declared, gates: Iterable[ir.Gate], symbols: Symbols, findings: Findings
) -> None:
    """Report values that no rule can find in their list, and names close to one that is read."""
    read = _read(gates)
    for role in declared.all(ast.Role):
        for entry in role.lists.entries:
            _hold_name(entry.key, read.lists, "list", findings)
            kinds = [vocabulary(symbols, kind) for kind in read.lists.get(entry.key.text, ())]
            known = [kind for kind in kinds if kind is not None and kind.closed]
            if known and len(known) == len(kinds):
                for value in listed(entry, Findings()):
                    _hold_value(value, entry.key.text, known, symbols, findings)
    for actor in declared.all(ast.Actor):
        for entry in actor.attributes.entries if actor.attributes else ():
            _hold_name(entry.key, read.attributes, "attribute", findings)


def _read(gates: Iterable[ir.Gate]) -> _Read:
    read = _Read()
    for node in (n for g in gates for r in g.rules if r.when for n in nodes(r.when)):
        match node:
            case Membership(item=item, collection=RoleList(name=name)):
                read.lists[name].append(word_of(item))
            case Overlaps(left=RoleList(name=name), right=other):
                read.lists[name].append(_item(other))
            case Overlaps(left=other, right=RoleList(name=name)):
                read.lists[name].append(_item(other))
            case RoleList(name=name):
                read.lists[name] += ()
            case ActorField(name=name):
                read.attributes.add(name)
            case _:
                pass
    return read


def _item(found: Expr) -> Type:
    return found.type.item or NEVER


def _hold_name(
    key: ast.Name, read: Mapping[str, object] | set[str], what: str, findings: Findings
) -> None:
    close = nearest(key.text, read)
    if key.text not in read and not key.quoted and close is not None:
        message = f"no rule reads the {what} `{key.text}`"
        help_ = f"did you mean `{close}`? Another name stands in backticks"
        findings.add(codes.UNREAD_NAME, message, key.span, "never read", help_)


def _hold_value(
    value: Listed, key: str, known: list[Vocabulary], symbols: Symbols, findings: Findings
) -> None:
    """Names of another kind, and texts that are near misses; bare names were looked up already."""
    words = frozenset(_words(known))
    if value.value in words:
        return
    declared = value.value in symbols.subsystems or value.value in symbols.events
    if declared if value.is_name else nearest(value.value, words) is not None:
        kinds = " or ".join(sorted({k.what for k in known}))
        message = f"`{value.value}` in `{key}` is no {kinds}, and rules look for such there"
        help_ = did_you_mean(value.value, words)
        findings.add(codes.UNKNOWN_LISTED_NAME, message, value.span, "never found", help_)


def _words(known: Iterable[Vocabulary]) -> Iterator[str]:
    for vocabulary_ in known:
        yield from vocabulary_.words
