"""From a contract to its questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any

import msgspec

from groundeval.contracts.builder import Contract
from groundeval.questions.candidates import Walk
from groundeval.questions.causes import Looked
from groundeval.questions.generator import DEFAULT_CAP, Selection, Shortfall, select
from groundeval.questions.model import Question
from groundeval.questions.sources import Source
from groundeval.questions.wording import Writer


@dataclass(frozen=True, slots=True)
class Drawn:
    """The questions of all tracks, by id; how many per track and stratum, and what was missing.

    `looked` says, for each track that falls short, what was looked at and why it was left out.
    """

    questions: tuple[Question, ...]
    counts: Mapping[str, Mapping[str, int]]
    shortfalls: tuple[Shortfall, ...]
    looked: Mapping[str, Looked]


def draw(contract: Contract, *, seed: int, caps: Mapping[str, int]) -> Drawn:
    """The questions of every track of the contract that asks, at most `caps[track]` of each."""
    source = Source(contract, collections(contract))
    questions: list[Question] = []
    shortfalls: list[Shortfall] = []
    looked: dict[str, Looked] = {}
    for track in contract.program.tracks:
        if track.ask is None:
            continue
        cap = caps.get(track.id, DEFAULT_CAP)
        texts = dict(contract.program.wordings).get(track.id, ()) or track.wordings
        walk = Walk(track, source, seed, texts)
        selection = select(walk, track, cap=cap)
        questions += _written(selection, Writer(track, texts, source, seed))
        shortfalls += selection.shortfalls
        if selection.shortfalls:
            looked[track.id] = walk.looked
    ordered = tuple(sorted(questions, key=lambda q: q.id))
    counts: dict[str, Counter[str]] = {t.id: Counter() for t in contract.program.tracks if t.ask}
    for question in ordered:
        counts[question.track][question.stratum or ""] += 1
    by_track = {t: dict(sorted(c.items())) for t, c in counts.items()}
    return Drawn(ordered, by_track, tuple(shortfalls), looked)


def collections(contract: Contract) -> dict[str, Any]:
    """What `ask for` ranges over, by name; each in one order, by id."""
    world, program = contract.world, contract.program
    mechanisms = chain.from_iterable((link.name, *link.aliases) for link in program.links)
    return {
        "links": tuple(sorted(contract.links, key=lambda pair: pair.id)),
        "near_misses": tuple(sorted(contract.near_misses, key=lambda pair: pair.id)),
        "silences": tuple(sorted(contract.silences, key=lambda case: case.id)),
        "actors": tuple(actor.id for actor in world.access.actors),
        "events": tuple(world.log),
        "artifacts": tuple(artifact.id for artifact in world.corpus),
        "subsystems": tuple(sorted({*program.subsystems, *world.corpus.subsystems()})),
        "mechanisms": tuple(dict.fromkeys(mechanisms)),
    }


def _written(selection: Selection, writer: Writer) -> Iterator[Question]:
    for yes, no in selection.pairs:
        yield writer.write(yes, no, yes)
        yield writer.write(no, yes, yes)
    yield from (writer.write(single, None, single) for single in selection.singles)


def with_contract(drawn: Drawn, contract_hash: str) -> Drawn:
    """The same questions, each naming the contract that it belongs to."""
    questions = (msgspec.structs.replace(q, contract=contract_hash) for q in drawn.questions)
    return replace(drawn, questions=tuple(questions))
