"""How long scoring one trace takes: `python benchmarks/scoring.py`.

Prints microseconds per trace for traces of ten steps over a small contract: reading, scoring with
compiled and with plain evaluation, adding up, writing.
"""

from __future__ import annotations

import sys
from pathlib import Path
from time import process_time
from typing import TYPE_CHECKING, Any

import msgspec

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from groundeval.reports.json_files import encode_result
from groundeval.scoring import TrackScorer, summarise
from groundeval.scoring.totals import Totals
from groundeval.traces.model import Trace
from groundeval.traces.reader import encode_trace
from tests.scoring.desk import absent, desk, fetch, knowable, present, search, trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from groundeval.questions.model import Question
    from groundeval.scoring import Result

RUNS = 3000
PADDING = [search(f"anything {i}", "wiki", "W-1") for i in range(7)]


def cases() -> list[tuple[str, Question, Trace]]:
    """Named traces of ten steps: valid ones, and one that breaks gates."""
    looks = [search("writing T-2", "wiki"), fetch("T-2"), fetch("T-1")]
    opened = [fetch("T-1"), fetch("W-1"), search("ticket T-1", "jira", "T-1")]
    broken = [fetch("V-1", found=False), search("x", "vault"), fetch("W-1")]
    known = {"could_actor_have_known": True, "evidence_artifacts": ["T-1", "W-1"]}
    return [
        ("absence, valid", absent(), trace(absent(), *looks, *PADDING, answer={"exists": False})),
        (
            "presence, valid",
            present(),
            trace(present(), *opened, *PADDING, answer={"exists": True}),
        ),
        ("perspective, valid", knowable(), trace(knowable(), *opened, *PADDING, answer=known)),
        ("perspective, broken", knowable(), trace(knowable(), *broken, *PADDING, answer=known)),
    ]


def timed(work: Callable[[], Any], runs: int = RUNS) -> float:
    """Microseconds per call, the best of three rounds."""
    work()
    rounds = []
    for _ in range(3):
        start = process_time()
        for _ in range(runs):
            work()
        rounds.append((process_time() - start) / runs * 1e6)
    return min(rounds)


def measure(name: str, question: Question, one: Trace) -> Result:
    track = desk().program.track(question.track)
    assert track is not None
    fast = TrackScorer(track, desk())
    plain = TrackScorer(track, desk(), compiled=False)
    line = encode_trace(one)
    decoder = msgspec.json.Decoder(Trace)
    result = fast.score(question, one)
    totals = Totals()
    read = timed(lambda: decoder.decode(line))
    compiled = timed(lambda: fast.score(question, one))
    walked = timed(lambda: plain.score(question, one))
    added = timed(lambda: totals.add(result))
    written = timed(lambda: encode_result(result))
    figures = [f"{x:.1f}" for x in (read, compiled, walked, walked / compiled, added, written)]
    print(name.ljust(22) + "".join(figure.rjust(9) for figure in figures))
    return result


def main() -> None:
    names = ("read", "compiled", "plain", "ratio", "add up", "write")
    print("us per trace".ljust(22) + "".join(name.rjust(9) for name in names))
    results = [measure(*case) for case in cases()]
    start = process_time()
    summarise(results * 250)
    print(f"summary of {len(results) * 250} results: {process_time() - start:.2f} s")


if __name__ == "__main__":
    main()
