"""Scoring many traces: order, findings, several processes."""

from __future__ import annotations

from typing import Any

import pytest

from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.questions.model import Question
from groundeval.reports.json_files import encode_result
from groundeval.scoring import Result, Scorers, score_traces
from groundeval.scoring.parallel import score_in_processes
from groundeval.traces.model import Trace
from tests.scoring.desk import absent, desk, fetch, present, search, trace, when

QUESTIONS = {q.id: q for q in (absent(), present())}


def scorers() -> Scorers:
    return Scorers(desk().program.tracks, desk())


def attempts(n: int) -> list[Trace]:
    """Traces that differ; one holds a number that no wire format has room for."""
    traces = []
    for i in range(n):
        question = (absent(), present())[i % 2]
        steps = [fetch("T-2"), search("writing T-2", "wiki"), fetch("V-1")][: i % 4]
        answer: dict[str, Any] = {"exists": i % 3 == 0, "odd": 10**40 if i == 300 else i}
        traces.append(trace(question, *steps, answer=answer, epoch=i + 1))
    return traces


def lines(items: list[Result | Diagnostic]) -> list[bytes | Diagnostic]:
    return [x if isinstance(x, Diagnostic) else encode_result(x) for x in items]


def test_results_come_in_the_order_of_traces() -> None:
    results = list(score_traces(attempts(20), QUESTIONS, scorers()))
    assert [r.epoch for r in results if isinstance(r, Result)] == list(range(1, 21))


@pytest.mark.parametrize("workers", [2, 3])
def test_several_processes_give_the_same_bytes(workers: int) -> None:
    finding = Diagnostic(codes.MALFORMED_TRACE, "broken", Span.at("traces", 7))
    traces: list[Trace | Diagnostic] = [*attempts(700)]
    traces.insert(200, finding)
    traces.append(traces[0])
    alone = lines(list(score_traces(traces, QUESTIONS, scorers())))
    together = lines(list(score_traces(traces, QUESTIONS, scorers(), workers=workers)))
    assert alone == together
    assert len(alone) == 702
    assert alone[200] is finding


def test_a_stream_may_be_left_early() -> None:
    stream = score_traces(attempts(600), QUESTIONS, scorers(), workers=2)
    assert isinstance(next(stream), Result)
    stream.close()  # type: ignore[attr-defined]


def test_a_failure_in_another_process_is_raised_here() -> None:
    def fail(_: Trace) -> Result:
        raise ZeroDivisionError("on purpose")

    with pytest.raises(RuntimeError, match="ZeroDivisionError: on purpose"):
        list(score_in_processes(attempts(3), fail, 2))


def found(traces: list[Trace], questions: dict[str, Question] | None = None) -> list[Diagnostic]:
    results = score_traces(traces, questions or QUESTIONS, scorers(), source="t.jsonl")
    return [item for item in results if isinstance(item, Diagnostic)]


def test_a_trace_of_no_known_question() -> None:
    (finding,) = found([trace(absent()), trace("nowhere"), trace("nowhere")])
    assert finding.code is codes.UNKNOWN_QUESTION
    assert finding.message == "no question is called `nowhere`"
    assert (finding.span.file, finding.span.line) == ("t.jsonl", 2)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"truth": None}, "question `q` has no truth"),
        ({"truth": {"exists": True}}, "question `q` lacks `places`, `witness` in its truth"),
        ({"as_of": None}, "question `q` has no `as_of`"),
        ({"as_of": "soon"}, "question `q` has an `as_of` of `soon`, which is not a time"),
        ({"track": "poetry"}, "question `q` is of track `poetry`, which is not in use"),
        (
            {"truth": {"exists": "no", "witness": [], "places": []}},
            "question `q` has a truth in which `exists` is no bool",
        ),
        (
            {"truth": {"exists": True, "witness": [7], "places": []}},
            "question `q` has a truth in which `witness` is no set<artifact>",
        ),
        (
            {"truth": {"exists": True, "witness": [{"id": 1}], "places": []}},
            "question `q` has a truth in which `witness` does not hold plain values",
        ),
    ],
)
def test_a_question_that_cannot_be_scored(fields: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {
        "id": "q",
        "track": "silence",
        "as_of": when(6),
        "truth": absent().truth,
    }
    question = Question(**{**given, **fields})
    (finding,) = found([trace("q"), trace("q", epoch=2)], {"q": question})
    assert finding.code is codes.UNSCORABLE_QUESTION
    assert finding.message == message


def test_an_attempt_that_was_made_before() -> None:
    (finding,) = found(
        [trace(absent()), trace(absent(), epoch=2), trace(absent(), agent="x"), trace(absent())]
    )
    assert finding.code is codes.DUPLICATE_ATTEMPT
    assert finding.span.line == 4
