"""From results to `summary.json`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final

import msgspec

from groundeval.scoring.bootstrap import Resampler
from groundeval.scoring.contrasts import Contrasts
from groundeval.scoring.summary import Group, Pairs, Selected, Summary
from groundeval.scoring.tally import Summand, Tally, counts

if TYPE_CHECKING:
    from groundeval.scoring.model import Result

_ALWAYS: Final = ("actor", "difficulty", "role", "spec", "stratum")
_WHERE_SEVERAL: Final = ("agent", "epoch", "gated", "mode")
_GROUPED: Final = (*_ALWAYS, *_WHERE_SEVERAL)


class Totals:
    """Adds results up as they come; any order gives the same summary."""

    def __init__(self) -> None:
        self._overall = Tally()
        self._tracks: dict[str, Tally] = {}
        self._groups: dict[str, dict[str, Tally]] = {}
        self._agents: dict[str, dict[str, Tally]] = {}
        self._modes: dict[str, dict[str, Tally]] = {}
        self._pairs = _PairCounts()
        self._contrasts = Contrasts()
        self._marks: Counter[str] = Counter()
        self._contracts: set[str] = set()

    def add(self, result: Result) -> None:
        """Count one result."""
        summand = Summand.of(result)
        for tally in self._tallies(result):
            tally.add(summand)
        self._pairs.add(result)
        self._contrasts.add(result, summand)
        self._marks.update(result.marks)
        if result.contract is not None:
            self._contracts.add(result.contract)

    def _tallies(self, result: Result) -> Iterator[Tally]:
        """The groups that a result belongs to."""
        yield self._overall
        yield _tally(self._tracks, result.track)
        yield _tally(_within(self._agents, result.agent), result.track)
        yield _tally(_within(self._modes, result.mode), result.track)
        for key in _GROUPED:
            value = _text(getattr(result, key))
            if value is not None:
                yield _tally(_within(self._groups, key), value)

    def summary(self, selected: Selected | None = None) -> Summary:
        """The summary of everything that was added, which may be `selected` traces only."""
        resampler = Resampler()
        groups = {
            key: _groups(tallies, resampler)
            for key, tallies in sorted(self._groups.items())
            if key in _ALWAYS or len(tallies) > 1
        }
        return Summary(
            contract=next(iter(self._contracts)) if len(self._contracts) == 1 else None,
            overall=self._overall.group(resampler),
            tracks=_groups(self._tracks, resampler),
            groups=groups,
            agents=_by_track(self._agents, resampler),
            modes=_by_track(self._modes, resampler),
            pairs=self._pairs.counted(),
            marks=dict(sorted(self._marks.items())),
            contrasts=self._contrasts.contrasts(resampler),
            only=msgspec.UNSET if selected is None else selected,
        )


def summarise(results: Iterable[Result]) -> Summary:
    """The summary of some results."""
    totals = Totals()
    for result in results:
        totals.add(result)
    return totals.summary()


class _PairCounts:
    """Sibling questions, matched up per agent and epoch as their results come in."""

    def __init__(self) -> None:
        self._open: dict[tuple[str, str, bool, int, str, str], bool] = {}
        self._counts: dict[str, list[int]] = {}

    def add(self, result: Result) -> None:
        if result.pair is None or not counts(result):
            return
        valid = result.outcome == "valid"
        who = (result.agent, result.mode, result.gated, result.epoch)
        other = self._open.pop((*who, result.pair, result.question), None)
        if other is None:
            self._open[(*who, result.question, result.pair)] = valid
            return
        count = self._counts.setdefault(result.track, [0, 0])
        count[0] += 1
        count[1] += valid and other

    def counted(self) -> dict[str, Pairs]:
        return {track: Pairs(n, valid) for track, (n, valid) in sorted(self._counts.items())}


def _within(groups: dict[str, dict[str, Tally]], name: str) -> dict[str, Tally]:
    """The tallies of a group, made where there are none yet; no default is made in vain."""
    known = groups.get(name)
    if known is None:
        known = groups[name] = {}
    return known


def _tally(tallies: dict[str, Tally], name: str) -> Tally:
    known = tallies.get(name)
    if known is None:
        known = tallies[name] = Tally()
    return known


def _groups(tallies: Mapping[str, Tally], resampler: Resampler) -> dict[str, Group]:
    return {name: tally.group(resampler) for name, tally in sorted(tallies.items())}


def _by_track(
    tallies: Mapping[str, Mapping[str, Tally]], resampler: Resampler
) -> dict[str, dict[str, Group]]:
    """The tracks of each value; empty where there is one value only."""
    if len(tallies) < 2:
        return {}
    return {name: _groups(tracks, resampler) for name, tracks in sorted(tallies.items())}


def _text(value: object) -> str | None:
    """A group's value as a key of JSON."""
    if value is None or isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)
