"""What rules may call. One table; documentation, checker and evaluators read it."""

from collections.abc import Mapping
from types import MappingProxyType

from groundeval.functions import reading, sets, text, trace, truths
from groundeval.functions.host import Host, Key, Place
from groundeval.functions.registry import ANY, Function, Parameter

FUNCTIONS: Mapping[str, Function] = MappingProxyType(
    {
        f.key: f
        for family in (sets, text, reading, truths, trace)
        for f in vars(family).values()
        if isinstance(f, Function)
    }
)
"""Every function by its key, `name/arity`."""

FUNCTION_NAMES = frozenset({"holds", *(f.name for f in FUNCTIONS.values() if not f.hidden)})
"""What rules can call by name, methods too; no let may take such a name."""

__all__ = ["ANY", "FUNCTIONS", "FUNCTION_NAMES", "Function", "Host", "Key", "Parameter", "Place"]
