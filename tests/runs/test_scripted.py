"""The scripted agents: one is careful, and every other one ends below it, on every track."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from benchmarks.cheats import CAREFUL, Standing, compiled, standings, table, unbeaten
from groundeval import api
from groundeval.questions.model import visible_part
from groundeval.runs.agent import Agent, Budget, Identity, Mode, Reply, Task
from groundeval.runs.context import packed
from groundeval.runs.frames import Line
from groundeval.runs.tools import Tools
from groundeval.scoring.stream import Scorers
from groundeval.scripted import CHEATS, NAMES, PLAYERS, Player, scripted_agent

ROOT = Path(__file__).parents[2]
CANARY = "yellow-bird-in-the-mine"
TRACKS = {"perspective", "counterfactual", "silence"}


class InThisProcess:
    """A player without a process of its own: the same calls and answers, sooner."""

    def __init__(self, name: str, player: Player) -> None:
        self.identity = Identity(name=name)
        self._player = player

    def attempt(self, task: Task) -> Reply:
        return Reply(answer=self._player(task.question, task.tools))

    def close(self) -> None:
        return


def in_this_process(name: str) -> Agent:
    return InThisProcess(name, PLAYERS[name])


@pytest.fixture(scope="module")
def desk() -> api.Compiled:
    return compiled()


@pytest.fixture(scope="module")
def found(desk: api.Compiled) -> list[Standing]:
    return list(standings(desk, NAMES, in_this_process))


@pytest.fixture(scope="module")
def hosted() -> Iterator[Agent]:
    agent = scripted_agent("careful")
    assert agent is not None
    yield agent
    agent.close()


def test_every_cheat_ends_below_the_careful_agent_on_every_track(found: list[Standing]) -> None:
    assert {(s.track, s.agent) for s in found} == {(t, n) for t in TRACKS for n in NAMES}
    assert unbeaten(found) == []
    best = {s.track: s for s in found if s.agent == CAREFUL}
    assert {track: s.s_adj for track, s in best.items()} == dict.fromkeys(TRACKS, 1.0)
    for standing in best.values():
        assert dict(standing.group.outcomes) == {"valid": standing.group.n}


def test_each_cheat_loses_in_its_own_way(found: list[Standing]) -> None:
    """By what it answers, by what it opens, or by what it names."""
    of = {(s.agent, s.track): s.group for s in found}
    for name in ("always-no", "always-yes", "guessing", "parroting", "parading"):
        assert of[name, "silence"].sound == 0, "nothing was opened"
    for name in ("prying", "padding", "peeking", "hoarding"):
        for track in TRACKS:
            assert of[name, track].correct == 1, "what it answers is right"
            assert "attempt" in of[name, track].violations["horizon"]
    for track in TRACKS:
        assert of["overciting", track].violations["none"]["ungrounded"]
        padded, bare = of["padding", track], of["prying", track]
        assert padded.v == bare.v, "padding dilutes nothing"
        assert (padded.s_adj or 0) <= (bare.s_adj or 0)
    for name in ("hasty", "stuffing"):
        assert of[name, "counterfactual"].correct == 0.5, "near is not because"


def test_a_cheat_that_is_as_good_would_be_named(found: list[Standing]) -> None:
    level = [as_good_as_the_careful_one(s, found) if s.agent == "hasty" else s for s in found]
    assert {s.agent for s in unbeaten(level)} == {"hasty"}


def as_good_as_the_careful_one(standing: Standing, found: list[Standing]) -> Standing:
    best = next(s for s in found if (s.track, s.agent) == (standing.track, CAREFUL))
    return Standing(standing.track, standing.agent, best.group)


def test_the_table_has_a_line_for_each(found: list[Standing]) -> None:
    lines = list(table(found))
    assert len(lines) == 1 + len(found)
    assert lines[1].split() == ["counterfactual", "careful", "1.000", "0.000", "12", "0", "0", "0"]


def traces(desk: api.Compiled, agent: Agent) -> Iterator[dict[str, Any]]:
    for question in desk.drawn.questions:
        tools = Tools(desk.contract, question)
        task = Task(visible_part(question), Mode.TOOL, 1, tools, (), Budget(seconds=60))
        reply = agent.attempt(task)
        assert reply.error is None, reply.error
        yield msgspec.to_builtins(tools.finish(reply.answer, reply.cited))


def test_a_process_of_its_own_changes_nothing(desk: api.Compiled, hosted: Agent) -> None:
    """The careful agent does, over the line, call for call what it does in this process."""
    assert list(traces(desk, hosted)) == list(traces(desk, in_this_process("careful")))


@pytest.mark.parametrize("mode", Mode)
def test_nothing_of_a_truth_goes_over_the_line(
    desk: api.Compiled, mode: Mode, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A word planted wherever an agent may not see is in no byte that its process receives."""
    sent: list[bytes] = []
    written = Line.send_encoded

    def send_encoded(line: Line, body: bytes) -> None:
        sent.append(body)
        written(line, body)

    monkeypatch.setattr(Line, "send_encoded", send_encoded)
    agent = scripted_agent("careful")
    assert agent is not None
    for question in desk.drawn.questions[::3]:
        planted = msgspec.structs.replace(
            question, truth={**(question.truth or {}), CANARY: [CANARY]}, spec=CANARY, stratum=CANARY,
            pair=CANARY, about=[CANARY], places=(),
        )  # fmt: skip
        tools = Tools(desk.contract, planted)
        given = packed(desk.contract, planted).given if mode is Mode.CONTEXT else ()
        reached = tools if mode is Mode.TOOL else None
        agent.attempt(Task(visible_part(planted), mode, 1, reached, given, Budget(seconds=60)))
    agent.close()
    received = b"".join(sent)
    assert len(received) > 10_000
    assert CANARY.encode() not in received
    assert b'"truth"' not in received


def test_without_tools_it_goes_by_what_it_was_given(desk: api.Compiled, hosted: Agent) -> None:
    scoring = api.scoring_of(desk)
    scorers = Scorers(scoring.tracks, desk.contract)
    outcomes: dict[Mode, set[str]] = {mode: set() for mode in (Mode.CONTEXT, Mode.ZERO_SHOT)}
    for question in desk.drawn.questions[::4]:
        for mode, seen in outcomes.items():
            tools = Tools(desk.contract, question)
            context = packed(desk.contract, question) if mode is Mode.CONTEXT else None
            for handed in context.handed if context else ():
                tools.give(handed.results, handed.query, handed.subsystem)
            given = context.given if context else ()
            task = Task(visible_part(question), mode, 1, None, given, Budget(seconds=60))
            reply = hosted.attempt(task)
            assert reply.error is None
            scorer = scorers.of(question.track)
            assert scorer is not None
            seen.add(scorer.score(question, tools.finish(reply.answer)).outcome)
    assert outcomes[Mode.CONTEXT] == {"valid"}
    assert "valid" not in outcomes[Mode.ZERO_SHOT]


def test_names_are_those_of_the_players() -> None:
    assert NAMES[0] == CAREFUL
    assert NAMES[1:] == CHEATS
    assert list(CHEATS) == sorted(CHEATS)
    assert scripted_agent("nobody") is None
    assert all(player.__doc__ for player in PLAYERS.values())
    for name in NAMES:
        agent = scripted_agent(name)
        assert agent is not None
        assert agent.identity.name == name
        agent.close()


def test_each_has_its_line_in_the_documentation() -> None:
    page = (ROOT / "docs" / "explanation" / "agents.md").read_text(encoding="utf-8")
    rows = "".join(row for row in page.splitlines(keepends=True) if row.startswith("| `"))
    assert [name for name in NAMES if f"`{name}`" not in rows] == []


def test_the_demo_asks_its_agents_now(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "groundeval", "demo", "--json", "-o", str(tmp_path)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    agents = json.loads(done.stdout)["agents"]
    assert list(agents) == ["careful", "guessing", "hasty", "peeking"]
    assert "52 questions for careful, guessing, hasty and peeking" in done.stderr
    lines = [json.loads(line) for line in (tmp_path / "traces.jsonl").read_text().splitlines()]
    assert len(lines) == 4 * 52
    assert not [line for line in lines if line.get("error")]
    assert all(line["started"] for line in lines), "asked, not read from a file"
    for name in ("counterfactual", "perspective", "silence"):
        assert agents["careful"][name]["s_adj"] == 1
        assert all(agents[other][name]["s_adj"] < 1 for other in agents if other != "careful")
