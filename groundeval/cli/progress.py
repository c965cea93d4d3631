"""How far a long command is: a line on a terminal, nothing anywhere else."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from groundeval.traces.model import Trace

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


def attempts_on_terminal(traces: Iterable[Trace], before: int, total: int) -> Iterator[Trace]:
    """Hand `traces` on; on a terminal, standard error shows how many of `total` there are.

    `before` are there already. It also shows in how many the agent failed.
    """
    if not sys.stderr.isatty():
        yield from traces
        return
    from rich.console import Console  # noqa: PLC0415 - only where it is seen
    from rich.progress import (  # noqa: PLC0415
        BarColumn,
        MofNCompleteColumn,
        Progress,
        TextColumn,
        TimeElapsedColumn,
        TimeRemainingColumn,
    )

    columns = (
        BarColumn(), MofNCompleteColumn(), TextColumn("{task.fields[failed]}"),
        TimeElapsedColumn(), TimeRemainingColumn(),
    )  # fmt: skip
    failed = 0
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task("run", total=total, completed=before, failed="")
        for trace in traces:
            failed += trace.error is not None
            told = f"{failed} failed" if failed else ""
            progress.update(task, advance=1, failed=told)
            yield trace
