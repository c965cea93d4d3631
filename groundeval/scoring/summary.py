"""What `summary.json` holds."""

from __future__ import annotations

from typing import Final

import msgspec

SCHEMA: Final = "groundeval.summary/1"

Interval = tuple[float, float]


class Epochs(msgspec.Struct, frozen=True, kw_only=True):
    """Repeated attempts at the same question by the same agent.

    `k` is the largest number of attempts that count; `mean` and `spread` are the averages, over
    questions and agents, of the mean and of the standard deviation of s_adj; `pass_all` is pass^j
    for j from 1 to k: the chance that j attempts, drawn from those made, are all valid.
    """

    k: int
    mean: float
    spread: float
    pass_all: dict[str, float] = msgspec.field(name="pass^k")


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of a group of results. What has no denominator is None.

    `n` counts the results that stand in denominators: all but `agent_error` and `unobserved`.
    `answer`, `trajectory`, `combined`, `s_adj_mean`, `correct` and `sound` weigh every question
    the same, however often it was attempted. `rate` is [ΣA, ΣB], `v` its quotient, `s_adj` =
    combined·(1 - v)². `state_invalid_rate` is the share of correct answers whose path was not
    sound. `bands` count results by their own v, `band` is that of the group's v. `violations`
    are by gate (`none` for citations and places that no gate closes) and kind. `intervals` are
    95 % bootstrap intervals over questions.
    """

    n: int
    questions: int
    answer: float | None
    trajectory: float | None
    combined: float | None
    v: float | None
    rate: Interval | None
    s_adj: float | None
    s_adj_mean: float | None
    correct: float | None
    sound: float | None
    state_invalid_rate: float | None
    band: str | None
    bands: dict[str, int]
    outcomes: dict[str, int]
    violations: dict[str, dict[str, int]]
    intervals: dict[str, Interval | None]
    epochs: Epochs | None = None


class Pairs(msgspec.Struct, frozen=True):
    """Sibling questions that one agent attempted in one epoch, and how many have both valid."""

    n: int
    valid: int


class Difference(msgspec.Struct, frozen=True, kw_only=True):
    """A figure of two ways of answering the same questions; every question weighs the same.

    `difference` is `first` minus `second`; `interval` is its 95 % bootstrap interval over the
    questions, None where there are too few to tell. With 0 in it, the difference is within noise.
    """

    first: float
    second: float
    difference: float
    interval: Interval | None


class Contrast(msgspec.Struct, frozen=True, kw_only=True):
    """One agent's answers to the same questions of a track, given in two ways.

    `first` and `second` name the ways: a mode beside zero-shot answers, or a mode behind gates
    beside the same without them. `questions` counts those answered in both.
    """

    agent: str
    track: str
    first: str
    second: str
    questions: int
    figures: dict[str, Difference]


class Selected(msgspec.Struct, frozen=True):
    """Which traces count, where not all do: those of some agents, of some tracks, or of both.

    Empty lists leave nothing out. `left_out` counts the traces that could be read and do not count.
    """

    agents: list[str]
    tracks: list[str]
    left_out: int


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """Totals of a run.

    `groups` are by difficulty, actor, role, spec and stratum, and by agent, mode, epoch and gating
    where there are several; `agents` and `modes` are the tracks of each agent and of each mode,
    where there are several. `contrasts` set an agent's ways of answering side by side. `only` is
    there where the traces of some agents or tracks alone were asked for.
    """

    schema: str = SCHEMA
    contract: str | None
    overall: Group
    tracks: dict[str, Group]
    groups: dict[str, dict[str, Group]]
    agents: dict[str, dict[str, Group]]
    modes: dict[str, dict[str, Group]]
    pairs: dict[str, Pairs]
    marks: dict[str, int]
    contrasts: list[Contrast] = []
    only: Selected | msgspec.UnsetType = msgspec.UNSET
