"""Runs 300 questions and is killed again and again: `python -m tests.runs.killing FOLDER KILLS SEED`.

The clocks stand still, so that a disturbed run has to leave the very bytes of an undisturbed one:
`FOLDER/killed/traces.jsonl` and `FOLDER/whole/traces.jsonl`. Prints as JSON how it went.
"""

from __future__ import annotations

import json
import os
import random
import signal
import sys
import time
from collections import Counter
from pathlib import Path

from groundeval import api
from groundeval.runs.agent import Reply, Task
from groundeval.runs.journal import open_journal
from groundeval.runs.plan import Conditions, Plan
from groundeval.runs.runner import Runner
from groundeval.runs.workers import Workers
from tests.runs.desks import Playing, desk, looking

QUESTIONS = 300


def steadily(task: Task) -> Reply:
    time.sleep(0.001)
    return looking(task)


def play(compiled: api.Compiled, folder: Path, workers: int) -> int:
    """Carry a run to its end; gives how many torn lines were told of."""
    agent = Playing(steadily)
    contract, questions = compiled.contract, compiled.drawn.questions
    plan = Plan(questions, agent.identity, Conditions(contract.digest))
    found = open_journal(folder, contract.digest)
    assert found.value is not None, found.diagnostics
    journal = found.value
    runner = Runner(contract, agent, plan, now=lambda: "2026-01-01T00:00:00Z", clock=lambda: 0.0)
    work = Workers(runner.trace_of, journal.append, agent.close, count=workers)
    for _ in work.traces(plan.due(journal.made)):
        pass
    journal.settle({q.id: rank for rank, q in enumerate(questions)})
    journal.close()
    return len(found.diagnostics)


def lines(path: Path) -> int:
    return path.read_bytes().count(b"\n") if path.exists() else 0


def kill_at(child: int, path: Path, wanted: int, delay: float) -> bool:
    """Kill a process once the file has so many lines, and a little later; False where it ended."""
    while lines(path) < wanted:
        if os.waitpid(child, os.WNOHANG) != (0, 0):
            return False
        time.sleep(0.0005)
    time.sleep(delay)
    os.kill(child, signal.SIGKILL)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def tear(path: Path, chance: random.Random) -> None:
    """Cut the last line somewhere, as a write that was under way would have left it."""
    data = path.read_bytes()
    last = len(data) - (data[:-1].rfind(b"\n") + 1)
    with path.open("r+b") as stream:
        stream.truncate(len(data) - chance.randint(1, last - 1))


def main(folder: Path, kills: int, seed: int) -> None:
    chance = random.Random(seed)
    compiled = desk(QUESTIONS)
    play(compiled, folder / "whole", workers=1)
    path = folder / "killed" / "traces.jsonl"
    seen: Counter[str] = Counter()
    for number in range(kills):
        workers = chance.randint(1, 4)
        child = os.fork()
        if not child:
            play(compiled, path.parent, workers)
            os._exit(0)
        wanted = round(QUESTIONS * chance.uniform(number - 1, number + 1) / kills)
        seen["killed"] += kill_at(child, path, wanted, chance.uniform(0, 0.01))
        if path.exists() and path.stat().st_size and chance.random() < 0.5:
            tear(path, chance)
            seen["torn"] += 1
    seen["told"] = play(compiled, path.parent, workers=2)
    sys.stdout.write(json.dumps(seen))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
