"""`groundeval run`: lets an agent answer a project's questions, and records how."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Annotated, Final

import typer

from groundeval.cli.output import JsonOption, ProjectArgument
from groundeval.cli.process import seal_key

_MODES: Final = ("tool", "context", "zero-shot")
_SECONDS: Final = {"second": 1, "minute": 60, "hour": 3600}

AgentOption = Annotated[
    str,
    typer.Option(
        "--agent",
        metavar="NAME",
        help="One of the project's `agents`, a scripted one (`careful`, …), or a Python function "
        "as `file.py:function`.",
    ),
]
ModeOption = Annotated[
    str,
    typer.Option(
        "--mode",
        metavar="MODE",
        help="`tool` (search and fetch, the default), `context` (documents that were chosen) or "
        "`zero-shot` (the question alone).",
    ),
]
UngatedOption = Annotated[
    bool, typer.Option("--ungated", help="Withhold nothing; the scores tell what that let through.")
]
EpochsOption = Annotated[
    int, typer.Option("--epochs", metavar="N", min=1, help="How often each question is asked.")
]
WorkersOption = Annotated[
    int, typer.Option("--workers", metavar="N", min=1, help="How many attempts run at once.")
]
StepsOption = Annotated[
    int | None, typer.Option("--max-steps", metavar="N", min=0, help="Calls of tools an attempt.")
]
SecondsOption = Annotated[
    float | None, typer.Option("--max-seconds", metavar="S", min=0.001, help="Seconds an attempt.")
]
TokensOption = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        metavar="N",
        min=1,
        help="Tokens an attempt, in and out, of a model behind an API.",
    ),
]
ContextOption = Annotated[
    int | None,
    typer.Option(
        "--context-tokens", metavar="N", min=1, help="The size of a context; 32,000 by default."
    ),
]
RateOption = Annotated[
    str | None,
    typer.Option(
        "--rate", metavar="N/minute", help="Begin at most so many attempts a minute (hour, second)."
    ),
]
OnlyOption = Annotated[
    list[str] | None,
    typer.Option(
        "--only",
        metavar="NAME",
        help="Ask only this question, or the questions of this track; may be given several times.",
    ),
]
RetryOption = Annotated[
    bool, typer.Option("--retry-errors", help="Make those attempts again where the agent failed.")
]
FreshOption = Annotated[
    bool,
    typer.Option(
        "--fresh",
        help="Make all attempts anew; what the agent did in this mode before is thrown away.",
    ),
]
SealOption = Annotated[
    str | None,
    typer.Option(
        "--seal-key-env",
        metavar="NAME",
        help="Seal traces with the key in this environment variable.",
    ),
]
BackendOption = Annotated[
    str | None,
    typer.Option(
        "--backend", metavar="NAME", help="What ranks the hits, in place of the contract's index."
    ),
]
InferOption = Annotated[
    bool,
    typer.Option(
        "--infer", help="Read a model's answer from its free text where it gave no other; marked."
    ),
]
CacheOption = Annotated[
    Path | None,
    typer.Option(
        "--cache", metavar="DIR", help="Keep the responses of a model behind an API there."
    ),
]
ScoreOption = Annotated[
    bool, typer.Option("--score", help="Score all traces of the folder at the end.")
]
OutputOption = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Where to write; by default the project's output."
    ),
]


def run(
    agent: AgentOption,
    project: ProjectArgument = Path(),
    mode: ModeOption = "tool",
    ungated: UngatedOption = False,
    epochs: EpochsOption = 1,
    workers: WorkersOption = 1,
    max_steps: StepsOption = None,
    max_seconds: SecondsOption = None,
    max_tokens: TokensOption = None,
    context_tokens: ContextOption = None,
    rate: RateOption = None,
    only: OnlyOption = None,
    retry_errors: RetryOption = False,
    fresh: FreshOption = False,
    seal_key_env: SealOption = None,
    backend: BackendOption = None,
    infer: InferOption = False,
    cache: CacheOption = None,
    score: ScoreOption = False,
    output: OutputOption = None,
    as_json: JsonOption = False,
) -> None:
    """Let an agent answer the questions, and record how it did.

    Appends to `traces.jsonl`, and goes on where it stopped: each attempt is on the disk before
    the next begins. An agent's failure is a trace with an `error`, made again with
    `--retry-errors` alone. Prints what was done, or with `--json` as a document; with `--score`
    it prints what `score` prints.
    """
    _sensible(mode, ungated=ungated, context_tokens=context_tokens, backend=backend)
    key = seal_key(seal_key_env)
    per_minute = _per_minute(rate)

    from groundeval.cli.running import Order, carry_out  # noqa: PLC0415 - nothing heavy before
    from groundeval.runs.agent import Budget, Mode  # noqa: PLC0415

    order = Order(
        agent=agent, mode=Mode(mode), gated=not ungated, epochs=epochs, workers=workers,
        budget=Budget(max_steps, max_seconds, max_tokens), context_tokens=context_tokens,
        per_minute=per_minute, only=tuple(only or ()), retry_errors=retry_errors, fresh=fresh,
        seal_key=key, backend=backend, infer=infer, cache=cache, score=score, output=output,
        as_json=as_json,
    )  # fmt: skip
    raise typer.Exit(carry_out(project, order))


def _sensible(mode: str, *, ungated: bool, context_tokens: int | None, backend: str | None) -> None:
    if mode not in _MODES:
        raise typer.BadParameter(f"there is no mode `{mode}`; known: {', '.join(_MODES)}")
    if ungated and mode == "zero-shot":
        raise typer.BadParameter("`--ungated` says nothing in mode `zero-shot`: nothing is opened")
    if context_tokens is not None and mode != "context":
        raise typer.BadParameter("`--context-tokens` is for mode `context`")
    if backend is not None and mode != "tool":
        raise typer.BadParameter("`--backend` is for mode `tool`")


def _per_minute(rate: str | None) -> float | None:
    """`30`, `30/minute`, `2/second` or `500/hour` as attempts a minute."""
    if rate is None:
        return None
    found = re.fullmatch(r"(\d+(?:\.\d+)?)(?:/(second|minute|hour))?", rate.strip())
    count = float(found[1]) if found else 0.0
    if found is None or not count:
        raise typer.BadParameter(f"`--rate {rate}` is not like `30/minute`, `2/second`, `500/hour`")
    return count * 60 / _SECONDS[found[2] or "minute"]
