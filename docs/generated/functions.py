"""The page of functions, from their one table."""

from __future__ import annotations

from typing import get_args

from docs.generated.markdown import page as whole
from docs.generated.markdown import sentence
from groundeval.functions import FUNCTIONS, Function
from groundeval.functions.registry import Where

_PLACES: dict[Where, tuple[str, str]] = {
    "anywhere": ("Anywhere", "These may be called in every expression."),
    "ask": ("In `ask for`", "These say what a track's questions range over."),
    "truth": (
        "In truths",
        """These ask the gates, the causal graph and the silences. They may be called in a track's
`ask for`, `truth` and `balance`, and in tests.""",
    ),
    "score": (
        "In scores",
        """These ask about the trace that is scored. They may be called in a track's scores, its
`violation`, `rate`, `correct` and `sound`, and in tests.""",
    ),
}

_HEAD = """\
What rules may call. Arguments may be named: `prevented(e, without: c)`. A missing argument
gives a missing result, unless the function says otherwise. No function has a side effect, reads a
clock or draws a random number. A `?` behind a type says that the result may be missing; what that
means is in [the language](language.md#unknown). `holds(R)` in a gate is described there too."""


def page() -> str:
    """The page `functions.md`."""
    parts = [_HEAD]
    for where in get_args(Where):
        title, words = _PLACES[where]
        parts += [f"## {title}", words]
        listed = (f for f in FUNCTIONS.values() if f.where == where and not f.hidden)
        parts += [_entry(f) for f in sorted(listed, key=lambda f: f.key)]
    return whole("Functions", *parts)


def _entry(function: Function) -> str:
    return f"### `{_signature(function)}`\n\n{_words(function)}"


def _signature(function: Function) -> str:
    if not function.method:
        return function.signature
    first, *rest = function.parameters
    listed = ", ".join(f"{p.name}: {p.type}" for p in rest)
    return f"{first.name}.{function.name}({listed}) -> {function.result}"


def _words(function: Function) -> str:
    first, *rest = map(sentence, function.doc.split("\n\n"))
    if function.takes_missing:
        first += " Arguments may be missing."
    return "\n\n".join([first, *rest])
