"""The table that `score` prints: the state-invalid rate first, then scores, then reasons."""

from __future__ import annotations

from io import StringIO
from itertools import chain, zip_longest
from typing import TYPE_CHECKING, Final

import msgspec
from rich.console import Console
from rich.console import Group as Stacked
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from groundeval.scoring.bootstrap import FEW
from groundeval.scoring.model import Result
from groundeval.scoring.tally import counts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from typing import IO

    from rich.console import RenderableType

    from groundeval.diagnostics import Diagnostic
    from groundeval.scoring.summary import Contrast, Difference, Group, Interval, Selected, Summary

_WORST: Final = 3
_REASONS: Final = 3
_PIPED_WIDTH: Final = 80
_COLUMNS: Final = ("n", "state-invalid", "correct", "sound", "s_adj", "v")
_BAD: Final = "red"
_GOOD: Final = "green"


def print_summary(summary: Summary, worst: Iterable[Result], stream: IO[str]) -> None:
    """Print the summary as a table, and why the `worst` results lost points.

    Colours appear on a terminal only. Where the stream is no terminal, lines are 80 wide.
    """
    console = Console(file=stream, highlight=False)
    if console.is_terminal:
        console.print(_page(summary, worst))
        return
    piped = Console(file=StringIO(), highlight=False, width=_PIPED_WIDTH, no_color=True)
    with piped.capture() as captured:
        piped.print(_page(summary, worst))
    stream.write("".join(f"{line.rstrip()}\n" for line in captured.get().splitlines()))


class Worst:
    """Keeps the few results with the most to say: unsound ones first, then the lowest s_adj.

    Every agent has its turn before any has a second one.
    """

    def __init__(self, most: int = _WORST) -> None:
        self._most = most
        self._kept: dict[str, list[Result]] = {}

    def add(self, result: Result) -> None:
        """Consider one result; which are kept does not depend on the order of calls."""
        if not counts(result) or not result.because or result.outcome == "valid":
            return
        of_agent = [*self._kept.get(result.agent, ()), result]
        self._kept[result.agent] = sorted(of_agent, key=_badness)[: self._most]

    def noting(self, results: Iterable[Result | Diagnostic]) -> Iterator[Result | Diagnostic]:
        """Hand everything on, considering the results among it."""
        for item in results:
            yield item
            if isinstance(item, Result):
                self.add(item)

    def results(self) -> tuple[Result, ...]:
        """The worst results, the worst of each agent first."""
        turns = zip_longest(*(self._kept[agent] for agent in sorted(self._kept)))
        found = (sorted((r for r in turn if r is not None), key=_badness) for turn in turns)
        return tuple(chain.from_iterable(found))[: self._most]


def _badness(result: Result) -> tuple[bool, float, str, str, int]:
    score = 1.0 if result.s_adj is None else result.s_adj
    invalid = result.outcome == "state_invalid"
    return not invalid, score, result.question, result.agent, result.epoch


def _page(summary: Summary, worst: Iterable[Result]) -> Stacked:
    parts: list[RenderableType] = [_headline(summary.overall), "", _table(summary)]
    outcomes = ", ".join(f"{n} {name}" for name, n in summary.overall.outcomes.items())
    parts += ["", Text.assemble(("outcomes  ", "dim"), outcomes or "none")]
    if few := _few(summary):
        parts.append(Text.assemble(("few questions  ", "dim"), few))
    if summary.overall.violations:
        parts.append(Text.assemble(("violations  ", "dim"), _violations(summary.overall)))
    if summary.marks:
        marks = ", ".join(f"{n} {mark}" for mark, n in summary.marks.items())
        parts.append(Text.assemble(("marks  ", "dim"), marks))
    if not isinstance(summary.only, msgspec.UnsetType):
        parts.append(Text.assemble(("only  ", "dim"), _selected(summary.only)))
    parts += _contrasts(summary)
    for result in worst:
        parts += ["", *_reasons(result)]
    return Stacked(*parts)


def _headline(overall: Group) -> Text:
    rate = overall.state_invalid_rate
    if rate is None:
        return Text("state-invalid rate: none, since no answer is correct", style="bold")
    text = Text(f"state-invalid rate {_percent(rate)}", style=f"bold {_BAD if rate else _GOOD}")
    text.append(" of correct answers", style="default")
    interval = overall.intervals.get("state_invalid_rate")
    if interval is not None:
        few = f", {_counted(overall.questions, 'question')}" if overall.questions < FEW else ""
        text.append(f" ({_range(interval)}{few})", style="dim")
    return text


def _table(summary: Summary) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("track", overflow="fold", no_wrap=False)
    for name in _COLUMNS:
        table.add_column(name, justify="right", no_wrap=True)
    for agent, tracks in summary.agents.items():
        table.add_row(Text(agent or "(no agent)", style="bold"), *[""] * len(_COLUMNS))
        for track, group in tracks.items():
            table.add_row(Text(f"  {track}"), *_cells(group))
    if not summary.agents:
        for track, group in summary.tracks.items():
            table.add_row(Text(track), *_cells(group))
    if len(summary.tracks) > 1 or summary.agents:
        table.add_row(Text("overall (pooled)", style="bold"), *_cells(summary.overall))
    return table


def _cells(group: Group) -> list[Text]:
    rate = group.state_invalid_rate
    style = "dim" if rate is None else _BAD if rate > 0 else _GOOD
    return [
        Text(str(group.n)),
        Text(_percent(rate), style=style),
        Text(_percent(group.correct)),
        Text(_percent(group.sound)),
        Text(_number(group.s_adj)),
        Text(_number(group.v)),
    ]


def _contrasts(summary: Summary) -> list[RenderableType]:
    """What looking was worth, and what the gates were: the same questions answered in two ways."""
    if not summary.contrasts:
        return []
    several = len({contrast.agent for contrast in summary.contrasts}) > 1
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", pad_edge=False)
    table.add_column("side by side", overflow="fold", no_wrap=False)
    for name in ("n", "", "gap", "95 %"):
        table.add_column(name, justify="right" if name in {"n", "gap"} else "left", no_wrap=True)
    for contrast in summary.contrasts:
        table.add_row(*_contrast(contrast, several=several))
    noise = any(_within_noise(_told(contrast)[1]) for contrast in summary.contrasts)
    return ["", table, *([Text("* within noise", style="dim")] if noise else [])]


def _contrast(contrast: Contrast, *, several: bool) -> Iterator[Text]:
    """The cells of one contrast."""
    name, figure = _told(contrast)
    who = f"{contrast.agent or '(no agent)'}, " if several else ""
    yield Text(f"{who}{contrast.track}: {contrast.first} / {contrast.second}")
    yield Text(str(contrast.questions))
    yield Text(f"{name} {_number(figure.first)} / {_number(figure.second)}")
    noise, ends = _within_noise(figure), figure.interval
    yield Text(f"{figure.difference:+.3f}" + "*" * noise, style=_BAD if noise else _GOOD)
    yield Text("-" if ends is None else f"{ends[0]:+.3f} to {ends[1]:+.3f}", style="dim")


def _told(contrast: Contrast) -> tuple[str, Difference]:
    """The figure that a line shows: the score, or where one side saw nothing, the answer's."""
    name = "s_adj" if "s_adj" in contrast.figures else "answer"
    return name, contrast.figures[name]


def _within_noise(figure: Difference) -> bool:
    return figure.interval is None or figure.interval[0] <= 0 <= figure.interval[1]


def _selected(only: Selected) -> str:
    """What was asked for, and how much was left out for it."""
    named = [("agent", only.agents), ("track", only.tracks)]
    listed = "; ".join(f"{noun} {', '.join(names)}" for noun, names in named if names)
    return f"{listed} ({_counted(only.left_out, 'trace')} left out)"


def _few(summary: Summary) -> str:
    """The tracks of so few questions that their figures say little, with their numbers."""
    few = {t: g.questions for t, g in summary.tracks.items() if 0 < g.questions < FEW}
    return ", ".join(f"{n} of {track}" for track, n in few.items())


def _violations(group: Group) -> str:
    listed = (
        f"{count} {kind}" + ("" if gate == "none" else f" ({gate})")
        for gate, kinds in group.violations.items()
        for kind, count in kinds.items()
    )
    return ", ".join(listed)


def _reasons(result: Result) -> list[RenderableType]:
    s_adj = _number(result.s_adj)
    title = Text(result.question, style="bold")
    agent = f" by {result.agent}" if result.agent else ""
    title.append(f"{agent}: {result.outcome}, s_adj {s_adj}", style="default")
    shown = result.because[:_REASONS]
    more = len(result.because) - len(shown)
    lines: list[RenderableType] = [title, *(_indented(reason) for reason in shown)]
    if more:
        lines.append(_indented(f"and {more} more"))
    return lines


def _indented(reason: str) -> Padding:
    return Padding(Text(f"- {reason}"), (0, 0, 0, 2), expand=False)


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def _percent(value: float | None) -> str:
    return "-" if value is None else f"{100 * value:.1f} %"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _range(interval: Interval) -> str:
    return f"95 %: {100 * interval[0]:.1f} to {100 * interval[1]:.1f}"
