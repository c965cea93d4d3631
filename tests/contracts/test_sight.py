"""Which gates bind a question, and what it can see."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from groundeval.contracts.sight import Sight, Standing, enforced_gates, is_there
from groundeval.diagnostics import Span
from groundeval.engine.gates_compiled import Closed
from groundeval.ir.expressions import Const
from groundeval.ir.program import Gate, Program, Rule, Track
from groundeval.ir.types import BOOL
from groundeval.traces.model import Refusal
from groundeval.world.access import Access
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import MemoryLog
from groundeval.world.world import World

SPAN = Span("desk.gev", 4, 1, 4, 9)
YES = Const(SPAN, BOOL, True)
TRACK = Track(
    id="t",
    title="",
    doc="",
    ask=None,
    enforce=None,
    answer=(),
    truth=(),
    truth_reads=(),
    balance=(),
    wordings=(),
    definitions=(),
    scores=(),
    weights=(),
    violation=YES,
    rate=(YES, YES),
    correct=YES,
    sound=YES,
    because=None,
    span=SPAN,
)


def gate(name: str, *, needs_actor: bool) -> Gate:
    return Gate(name, "", "", (), needs_actor, SPAN)


def program(enforce: tuple[str, ...] | None) -> Program:
    return Program(
        domain="d",
        title="",
        doc="",
        timezone=None,
        observed=None,
        subsystems=(),
        roles=(),
        actors=(),
        event_types=(),
        sources=(),
        gates=(gate("actor", needs_actor=True), gate("horizon", needs_actor=False)),
        links=(),
        silences=(),
        tracks=(replace(TRACK, enforce=enforce),),
        wordings=(),
        tests=(),
        files=(),
    )


@pytest.mark.parametrize(
    ("enforce", "actor", "gates"),
    [
        (None, "zoë", ("actor", "horizon")),
        (None, None, ("horizon",)),
        (("actor",), "zoë", ("actor",)),
        (("actor",), None, ()),
        ((), "zoë", ()),
    ],
)
def test_enforced_gates(
    enforce: tuple[str, ...] | None, actor: str | None, gates: tuple[str, ...]
) -> None:
    assert enforced_gates(program(enforce), "t", actor) == gates


def test_an_unknown_track_enforces_nothing() -> None:
    assert enforced_gates(program(None), "other", "zoë") == ()


class Counting:
    """Gates that close `C` and searches in `crm`, and count how often they were asked."""

    def __init__(self, *artifacts: Artifact) -> None:
        self.asked = 0
        self.world = World(MemoryLog(()), Corpus(artifacts), Access())

    def closing(
        self, actor: str | None, artifact_id: str, as_of: int | None, gates: Sequence[str]
    ) -> tuple[Closed, ...]:
        self.asked += 1
        assert (actor, as_of, gates) == ("zoë", 5, ("g",))
        return (("g", None),) if artifact_id == "C" else ()

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str],
    ) -> tuple[Closed, ...]:
        rule = Rule("forbid", "search", None, None, None, SPAN)
        return (("g", rule),) if subsystem == "crm" or query == "secret" else ()


def test_decisions_become_refusals_and_are_remembered() -> None:
    gates = Counting()
    sight = Sight(gates, Standing("zoë", 5, ("g",)))
    assert sight.closing("C") == (Refusal("g", None),)
    assert sight.closing_search("crm", "x") == (Refusal("g", "desk.gev:4"),)
    assert [sight.visible(i) for i in "ACAC"] == [True, False, True, False]
    assert gates.asked == 3


def test_what_is_shown_is_there_and_open() -> None:
    """Open are A, E, L and N, closed is C; of these, some are not there as of 5."""

    def artifact(name: str, start: int, deleted: int | None = None) -> Artifact:
        version = Version(start=start)
        return Artifact(
            id=name, subsystem="wiki", created=start, deleted=deleted, versions=(version,)
        )

    world = [
        artifact("A", 5), artifact("C", 0), artifact("E", 0, deleted=5),
        artifact("L", 0, deleted=6), artifact("N", 6),
    ]  # fmt: skip
    sight = Sight(Counting(*world), Standing("zoë", 5, ("g",)))
    assert [name for name in "ACELNX" if sight.shows(name)] == ["A", "L"]
    there = Corpus(world)
    assert [name for name in "ACELNX" if is_there(there, name, 5)] == ["A", "C", "L"]


def test_a_viewpoint_goes_through_what_the_query_may_search() -> None:
    sight = Sight(Counting(), Standing("zoë", 5, ("g",)))
    plain, secret = sight.viewpoint("x"), sight.viewpoint("secret")
    assert [plain.searchable(s) for s in ("wiki", "crm", "handbook")] == [True, False, True]
    assert not secret.searchable("wiki")
    assert plain.as_of == 5
    assert plain.key == secret.key == sight.standing
