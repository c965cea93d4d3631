"""What people write from habit, and how it is said in this language."""

from __future__ import annotations

LATER_CLAUSES = {
    "silence": ("before", "or"),
    "source": ("each",),
    "actor": ("on",),
    "gate": ("from", "until"),
    "extend": ("from", "until"),
}
"""Words that later versions may have in these declarations."""
_UNIT_NAMES = {
    "w": "week weeks wk wks", "d": "day days", "h": "hour hours hr hrs",
    "m": "minute minutes min mins", "s": "second seconds sec secs",
}  # fmt: skip
UNITS: dict[str, str] = {
    name: unit for unit, names in _UNIT_NAMES.items() for name in (unit, *names.split())
}
"""The unit that a word behind a number means."""
STRAYS = {
    ";": "clauses need no `;` between them",
    "'": 'texts stand in double quotes: `"…"`',
    "!": "write `not`",
    "%": "write a part of 1, such as `0.8` or `4/5`",
    "\u201c": 'texts stand in straight double quotes: `"…"`',
    "\u201d": 'texts stand in straight double quotes: `"…"`',
    "@": "names with odd characters stand in backticks",
    "$": "names with odd characters stand in backticks",
    "\\": "a line needs no sign to go on in the next one",
}
ELSEWHERE: dict[str, tuple[str, str]] = {
    **dict.fromkeys(("allow", "grant", "accept"), ("permit", "write `permit`")),
    **dict.fromkeys(("deny", "block", "reject"), ("forbid", "write `forbid`")),
    **dict.fromkeys(("contains", "includes"), ("in", "write `x in xs`, the value first")),
    **dict.fromkeys(("null", "None", "nil", "NULL"), ("missing", "write `missing`")),
    **dict.fromkeys(("import", "include", "from"), ("use", "write `use`")),
    **dict.fromkeys(("def", "function", "fn", "var", "const"), ("let", "write `let`")),
    "if": ("when", "write `when`"),
    "like": ("matches", 'write `matches "…"`, with a pattern'),
    "between": ("and", "write two comparisons, joined by `and`"),
    "policy": ("gate", "write `gate`"),
}
"""What other languages say: the word that has to fit here instead, and how to mend it."""
SIGNS = {
    "&&": "write `and`",
    "||": "write `or`",
    "//": "a comment starts with `#`",
    "/*": "a comment starts with `#`",
    "**": "there is no power; write `x * x`",
    "<>": "write `!=`",
    "=>": "write `>=`, or `:` after a quantifier's collection",
    "->": "relations are not part of gev 1",
    "=": "`=` stands only after the key of a `let`, `param`, `truth` or `source`",
    ",": "clauses need no `,` between them",
}
