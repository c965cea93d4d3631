"""The path of one trace: its calls, what they brought back and opened, and what they broke."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import msgspec

from groundeval.traces.model import Step
from groundeval.world.artifacts import HANDBOOK

if TYPE_CHECKING:
    from groundeval.scoring.grounds import Ground
    from groundeval.scoring.model import ViolationKind
    from groundeval.traces.model import Trace

CITED: Final = "cited"
"""The `tool` of a citation where rules see it as a step."""


class Breach(msgspec.Struct, frozen=True, gc=False):
    """That a call or citation breaks `gate` (None: a citation of what was never opened).

    `target` is the artifact or subsystem that is closed, `rule` the rule that closed it.
    """

    kind: ViolationKind
    gate: str | None
    target: str
    rule: str | None = None


@dataclass(slots=True)
class Path:
    """What scores read of a trace.

    `calls` are its searches and fetches in order, without those of the handbook, which is neither
    evidence nor a look; `looks` are the calls that broke nothing, and what context mode gave.
    `retrieved` are the ids that came back, `opened` those whose text came back from calls that
    broke nothing, and those that were given and are open. `breaches` has every call and citation
    that broke something, in their order, citations last.
    """

    calls: tuple[Step, ...]
    looks: tuple[Step, ...]
    retrieved: frozenset[str]
    opened: frozenset[str]
    cited: frozenset[str]
    citations: tuple[Step, ...]
    breaches: dict[Step, tuple[Breach, ...]]


def walk(trace: Trace, cited: frozenset[str], ground: Ground) -> Path:
    """The path of `trace`, judged on `ground`; `cited` are the artifacts that it cites."""
    calls: list[Step] = []
    looks: list[Step] = []
    retrieved: set[str] = set()
    opened: set[str] = set()
    breaches: dict[Step, tuple[Breach, ...]] = {}
    judge, books = ground.breaches, ground.handbook
    for step in trace.steps:
        tool, came, text = step.tool, step.results, step.text
        if tool not in _SEEN or (
            (step.subsystem == HANDBOOK or step.artifact in books) and ground.is_handbook_step(step)
        ):
            continue
        if text and not came:
            came = results_of(step)
        if came:
            retrieved.update(came)
        if tool == "given":
            looks.append(step)
            opened.update(x for x in came if not ground.closing(x))
            continue
        calls.append(step)
        broken = judge(step)
        if broken:
            breaches[step] = broken
            continue
        looks.append(step)
        if came and (text or (text is None and tool == "fetch")):  # `gives_text`, without a call
            opened.update(came)
    if books:
        retrieved -= books
        opened -= books
        cited -= books
    citations: tuple[Step, ...] = ()
    if cited:
        citations = _cite(cited, opened, ground, breaches)
    return Path(
        tuple(calls),
        tuple(looks),
        frozenset(retrieved),
        frozenset(opened),
        cited,
        citations,
        breaches,
    )


_SEEN: Final = frozenset({"search", "fetch", "given"})


def gives_text(step: Step) -> bool:
    """Whether the step gave the text of its results.

    A recorder says so with `text`. Where it says nothing, a fetch that came back with something
    gave its text, since that is all a fetch does, and a search did not.
    """
    if step.text is None:
        return step.tool == "fetch" and bool(step.results)
    return step.text


def results_of(step: Step) -> tuple[str, ...]:
    """The ids that came back; a fetch that gave a text without naming it gave its artifact's."""
    if step.results or not step.text or step.artifact is None:
        return step.results
    return (step.artifact,)


def identity(step: Step) -> tuple[str, str | None, str | None, str | None]:
    """What two calls have in common that ask for the same thing."""
    return step.tool, step.artifact, step.query, step.subsystem


def _cite(
    cited: frozenset[str],
    opened: set[str],
    ground: Ground,
    breaches: dict[Step, tuple[Breach, ...]],
) -> tuple[Step, ...]:
    """Each citation as a step, in the order of ids; what it breaks is added to `breaches`."""
    citations: list[Step] = []
    for artifact in sorted(cited):
        step = Step(n=0, tool=CITED, artifact=artifact)
        citations.append(step)
        closed = ground.closing(artifact)
        if closed:
            breaches[step] = tuple(Breach("use", gate, artifact, rule) for gate, rule in closed)
        elif artifact not in opened:
            breaches[step] = (Breach("ungrounded", None, artifact),)
    return tuple(citations)
