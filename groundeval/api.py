"""The pipeline as plain functions: check, compile, score.

Users' mistakes come back as findings; nothing here prints, and only what is asked for is written.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec

from groundeval.contracts.builder import Contract, build
from groundeval.contracts.codec import (
    ContractDocument,
    decode_contract,
    encode_documents,
)
from groundeval.diagnostics import Checked, Diagnostic, Span, codes, has_errors, in_order
from groundeval.ir.program import Track
from groundeval.loading import (
    Loaded,
    Reading,
    check_rules,
    load,
    read_project,
    source_of,
    sources_of,
)
from groundeval.project import Project, open_project
from groundeval.questions.api import Drawn, draw, with_contract
from groundeval.questions.model import Question, visible_part
from groundeval.questions.reader import read_question_file
from groundeval.reports.documents import CompileReport, LookedAt, ShortStratum
from groundeval.reports.json_files import encode_result, encode_summary
from groundeval.scoring.model import Result
from groundeval.scoring.stream import Scorers, score_traces
from groundeval.scoring.summary import Summary
from groundeval.scoring.totals import Totals
from groundeval.scoring.trace_files import BY_NUMBER, Only, TraceFiles
from groundeval.world.canonical import canonical_json
from groundeval.world.drafts import Drafts
from groundeval.world.loader import paused_collection

__all__ = [
    "Compiled",
    "Loaded",
    "Only",
    "Project",
    "Scoring",
    "check_project",
    "check_rules",
    "compile_project",
    "compile_report",
    "load",
    "open_project",
    "prepare_scoring",
    "read_question_file",
    "score_files",
    "scoring_of",
    "source_of",
    "sources_of",
    "write_compiled",
    "write_scores",
]


@dataclass(frozen=True, slots=True)
class Compiled:
    """A contract with its questions, and the load that it came from."""

    loaded: Loaded
    contract: Contract
    drawn: Drawn


def check_project(project: Project, *, today: int | None = None) -> tuple[Diagnostic, ...]:
    """Everything that there is to find in a project's rules and data, in order.

    Rules without data are checked for themselves; with data at hand, names and links are held
    against them. `today` (microseconds) is for the last days of `allow` comments.
    """
    if not project.file.events and not project.file.artifacts:
        rules = check_rules(project, today=today)
        if rules.value is None or not rules.value.sources:
            return rules.diagnostics
    with paused_collection():
        reading = read_project(project, today=today)
        return reading.shown(_built(reading).diagnostics, today=today)


def compile_project(
    project: Project, *, skip_bad: int = 0, today: int | None = None
) -> Checked[Compiled]:
    """Rules and data to a contract with its questions; findings of every stage, in order."""
    with paused_collection():
        reading = read_project(project, skip_bad=skip_bad, today=today)
        built = _built(reading)
        found = reading.shown(built.diagnostics, today=today)
        if reading.loaded is None or built.value is None or has_errors(found):
            return Checked(None, found)
        contract = built.value
        drawn = draw(contract, seed=project.file.seed, caps=project.file.caps)
        asked = with_contract(drawn, contract.digest)
        return Checked(Compiled(reading.loaded, contract, asked), found)


def _built(reading: Reading) -> Checked[Contract]:
    """The contract of what was read; nothing where nothing usable was."""
    if reading.loaded is None:
        return Checked(None)
    seed = reading.project.file.seed
    return build(reading.loaded.program, reading.loaded.world, seed=seed)


def write_compiled(compiled: Compiled, folder: Path) -> None:
    """Write `contract.json`, `questions.jsonl`, `graph.json` and `compile.json` into `folder`."""
    contract, drawn = compiled.contract, compiled.drawn
    whole = [question_object(q) for q in drawn.questions]
    lines = (canonical_json(visible_part(q)) + b"\n" for q in drawn.questions)
    with paused_collection(), Drafts(folder) as drafts:
        document, graph = encode_documents(contract, whole, compiled.loaded.paths)
        drafts.write("contract.json", document)
        drafts.write("questions.jsonl", b"".join(lines))
        drafts.write("graph.json", graph)
        report = msgspec.to_builtins(compile_report(compiled))
        drafts.write("compile.json", canonical_json(report) + b"\n")


def compile_report(compiled: Compiled) -> CompileReport:
    """What `compile.json` holds: counts, shortfalls and hashes."""
    report, drawn = compiled.contract.report, compiled.drawn
    return CompileReport(
        events=report.events,
        artifacts=report.artifacts,
        skipped=compiled.loaded.report.skipped,
        links=dict(report.links),
        silences={spec: dict(found) for spec, found in report.silences.items()},
        questions={track: dict(counts) for track, counts in drawn.counts.items()},
        shortfalls=msgspec.convert(drawn.shortfalls, list[ShortStratum], from_attributes=True),
        looked={t: LookedAt(x.at, dict(x.by_cause())) for t, x in drawn.looked.items()},
        missing_artifacts=list(report.missing_artifacts),
        incomplete_events=sorted(report.incomplete_events),
        unplaced=dict(report.unplaced),
        unshown=report.unshown,
        too_many_ways=report.too_many_ways,
        hashes={**compiled.contract.hashes.as_object(), "contract": compiled.contract.digest},
    )


def question_object(question: Question) -> dict[str, Any]:
    """A whole question, truth included, as a JSON object."""
    plain: dict[str, Any] = msgspec.to_builtins(question)
    return plain


@dataclass(frozen=True, slots=True)
class Scoring:
    """What traces are scored with: the questions by id, their tracks, and the contract if any."""

    questions: Mapping[str, Question]
    tracks: Sequence[Track]
    contract: Contract | None
    recorded_flags: bool


def prepare_scoring(
    project: Project,
    *,
    document: Path | None = None,
    questions: Path | None = None,
    recorded_flags: bool = False,
    today: int | None = None,
) -> Checked[Scoring]:
    """What is needed to score: the project compiled, with the questions that were asked.

    `document` is a `contract.json` whose questions count (it must be of the same inputs),
    `questions` a file of questions that no contract generated. With `recorded_flags` the breaks
    that the traces carry are used and no data are read.
    """
    if recorded_flags:
        return _without_contract(project, questions, today)
    compiled = compile_project(project, today=today)
    if compiled.value is None:
        return Checked(None, compiled.diagnostics)
    contract = compiled.value.contract
    asked: Checked[Sequence[Question]] = Checked(compiled.value.drawn.questions)
    if questions is not None:
        asked = read_question_file(questions)
    elif document is not None:
        asked = _questions_of(document, contract)
    found = in_order([*compiled.diagnostics, *asked.diagnostics])
    if asked.value is None:
        return Checked(None, found)
    by_id = {q.id: q for q in asked.value}
    return Checked(Scoring(by_id, contract.program.tracks, contract, recorded_flags=False), found)


def scoring_of(compiled: Compiled) -> Scoring:
    """What scores traces of a compiled project's own questions."""
    contract = compiled.contract
    questions = {q.id: q for q in compiled.drawn.questions}
    return Scoring(questions, contract.program.tracks, contract, recorded_flags=False)


def _without_contract(
    project: Project, questions: Path | None, today: int | None
) -> Checked[Scoring]:
    program = check_rules(project, today=today)
    if program.value is None:
        return Checked(None, program.diagnostics)
    if questions is None:
        help_ = "say `--questions FILE`"
        message = "`--recorded-flags` needs the questions, with their truths"
        lost = Diagnostic(codes.PROJECT_INVALID, message, Span.at(project.name, 1), help=help_)
        return Checked(None, (lost,))
    asked = read_question_file(questions)
    found = in_order([*program.diagnostics, *asked.diagnostics])
    if asked.value is None:
        return Checked(None, found)
    by_id = {q.id: q for q in asked.value}
    return Checked(Scoring(by_id, program.value.tracks, None, recorded_flags=True), found)


def _questions_of(document: Path, contract: Contract) -> Checked[Sequence[Question]]:
    """The questions of a compiled contract, which must be of the same inputs."""
    try:
        data = document.read_bytes()
    except OSError as fault:
        lost = Diagnostic(
            codes.UNREADABLE_FILE, f"the file cannot be read: {fault.strerror}",
            Span.at(str(document), 1),
        )  # fmt: skip
        return Checked(None, (lost,))
    decoded = decode_contract(data, str(document))
    if decoded.value is None:
        return Checked(None, decoded.diagnostics)
    differing = _differing_inputs(decoded.value, contract)
    if differing:
        message = f"the contract was compiled from other {' and '.join(differing)}"
        help_ = "compile again, or score with the inputs that the contract was compiled from"
        stale = Diagnostic(codes.STALE_CONTRACT, message, Span.at(str(document), 1), help=help_)
        return Checked(None, (stale,))
    return Checked([msgspec.convert(q, Question) for q in decoded.value.questions])


def _differing_inputs(document: ContractDocument, contract: Contract) -> list[str]:
    ours = contract.hashes.as_object()
    return [name for name in sorted(ours) if document.hashes.get(name) != ours[name]]


def score_files(
    scoring: Scoring, traces: Sequence[Path], *, workers: int = 1, only: Only | None = None
) -> Iterator[Result | Diagnostic]:
    """The result of every trace of the files, in their order; findings stand in their places.

    At the end come warnings of fields that nothing reads, and an error for each agent that `only`
    names and no trace is by.
    """
    scorers = Scorers(scoring.tracks, scoring.contract, recorded_flags=scoring.recorded_flags)
    reading = TraceFiles(scoring.questions, scoring.tracks, only or Only())
    for item in score_traces(
        reading.all_of(traces), scoring.questions, scorers, source=BY_NUMBER, workers=workers
    ):
        yield reading.placed(item) if isinstance(item, Diagnostic) else item
    yield from reading.at_the_end()


def write_scores(
    results: Iterable[Result | Diagnostic], folder: Path, *, only: Only | None = None
) -> tuple[Summary, list[Diagnostic]]:
    """Write `results.jsonl` as results come and `summary.json` at the end; the findings besides.

    `only` is what `score_files` was given. Where it names an agent that no trace is by, the files
    that were there stay.
    """
    totals, found = Totals(), []
    with Drafts(folder) as drafts:
        out = drafts.open("results.jsonl")
        for result in results:
            if isinstance(result, Diagnostic):
                found.append(result)
                continue
            out.write(encode_result(result))
            totals.add(result)
        selected = None if only is None else only.selected()
        summary = totals.summary(selected)
        drafts.write("summary.json", encode_summary(summary))
        if any(finding.code is codes.UNKNOWN_AGENT for finding in found):
            drafts.discard()
    return summary, found
