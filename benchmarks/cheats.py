"""Every scripted cheat against the careful agent, on every track: `python -m benchmarks.cheats`.

All answer the support desk's questions behind the gates, each in a process of its own. A track
that a cheat does as well on as the careful agent is a track to mend; the exit code is 1 then.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from groundeval import api
from groundeval.diagnostics import Diagnostic
from groundeval.runs.agent import Agent, Budget
from groundeval.runs.plan import Conditions, Plan
from groundeval.runs.runner import Runner
from groundeval.scoring.stream import Scorers, score_traces
from groundeval.scoring.summary import Group
from groundeval.scoring.totals import Totals
from groundeval.scripted import CHEATS, NAMES, scripted_agent

SUPPORT = Path(__file__).resolve().parent.parent / "examples" / "support"
CAREFUL = NAMES[0]
OUTCOMES = ("valid", "state_invalid", "wrong_sound", "wrong")
_SECONDS = 60.0

Making = Callable[[str], Agent | None]


@dataclass(frozen=True, slots=True)
class Standing:
    """What an agent came to on a track."""

    track: str
    agent: str
    group: Group

    @property
    def s_adj(self) -> float:
        """Its score; 0 where nothing could be scored."""
        return self.group.s_adj or 0.0


def compiled(project: Path = SUPPORT) -> api.Compiled:
    """The project, compiled."""
    opened = api.open_project(project)
    assert opened.value is not None, opened.diagnostics
    found = api.compile_project(opened.value)
    assert found.value is not None, found.diagnostics
    return found.value


def standings(
    at: api.Compiled, names: Sequence[str] = NAMES, make: Making = scripted_agent
) -> Iterator[Standing]:
    """What each agent comes to on each track, track by track, the best first."""
    found = [standing for name in names for standing in _of_agent(at, name, make)]
    yield from sorted(found, key=lambda s: (s.track, -s.s_adj, s.agent))


def unbeaten(found: Sequence[Standing]) -> list[Standing]:
    """The cheats that do as well as the careful agent, or better."""
    careful = {s.track: s.s_adj for s in found if s.agent == CAREFUL}
    return [s for s in found if s.agent in CHEATS and s.s_adj >= careful[s.track]]


def table(found: Sequence[Standing]) -> Iterator[str]:
    """The standings as lines of text."""
    columns = ("track", "agent", "s_adj", "v", *OUTCOMES)
    widths = [14, 10, 5, 5, *(len(outcome) for outcome in OUTCOMES)]
    yield "  ".join(c.ljust(w) for c, w in zip(columns, widths, strict=True)).rstrip()
    before = ""
    for standing in found:
        group = standing.group
        counts = [str(group.outcomes.get(outcome, 0)) for outcome in OUTCOMES]
        track = "" if standing.track == before else standing.track
        numbers = (f"{standing.s_adj:.3f}", f"{group.v or 0:.3f}", *counts)
        cells = (track.ljust(widths[0]), standing.agent.ljust(widths[1]))
        right = (n.rjust(w) for n, w in zip(numbers, widths[2:], strict=True))
        yield "  ".join((*cells, *right))
        before = standing.track


def _of_agent(at: api.Compiled, name: str, make: Making) -> Iterator[Standing]:
    agent = make(name)
    assert agent is not None, name
    contract, scoring = at.contract, api.scoring_of(at)
    conditions = Conditions(contract.digest, budget=Budget(seconds=_SECONDS))
    plan = Plan(at.drawn.questions, agent.identity, conditions)
    with closing(agent):
        traces = [Runner(contract, agent, plan).trace_of(attempt) for attempt in plan.due({})]
    totals = Totals()
    scorers = Scorers(scoring.tracks, contract)
    for result in score_traces(traces, scoring.questions, scorers, source=name):
        assert not isinstance(result, Diagnostic), result
        assert result.outcome != "agent_error", result
        totals.add(result)
    for track, group in totals.summary().tracks.items():
        yield Standing(track, name, group)


def main() -> int:
    """Print the table; 1 where a cheat is not below the careful agent."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.cheats", description=__doc__)
    parser.add_argument("project", nargs="?", type=Path, default=SUPPORT)
    at = compiled(parser.parse_args().project)
    found = list(standings(at))
    for line in table(found):
        print(line)
    level = unbeaten(found)
    for standing in level:
        print(f"not below the careful agent: {standing.agent} on {standing.track}", file=sys.stderr)
    return 1 if level else 0


if __name__ == "__main__":
    raise SystemExit(main())
