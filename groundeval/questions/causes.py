"""Why something that a track looks at becomes no question: what a shortfall comes from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Cause = Literal[
    "ruled_out", "no_instant", "no_role", "nothing_open", "incomplete", "no_evidence", "no_place",
    "ambiguous", "unclear_truth", "out_of_reach", "unworded",
]  # fmt: skip
"""In the order in which they are asked: the track's `where` does not hold; there is no instant to
ask as of; the actor holds no role, or one to whom no subsystem is open; the corpus lacks an
artifact; a pair's evidence is never complete; a silence has no place; the text fits something else
too, with another truth; the truth fits no stratum; no allowed path leads to what proves it; a hole
of the text has no value."""


@dataclass(slots=True)
class Looked:
    """How much a walk looked at, and what of it was left out, by cause."""

    at: int = 0
    left_out: Counter[Cause] = field(default_factory=Counter)

    def by_cause(self) -> Mapping[Cause, int]:
        """What was left out, the commonest cause first."""
        return dict(sorted(self.left_out.items(), key=lambda item: (-item[1], item[0])))
