"""`groundeval demo`: the whole pipeline on the bundled support desk."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from functools import partial
from importlib.resources import as_file
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from groundeval.cli.exits import Exit
from groundeval.cli.output import JsonOption, print_findings, put_document, say, writing

if TYPE_CHECKING:
    from groundeval.api import Compiled
    from groundeval.traces.model import Trace

_AGENTS: Final = ("careful", "guessing", "hasty", "peeking")
"""The scripted agents that are asked: one that is careful, and three that are not."""
_SECONDS: Final = 60.0
"""How long one answer may take, on however slow a machine."""


def demo(
    output: Annotated[
        Path | None,
        typer.Option(
            "-o",
            "--output",
            metavar="DIR",
            help="Keep what is written; by default it is thrown away.",
        ),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Run the whole pipeline on the bundled support desk.

    Compiles its rules and data, lets a careful agent and three careless ones answer behind the
    gates, each in a process of its own, scores what they did, and prints the table. No model is
    asked.
    """
    if output is not None:
        _run(output, as_json=as_json)
        say(f"written to {output}")
        return
    with tempfile.TemporaryDirectory(prefix="groundeval-") as folder:
        _run(Path(folder), as_json=as_json)
    say("every reason of every result: groundeval demo -o DIR")


def _run(folder: Path, *, as_json: bool) -> None:
    from groundeval import api  # noqa: PLC0415 - nothing heavy before a command runs
    from groundeval.cli.opening import opened  # noqa: PLC0415
    from groundeval.reports.json_files import encode_summary  # noqa: PLC0415
    from groundeval.reports.terminal import Worst, print_summary  # noqa: PLC0415
    from groundeval.resources import builtin  # noqa: PLC0415

    worst = Worst()
    with as_file(builtin("examples")) as examples, writing(folder, as_json=as_json):
        project = opened(examples / "support", as_json=as_json)
        compiled = api.compile_project(project)
        if compiled.value is None:
            print_findings(compiled.diagnostics, api.sources_of(project, compiled.diagnostics))
            raise typer.Exit(Exit.BUG)
        api.write_compiled(compiled.value, folder)
        _introduce(compiled.value)
        traces = _write_traces(compiled.value, folder)
        results = api.score_files(api.scoring_of(compiled.value), [traces])
        summary, found_late = api.write_scores(worst.noting(results), folder)
    if as_json:
        put_document(encode_summary(summary).decode())
    else:
        print_summary(summary, worst.results(), sys.stdout)
    if found_late:
        print_findings(found_late, {})
        raise typer.Exit(Exit.BUG)


def _introduce(compiled: Compiled) -> None:
    report, asked = compiled.contract.report, len(compiled.drawn.questions)
    whom = f"{', '.join(_AGENTS[:-1])} and {_AGENTS[-1]}"
    counted = f"{report.events} events, {report.artifacts} artifacts, {asked} questions"
    say(f"support desk: {counted} for {whom}")


def _write_traces(compiled: Compiled, folder: Path) -> Path:
    """Let every agent answer every question; the file with the traces of all."""
    from groundeval.cli.progress import attempts_on_terminal  # noqa: PLC0415 - as above
    from groundeval.traces.reader import encode_trace  # noqa: PLC0415
    from groundeval.world.drafts import Drafts  # noqa: PLC0415

    total = len(_AGENTS) * len(compiled.drawn.questions)
    with Drafts(folder) as drafts:
        out = drafts.open("traces.jsonl")
        for trace in attempts_on_terminal(_asked(compiled), 0, total):
            out.write(encode_trace(trace))
    return folder / "traces.jsonl"


def _asked(compiled: Compiled) -> Iterator[Trace]:
    """What every agent does with every question; all are asked at once."""
    with ThreadPoolExecutor(len(_AGENTS)) as pool:
        for traces in pool.map(partial(_traces_of, compiled), _AGENTS):
            yield from traces


def _traces_of(compiled: Compiled, name: str) -> list[Trace]:
    """What one agent does, in a process of its own."""
    from groundeval.runs.agent import Budget  # noqa: PLC0415 - as above
    from groundeval.runs.plan import Conditions, Plan  # noqa: PLC0415
    from groundeval.runs.runner import Runner  # noqa: PLC0415
    from groundeval.scripted import scripted_agent  # noqa: PLC0415

    agent = scripted_agent(name)
    assert agent is not None, name
    contract = compiled.contract
    conditions = Conditions(contract.digest, budget=Budget(seconds=_SECONDS))
    plan = Plan(compiled.drawn.questions, agent.identity, conditions)
    with closing(agent):
        return [Runner(contract, agent, plan).trace_of(attempt) for attempt in plan.due({})]
