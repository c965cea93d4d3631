"""Whether a trace shows what its track needs, and what its result has to be marked with."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from groundeval.scoring.path import results_of
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from groundeval.scoring.grounds import Ground
    from groundeval.scoring.needs import Needs
    from groundeval.traces.model import Trace

_NOT_THERE: Final = frozenset({"absent", "redacted"})
_OWN_RUNTIME: Final = "groundeval/"


def lacking(trace: Trace, needs: Needs, ground: Ground) -> str | None:
    """What the track needs and the trace does not show, in words; None where nothing is amiss.

    That is a field that the trace's fidelity calls absent or redacted, and a call of a tool that
    nobody mapped, whose result held ids of the corpus: the agent saw something that no score knows.
    """
    if trace.fidelity:
        for field, state in sorted(trace.fidelity.items()):
            if field in needs.fields and state in _NOT_THERE:
                return f"the trace's {shown(field)} are {state}, and the track needs them"
    if "steps" not in needs.fields:
        return None
    for step in trace.steps:
        if step.tool == "other":
            seen = next((x for x in results_of(step) if ground.is_known(x)), None)
            if seen is not None:
                return f"step {step.n} is of a tool that is not mapped, and it saw {shown(seen)}"
    return None


def marks_of(trace: Trace, ground: Ground, *, recorded: bool, sought: bool) -> tuple[str, ...]:
    """The marks of a result.

    `approximate` where coverage was decided for a search of another engine or without a corpus,
    `recorded-flags` where breaks were not recomputed, `inferred` where a field was guessed.
    """
    fidelity = trace.fidelity
    marks: list[str] = []
    if sought and (ground.approximate or _is_foreign(trace)):
        marks.append("approximate")
    if recorded:
        marks.append("recorded-flags")
    if fidelity and "inferred" in fidelity.values():
        marks.append("inferred")
    return tuple(marks)


def _is_foreign(trace: Trace) -> bool:
    """Whether another engine than ours answered the searches, as far as the trace tells."""
    recorder = trace.recorder
    if recorder is not None and recorder.runtime:
        return bool(recorder.backend) or not recorder.runtime.startswith(_OWN_RUNTIME)
    return trace.fidelity is not None
