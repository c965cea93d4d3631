"""How far a long command is: a line on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")

_EVERY = 200
"""Results between two looks at the clock: small beside what a result costs."""


def counted_on_terminal(results: Iterable[T]) -> Iterator[T]:
    """Hand `results` on; on a terminal, standard error shows how many have gone by."""
    if not sys.stderr.isatty():
        yield from results
        return
    from rich.console import Console  # noqa: PLC0415 - only where it is seen
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn  # noqa: PLC0415

    columns = (SpinnerColumn(), TextColumn("{task.completed:,.0f} traces"), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("score", total=None)
        for number, result in enumerate(results, 1):
            yield result
            if number % _EVERY == 0:
                progress.update(task, completed=number)
