"""What the HTTP endpoint turns away, before anything of an attempt is touched."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

import pytest

from groundeval.runs.replies import FetchReply
from groundeval.runs.tools import Tools
from groundeval.server.attempt import Attempt
from groundeval.server.limits import Bucket, Limits
from groundeval.server.listener import Listener, is_loopback
from tests.runs.desks import desk

QUESTION = desk().drawn.questions[0]
HELLO = {
    "jsonrpc": "2.0", "id": 1, "method": "initialize",
    "params": {
        "protocolVersion": "2025-06-18", "capabilities": {},
        "clientInfo": {"name": "test", "version": "1"},
    },
}  # fmt: skip
ACCEPT = {"Accept": "application/json, text/event-stream", "Content-Type": "application/json"}


class Place:
    """An attempt that is served, and raw requests to it."""

    def __init__(self, limits: Limits) -> None:
        self.tools = Tools(desk().contract, QUESTION)
        self.listener = Listener(limits=limits, names=["desk.example"])
        self.attempt = Attempt({"id": "q"}, self.tools, lambda _: ())
        self.address = self.listener.admit(self.attempt)

    def ask(
        self, method: str = "POST", path: str = "/mcp", body: Any = HELLO, **headers: str
    ) -> Any:
        parts = urlsplit(self.address.url)
        host = f"127.0.0.1:{parts.port}"
        bearer = {"Authorization": f"Bearer {self.address.token}"}
        wanted = {**ACCEPT, **bearer, "Host": host, **headers}
        connection = http.client.HTTPConnection("127.0.0.1", parts.port or 0, timeout=10)
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        with closing(connection):
            connection.request(method, path, data, {k: v for k, v in wanted.items() if v})
            answer = connection.getresponse()
            return answer.status, dict(answer.getheaders()), answer.read()


@contextmanager
def place(**limits: Any) -> Iterator[Place]:
    made = Place(Limits(**limits))
    with made.listener:
        yield made


@pytest.fixture(scope="module")
def served() -> Iterator[Place]:
    with place(rate=None, sessions=100) as made:
        yield made


def test_a_proper_request_is_served(served: Place) -> None:
    status, headers, text = served.ask()
    assert status == 200
    assert json.loads(text)["result"]["serverInfo"]["name"] == "groundeval"
    assert "server" not in {name.lower() for name in headers}


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        ({"path": "/"}, 404),
        ({"path": "/mcp/../truth"}, 404),
        ({"Host": "evil.example"}, 421),
        ({"Host": "evil.example:80"}, 421),
        ({"Origin": "http://evil.example"}, 403),
        ({"method": "GET"}, 405),
        ({"method": "PUT"}, 405),
        ({"Authorization": ""}, 401),
        ({"Authorization": "Bearer"}, 401),
        ({"Authorization": "Bearer wrong"}, 401),
        ({"Authorization": "Basic d3Jvbmc="}, 401),
        ({"body": b"{broken"}, 400),
        ({"body": b"x" * ((1 << 20) + 1)}, 413),
    ],
)  # fmt: skip
def test_what_is_turned_away(served: Place, request_: dict[str, Any], status: int) -> None:
    found, headers, text = served.ask(**request_)
    assert found == status
    assert served.address.token.encode() not in text
    if status == 401:
        assert headers["www-authenticate"] == "Bearer"
    assert served.tools.steps == ()


def test_a_body_that_tells_no_length_is_bounded_as_well(served: Place) -> None:
    endless = (b"x" * (1 << 16) for _ in range(64))
    with suppress(ConnectionError):  # it may hang up before all is sent
        assert served.ask(body=endless)[0] == 413
    assert served.tools.steps == ()
    assert served.ask()[0] == 200


def test_a_token_is_a_bearer_token_or_none(served: Place) -> None:
    token = served.address.token
    for wrong in (
        f"Basic {token}",
        token,
        f"Bearer {token[:-1]}",
        f"Bearer {token}x",
        f"Bearer x {token}",
    ):
        assert served.ask(Authorization=wrong)[0] == 401, wrong
    assert served.ask(Authorization=f"bearer {token}")[0] == 200


def test_a_named_host_and_our_own_pages_may_call(served: Place) -> None:
    port = urlsplit(served.address.url).port
    for host in ("desk.example", f"desk.example:{port}", f"DESK.example:{port}", f"[::1]:{port}",
                 f"localhost:{port}", "desk.example:8443"):  # fmt: skip
        assert served.ask(Host=host)[0] == (421 if host.endswith(":8443") else 200), host
    assert served.ask(Host="localhost")[0] == 421
    for origin in (f"http://127.0.0.1:{port}", "https://desk.example"):
        assert served.ask(Origin=origin)[0] == 200, origin
    for origin in ("null", f"http://127.0.0.1.evil.example:{port}", f"ftp://127.0.0.1:{port}"):
        assert served.ask(Origin=origin)[0] == 403, origin


def test_refusals_are_told_in_the_form_of_the_protocol(served: Place) -> None:
    _, headers, text = served.ask(Authorization="Bearer wrong")
    assert headers["content-type"] == "application/json"
    assert json.loads(text) == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32600, "message": "a bearer token is needed"},
    }


def test_what_comes_before_the_token_tells_nothing_of_it(served: Place) -> None:
    """A wrong path, host or method is refused alike with the token and without."""
    for wrong in ({"path": "/x"}, {"Host": "evil.example"}, {"method": "GET"}):
        with_token, without = served.ask(**wrong), served.ask(**wrong, Authorization="")
        assert with_token == without


def test_nothing_is_logged_that_could_open_anything(
    served: Place, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(0)
    for wrong in (
        {},
        {"body": b"{broken"},
        {"Authorization": "Bearer guessed-by-chance"},
        {"Host": "x"},
    ):
        served.ask(**wrong)
    assert served.address.token not in caplog.text
    assert "guessed-by-chance" not in caplog.text


@pytest.mark.parametrize("slowly", [False, True], ids=["looking up", "sending"])
def test_a_token_that_is_taken_back_while_a_request_is_under_way(
    slowly: bool, caplog: pytest.LogCaptureFixture
) -> None:
    began, goes_on = threading.Event(), threading.Event()

    class Waiting(Tools):
        def fetch(self, artifact_id: object) -> FetchReply:
            began.set()
            goes_on.wait(10)
            return super().fetch(artifact_id)

    class Trickling:
        def __iter__(self) -> Iterator[bytes]:
            yield b"{"
            time.sleep(0.3)  # the server has the head of the request by then
            began.set()
            goes_on.wait(10)
            yield json.dumps(call).encode()[1:]

    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {
        "name": "fetch", "arguments": {"id": "T-0"}, "_meta": {
            "io.modelcontextprotocol/protocolVersion": "2026-07-28",
            "io.modelcontextprotocol/clientInfo": {"name": "x", "version": "1"},
            "io.modelcontextprotocol/clientCapabilities": {}}}}  # fmt: skip
    modern = {"MCP-Protocol-Version": "2026-07-28", "Mcp-Method": "tools/call", "Mcp-Name": "fetch"}
    with place(rate=None) as made, ThreadPoolExecutor(1) as pool:
        made.attempt = Attempt({"id": "q"}, Waiting(desk().contract, QUESTION), lambda _: ())
        made.address = made.listener.admit(made.attempt)
        made.ask()
        asked = pool.submit(made.ask, body=Trickling() if slowly else call, **modern)
        assert began.wait(10)
        made.listener.dismiss(made.address)
        goes_on.set()
        status, _, text = asked.result(10)
        assert (status, b"ticket T-0" in text) == ((401, False) if slowly else (200, True))
        assert made.ask()[0] == 401
    assert not caplog.records, caplog.text


def test_too_many_requests_are_told_when_to_come_again() -> None:
    with place(rate=0.5, burst=3) as made:
        statuses = [made.ask()[0] for _ in range(5)]
        assert statuses[:3] == [200, 200, 200]
        assert statuses[3:] == [429, 429]
        _, headers, _ = made.ask()
        assert int(headers["retry-after"]) in {1, 2}


def test_strangers_are_slowed_down_without_touching_who_has_a_token() -> None:
    with place(rate=None) as made:
        statuses = [made.ask(Authorization="Bearer no")[0] for _ in range(60)]
        assert 429 in statuses
        assert made.ask()[0] == 200


def test_sessions_are_bounded() -> None:
    with place(rate=None, sessions=2) as made:
        statuses = [made.ask()[0] for _ in range(4)]
        assert statuses == [200, 200, 503, 503]


def test_a_bucket_gives_what_has_flown_in() -> None:
    now = [0.0]
    bucket = Bucket(2.0, 3, clock=lambda: now[0])
    assert [bucket.wait() for _ in range(4)] == [0, 0, 0, 1]
    now[0] = 0.5
    assert [bucket.wait(), bucket.wait()] == [0, 1]
    now[0] = 100.0
    assert [bucket.wait() for _ in range(4)] == [0, 0, 0, 1]
    assert all(Bucket(None, 0).wait() == 0 for _ in range(9))


@pytest.mark.parametrize(
    ("host", "own"),
    [("127.0.0.1", True), ("localhost", True), ("::1", True), ("0.0.0.0", False),
     ("10.0.0.1", False), ("127.evil.example", False), ("127.0.3.1", True)],
)  # fmt: skip
def test_what_only_this_machine_reaches(host: str, own: bool) -> None:
    assert is_loopback(host) == own


@pytest.mark.parametrize(
    ("host", "names", "called"),
    [
        ("127.0.0.1", ["desk.example"], "127.0.0.1"),
        ("localhost", [], "localhost"),
        ("0.0.0.0", ["desk.example:8443", "desk.example"], "desk.example"),
        ("0.0.0.0", [], "127.0.0.1"),
    ],
)
def test_the_address_is_one_that_clients_can_call(host: str, names: list[str], called: str) -> None:
    with Listener(host, names=names) as listener:
        assert urlsplit(listener.url).hostname == called


def test_a_listener_that_ends_gives_its_port_back() -> None:
    with Listener() as first:
        port = urlsplit(first.url).port or 0
    with Listener(port=port) as second:
        assert urlsplit(second.url).port == port
