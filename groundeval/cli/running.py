"""How a run is carried out: from the project to its traces."""

from __future__ import annotations

import shlex
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec
import typer

from groundeval import api
from groundeval.agents import Wish, agent_called, takes_inference
from groundeval.cli.exits import Exit
from groundeval.cli.opening import opened, today
from groundeval.cli.output import print_findings, print_json, say, stop, writing
from groundeval.cli.process import terminable
from groundeval.cli.progress import attempts_on_terminal
from groundeval.cli.score import print_scores
from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.reports.documents import RunReport
from groundeval.runs.agent import Agent, Budget, Mode
from groundeval.runs.backends.named import searcher_named
from groundeval.runs.context import DEFAULT_TOKENS
from groundeval.runs.journal import Journal, open_journal
from groundeval.runs.pace import Pace
from groundeval.runs.plan import Attempt, Conditions, Plan
from groundeval.runs.runner import Runner
from groundeval.runs.workers import Workers
from groundeval.traces.chain import chain
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from groundeval.project import Project
    from groundeval.questions.model import Question
    from groundeval.traces.model import Trace

_MOST_REASONS = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """What the command line asks for."""

    agent: str
    mode: Mode
    gated: bool
    epochs: int
    workers: int
    budget: Budget
    context_tokens: int | None
    per_minute: float | None
    only: tuple[str, ...]
    retry_errors: bool
    fresh: bool
    seal_key: bytes | None
    backend: str | None
    infer: bool
    cache: Path | None
    score: bool
    output: Path | None
    as_json: bool


@dataclass(slots=True)
class _Tally:
    """What came of the attempts that were made now."""

    made: int = 0
    reasons: Counter[str] = field(default_factory=Counter)
    interrupted: bool = False

    def take(self, trace: Trace) -> None:
        self.made += 1
        if trace.error is not None:
            self.reasons[trace.error] += 1


class _UnwritableError(Exception):
    """A trace could not be put on the disk."""

    def __init__(self, fault: OSError) -> None:
        super().__init__(str(fault))
        self.fault = fault


def carry_out(place: Path, order: Order) -> Exit:
    """Make the attempts that are due; gives what the exit code says."""
    project = opened(place, as_json=order.as_json)
    if order.infer and not takes_inference(project, order.agent):
        raise typer.BadParameter("`--infer` is for models behind an API")
    with closing(_agent(project, order)) as agent:
        compiled = _compiled(project, order)
        return _Run(project, order, compiled, agent).carried_out()


def _agent(project: Project, order: Order) -> Agent:
    wish = Wish(order.mode, infer=order.infer, cache=order.cache, report=say)
    found = agent_called(project, order.agent, wish)
    if found.value is None:
        sources = api.sources_of(project, found.diagnostics)
        stop(found.diagnostics, sources, as_json=order.as_json, code=Exit.USAGE)
    print_findings(found.diagnostics, {})
    return found.value


def _compiled(project: Project, order: Order) -> api.Compiled:
    compiled = api.compile_project(project, today=today())
    sources = api.sources_of(project, compiled.diagnostics)
    if compiled.value is None:
        stop(compiled.diagnostics, sources, as_json=order.as_json)
    print_findings(compiled.diagnostics, sources)
    return compiled.value


class _Run:
    """One run of one agent, as it was ordered."""

    def __init__(
        self, project: Project, order: Order, compiled: api.Compiled, agent: Agent
    ) -> None:
        self._project = project
        self._order = order
        self._compiled = compiled
        self._agent = agent
        self._folder = order.output or project.path(project.file.output)
        self._questions: Sequence[Question] = compiled.drawn.questions
        asked = _chosen(self._questions, order.only)
        self._plan = Plan(asked, agent.identity, self._conditions(), order.epochs)

    def carried_out(self) -> Exit:
        order, plan = self._order, self._plan
        with ExitStack() as held:
            runner = self._runner(held)
            runner.prepare()
            with writing(self._folder, as_json=order.as_json):
                journal = held.enter_context(closing(self._journal()))
            due = plan.due(journal.made, retry_errors=order.retry_errors)
            before = plan.size - len(due)
            if before:
                say(f"{before} of {plan.size} attempts were made before")
            tally = _Tally()
            with terminable(), self._unwritable_told():
                try:
                    self._attempt(due, runner, journal, tally)
                    journal.settle({q.id: rank for rank, q in enumerate(self._questions)})
                except KeyboardInterrupt:
                    tally.interrupted = True
            report = self._report(journal, tally, before)
            remaining = len(plan.due(journal.made, retry_errors=order.retry_errors))
        return self._told(report, tally, remaining)

    def _attempt(
        self, due: Sequence[Attempt], runner: Runner, journal: Journal, tally: _Tally
    ) -> None:
        """Make the attempts that are due, and keep each."""

        def keep(trace: Trace) -> None:
            try:
                journal.append(trace)
            except OSError as fault:
                raise _UnwritableError(fault) from fault
            tally.take(trace)

        pace, count = Pace(self._order.per_minute), self._order.workers
        workers = Workers(runner.trace_of, keep, self._agent.close, count=count, pace=pace)
        size = self._plan.size
        with closing(workers.traces(due)) as traces:
            for _ in attempts_on_terminal(traces, size - len(due), size):
                pass

    @contextmanager
    def _unwritable_told(self) -> Iterator[None]:
        """Around attempts: traces that cannot be kept are told of; any other fault is a bug."""
        try:
            yield
        except _UnwritableError as unwritable:
            with writing(self._folder, as_json=self._order.as_json):
                raise unwritable.fault from None

    def _conditions(self) -> Conditions:
        order = self._order
        size = order.context_tokens or DEFAULT_TOKENS if order.mode is Mode.CONTEXT else None
        return Conditions(
            contract=self._compiled.contract.digest,
            mode=order.mode,
            gated=order.gated,
            budget=order.budget,
            backend=order.backend,
            context_tokens=size,
            seal=None if order.seal_key is None else chain((), order.seal_key),
        )

    def _runner(self, held: ExitStack) -> Runner:
        contract, order = self._compiled.contract, self._order
        searcher = None
        if order.backend is not None:
            found = searcher_named(order.backend, contract)
            if found.value is None:
                stop(found.diagnostics, {}, as_json=order.as_json, code=Exit.USAGE)
            searcher = held.enter_context(closing(found.value))
        return Runner(contract, self._agent, self._plan, order.seal_key, searcher)

    def _journal(self) -> Journal:
        """The folder's traces, without anything that this run's would be mixed up with."""
        order = self._order
        found = open_journal(self._folder, self._plan.conditions.contract)
        if found.value is None:
            stop(found.diagnostics, {}, as_json=order.as_json, code=Exit.USAGE)
        print_findings(found.diagnostics, {})
        journal = found.value
        if order.fresh:
            journal.drop(self._plan.replaces)
        elif self._plan.strangers(journal.made):
            journal.close()
            stop([self._other_attempts(journal)], {}, as_json=order.as_json, code=Exit.USAGE)
        return journal

    def _other_attempts(self, journal: Journal) -> Diagnostic:
        name = shown(self._plan.identity.name)
        message = (
            f"the folder has attempts of agent {name} in mode `{self._order.mode}` that were made "
            "with other settings, files or budgets"
        )
        help_ = "say `--fresh` to make them all anew, or name another folder with `-o`"
        span = Span.at(journal.path.as_posix(), 1)
        return Diagnostic(codes.OTHER_ATTEMPTS, message, span, help=help_)

    def _report(self, journal: Journal, tally: _Tally, before: int) -> RunReport:
        plan, order = self._plan, self._order
        left = plan.due(journal.made)
        failed = len(plan.due(journal.made, retry_errors=True)) - len(left)
        return RunReport(
            contract=plan.conditions.contract,
            agent=plan.identity.name,
            mode=order.mode.value,
            gated=order.gated,
            questions=len(plan.questions),
            epochs=order.epochs,
            before=before,
            made=tally.made,
            left=len(left),
            errors=failed,
            interrupted=tally.interrupted,
            traces=journal.path.as_posix(),
        )

    def _told(self, report: RunReport, tally: _Tally, remaining: int) -> Exit:
        order = self._order
        for line in _lines(report, tally):
            say(line)
        if report.interrupted:
            again = "the same command without `--fresh`" if order.fresh else "the same command"
            say(f"{again} goes on with the other {remaining}")
        elif order.score:
            scoring = api.scoring_of(self._compiled)
            traces = [Path(report.traces)]
            code = print_scores(scoring, traces, self._folder, order.workers, as_json=order.as_json)
            return _code(report, code)
        else:
            words = ["groundeval", "score", self._project.folder, "--traces", report.traces]
            said = [*words, "-o", self._folder]
            say(f"score them: {shlex.join(map(str, said))}")
        if order.as_json:
            print_json(msgspec.to_builtins(report))
        return _code(report, Exit.FINE)


def _lines(report: RunReport, tally: _Tally) -> Iterator[str]:
    if report.interrupted:
        kept = report.questions * report.epochs - report.left
        yield f"interrupted: {_attempts(kept)} kept in {report.traces}"
    else:
        yield f"{_attempts(report.made)} made, in {report.traces}"
    if report.errors:
        yield f"the agent failed in {report.errors}; `--retry-errors` makes them again"
    for reason, count in tally.reasons.most_common(_MOST_REASONS):
        yield f"  {count} times: {reason}" if count > 1 else f"  once: {reason}"
    more = len(tally.reasons) - _MOST_REASONS
    if more > 0:
        yield f"  and {more} other reasons"


def _attempts(count: int) -> str:
    return f"{count} attempt{'' if count == 1 else 's'}"


def _code(report: RunReport, otherwise: Exit) -> Exit:
    if report.interrupted:
        return Exit.INTERRUPTED
    planned = report.questions * report.epochs
    return Exit.UNDECIDED if report.errors == planned else otherwise


def _chosen(questions: Sequence[Question], only: Sequence[str]) -> Sequence[Question]:
    """The questions that `--only` names, by their ids or tracks; all without it."""
    tracks = {q.track for q in questions}
    known = {*tracks, *(q.id for q in questions)}
    for name in only:
        if name not in known:
            help_ = did_you_mean(name, known) or f"tracks are {', '.join(sorted(tracks))}"
            raise typer.BadParameter(f"no question and no track is {shown(name)}; {help_}")
    return [q for q in questions if not only or q.id in only or q.track in only]
