"""Roles: what they list, and what they inherit."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.semantics.clauses import known
from groundeval.semantics.declared import Declared
from groundeval.semantics.symbols import Findings, Symbols
from groundeval.syntax import ast
from groundeval.world.access import RoleDefinition


@dataclass(frozen=True, slots=True)
class Listed:
    """One value of a role's list; a bare name has to be declared, a text in quotes is free."""

    value: str
    is_name: bool
    span: Span


def role_lists(declared: Declared) -> Mapping[str, frozenset[str]]:
    """The names of all lists that any role has, with everything that the rules put in them."""
    lists: dict[str, set[str]] = {}
    for role in declared.all(ast.Role):
        for entry in role.lists.entries:
            values = {v.value for v in listed(entry, Findings())}
            lists.setdefault(entry.key.text, set()).update(values)
    for mapping in (m for s in declared.sources("roles") for m in s.mappings):
        lists.setdefault(mapping.key.text, set())
    return {name: frozenset(values) for name, values in lists.items()}


def listed(entry: ast.Entry, findings: Findings) -> Iterator[Listed]:
    """The values of one list of a role, with a finding for whatever is no list of names."""
    items = entry.value.items if isinstance(entry.value, ast.ListLiteral) else None
    if items is None:
        message = f"`{entry.key.text}` is not a list"
        help_ = f"write `{entry.key.text}: [a, b]`"
        findings.add(codes.BAD_ROLE_LIST, message, entry.value.span, "", help_)
        return
    for item in items:
        match item:
            case ast.Variable(name=name):
                yield Listed(name, True, item.span)
            case ast.Text(parts=(str(text),)):
                yield Listed(text, False, item.span)
            case _:
                message = f"`{entry.key.text}` lists names, or texts in quotes"
                findings.add(codes.BAD_ROLE_LIST, message, item.span)


def roles(declared: Declared, symbols: Symbols, findings: Findings) -> tuple[RoleDefinition, ...]:
    """The declared roles, by name, with everything that they inherit added up."""
    trees: dict[str, ast.Role] = {}
    for role in declared.all(ast.Role):
        trees.setdefault(role.name.text, role)
        _check(role, symbols, findings)
    _find_cycles(trees, findings)
    return tuple(_definition(name, trees) for name in sorted(trees))


def _check(role: ast.Role, symbols: Symbols, findings: Findings) -> None:
    for parent in role.inherits:
        known(parent, symbols.roles, codes.UNKNOWN_ROLE, "role", findings)
    for entry in role.lists.entries:
        for value in listed(entry, findings):
            if value.is_name:
                _check_name(value, entry.key.text, symbols, findings)


def _check_name(value: Listed, key: str, symbols: Symbols, findings: Findings) -> None:
    names = {*symbols.subsystems, *symbols.events}
    if value.value in names or symbols.open_subsystems or symbols.open_event_types:
        return
    message = f"`{value.value}` in `{key}` is neither a subsystem nor an event type"
    if nearest(value.value, names) is not None:
        help_ = did_you_mean(value.value, names)
        findings.add(codes.UNKNOWN_LISTED_NAME, message, value.span, "", help_)
    else:
        help_ = "declare it; a value that is no such name stands in quotes"
        findings.add(codes.UNDECLARED_LISTED_NAME, message, value.span, "", help_)


def _ancestors(name: str, trees: Mapping[str, ast.Role]) -> frozenset[str]:
    """The role and everything it inherits, in circles too."""
    found, waiting = set[str](), [name]
    while waiting:
        current = waiting.pop()
        if current not in found:
            found.add(current)
            tree = trees.get(current)
            waiting.extend(parent.text for parent in (tree.inherits if tree else ()))
    return frozenset(found)


def _find_cycles(trees: Mapping[str, ast.Role], findings: Findings) -> None:
    """One finding per circle, at the first of its roles."""
    reported: set[str] = set()
    for name in sorted(trees):
        for parent in trees[name].inherits:
            circle = _ancestors(parent.text, trees)
            if name in circle and name not in reported:
                members = {n for n in circle if name in _ancestors(n, trees)}
                reported |= members
                listed = ", ".join(f"`{n}`" for n in sorted(members))
                message = f"roles inherit from each other in a circle: {listed}"
                findings.add(codes.ROLE_CYCLE, message, parent.span, "closes the circle")


def _definition(name: str, trees: Mapping[str, ast.Role]) -> RoleDefinition:
    includes = _ancestors(name, trees)
    lists: dict[str, frozenset[str]] = {}
    for member in sorted(includes & trees.keys()):
        for entry in trees[member].lists.entries:
            values = frozenset(v.value for v in listed(entry, Findings()))
            lists[entry.key.text] = lists.get(entry.key.text, frozenset()) | values
    return RoleDefinition(name, includes, dict(sorted(lists.items())))
