"""A real HTTP server that speaks the three wire formats, with a script for a model."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from tests.runs.endpoints import wire
from tests.runs.endpoints.wire import Heard, Json, Said


@dataclass(frozen=True)
class Raw:
    """A response written as it is; `cut` bytes are promised and never sent."""

    status: int = 200
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    cut: int = 0
    stall: float = 0.0
    content_type: str = "application/json"


@dataclass(frozen=True)
class Streamed:
    """The first `keep` events of a turn's stream, then nothing; `tail` is written behind them."""

    said: Said
    keep: int | None = None
    tail: bytes = b""
    pause: float = 0.0


Answer = Said | Raw | Streamed
Model = Callable[[Heard], Answer]


def problem(status: int, message: str, kind: str = "error", **headers: str) -> Raw:
    body = {"type": "error", "error": {"type": kind, "code": kind, "message": message}}
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return Raw(status, json.dumps(body).encode(), named)


def scripted(*answers: Answer) -> Model:
    """A model that says these, one after the other, and the last one from then on."""
    return lambda heard: answers[min(heard.number, len(answers) - 1)]


@dataclass
class Stub:
    """Where the server is, and what it was asked."""

    url: str
    asked: list[Heard]

    @property
    def bodies(self) -> list[Json]:
        return [heard.body for heard in self.asked]


class _Server(ThreadingHTTPServer):
    daemon_threads = True

    def __init__(self, model: Model) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.model = model
        self.asked: list[Heard] = []
        self._turn = threading.Lock()

    def heard(self, path: str, headers: dict[str, str], body: Json) -> Heard:
        with self._turn:
            heard = wire.heard(len(self.asked), path, headers, body)
            self.asked.append(heard)
        return heard


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server

    def log_message(self, *_: object) -> None:
        """Nothing: the tests read what was asked."""

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        headers = {name.lower(): value for name, value in self.headers.items()}
        answer = self.server.model(self.server.heard(self.path, headers, body))
        if isinstance(answer, Said) and body.get("stream"):
            answer = Streamed(answer)
        api = wire.api_of(self.path)
        if isinstance(answer, Said):
            answer = Raw(body=json.dumps(wire.response(api, answer)).encode())
        # A client that gave up is what some tests are about.
        with suppress(BrokenPipeError, ConnectionResetError):
            if isinstance(answer, Streamed):
                self._stream(answer, api)
            else:
                self._write(answer)

    def _write(self, answer: Raw) -> None:
        time.sleep(answer.stall)
        self.send_response_only(answer.status)
        self.send_header("content-type", answer.content_type)
        self.send_header("content-length", str(len(answer.body) + answer.cut))
        for name, value in answer.headers.items():
            self.send_header(name, value)
        self.close_connection = bool(answer.cut)
        self.end_headers()
        self.wfile.write(answer.body)

    def _stream(self, answer: Streamed, api: str) -> None:
        self.send_response(200)
        self.send_header("content-type", "text/event-stream")
        self.send_header("connection", "close")
        self.end_headers()
        for name, data in wire.events(api, answer.said)[: answer.keep]:
            text = data if isinstance(data, str) else json.dumps(data)
            head = "" if name is None else f"event: {name}\n"
            self.wfile.write(f"{head}data: {text}\n\n".encode())
            self.wfile.flush()
            time.sleep(answer.pause)
        self.wfile.write(answer.tail)


@contextmanager
def stub(model: Model) -> Iterator[Stub]:
    server = _Server(model)
    serving = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    serving.start()
    try:
        yield Stub(f"http://127.0.0.1:{server.server_port}", server.asked)
    finally:
        server.shutdown()
        server.server_close()
        serving.join()


def replies(bodies: Sequence[Json]) -> Model:
    """A model that answers with these documents, as they were recorded."""
    return scripted(*(Raw(body=json.dumps(body).encode()) for body in bodies))
