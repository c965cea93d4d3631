"""Agents that need no model: a careful one, and cheats that it is to be told from.

`scripted_agent` runs one in a process that holds nothing of a contract but what the agent is
told; `PLAYERS` are the same agents as plain functions, for tests and records.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from groundeval import __version__
from groundeval.contracts.builder import Contract, build
from groundeval.loading import data_facts
from groundeval.runs.agent import Agent, Identity, Toolbox, Visible
from groundeval.runs.agents import blind, careless
from groundeval.runs.agents.careful import careful as careful_player
from groundeval.runs.agents.desk import Answer, Rebuild
from groundeval.runs.agents.given import GivenDocuments
from groundeval.runs.agents.wording import instant
from groundeval.runs.hosted import HostedAgent, Spec
from groundeval.runs.replies import FetchReply, ReportedEvent
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.semantics.symbols import DataFacts
from groundeval.world.artifacts import Artifact, Version
from groundeval.world.assembly import Parts, build_world
from groundeval.world.events import Event
from groundeval.world.time import EARLIEST
from groundeval.world.world import World

_FILE = "seen.gev"
_READ = re.compile(r"\.(?:(\w+)|`([^`]+)`)")
_DECLARED = re.compile(r"^event `([^`]+)`", re.MULTILINE)

Player = Callable[[Visible, Toolbox | None], Answer]
"""An agent as a plain function. Without tools it goes by the question's `context`, if any."""


def scripted_agent(name: str) -> Agent | None:
    """The scripted agent of that name, to be run in a process of its own; None where none is.

    Its process gets the visible part of each question and the tools. No file of a project is read.
    """
    if name not in PLAYERS:
        return None
    spec = Spec(f"{__name__}:{name.replace('-', '_')}")
    return HostedAgent(spec, Identity(name=name, version=__version__))


def rebuilt(
    rules: str, events: Iterable[ReportedEvent], opened: Mapping[str, FetchReply]
) -> Contract:
    """A small contract of an agent's own: the rules it read, over the events it saw.

    Raises ValueError where the handbook's wording is not understood: that is a mistake of the
    handbook, or of its reader.
    """
    parts = Parts(
        events=[_event(e) for e in events], artifacts=[_artifact(r) for r in opened.values()]
    )
    world = build_world(parts)
    if world.value is None:
        raise ValueError(world.diagnostics[0].message)
    seen = world.value.world
    program = analyse(_FILE, MemoryFiles({_FILE: rules}), data=_fields(rules, seen))
    if program.value is None:
        raise ValueError(f"{program.diagnostics[0].message} in:\n{rules}")
    contract = build(program.value, seen, seed=0).value
    assert contract is not None
    return contract


def _fields(rules: str, seen: World) -> DataFacts:
    """What names there may be: a field that the rules read need not be in what was seen."""
    read = frozenset(bare or quoted for bare, quoted in _READ.findall(rules))
    types = frozenset(_DECLARED.findall(rules)) | set(seen.log.types())
    return replace(data_facts(seen), event_fields=dict.fromkeys(types, read))


def _event(told: ReportedEvent) -> Event:
    return Event(
        id=told.id,
        type=told.type,
        at=instant(told.at),
        actors=told.actors,
        artifacts=dict(told.artifacts),
        facts=dict(told.facts),
    )


def _artifact(reply: FetchReply) -> Artifact:
    created = None if reply.created is None else instant(reply.created)
    start = EARLIEST if created is None else created
    version = Version(start=start, title=reply.title, text=reply.text)
    return Artifact(id=reply.id, subsystem=reply.subsystem, created=created, versions=(version,))


def _player(agent: Callable[[Visible, Toolbox, Rebuild], Answer]) -> Player:
    def play(question: Visible, tools: Toolbox | None) -> Answer:
        if tools is None:
            tools = GivenDocuments(question.get("context", ()))
        return agent(question, tools, rebuilt)

    play.__name__, play.__doc__ = agent.__name__, agent.__doc__
    return play


careful = _player(careful_player)
always_yes = _player(blind.always_yes)
always_no = _player(blind.always_no)
guessing = _player(blind.guessing)
parroting = _player(blind.parroting)
hasty = _player(careless.hasty)
hoarding = _player(careless.hoarding)
overciting = _player(careless.overciting)
padding = _player(careless.padding)
parading = _player(careless.parading)
peeking = _player(careless.peeking)
prying = _player(careless.prying)
stuffing = _player(careless.stuffing)

PLAYERS: Final[Mapping[str, Player]] = MappingProxyType(
    {
        "careful": careful,
        "always-no": always_no,
        "always-yes": always_yes,
        "guessing": guessing,
        "hasty": hasty,
        "hoarding": hoarding,
        "overciting": overciting,
        "padding": padding,
        "parading": parading,
        "parroting": parroting,
        "peeking": peeking,
        "prying": prying,
        "stuffing": stuffing,
    }
)
"""Every scripted agent by its name, the careful one first."""
NAMES: Final = tuple(PLAYERS)
CHEATS: Final = NAMES[1:]
