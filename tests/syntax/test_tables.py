"""The kept tables are those of the grammar, which is LALR(1) without conflicts."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

import pytest
from lark import Lark
from lark.exceptions import GrammarError

from groundeval.resources import builtin
from groundeval.syntax import tables
from groundeval.syntax.chunks import DECLARATIONS

ROOT = Path(__file__).resolve().parents[2]


def grammar() -> str:
    return builtin("grammar").joinpath("gev.lark").read_text(encoding="utf-8")


def test_kept_tables_are_those_of_the_grammar() -> None:
    kept = json.loads(files("groundeval.syntax").joinpath(tables.KEPT).read_text("utf-8"))
    assert kept["grammar"] == tables.digest(grammar()), "run `python -m groundeval.syntax.tables`"


def test_tables_are_written_and_load(tmp_path: Path) -> None:
    written = json.loads(tables.write(tmp_path).read_text("utf-8"))
    assert written["grammar"] == tables.digest(grammar())
    assert set(written["starts"]) == set(tables.STARTS)
    assert set(tables.load().starts) == set(tables.STARTS)


def test_conflicts_are_refused() -> None:
    ambiguous = "\ndeclaration: expression*\nexpression: hole | hole hole\nhole: NAME+\nNAME: /a/\n"
    with pytest.raises(GrammarError):
        tables.encode(ambiguous)


def test_declarations_are_those_of_the_grammar() -> None:
    loaded = tables.load()
    row = loaded.states[loaded.starts["declaration"]]
    keywords = {word for word, terminal in loaded.words.items() if terminal in row}
    assert keywords == set(DECLARATIONS)


def test_lark_itself_reads_the_samples() -> None:
    """The grammar stands on its own, with Lark's contextual lexer, for whoever wants to use it."""
    whole = f'file: "gev" NUMBER declaration*\n{grammar()}'
    lark = Lark(whole, parser="lalr", start="file", maybe_placeholders=True)
    for path in sorted((ROOT / "tests/cases/syntax").glob("*.gev")):
        assert lark.parse(path.read_text("utf-8")).data == "file"
