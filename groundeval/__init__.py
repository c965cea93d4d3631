"""GroundEval: policy as code that says whether an agent reached its answer by a valid path."""

# What type checkers see of the public names stands in `__init__.pyi`.

from __future__ import annotations

from importlib import import_module
from typing import Final

__version__ = "0.1.0"
_PLACES: Final = {
    "AnswerError": "groundeval.runs.session",
    "BudgetSpent": "groundeval.runs.agent",
    "OpenContract": "groundeval.session",
    "ProjectError": "groundeval.session",
    "Reply": "groundeval.runs.agent",
    "Session": "groundeval.session",
    "SessionEnded": "groundeval.runs.session",
    "UnknownQuestion": "groundeval.session",
    "tool_functions": "groundeval.runs.functions",
}
__all__ = [*_PLACES, "__version__"]  # noqa: PLE0604 - texts, all of them


def __getattr__(name: str) -> object:
    """A public name, imported when it is first asked for: `import groundeval` stays light."""
    place = _PLACES.get(name)
    if place is None:
        raise AttributeError(f"module `groundeval` has no attribute `{name}`")
    return getattr(import_module(place), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
