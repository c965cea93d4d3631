"""Long chains are no deep trees, and what is too deep is a finding in every stage."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from groundeval.contracts.rule_text import rule_text
from groundeval.diagnostics import Source, codes
from groundeval.engine.gates import decide, read_env
from groundeval.engine.gates_compiled import CompiledGates
from groundeval.ir.codec import decode, encode
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.syntax.parser import parse
from groundeval.syntax.printer import print_file
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import MemoryLog
from groundeval.world.world import World
from tests.properties.engine_cases import rule_host

LONG = 3000


def rules(condition: str) -> str:
    return f"""gev 1
domain d "D"
timezone "UTC"
subsystem wiki
role staff {{ reads: [wiki] }}
actor ann: staff
gate g "g" {{
  permit read when {condition}
}}
"""


def chain(word: str, last: str, count: int = LONG) -> str:
    return f" {word} ".join([*(f'artifact.title == "t{n}"' for n in range(count)), last])


@pytest.mark.parametrize(
    ("condition", "title", "open_"),
    [
        (chain("or", 'artifact.title == "x"'), "x", True),
        (chain("or", 'artifact.title == "x"'), "y", False),
        (chain("or", 'artifact.title == "x"'), f"t{LONG // 2}", True),
        (chain("and", 'artifact.title == "x"'), "x", False),
        ("not (" + chain("or", 'artifact.title == "x"') + ")", "y", True),
        (f"({chain('or', 'true', 400)}) and ({chain('or', 'false', 400)})", "t7", True),
    ],
    ids=str,
)
def test_a_chain_of_thousands_goes_through_every_stage(
    condition: str, title: str, open_: bool
) -> None:
    text = rules(condition)
    tree = parse(Source("d.gev", text))
    assert tree.value is not None
    printed = print_file(tree.value)
    assert print_file(parse(Source("d.gev", printed)).value) == printed  # type: ignore[arg-type]
    checked = analyse("d.gev", MemoryFiles({"d.gev": text}))
    assert checked.value is not None, checked.diagnostics[:2]
    program = checked.value
    document = msgspec.json.decode(msgspec.json.encode(encode(program)))
    assert decode(document) == program
    version = Version(start=0, title=title)
    page = Artifact(id="W", subsystem="wiki", created=0, versions=(version,))
    world = World(MemoryLog(()), Corpus([page]), Access(program.actors, program.roles))
    host: Any = rule_host(world)
    (gate,) = program.gates
    assert decide(gate, "read", read_env(host, "ann", "W", 1), host).permitted is open_
    assert CompiledGates(program.gates, world, host).visible("ann", "W", 1) is open_
    when = gate.rules[0].when
    assert when is not None
    again = analyse("d.gev", MemoryFiles({"d.gev": rules(rule_text(when))})).value
    assert again is not None
    assert rule_text(again.gates[0].rules[0].when) == rule_text(when)  # type: ignore[arg-type]


NESTS: dict[str, Callable[[int], str]] = {
    "sum": lambda n: "1" + " + 1" * n + " == 3",
    "difference": lambda n: "1" + " - 1" * n + " < 2",
    "union": lambda n: '"a" in ' + " | ".join(f'["a{i}"]' for i in range(n + 1)),
    "coalesce": lambda n: " ?? ".join(["artifact.title"] * (n + 1)) + ' == "x"',
    "not": lambda n: "not " * n + "true",
    "parentheses": lambda n: "(" * n + "true" + ")" * n,
    "mixed": lambda n: "(true or (false and " * n + "true" + "))" * n,
    "if": lambda n: "if true then true else " * n + "true",
    "walks": lambda n: "".join(f"any x{i} in role.reads: " for i in range(n)) + "true",
    "lists": lambda n: "empty(" + "[" * n + "]" * n + ")",
    "calls": lambda n: "size(" * n + "role.reads" + ")" * n + " == 1",
    "fields": lambda n: "artifact" + ".x" * n + " == 1",
    "minus": lambda n: "- " * n + "1 == 1",
}


@pytest.mark.parametrize("kind", NESTS)
@pytest.mark.parametrize("count", [20, 70, 99, 140, 148, 149, 160, 250, 700, 5000])
def test_what_is_nested_is_taken_or_found_too_deep(kind: str, count: int) -> None:
    """In neither case does anything give up on the way."""
    text = rules(NESTS[kind](count))
    tree = parse(Source("d.gev", text))
    if tree.value is not None:
        print_file(tree.value)
    checked = analyse("d.gev", MemoryFiles({"d.gev": text}))
    if checked.value is None:
        assert checked.diagnostics
        if kind == "sum":
            assert checked.diagnostics[0].code in {codes.TOO_DEEP, codes.TOO_LARGE}
        return
    program = checked.value
    assert decode(encode(program)) == program
    world = World(MemoryLog(()), Corpus(), Access(program.actors, program.roles))
    host: Any = rule_host(world)
    (gate,) = program.gates
    plain = decide(gate, "read", read_env(host, "ann", "W", 1), host).permitted
    assert CompiledGates(program.gates, world, host).visible("ann", "W", 1) is plain
    when = gate.rules[0].when
    assert when is not None
    assert rule_text(when)
