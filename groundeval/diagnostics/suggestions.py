"""Help for a name that nothing answers to: the nearest one, or all where they are few."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches
from functools import partial

_FEW = 8
_NEAR = 0.65  # of difflib: `tenant` is not taken for `text` (0.6), `jria` is for `jira` (0.75)
_NEAR_SHORT = 0.8  # `kind` shares all of `id` (0.67) and is another word; `idd` is none (0.8)
_SHORT = 2


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is most likely a misspelling of, or None."""
    names = sorted(set(known))
    folded = {n.casefold(): n for n in names}
    if name.casefold() in folded:
        return folded[name.casefold()]
    close = partial(get_close_matches, name.casefold(), n=1)
    short = sorted(n for n in folded if len(n) <= _SHORT)
    found = close(sorted(folded.keys() - short), cutoff=_NEAR) or close(short, cutoff=_NEAR_SHORT)
    return folded[found[0]] if found else None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """A help text that names the nearest known name, else all of them where they are few."""
    names = sorted(set(known))
    close = nearest(name, names)
    if close is not None:
        return f"did you mean `{close}`?"
    if 0 < len(names) <= _FEW:
        return "known are " + ", ".join(f"`{n}`" for n in names)
    return ""
