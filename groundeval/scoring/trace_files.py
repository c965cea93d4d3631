"""Files of traces as scoring takes them: which traces count, and where each of them stood."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.diagnostics.source import COMMAND_LINE
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.scoring.answers import ABSTAIN
from groundeval.scoring.summary import Selected
from groundeval.traces.reader import read_trace
from groundeval.traces.unknown import UnknownFields
from groundeval.world.files import DataFile
from groundeval.world.findings import Place
from groundeval.world.ids import shown
from groundeval.world.records import read_records

if TYPE_CHECKING:
    from groundeval.ir.program import Track
    from groundeval.questions.model import Question
    from groundeval.traces.model import Trace

BY_NUMBER: Final = ""
"""The source of findings that know a trace by its number only."""


@dataclass(slots=True)
class Only:
    """The agents and tracks whose traces count, all where there are none; what is not is counted.

    `seen` are the agents of all traces, whether they count or not.
    """

    agents: tuple[str, ...] = ()
    tracks: tuple[str, ...] = ()
    left_out: int = 0
    seen: set[str] = field(default_factory=set)

    def counts(self, trace: Trace, question: Question | None) -> bool:
        """Whether the trace counts; of a question that nobody knows, its agent decides."""
        self.seen.add(trace.agent)
        wanted = not self.agents or trace.agent in self.agents
        if wanted and question is not None and self.tracks:
            wanted = question.track in self.tracks
        self.left_out += not wanted
        return wanted

    def unknown(self) -> Iterator[Diagnostic]:
        """A finding for each agent, of those that should count, of whom no trace was read."""
        for agent in self.agents:
            if agent not in self.seen:
                help_ = did_you_mean(agent, self.seen)
                message = f"no trace is by an agent {shown(agent)}"
                place = Span.at(COMMAND_LINE, 1)
                yield Diagnostic(codes.UNKNOWN_AGENT, message, place, help=help_)

    def selected(self) -> Selected | None:
        """What a summary says of it; nothing where every trace counts."""
        if not self.agents and not self.tracks:
            return None
        return Selected(list(self.agents), list(self.tracks), self.left_out)


class TraceFiles:
    """Traces of several files that answer `questions` of `tracks`."""

    def __init__(
        self, questions: Mapping[str, Question], tracks: Iterable[Track], only: Only
    ) -> None:
        self._questions = questions
        self._asked = {t.id: frozenset((ABSTAIN, *(f.name for f in t.answer))) for t in tracks}
        self._only = only
        self._unknown = UnknownFields()
        self._files: list[tuple[int, str]] = []
        self._lines = array("q")

    def all_of(self, paths: Sequence[Path]) -> Iterator[Trace | Diagnostic]:
        """Every trace that counts of every file in its order, or what is wrong with it."""
        for path in paths:
            file = DataFile.of(path)
            self._files.append((len(self._lines), file.name))
            for item in read_records(file):
                if isinstance(item, Diagnostic):
                    self._lines.append(item.span.line)
                    yield item
                    continue
                place = Place(file.name, item[0])
                trace = read_trace(item[1], place, self._unknown)
                if isinstance(trace, Diagnostic) or self._takes(trace, place):
                    self._lines.append(item[0])
                    yield trace

    def at_the_end(self) -> Iterator[Diagnostic]:
        """What can be told once all is read: agents that there are none of, fields of no use."""
        yield from self._only.unknown()
        yield from self._unknown.findings()

    def placed(self, finding: Diagnostic) -> Diagnostic:
        """The finding at the file and line of the trace that it is about."""
        if finding.span.file != BY_NUMBER:
            return finding
        number = finding.span.line - 1
        file = next(name for first, name in reversed(self._files) if first <= number)
        return replace(finding, span=Span.at(file, self._lines[number]))

    def _takes(self, trace: Trace, place: Place) -> bool:
        """Whether the trace counts; of one that does, the answer's fields are looked at."""
        question = self._questions.get(trace.question)
        if not self._only.counts(trace, question):
            return False
        if trace.answer and question is not None:
            asked = self._asked.get(question.track)
            if asked is not None and not asked.issuperset(trace.answer):
                asked |= _properties(question)
                self._unknown.note_answer(question.track, trace.answer, asked, place)
        return True


def _properties(question: Question) -> frozenset[str]:
    """The fields that the question's own schema asks for."""
    properties = (question.answer_schema or {}).get("properties")
    return frozenset(properties) if isinstance(properties, dict) else frozenset()
