"""The LALR tables of `gev`: Lark makes them from the grammar, a kept copy saves doing it each time.

Building them takes Lark a third of a second, which is more than all the rest of a start. So they
are kept in `gev.tables.json`, under the hash of the grammar; when that differs (a grammar being
edited), they are built in memory. `python -m groundeval.syntax.tables` writes the kept copy.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from groundeval.resources import builtin

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule as LarkRule

KEPT = "gev.tables.json"
STARTS = ("declaration", "expression", "hole")
END = "$END"


class Part(NamedTuple):
    """One value handed on by a rule: its place, whether it is spliced, the gaps before it."""

    place: int
    spliced: bool
    gaps: int


class Rule(NamedTuple):
    """One production: what a reduction pops, and what it makes of it.

    `name` is the builder's method; None joins the values (a repetition). `unit` rules hand on
    their one value as it is; `single` ones do so when one value is left.
    """

    origin: str
    length: int
    name: str | None
    parts: tuple[Part, ...]
    gaps: int
    unit: bool
    single: bool


class Tables(NamedTuple):
    """`states[s][symbol]`: a state to go to (0 or more), or `-1 - r` to reduce by rule r."""

    states: list[dict[str, int]]
    rules: list[Rule]
    starts: dict[str, int]
    ends: dict[str, int]
    words: dict[str, str]  # a keyword or sign -> its terminal
    patterns: dict[str, str]  # a terminal -> its regular expression


@cache
def load() -> Tables:
    """The tables of the bundled grammar."""
    grammar = builtin("grammar").joinpath("gev.lark").read_text(encoding="utf-8")
    kept = files("groundeval.syntax").joinpath(KEPT)
    if kept.is_file():
        document = json.loads(kept.read_text(encoding="utf-8"))
        if document["grammar"] == digest(grammar):
            return _decode(document)
    return _decode(encode(grammar))


def digest(grammar: str) -> str:
    """The hash under which the tables of `grammar` are kept."""
    return hashlib.blake2b(grammar.encode(), digest_size=16).hexdigest()


def encode(grammar: str) -> dict[str, Any]:
    """The tables of `grammar` as JSON data; raises lark's GrammarError where it is not LALR(1)."""
    lark = _lark(grammar)
    table = lark.parser.parser._parse_table  # noqa: SLF001 - Lark shows its tables nowhere else
    numbers = {rule: number for number, rule in enumerate(lark.rules)}

    def action(target: Any) -> int:
        """A shift leads to a state, a reduction to a rule."""
        return target if isinstance(target, int) else -1 - numbers[target]

    return {
        "grammar": digest(grammar),
        "states": [
            {symbol: action(target) for symbol, (_, target) in sorted(table.states[state].items())}
            for state in range(len(table.states))
        ],
        "rules": [_rule(rule) for rule in lark.rules],
        "starts": table.start_states,
        "ends": table.end_states,
        "words": {t.pattern.value: t.name for t in lark.terminals if t.pattern.type == "str"},
        "patterns": {
            t.name: t.pattern.to_regexp() for t in lark.terminals if t.pattern.type == "re"
        },
    }


def _lark(grammar: str) -> Lark:
    from lark import Lark  # noqa: PLC0415 - slow to import, and seldom needed
    from lark.lexer import Lexer  # noqa: PLC0415

    class Unused(Lexer):
        """Only the tables are wanted; the tokens are our own."""

        def __init__(self, conf: object) -> None:
            pass

        def lex(self, lexer_state: Any, parser_state: Any) -> Any:
            raise NotImplementedError

    return Lark(
        grammar,
        parser="lalr",
        lexer=Unused,
        start=list(STARTS),
        strict=True,
        maybe_placeholders=True,
    )


def _rule(rule: LarkRule) -> list[Any]:
    options = rule.options
    gaps = [0]
    for empty in options.empty_indices or [False] * len(rule.expansion):
        if empty:
            gaps[-1] += 1
        else:
            gaps.append(0)
    parts: list[list[int]] = []
    waiting = 0
    for index, symbol in enumerate(rule.expansion):
        waiting += gaps[index]
        if options.keep_all_tokens or not getattr(symbol, "filter_out", False):
            parts.append([index, int(not symbol.is_term and symbol.name[0] == "_"), waiting])
            waiting = 0
    origin = str(rule.origin.name)
    joined = origin.startswith("_")
    single = bool(options.expand1 and not rule.alias)
    name = None if joined else str(rule.alias or origin)
    return [origin, len(rule.expansion), name, parts, waiting + gaps[-1], int(single)]


def _decode(document: dict[str, Any]) -> Tables:
    rules = []
    for origin, length, name, parts, gaps, single in document["rules"]:
        unit = bool(single) and length == 1 and len(parts) == 1 and not gaps
        kept = tuple(Part(index, bool(spliced), before) for index, spliced, before in parts)
        rules.append(Rule(origin, length, name, kept, gaps, unit, bool(single)))
    return Tables(
        document["states"],
        rules,
        document["starts"],
        document["ends"],
        document["words"],
        document["patterns"],
    )


def write(folder: Path) -> Path:
    """Writes the kept copy into `folder` and says where."""
    grammar = builtin("grammar").joinpath("gev.lark").read_text(encoding="utf-8")
    target = folder / KEPT
    text = json.dumps(encode(grammar), separators=(",", ":"), sort_keys=True)
    target.write_text(text + "\n", encoding="utf-8")
    return target


if __name__ == "__main__":
    write(Path(__file__).parent)
