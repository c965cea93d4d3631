"""Which gates bind a question, and what it can see."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import pytest

from groundeval.contracts.sight import Sight, Standing, enforced_gates
from groundeval.diagnostics import Span
from groundeval.ir.expressions import Const
from groundeval.ir.program import Gate, Program, Rule, Track
from groundeval.ir.types import BOOL
from groundeval.traces.model import Refusal

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


@dataclass
class Decision:
    rule: Rule | None


class Counting:
    """Gates that close `C` and searches in `crm`, and count how often they were asked."""

    def __init__(self) -> None:
        self.asked = 0

    def closing(
        self, actor: str | None, artifact_id: str, as_of: int | None, gates: Sequence[str]
    ) -> tuple[tuple[str, Decision], ...]:
        self.asked += 1
        assert (actor, as_of, gates) == ("zoë", 5, ("g",))
        return (("g", Decision(None)),) if artifact_id == "C" else ()

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str],
    ) -> tuple[tuple[str, Decision], ...]:
        rule = Rule("forbid", "search", None, None, None, SPAN)
        return (("g", Decision(rule)),) if subsystem == "crm" or query == "secret" else ()


def test_decisions_become_refusals_and_are_remembered() -> None:
    gates = Counting()
    sight = Sight(gates, Standing("zoë", 5, ("g",)))
    assert sight.closing("C") == (Refusal("g", None),)
    assert sight.closing_search("crm", "x") == (Refusal("g", "desk.gev:4"),)
    assert [sight.visible(i) for i in "ACAC"] == [True, False, True, False]
    assert gates.asked == 3


def test_a_viewpoint_goes_through_what_the_query_may_search() -> None:
    sight = Sight(Counting(), Standing("zoë", 5, ("g",)))
    plain, secret = sight.viewpoint("x"), sight.viewpoint("secret")
    assert [plain.searchable(s) for s in ("wiki", "crm", "handbook")] == [True, False, True]
    assert not secret.searchable("wiki")
    assert plain.as_of == 5
    assert plain.key == secret.key == sight.standing
