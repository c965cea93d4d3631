"""One document of the handbook: lines under a title, always open."""

from __future__ import annotations

from collections.abc import Iterable

from groundeval.world.artifacts import HANDBOOK, Artifact, Version
from groundeval.world.time import EARLIEST


def page(path: str, title: str, lines: Iterable[str]) -> Artifact:
    """The document `handbook/PATH`; empty lines are left out."""
    text = "\n".join(line for line in lines if line)
    version = Version(start=EARLIEST, title=title, text=text)
    return Artifact(id=f"{HANDBOOK}/{path}", subsystem=HANDBOOK, versions=(version,))


def named(head: str, items: Iterable[str]) -> str:
    """`Head: a, b, c.`, or nothing where there are no items."""
    listed = ", ".join(items)
    return f"{head}: {listed}." if listed else ""


def sentence(text: str | None) -> str:
    """A text with a capital at its start and a full stop (or what ends it already) at its end."""
    text = (text or "").strip()
    text = text[:1].upper() + text[1:]
    return text if not text or text[-1] in ".!?…" else f"{text}."
