"""The tools of a run on one desk behind one engine: `python -m benchmarks.runtime_worker DIR NAME`.

Prints a JSON object of figures: see `benchmarks.runtime`.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence
from itertools import cycle, islice
from pathlib import Path
from time import process_time
from typing import Final

from groundeval import api
from groundeval.contracts.contract import Contract
from groundeval.index.postings import Search, Viewpoint
from groundeval.questions.model import Question, visible_part
from groundeval.runs.agent import Budget, Mode, Task
from groundeval.runs.backend import Searcher
from groundeval.runs.backends.named import searcher_named
from groundeval.runs.tools import Tools
from groundeval.server.gateway import HttpGateway

Figures = dict[str, float]
Call = tuple[str, str, str | None]
"""A tool, what it is asked for, and the subsystem that a search names."""

QUESTIONS: Final = 120
OVER_HTTP: Final = 4
TIMES: Final = 10
"""Questions that are asked in process; those over HTTP, and how often each call is made there."""
WORDS: Final = (("answer", "chat"), ("review", "wiki"), ("fix", None), ("ticket", None))


def calls_of(question: Question) -> list[Call]:
    """Searches for the question's first key as an agent makes them, and fetches of all keys."""
    keys = question.keys or ("T-1",)
    searches: list[Call] = [("search", f"{word} {keys[0]}", where) for word, where in WORDS]
    fetches: list[Call] = [("fetch", key, None) for key in islice(cycle(keys), len(WORDS))]
    return searches + fetches


def memory_mb() -> float:
    """What this process holds now, in MiB; 0 where the system does not tell."""
    pages = Path("/proc/self/statm")
    if not pages.exists():
        return 0.0
    return int(pages.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / (1 << 20)


def in_process(contract: Contract, asked: Sequence[Question], searcher: Searcher) -> Figures:
    """Searches and fetches a second, with all that is recorded of them."""
    spent = {"search": 0.0, "fetch": 0.0}
    made = dict.fromkeys(spent, 0)
    for question in asked:
        tools = Tools(contract, question, backend=searcher)
        for tool in spent:
            before = process_time()
            for kind, what, where in calls_of(question):
                if kind == tool:
                    tools.search(what, where) if kind == "search" else tools.fetch(what)
                    made[tool] += 1
            spent[tool] += process_time() - before
    return {tool: made[tool] / spent[tool] for tool in spent}


def over_http(contract: Contract, asked: Sequence[Question], searcher: Searcher) -> float:
    """Calls a second that the server answers, half searches and half fetches."""
    made, spent = 0, 0.0
    with HttpGateway() as gateway:
        for number, question in enumerate(asked):
            tools = Tools(contract, question, backend=searcher)
            task = Task(visible_part(question), Mode.TOOL, 1, tools, (), Budget())
            with gateway.admit(task) as admission:
                address = admission.address
                command = [sys.executable, "-m", "benchmarks.mcp_client", address.url]
                told = json.dumps({"token": address.token, "calls": calls_of(question) * TIMES})
                before = process_time()
                subprocess.run(command, input=told, text=True, check=True)
                spent += process_time() - before if number else 0.0  # the first one warms up
                made += len(tools.steps) if number else 0
    return made / spent


def measured(folder: Path, backend: str) -> Figures:
    """All figures of one desk behind one backend; this process should have done nothing before."""
    project = api.open_project(folder).value
    assert project is not None
    compiled = api.compile_project(project).value
    assert compiled is not None
    contract, questions = compiled.contract, compiled.drawn.questions
    held = memory_mb()
    before = process_time()
    searcher = searcher_named(backend, contract).value
    assert searcher is not None
    searcher.search(Search("desk"), Viewpoint(None, lambda _: True))
    ready = process_time() - before
    after = memory_mb()
    found = in_process(contract, questions[:QUESTIONS], searcher)
    http = over_http(contract, questions[:OVER_HTTP], searcher)
    searcher.close()
    return {"ready": ready, "before": held, "index": after - held, "http": http, **found}


def main() -> None:
    folder, backend = sys.argv[1:]
    print(json.dumps(measured(Path(folder), backend)))


if __name__ == "__main__":
    main()
