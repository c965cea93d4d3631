"""How questions are served: from the project to the traces of those who called."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack, closing
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from groundeval import api
from groundeval.cli.exits import Exit
from groundeval.cli.opening import opened, today
from groundeval.cli.output import print_findings, print_json, say, stop, writing
from groundeval.cli.process import terminable
from groundeval.diagnostics import Diagnostic, Span, codes
from groundeval.diagnostics.source import COMMAND_LINE
from groundeval.diagnostics.suggestions import did_you_mean
from groundeval.runs.journal import Journal, open_journal
from groundeval.world.ids import shown

if TYPE_CHECKING:
    from groundeval.questions.model import Question
    from groundeval.server.attempt import Attempt
    from groundeval.server.listener import Listener
    from groundeval.server.serving import Recorder


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """What the command line asks for; `question` None serves all of them."""

    question: str | None
    http: bool
    host: str
    port: int
    names: tuple[str, ...]
    token: str | None
    agent: str
    seal_key: bytes | None
    rate: float | None
    sessions: int | None
    idle: float | None
    output: Path | None
    as_json: bool


def carry_out(place: Path, service: Service) -> None:
    """Serve until every attempt has ended, or the client of a single one leaves."""
    _needs_packages(service)
    from groundeval.server.ledger import Ledger  # noqa: PLC0415 - needs an optional package
    from groundeval.server.serving import Recorder  # noqa: PLC0415 - as above
    from groundeval.server.stdio import serve_stdio  # noqa: PLC0415 - as above

    project = opened(place, as_json=service.as_json)
    compiled = api.compile_project(project, today=today())
    sources = api.sources_of(project, compiled.diagnostics)
    if compiled.value is None:
        stop(compiled.diagnostics, sources, as_json=service.as_json)
    print_findings(compiled.diagnostics, sources)
    asked = _asked(compiled.value.drawn.questions, service)
    folder = service.output or project.path(project.file.output)
    with ExitStack() as held, writing(folder, as_json=service.as_json):
        contract = compiled.value.contract
        ledger = Ledger(held.enter_context(closing(_journal(folder, contract.digest, service))))
        recorder = Recorder(contract, ledger.append, service.agent, service.seal_key)
        if service.http:
            _over_http(asked, recorder, folder, service)
        else:
            serve_stdio(recorder.open(next(iter(asked.values()))))


def _needs_packages(service: Service) -> None:
    if find_spec("mcp") is None or find_spec("uvicorn") is None:
        message, help_ = "`serve` needs the package `mcp`", "pip install 'groundeval[mcp]'"
        lost = Diagnostic(codes.MISSING_EXTRA, message, Span.at(COMMAND_LINE, 1), help=help_)
        stop([lost], {}, as_json=service.as_json, code=Exit.USAGE)


def _asked(questions: tuple[Question, ...], service: Service) -> Mapping[str, Question]:
    """The questions to serve, by their ids."""
    by_id = {question.id: question for question in questions}
    name = service.question
    if name is None:
        return by_id
    if name not in by_id:
        near = did_you_mean(name, by_id) or "`groundeval compile` writes all to `questions.jsonl`"
        raise typer.BadParameter(f"there is no question {shown(name)}; {near}")
    return {name: by_id[name]}


def _journal(folder: Path, contract: str, service: Service) -> Journal:
    found = open_journal(folder, contract)
    if found.value is None:
        stop(found.diagnostics, {}, as_json=service.as_json, code=Exit.USAGE)
    print_findings(found.diagnostics, {})
    return found.value


def _over_http(
    asked: Mapping[str, Question], recorder: Recorder, folder: Path, service: Service
) -> None:
    from groundeval.server.sitting import SESSIONS, wait_for_all, write_addresses  # noqa: PLC0415

    (folder / SESSIONS).unlink(missing_ok=True)  # a server that was killed has left its own
    listener, idle = _listener(service)
    attempts = {name: recorder.open(question) for name, question in asked.items()}
    try:
        with terminable(), listener:
            addresses = {n: listener.admit(a, service.token) for n, a in attempts.items()}
            write_addresses(folder / SESSIONS, addresses)
            _announce(listener, attempts, folder / SESSIONS, service)
            wait_for_all(attempts, idle, lambda name: say(f"ended: {name}"))
    finally:
        (folder / SESSIONS).unlink(missing_ok=True)
        for attempt in attempts.values():
            attempt.end("the server was stopped")


def _listener(service: Service) -> tuple[Listener, float]:
    """Where clients call, and after how many idle seconds an attempt ends."""
    from groundeval.server.limits import Limits  # noqa: PLC0415 - only where it is used
    from groundeval.server.listener import Listener  # noqa: PLC0415 - needs an optional package

    given = {"rate": service.rate, "sessions": service.sessions, "idle": service.idle}
    limits = Limits(**{name: value for name, value in given.items() if value is not None})  # type: ignore[arg-type]
    try:
        listener = Listener(service.host, service.port, names=service.names, limits=limits)
    except OSError as fault:
        reason = (fault.strerror or str(fault)).lower()
        where = f"{service.host}:{service.port}"
        raise typer.BadParameter(f"cannot listen on `{where}`: {reason}") from fault
    return listener, limits.idle


def _announce(
    listener: Listener, attempts: Mapping[str, Attempt], sessions: Path, service: Service
) -> None:
    """Say where to call. Tokens stand in the file alone, which only this user can read."""
    from groundeval.server.listener import is_loopback  # noqa: PLC0415 - as above

    if not is_loopback(service.host):
        say("listening beyond this machine, without encryption: put a proxy with TLS before it")
    count = f"{len(attempts)} question{'' if len(attempts) == 1 else 's'}"
    say(f"serving {count} at {listener.url}; tokens are in {sessions}")
    if service.as_json:
        print_json({"url": listener.url, "sessions": str(sessions), "questions": list(attempts)})
