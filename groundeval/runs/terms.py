"""The terms on which agents use the tools: the same over MCP, behind an API and in process."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from groundeval.world.ids import shown

NOT_AVAILABLE: Final = "not available"
"""What is said of everything closed, not there yet or not there at all: always this, only this."""
SUBMIT: Final = "submit_answer"
MOST_TRIES: Final = 5
"""How often an answer may be handed in; the last of them counts, whether it fits or not."""
ARGUMENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "search": ("query", "subsystem", "limit"),
    "fetch": ("id",),
}
"""What the tools take. Whose eyes and which instant are no arguments: a question settles them."""


def misnamed(tool: str, arguments: Mapping[str, Any]) -> str | None:
    """What to say of arguments that a tool has not; None where it has them all.

    They are refused, not passed over: nobody should believe to have looked with other eyes.
    """
    takes = ARGUMENTS.get(tool, ())
    unknown = sorted(arguments.keys() - set(takes))
    if not unknown:
        return None
    # A foreign name is shown short, on one line, and such as UTF-8 can hold.
    first = shown(unknown[0].encode("utf-8", "replace").decode("utf-8"))
    more = "" if len(unknown) == 1 else f" (and {len(unknown) - 1} more that it has not)"
    return f"`{tool}` has no argument {first}{more}; it takes: {', '.join(takes) or 'none'}"
