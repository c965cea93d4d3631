"""Sessions on a project's questions, for agents and tests that run in this process."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from groundeval.api import Compiled, compile_project, open_project, scoring_of, sources_of
from groundeval.diagnostics import Checked, Diagnostic, Source
from groundeval.diagnostics.render.text import render
from groundeval.questions.model import Question, visible_part
from groundeval.runs.backend import OWN, Searcher
from groundeval.runs.backends.named import searcher_named
from groundeval.runs.session import Attempt, ToolSession
from groundeval.scoring.model import Result
from groundeval.scoring.stream import Scorers
from groundeval.traces.model import Trace


class ProjectError(ValueError):
    """A project or backend that cannot be used; `findings` are what is wrong, and its text too."""

    def __init__(
        self, findings: Sequence[Diagnostic], sources: Mapping[str, Source] | None = None
    ) -> None:
        self.findings = tuple(findings)
        super().__init__(render(findings, sources or {}).rstrip())


class UnknownQuestion(LookupError):  # noqa: N818 - it says what is unknown
    """A contract has no question of that id."""


class OpenContract:
    """A project's contract, compiled once for any number of sessions.

    `backend` names what ranks the searches. Raises `ProjectError` where the project or the backend
    cannot be used. A context manager; closing it lets go of the backend.
    """

    def __init__(self, project: Path | str | Compiled, *, backend: str = OWN) -> None:
        self.compiled = project if isinstance(project, Compiled) else _compiled(Path(project))
        self._searcher = _usable(searcher_named(backend, self.compiled.contract))

    @cached_property
    def questions(self) -> Mapping[str, dict[str, Any]]:
        """What an agent may see of each question, by its id."""
        return {question.id: visible_part(question) for question in self._asked.values()}

    def session(self, question: str, *, agent: str = "session", epoch: int = 1) -> Session:
        """A session on one of the questions. Raises `UnknownQuestion`."""
        return Session(self, question, agent=agent, epoch=epoch)

    def question(self, question_id: str) -> Question:
        """A question with its truth: for whoever scores, never for an agent."""
        found = self._asked.get(question_id)
        if found is not None:
            return found
        near = get_close_matches(question_id, self._asked, 1)
        rest = f"; did you mean `{near[0]}`?" if near else f"; there are {len(self._asked)}"
        raise UnknownQuestion(f"there is no question `{question_id}`{rest}")

    def score(self, trace: Trace) -> Result:
        """The result of a trace of one of these questions. Raises `UnknownQuestion`."""
        question = self.question(trace.question)
        scorer = self._scorers.of(question.track)
        assert scorer is not None, question.track
        return scorer.score(question, trace)

    @property
    def searcher(self) -> Searcher:
        """What ranks the searches of all its sessions."""
        return self._searcher

    def close(self) -> None:
        """Let go of the backend. No session is used after this."""
        self._searcher.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        fault: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @cached_property
    def _asked(self) -> Mapping[str, Question]:
        return {question.id: question for question in self.compiled.drawn.questions}

    @cached_property
    def _scorers(self) -> Scorers:
        about = scoring_of(self.compiled)
        return Scorers(about.tracks, about.contract)


class Session(ToolSession):
    """One attempt at one question of a project, gated and recorded; see `ToolSession`.

    `contract` is a project's folder or file, which is compiled for this session alone, or an
    `OpenContract`. Raises `ProjectError` and `UnknownQuestion`.
    """

    def __init__(
        self,
        contract: OpenContract | Path | str,
        question: str,
        *,
        agent: str = "session",
        epoch: int = 1,
    ) -> None:
        held = contract if isinstance(contract, OpenContract) else OpenContract(contract)
        asked = held.question(question)
        attempt = Attempt(agent, epoch)
        super().__init__(held.compiled.contract, asked, attempt, held.searcher)
        self._held = held

    def score(self) -> Result:
        """The result of the trace as it is: the same that `groundeval score` gives."""
        return self._held.score(self.trace)


def _compiled(path: Path) -> Compiled:
    opened = open_project(path)
    if opened.value is None:
        raise ProjectError(opened.diagnostics)
    compiled = compile_project(opened.value)
    if compiled.value is None:
        raise ProjectError(compiled.diagnostics, sources_of(opened.value, compiled.diagnostics))
    return compiled.value


def _usable(found: Checked[Searcher]) -> Searcher:
    if found.value is None:
        raise ProjectError(found.diagnostics)
    return found.value
