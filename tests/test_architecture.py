"""The shape of the package, held: sizes, names, start-up, and that Python knows no track.

Branches (McCabe 8) and parameters (5) are held by ruff.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundeval.ir.program import Program
from groundeval.semantics.files import FolderFiles
from groundeval.semantics.program import analyse

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "groundeval"
MODULES = sorted(PACKAGE.rglob("*.py"))

MODULE_LINES, FUNCTION_LINES = 400, 50
BANNED_NAMES = {"utils", "util", "helpers", "common", "manager", "handler", "processor", "misc"}


def functions(tree: ast.AST) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def test_modules_are_small() -> None:
    too_long = {
        str(path.relative_to(ROOT)): lines
        for path in MODULES
        if (lines := path.read_text(encoding="utf-8").count("\n")) > MODULE_LINES
    }
    assert not too_long


def test_functions_are_small() -> None:
    too_long = {
        f"{path.relative_to(ROOT)}:{f.lineno} {f.name}": lines
        for path in MODULES
        for f in functions(parsed(path))
        if (lines := (f.end_lineno or f.lineno) - f.lineno + 1) > FUNCTION_LINES
    }
    assert not too_long


def test_modules_are_named_for_what_they_are() -> None:
    assert not [p for p in MODULES if BANNED_NAMES & {p.stem, p.parent.name}]


def test_public_things_say_what_they_are() -> None:
    undocumented = [
        f"{path.relative_to(ROOT)}:{node.lineno} {node.name}"
        for path in MODULES
        for node in parsed(path).body
        if isinstance(node, ast.FunctionDef | ast.ClassDef)
        and not node.name.startswith("_")
        and ast.get_docstring(node) is None
        and not (isinstance(node, ast.ClassDef) and _is_plain_record(node))
        and len(node.body) > 2
    ]
    assert not undocumented


def _is_plain_record(node: ast.ClassDef) -> bool:
    """A class of annotated fields alone, which say themselves what they are."""
    return all(isinstance(item, ast.AnnAssign) for item in node.body)


@pytest.mark.parametrize("flag", ["--version", "--help"])
def test_starting_up_imports_nothing_heavy(flag: str) -> None:
    script = (
        "import sys\n"
        "from groundeval.cli.app import main\n"
        f"sys.argv = ['groundeval', '{flag}']\n"
        "try:\n    main()\nexcept SystemExit as done:\n    assert not done.code, done.code\n"
        "heavy = {'pydantic', 'networkx', 'lark', 'msgspec', 'yaml', 're2'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr


def bundled_program(track_file: Path) -> Program:
    found = analyse(track_file.name, FolderFiles(track_file.parent))
    assert found.value is not None, found.diagnostics
    return found.value


def track_words() -> set[str]:
    """Track names, answer and truth fields, and component names of every bundled track."""
    words: set[str] = set()
    for path in sorted((ROOT / "tracks").rglob("*.gev")):
        program = bundled_program(path)
        for track in program.tracks:
            words.add(track.id.split(".")[-1])
            words |= {field.name for field in track.answer}
            words |= {name for name, _ in track.truth}
            words |= {c.name for score in track.scores for c in score.components}
            words |= {stratum.name for stratum in track.balance}
    return words


LANGUAGE_WORDS = {
    # Path.exists, and a clause of links.
    "exists", "outcome_changed", "changes",
    # Words of the language, the model or plain prose that a track's author happened to use too.
    "silence", "answer", "actor", "actors", "artifact", "subsystem", "horizon", "cause", "effect",
    "evidence", "outcome", "mechanism", "gates", "places", "reasoning", "absent", "present",
    "contributing", "blocked", "coverage", "verdict", "visible", "reads", "found", "required",
    "witness", "near miss", "recovery", "direction", "half", "open", "closed", "action", "ready",
}  # fmt: skip
"""The second test, with a renamed track, decides for these."""


def strings_and_names(tree: ast.AST) -> Iterator[str]:
    docstrings = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef)
        and node.body
        and isinstance(node.body[0], ast.Expr)
    }
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str() as text) if id(node) not in docstrings:
                yield text
            case ast.Name(id=name) | ast.Attribute(attr=name) | ast.arg(arg=name):
                yield name
            case ast.FunctionDef(name=name) | ast.ClassDef(name=name):
                yield name
            case ast.keyword(arg=str() as name):
                yield name


PLAYERS_FIELDS = PACKAGE / "runs" / "agents" / "fields.py"
"""The scripted agents are users of the bundled tracks, as any agent is: what they fill in has the
names that a question's answer schema gives it. Those stand in this one module, which only they
import; what asks, gates and scores still knows none."""


def test_python_knows_no_track() -> None:
    words = track_words() - LANGUAGE_WORDS
    assert {"could_actor_have_known", "outcome_changed", "perspective"} <= words | LANGUAGE_WORDS
    found = {
        f"{path.relative_to(ROOT)}: {text}"
        for path in MODULES
        if path != PLAYERS_FIELDS
        for text in strings_and_names(parsed(path))
        if text in words
    }
    assert not found


def test_only_scripted_agents_know_the_fields_of_tracks() -> None:
    importing = {
        path
        for path in MODULES
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.ImportFrom)
        and "groundeval.runs.agents.fields"
        in {node.module, *(f"{node.module}.{name.name}" for name in node.names)}
    }
    assert importing
    assert {path.parent for path in importing} == {PLAYERS_FIELDS.parent}


def test_git_ignores_no_source() -> None:
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    sources = [str(p.relative_to(ROOT)) for p in MODULES]
    sources += [str(p.relative_to(ROOT)) for p in (ROOT / "tests").rglob("*.py")]
    command = ["git", "check-ignore", "--no-index", "--stdin"]
    found = subprocess.run(
        command, input="\n".join(sources), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert found.stdout == ""
