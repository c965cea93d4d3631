"""Fields of traces that nobody reads: each told once, with how often it stands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from groundeval.diagnostics import Diagnostic, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.traces.model import Recorder, Step, Trace
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from groundeval.diagnostics import Code
    from groundeval.world.findings import Place

_TRACE: Final = frozenset(Trace.__struct_fields__)
_STEP: Final = frozenset(Step.__struct_fields__)
_RECORDER: Final = frozenset(Recorder.__struct_fields__)
_KINDS: Final = 20
"""How many kinds are told one by one: what uses names as values has thousands of them."""


@dataclass(slots=True)
class _Kind:
    """One field that nobody knows: where it stood first, how often, and what is known."""

    place: Place
    known: frozenset[str]
    count: int = 0


class UnknownFields:
    """Counts, over all traces that are read, the fields that nobody knows.

    A misspelt field is passed over, as in every document of ours, so nothing but this tells of it.
    """

    def __init__(self) -> None:
        self._kinds: dict[tuple[str, str], _Kind] = {}

    def note(self, record: Mapping[str, Any], place: Place) -> None:
        """Count those of a decoded trace that fits the format: its own and its steps'."""
        if not _TRACE.issuperset(record):
            self._count("a trace", record, _TRACE, place)
        steps = record.get("steps")
        if steps and not _STEP.issuperset(set().union(*steps)):  # quicker than one by one
            for step in steps:
                self._count("a step", step, _STEP, place)
        recorder = record.get("recorder")
        if recorder and not _RECORDER.issuperset(recorder):
            self._count("`recorder`", recorder, _RECORDER, place)

    def note_answer(
        self, track: str, answer: Mapping[str, Any], asked: frozenset[str], place: Place
    ) -> None:
        """Count those of an answer to a question of `track`, whose fields are `asked`."""
        if not asked.issuperset(answer):
            self._count(f"an answer to `{track}`", answer, asked, place)

    def findings(self) -> Iterator[Diagnostic]:
        """A warning for each kind, where it stood first; one more where there are too many."""
        for (holder, name), kind in list(self._kinds.items())[:_KINDS]:
            of_answer = holder.startswith("an answer")
            code = codes.UNKNOWN_ANSWER_FIELD if of_answer else codes.UNKNOWN_TRACE_FIELD
            times = "once" if kind.count == 1 else f"{kind.count:,} times, first here"
            message = f"{holder} has a field {shown(name)} that nothing reads: {times}"
            yield kind.place.finding(code, message, help_=_help(name, kind.known, code))
        if len(self._kinds) > _KINDS:
            (_, _), kind = list(self._kinds.items())[_KINDS]
            message = f"there are {len(self._kinds) - _KINDS:,} more such fields, the first here"
            yield kind.place.finding(codes.UNKNOWN_TRACE_FIELD, message)

    def _count(
        self, holder: str, record: Mapping[str, Any], known: frozenset[str], place: Place
    ) -> None:
        for name in record:
            if name not in known:
                kind = self._kinds.setdefault((holder, name), _Kind(place, known))
                kind.count += 1


def _help(name: str, known: frozenset[str], code: Code) -> str:
    """The field that is meant, and those that there are."""
    if code is codes.UNKNOWN_TRACE_FIELD:
        known = known - {"schema"}
    near = did_you_mean(name, known)
    if code is codes.UNKNOWN_ANSWER_FIELD:
        listed = f"asked for are {', '.join(map(shown, sorted(known)))}"
        return f"{near} {listed}" if near.startswith("did") else listed
    return near or "`groundeval schema trace` lists the fields"
