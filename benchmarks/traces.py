"""Traces over a project's questions: careful attempts, careless ones, and ones that break gates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from typing import Any, Final

from groundeval.api import compile_project, open_project
from groundeval.questions.model import PlaceRecord, Question
from groundeval.traces.model import Step, Trace
from groundeval.traces.reader import encode_trace

MANNERS: Final = ("careful", "careful", "careless", "reckless")
"""How an attempt goes: all that is needed, half of it, or with calls that are closed."""


def write_traces(folder: Path, count: int, *, steps: int = 10, seed: int = 7) -> int:
    """Compile the project and write `count` traces to `traces.jsonl`; says how many.

    Raises SystemExit with the findings where the project does not compile.
    """
    project = open_project(folder)
    assert project.value is not None, project.diagnostics
    compiled = compile_project(project.value)
    if compiled.value is None:
        raise SystemExit("\n".join(d.message for d in compiled.diagnostics))
    questions = compiled.value.drawn.questions
    corpus = [artifact.id for artifact in compiled.value.loaded.world.corpus]
    with (folder / "traces.jsonl").open("wb") as out:
        for trace in traces(questions, corpus, count, steps=steps, seed=seed):
            out.write(encode_trace(trace))
    return count


def traces(
    questions: Sequence[Question], corpus: Sequence[str], count: int, *, steps: int, seed: int
) -> Iterator[Trace]:
    """`count` traces of `steps` calls each: the questions in turn, epoch by epoch."""
    draw = Random(f"traces {seed}")
    for number in range(count):
        epoch, place = divmod(number, len(questions))
        manner = MANNERS[int(draw.random() * len(MANNERS))]
        yield attempt(questions[place], epoch + 1, manner, (corpus, draw), steps)


def attempt(
    question: Question,
    epoch: int,
    manner: str,
    around: tuple[Sequence[str], Random],
    steps: int,
) -> Trace:
    """One attempt at a question; `around` is where other calls come from."""
    corpus, draw = around
    needed = list(_needed(question))
    if manner == "careless":
        needed = needed[: len(needed) // 2]
    calls = needed[:steps]
    while len(calls) < steps:
        other = corpus[int(draw.random() * len(corpus))]
        reckless = manner == "reckless" and draw.random() < 0.3
        calls.append(_fetch(other) if reckless else _search(f"{other} again", None, ()))
    numbered = tuple(
        Step(n=n, tool=c.tool, query=c.query, subsystem=c.subsystem, artifact=c.artifact,
             limit=c.limit, results=c.results, text=c.text)
        for n, c in enumerate(calls, start=1)
    )  # fmt: skip
    answer = _answer(question, right=manner != "reckless")
    cited = tuple(c.artifact for c in needed if c.artifact is not None)
    return Trace(
        question=question.id, agent=manner, epoch=epoch, steps=numbered, answer=answer, cited=cited
    )


def _needed(question: Question) -> Iterator[Step]:
    """The calls that a full score needs: its places, and its evidence or witness."""
    for place in question.places:
        yield _at(place)
    truth = question.truth or {}
    for name in ("witness", "evidence_artifacts"):
        yield from map(_fetch, truth.get(name) or ())
    yield from map(_fetch, (truth.get("evidence") or [()])[0])


def _at(place: PlaceRecord) -> Step:
    if place.fetch is not None:
        return _fetch(place.fetch)
    return _search(place.text or "", place.search[0] if len(place.search) == 1 else None, ())


def _fetch(artifact: str) -> Step:
    return Step(n=0, tool="fetch", artifact=artifact, results=(artifact,), text=True)


def _search(query: str, subsystem: str | None, results: tuple[str, ...]) -> Step:
    return Step(n=0, tool="search", query=query, subsystem=subsystem, limit=10, results=results)


def _answer(question: Question, *, right: bool) -> dict[str, Any]:
    """The true answer, or one that is wrong in whatever is a truth value."""
    truth = question.truth or {}
    fields = (question.answer_schema or {}).get("properties", {})
    answer = {name: truth[name] for name in fields if truth.get(name) is not None}
    if "causal_mechanism" in fields:
        answer["causal_mechanism"] = (truth.get("causal_mechanisms") or ["none"])[0]
        answer["evidence_artifacts"] = (truth.get("evidence") or [[]])[0]
    if not right:
        answer = {k: not v if isinstance(v, bool) else v for k, v in answer.items()}
    return answer
