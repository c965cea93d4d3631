"""The arguments of a call, put in the order of what is called: by place, then by name."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from groundeval.diagnostics import codes
from groundeval.diagnostics.suggestions import did_you_mean

if TYPE_CHECKING:
    from groundeval.semantics.elaborate.elaborator import Elaborator
    from groundeval.syntax import ast


def in_order(
    el: Elaborator, called: str, names: Sequence[str], written: Sequence[ast.Argument]
) -> tuple[ast.Argument, ...] | None:
    """The arguments in the order of the parameters `names`, of which there are as many.

    None after a finding: a name that `called` does not have, or one that is given twice.
    """
    placed: dict[str, ast.Argument] = {}
    for index, argument in enumerate(written):
        name = argument.name.text if argument.name is not None else names[index]
        if name not in names:
            message, help_ = f"`{called}` has no `{name}`", did_you_mean(name, names)
        elif name in placed:
            message, help_ = f"`{name}` is given twice", "named arguments come last"
        else:
            placed[name] = argument
            continue
        span = argument.name.span if argument.name is not None else argument.span
        el.report(codes.WRONG_ARGUMENTS, span, message, "this argument", help_)
        return None
    return tuple(placed[name] for name in names)
