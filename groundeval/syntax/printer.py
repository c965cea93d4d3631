"""The tree as text, in the one layout of the language."""

from __future__ import annotations

from collections.abc import Iterable
from typing import assert_never

from groundeval.syntax import ast
from groundeval.syntax.print_clauses import (
    let,
    link_clause,
    silence_clause,
    skip,
    statement,
    titled,
    track_clause,
)
from groundeval.syntax.print_clauses import rule as print_rule
from groundeval.syntax.print_expressions import (
    escape,
    print_entry,
    print_expr,
    print_name,
    print_sum,
    print_text,
)
from groundeval.syntax.print_lines import block, documented, dotted, field, mapping, short_block

__all__ = ["print_expr", "print_file"]


def print_file(file: ast.File) -> str:
    """`file` in the canonical layout; parsing it gives the same tree again, spans apart.

    Prints the tree only: `##` lines come back, because the tree has them, other comments do not.
    """
    lines = [f"gev {file.version}"]
    previous: ast.Declaration | None = None
    for declaration in file.declarations:
        printed = list(_declaration(declaration))
        if not _close(previous, declaration, len(printed)):
            lines.append("")
        lines += printed
        previous = declaration if len(printed) == 1 else None
    return "\n".join(lines) + "\n"


def _close(previous: ast.Declaration | None, declaration: ast.Declaration, height: int) -> bool:
    """Whether two one-line declarations of a kind stand without an empty line between them."""
    return height == 1 and type(previous) is type(declaration)


def _declaration(node: ast.Declaration) -> Iterable[str]:
    match node:
        case (
            ast.Domain() | ast.Timezone() | ast.Observed() | ast.Use() | ast.Subsystems()
            | ast.Role() | ast.Actor() | ast.Let()
        ):  # fmt: skip
            return _short(node)
        case ast.EventType():
            return documented(node.doc, _event(node))
        case ast.SourceBlock():
            return documented(node.doc, _source(node))
        case ast.Gate():
            head = f"{'extend ' if node.extends else ''}gate {titled(node.name, node.title)}"
            return documented(node.doc, block(head, map(print_rule, node.rules)))
        case ast.Link():
            clauses = map(link_clause, node.clauses)
            return documented(node.doc, block(f"link {titled(node.name, node.title)}", clauses))
        case ast.Silence():
            lines = map(silence_clause, node.clauses)
            return documented(node.doc, block(f"silence {titled(node.name, node.title)}", lines))
        case ast.QuestionBlock():
            texts = (f"text {print_text(wording.text)}" for wording in node.wordings)
            return block(f"question {dotted(node.track)}", texts)
        case ast.Track():
            inside = (line for clause in node.clauses for line in track_clause(clause))
            return documented(node.doc, block(f"track {titled(node.name, node.title)}", inside))
        case ast.Test():
            of = f" for track {dotted(node.track)}" if node.track is not None else ""
            inside = (line for given in node.statements for line in statement(given))
            return block(f"test {print_text(node.name)}{of}", inside)
        case _:
            assert_never(node)


def _short(
    node: ast.Domain | ast.Timezone | ast.Observed | ast.Use | ast.Subsystems | ast.Role
    | ast.Actor | ast.Let,
) -> Iterable[str]:  # fmt: skip
    match node:
        case ast.Domain():
            return documented(node.doc, [f"domain {titled(node.name, node.title)}"])
        case ast.Timezone():
            return [f"timezone {print_text(node.zone)}"]
        case ast.Observed():
            return [f"observed from {print_sum(node.start)} until {print_sum(node.end)}"]
        case ast.Use():
            return [f"use {', '.join(map(_module, node.modules))}"]
        case ast.Subsystems():
            return [f"subsystem {', '.join(map(print_name, node.names))}"]
        case ast.Role():
            return documented(node.doc, _role(node))
        case ast.Actor():
            return documented(node.doc, _actor(node))
        case ast.Let():
            return [let(node)]
        case _:
            assert_never(node)


def _module(module: ast.Module) -> str:
    return f'"{escape(module.name)}"' if module.is_path else dotted(module.name)


def _role(node: ast.Role) -> Iterable[str]:
    parents = f" inherits {', '.join(map(print_name, node.inherits))}" if node.inherits else ""
    head = f"role {print_name(node.name)}{parents}"
    return short_block(head, map(print_entry, node.lists.entries)) if node.lists.entries else [head]


def _actor(node: ast.Actor) -> Iterable[str]:
    head = f"actor {print_name(node.name)}: {', '.join(map(_stint, node.stints))}"
    if node.attributes is None:
        return [head]
    return short_block(head, map(print_entry, node.attributes.entries))


def _stint(stint: ast.Stint) -> str:
    start = f" from {print_sum(stint.start)}" if stint.start is not None else ""
    end = f" until {print_sum(stint.end)}" if stint.end is not None else ""
    return f"{print_name(stint.role)}{start}{end}"


def _event(node: ast.EventType) -> Iterable[str]:
    head = f"event {titled(node.name, node.label)}"
    lines = [line for each in node.fields for line in field(each)]
    if node.found_by is not None:
        lines.append(f"found by {print_text(node.found_by)}")
    if any(each.doc for each in node.fields):
        return block(head, lines)
    return short_block(head, lines)


def _source(node: ast.SourceBlock) -> Iterable[str]:
    lines = [*map(mapping, node.mappings), *map(skip, node.skips)]
    return block(f"source {print_name(node.kind)} {print_text(node.path)}", lines)
