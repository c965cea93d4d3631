"""Help for a name that nothing answers to: the nearest one, or all where they are few."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_FEW = 8
_NEAR = 0.65  # of difflib: `tenant` is not taken for `text` (0.6), `jria` is for `jira` (0.75)


def nearest(name: str, known: Iterable[str]) -> str | None:
    """The known name that `name` is most likely a misspelling of, or None."""
    names = sorted(set(known))
    folded = {n.casefold(): n for n in names}
    if name.casefold() in folded:
        return folded[name.casefold()]
    found = get_close_matches(name.casefold(), sorted(folded), n=1, cutoff=_NEAR)
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
