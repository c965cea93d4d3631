"""The parts of a program that are no tracks and no tests, from the declarations of its files."""

from __future__ import annotations

import posixpath
from collections.abc import Sequence
from dataclasses import replace
from hashlib import sha256

from groundeval.ir import program as ir
from groundeval.semantics.actors import actors
from groundeval.semantics.carried import hold_carried
from groundeval.semantics.declared import Declared
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.events import event_type
from groundeval.semantics.gates import gates, hold_enforced
from groundeval.semantics.keys import key_fields
from groundeval.semantics.links import links
from groundeval.semantics.loader import RuleFile, relative
from groundeval.semantics.roles import roles
from groundeval.semantics.settings import heading, observed
from groundeval.semantics.silences import silences
from groundeval.semantics.sources import sources
from groundeval.semantics.symbols import Findings
from groundeval.syntax import ast


def rules(names: Declared, root: str, elaborator: Elaborator, findings: Findings) -> ir.Program:
    """The program without its tracks and tests."""
    all_links = links(names, elaborator, findings)
    all_silences = silences(names, elaborator, findings)
    all_gates = gates(names, elaborator, findings)
    hold_carried(names, all_gates, elaborator.symbols, findings)
    hold_enforced(names, all_gates, findings)
    keys = key_fields(all_links, all_silences)
    return replace(
        data_rules(names, root, elaborator, findings),
        event_types=tuple(
            event_type(tree, elaborator, keys.get(tree.name.text, frozenset()), findings)
            for tree in _first_of_each(names)
        ),
        gates=all_gates,
        links=all_links,
        silences=all_silences,
    )


def data_rules(
    names: Declared, root: str, elaborator: Elaborator, findings: Findings
) -> ir.Program:
    """The program's settings, roles, actors and sources."""
    head = heading(names, root, findings)
    return ir.Program(
        domain=head.name,
        title=head.title,
        doc=head.doc,
        timezone=elaborator.symbols.timezone,
        observed=observed(names, elaborator, findings),
        subsystems=tuple(sorted({n.text for s in names.all(ast.Subsystems) for n in s.names})),
        roles=roles(names, elaborator.symbols, findings),
        actors=actors(names, elaborator.symbols, elaborator, findings),
        event_types=(),
        sources=sources(names, elaborator, findings),
        gates=(),
        links=(),
        silences=(),
        tracks=(),
        wordings=(),
        tests=(),
        files=_inputs(names.files, root),
    )


def _first_of_each(names: Declared) -> tuple[ast.EventType, ...]:
    found: dict[str, ast.EventType] = {}
    for tree in names.all(ast.EventType):
        found.setdefault(tree.name.text, tree)
    return tuple(found[name] for name in sorted(found))


def _inputs(files: Sequence[RuleFile], root: str) -> tuple[ir.InputFile, ...]:
    """Each file by its name from the root's folder on, with the SHA-256 of its text.

    Line ends count as one, so that a checkout on another system has the same hashes.
    """
    base = posixpath.dirname(root)
    found = (
        ir.InputFile(
            f.name if f.origin == "bundled" else relative(f.name, base),
            f"sha256:{sha256(f.text.replace(chr(13), '').encode()).hexdigest()}",
        )
        for f in files
    )
    return tuple(sorted(found, key=lambda f: f.name))
