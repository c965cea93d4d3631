"""Walks the LALR tables over a list of tokens; a rule that is complete goes to a builder.

Iterative throughout, so that no nesting exhausts the stack.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundeval.syntax.tables import END, Rule, Tables
from groundeval.syntax.tokens import Token

MAX_DEPTH = 200
"""How deep a tree may be: every later stage walks it by recursion."""
CHAINS = frozenset({"either", "both"})
"""Rules whose trees may lean to the left as far as they like: nobody recurs along `a or b or c`."""

Build = Callable[[str, int, int, list[Any]], Any]
"""(rule, start offset, end offset, values) -> the value of the rule."""


@dataclass(frozen=True, slots=True)
class Stop:
    """Where a parse could not go on: the token, how it was read, the states above the start."""

    position: int
    kind: str
    states: tuple[int, ...]
    too_deep: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a parse made: a value, or where it stopped."""

    value: Any
    stop: Stop | None


@dataclass(slots=True)
class _Stack:
    states: list[int]
    values: list[Any] = field(default_factory=list)
    starts: list[int] = field(default_factory=list)
    ends: list[int] = field(default_factory=list)
    depths: list[int] = field(default_factory=list)

    def shift(self, state: int, token: Token) -> None:
        self.states.append(state)
        self.values.append(token)
        self.starts.append(token.start)
        self.ends.append(token.end)
        self.depths.append(0)

    def reduce(self, rule: Rule, build: Build) -> int:
        """Replaces the values of `rule` by the one it makes; returns that one's depth."""
        if rule.length == 1 and rule.name is not None and not rule.gaps:
            values = self.values[-1:] if rule.parts else []
            self.values[-1] = build(rule.name, self.starts[-1], self.ends[-1], values)
            self.states.pop()
            return self.depths[-1]
        cut = len(self.values) - rule.length
        start, end = self.starts[cut], self.ends[-1]
        depth = max(self.depths[cut:])
        first = self.values[cut]
        values = _chosen(rule, self.values, cut)
        value: Any
        if rule.name is None:
            value = values
        elif rule.single and len(values) == 1:
            value = values[0]
        else:
            value = build(rule.name, start, end, values)
            if rule.name in CHAINS and type(first) is type(value):
                depth = max(self.depths[cut], 1 + max(self.depths[cut + 1 :]))
            else:
                depth += rule.length > 1
        del self.states[cut + 1 :]
        del self.values[cut:], self.starts[cut:], self.ends[cut:], self.depths[cut:]
        self.values.append(value)
        self.starts.append(start)
        self.ends.append(end)
        self.depths.append(depth)
        return depth


def _chosen(rule: Rule, stack: list[Any], cut: int) -> list[Any]:
    parts = rule.parts
    values: list[Any] = []
    if rule.name is None and parts[0].spliced:
        # a repetition that grows by one: its list is nobody else's, so it can grow in place
        values = stack[cut]
        parts = parts[1:]
    for index, spliced, gaps in parts:
        if gaps:
            values.extend([None] * gaps)
        if spliced:
            values.extend(stack[cut + index])
        else:
            values.append(stack[cut + index])
    if rule.gaps:
        values.extend([None] * rule.gaps)
    return values


@dataclass(frozen=True, slots=True)
class Automaton:
    """An LALR(1) automaton over the grammar's tables, which knows where keywords are names."""

    tables: Tables

    def run(self, start: str, tokens: Sequence[Token], build: Build) -> Outcome:
        """Parses `tokens` (the last is an END token) as a `start` of the grammar."""
        table = self.tables.states
        stack = _Stack([self.tables.starts[start]])
        states = stack.states
        final = self.tables.ends[start]
        for position in range(len(tokens)):
            kind = self.kind(tokens, position, states)
            while True:
                move = table[states[-1]].get(kind)
                if move is None:
                    return Outcome(None, Stop(position, kind, tuple(states)))
                if move >= 0:
                    stack.shift(move, tokens[position])
                    break
                rule = self.tables.rules[-1 - move]
                if rule.unit:
                    states.pop()
                elif stack.reduce(rule, build) > MAX_DEPTH:
                    return Outcome(None, Stop(position, kind, tuple(states), too_deep=True))
                states.append(table[states[-1]][rule.origin])
                if states[-1] == final and kind == END:
                    return Outcome(stack.values[-1], None)
        raise AssertionError("the END token ends every parse")

    def kind(self, tokens: Sequence[Token], position: int, states: Sequence[int]) -> str:
        """What the token is read as after `states`: a keyword, a key, a name, a sign."""
        token = tokens[position]
        if token.kind == "NAME":
            return self._word(tokens, position, states)
        if token.kind == "DOT" and "FIELDDOT" in self.tables.states[states[-1]]:
            following = tokens[position + 1]
            if following.kind == "NAME" and following.start == token.end:
                return "FIELDDOT"
        return token.kind

    def _word(self, tokens: Sequence[Token], position: int, states: Sequence[int]) -> str:
        row = self.tables.states[states[-1]]
        token, following = tokens[position], tokens[position + 1]
        if following.kind in {"COLON", "EQUAL"} and self._takes(states, "KEY"):
            return "KEY"
        keyword = self.tables.words.get(token.text)
        if keyword is not None and self._takes(states, keyword):
            return keyword
        if token.text not in RESERVED or "NUMBER" not in row or not self._fits(states, "NUMBER"):
            return "NAME"
        # an operand stands here
        if keyword is not None:
            return keyword
        after = tokens[position + 2] if position + 2 < len(tokens) else following
        if following.kind == "NAME" and following.text != "not" and after.text == "in":
            return "QUANTIFIER"
        return "NAME"

    def _takes(self, states: Sequence[int], terminal: str) -> bool:
        """Whether `terminal` can be meant, rather than a name.

        A row alone would not do: it has what may come after the same rule in any other place.
        """
        row = self.tables.states[states[-1]]
        move = row.get(terminal)
        if move is None:
            return False
        return move >= 0 or "NAME" not in row or self._fits(states, terminal)

    def accepts(self, states: Sequence[int]) -> frozenset[str]:
        """The terminals that could really come next (a row alone also has merged look-aheads)."""
        row = self.tables.states[states[-1]]
        return frozenset(s for s in row if (s.isupper() or s == END) and self._fits(states, s))

    def _fits(self, states: Sequence[int], terminal: str) -> bool:
        depth = len(states)  # `states` is left as it is: `above` stands on its first `depth`
        above: list[int] = []
        while True:
            top = above[-1] if above else states[depth - 1]
            move = self.tables.states[top].get(terminal)
            if move is None:
                return False
            if move >= 0:
                return True
            rule = self.tables.rules[-1 - move]
            popped = min(rule.length, len(above))
            del above[len(above) - popped :]
            depth -= rule.length - popped
            goto = self.tables.states[above[-1] if above else states[depth - 1]][rule.origin]
            above.append(goto)
            if terminal == END and goto in self.tables.ends.values():
                return True


OPERATORS = frozenset({"and", "or", "not", "in", "is", "if", "then", "else", "overlaps", "matches"})
"""Words that are never names where an operand may stand; elsewhere, as after `.`, they may be."""

QUANTIFIERS = frozenset(
    {"any", "all", "count", "share", "first", "last", "sum", "mean", "min", "max"}
)
RESERVED = OPERATORS | QUANTIFIERS
