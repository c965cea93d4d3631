"""`groundeval serve`: the gated tools of questions as an MCP server."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, Final

import typer

from groundeval.cli.output import JsonOption, ProjectArgument
from groundeval.cli.process import seal_key, secret

_SHORTEST_TOKEN: Final = 16

QuestionOption = Annotated[
    str | None, typer.Option("--question", metavar="ID", help="Serve this question.")
]
AllOption = Annotated[
    bool, typer.Option("--all", help="Serve every question, each behind a token; over HTTP.")
]
HttpOption = Annotated[
    bool, typer.Option("--http", help="Serve over HTTP, not over standard input and output.")
]
HostOption = Annotated[
    str | None,
    typer.Option(
        "--host", metavar="HOST", help="Listen there; by default on 127.0.0.1, for this machine."
    ),
]
PortOption = Annotated[
    int | None,
    typer.Option("--port", metavar="N", min=0, max=65535, help="Listen there; any by default."),
]
NamesOption = Annotated[
    list[str] | None,
    typer.Option(
        "--name", metavar="NAME", help="A further host name by which clients call; repeatable."
    ),
]
TokenOption = Annotated[
    str | None,
    typer.Option(
        "--token-env",
        metavar="NAME",
        help="Take the bearer token from this environment variable, not a random one.",
    ),
]
AgentOption = Annotated[
    str, typer.Option("--agent", metavar="NAME", help="The name that traces are recorded under.")
]
SealOption = Annotated[
    str | None,
    typer.Option(
        "--seal-key-env",
        metavar="NAME",
        help="Seal traces with the key in this environment variable.",
    ),
]
RateOption = Annotated[
    float | None,
    typer.Option("--rate", metavar="N", min=0.1, help="Requests a second for each token; 50."),
]
SessionsOption = Annotated[
    int | None,
    typer.Option("--max-sessions", metavar="N", min=1, help="Open sessions of each token; 8."),
]
IdleOption = Annotated[
    float | None,
    typer.Option(
        "--idle", metavar="S", min=1, help="Seconds without a call that end an attempt; 1800."
    ),
]
FolderOption = Annotated[
    Path | None,
    typer.Option(
        "-o", "--output", metavar="DIR", help="Where to record; by default the project's output."
    ),
]


def serve(
    project: ProjectArgument = Path(),
    question: QuestionOption = None,
    every: AllOption = False,
    http: HttpOption = False,
    host: HostOption = None,
    port: PortOption = None,
    names: NamesOption = None,
    token_env: TokenOption = None,
    agent: AgentOption = "mcp",
    seal_key_env: SealOption = None,
    rate: RateOption = None,
    max_sessions: SessionsOption = None,
    idle: IdleOption = None,
    output: FolderOption = None,
    as_json: JsonOption = False,
) -> None:
    """Serve questions with their gated tools over MCP, and record what is done with them.

    Each attempt becomes a line of `traces.jsonl` once it is answered or over. Over HTTP,
    `sessions.jsonl` gets the addresses and tokens, and the server ends with the last attempt.
    """
    over_http = http or every
    if not over_http:
        _for_http({
            "--host": host, "--port": port, "--name": names, "--token-env": token_env,
            "--rate": rate, "--max-sessions": max_sessions, "--idle": idle,
            "--json": as_json or None,
        })  # fmt: skip
    _one_or_all(question, token_env, every=every)

    from groundeval.cli.serving import Service, carry_out  # noqa: PLC0415 - nothing heavy before

    service = Service(
        question=question,
        http=over_http,
        host=host or "127.0.0.1",
        port=port or 0,
        names=tuple(names or ()),
        token=_token(token_env),
        agent=agent,
        seal_key=seal_key(seal_key_env),
        rate=rate,
        sessions=max_sessions,
        idle=idle,
        output=output,
        as_json=as_json,
    )
    carry_out(project, service)


def _for_http(given: dict[str, Any]) -> None:
    """Refuse options that only say something over HTTP."""
    for name, value in given.items():
        if value is not None:
            raise typer.BadParameter(f"`{name}` is for `--http`")


def _one_or_all(question: str | None, token_env: str | None, *, every: bool) -> None:
    if every == (question is not None):
        raise typer.BadParameter("say which question: `--question ID`, or `--all` over HTTP")
    if every and token_env is not None:
        raise typer.BadParameter("`--token-env` is for one question: each needs a token of its own")


def _token(name: str | None) -> str | None:
    """The bearer token in a variable: long enough not to be guessed, and such as a header holds."""
    token = secret("--token-env", name)
    if token is None:
        return None
    if len(token) < _SHORTEST_TOKEN:
        text = f"the token in `{name}` is shorter than {_SHORTEST_TOKEN} characters"
        raise typer.BadParameter(text)
    if not token.isascii() or not token.isprintable() or " " in token:
        text = f"the token in `{name}` holds what no header may: keep to letters, digits and signs"
        raise typer.BadParameter(text)
    return token
