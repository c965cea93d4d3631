"""Settings of endpoints: what is found before anything is sent."""

from __future__ import annotations

import ast
import builtins
import subprocess
import sys
from typing import Any

import pytest

from groundeval.diagnostics import Span
from groundeval.diagnostics.codes import ENDPOINT_SETTING, MISSING_EXTRA, MISSING_KEY
from groundeval.runs.endpoints.agent import Means, endpoint_agent
from groundeval.runs.endpoints.settings import Api, EndpointSettings
from tests.runs.endpoints.attempts import APIS, KEY, ROOT

PLACE = Span.at("groundeval.yaml", 7)


def found(environment: dict[str, str] | None = None, **given: Any) -> list[tuple[str, str, str]]:
    chosen = EndpointSettings(**{"name": "gpt", "api": Api.CHAT, "model": "m", **given})
    made = endpoint_agent(chosen, Means(environment=environment or {}, place=PLACE))
    assert (made.value is None) == bool(made.diagnostics)
    if made.value is not None:
        made.value.close()
    assert all(d.span == PLACE for d in made.diagnostics)
    return [(d.code.id, d.message, d.help) for d in made.diagnostics]


def test_the_providers_own_keys_are_read_for_their_own_servers() -> None:
    assert found({"OPENAI_API_KEY": KEY}) == []
    assert found({"ANTHROPIC_API_KEY": KEY}, api=Api.MESSAGES) == []
    ((code, message, mend),) = found({"OPENAI_API_KEY": KEY}, api=Api.MESSAGES)
    assert code == MISSING_KEY.id
    assert message == "agent `gpt`: the variable `ANTHROPIC_API_KEY` holds no key"
    assert "`key_env`" in mend
    assert found({"MINE": ""}, base_url="http://127.0.0.1/v1", key_env="MINE")[0][0] == code
    assert found(base_url="http://127.0.0.1/v1") == []


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"base_url": "127.0.0.1:80/v1"}, "`base_url` is not an address of the web"),
        ({"base_url": "file:///etc/passwd"}, "`base_url` is not an address of the web"),
        ({"base_url": "http://[::1/v1"}, "`base_url` is not an address of the web"),
        ({"base_url": "http://h:99999/v1"}, "`base_url` is not an address of the web"),
        (
            {"base_url": "http://me:secret@h/v1"},
            "`base_url` holds more than scheme, host, port and path",
        ),
        (
            {"base_url": "http://h/v1?key=secret"},
            "`base_url` holds more than scheme, host, port and path",
        ),
        ({"seed": 1, "api": Api.RESPONSES}, "the API `responses` takes no `seed`"),
        ({"seed": 1, "api": Api.MESSAGES}, "the API `messages` takes no `seed`"),
        ({"temperature": float("nan")}, "`temperature` is no number"),
        ({"retries": -1}, "`retries` is below 0"),
        ({"turns": 0}, "`turns` is below 1"),
        ({"timeout": 0.0}, "`timeout` is not above 0"),
        (
            {"extra_body": {"messages": []}},
            "`extra_body` sets `messages`, which each request has of its own",
        ),
    ],
)
def test_settings_that_do_not_fit(given: dict[str, Any], said: str) -> None:
    keys = {"OPENAI_API_KEY": KEY, "ANTHROPIC_API_KEY": KEY}
    ((code, message, mend),) = found(keys, **given)
    assert (code, message) == (ENDPOINT_SETTING.id, f"agent `gpt`: {said}")
    assert mend
    assert "secret" not in message + mend


@pytest.mark.parametrize("of", APIS)
def test_a_missing_sdk_names_the_line_that_installs_it(
    of: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__
    extra = "anthropic" if of is Api.MESSAGES else "openai"

    def missing(name: str, *rest: Any, **more: Any) -> Any:
        if name == extra:
            raise ModuleNotFoundError(f"No module named '{name}'", name=name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", missing)
    ((code, message, mend),) = found(api=of, base_url="http://127.0.0.1/v1")
    assert code == MISSING_EXTRA.id
    assert message == f"agent `gpt` needs the package `{extra}`"
    assert mend == f"pip install 'groundeval[{extra}]'"


@pytest.mark.parametrize("key", [" ", "sk-a\nX-Else: b", "schlüssel", "a\0b"])
def test_what_no_header_can_hold_is_no_key(key: str) -> None:
    ((code, message, mend),) = found({"OPENAI_API_KEY": key})
    assert code == MISSING_KEY.id
    assert not key.strip() or key not in message + mend
    assert found({"OPENAI_API_KEY": f" {KEY}\n"}) == []


def test_only_endpoints_know_the_sdks() -> None:
    sdks = {"openai", "anthropic", "httpx2"}
    knowing = {
        path.relative_to(ROOT / "groundeval").as_posix()
        for path in (ROOT / "groundeval").rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Import | ast.ImportFrom)
        for name in (
            [node.module or ""]
            if isinstance(node, ast.ImportFrom)
            else [alias.name for alias in node.names]
        )
        if name.partition(".")[0] in sdks
    }
    assert knowing == {"runs/endpoints/transport.py"}


def test_the_sdks_are_loaded_by_the_first_agent_alone() -> None:
    script = (
        "import sys\n"
        "import groundeval.runs.endpoints.agent\n"
        "assert not {'openai', 'anthropic', 'httpx2'} & set(sys.modules)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False, cwd=ROOT
    )
    assert done.returncode == 0, done.stderr


def test_what_tells_two_agents_apart() -> None:
    def telling(**given: Any) -> dict[str, Any]:
        return EndpointSettings(**{"name": "a", "api": Api.CHAT, "model": "m", **given}).telling

    plain = telling()
    assert plain == {"api": "chat", "base_url": "https://api.openai.com/v1", "answer_by": "tool",
                     "turns": 50}  # fmt: skip
    for given in (
        {"temperature": 0.0}, {"seed": 0}, {"max_output_tokens": 9}, {"instructions": "x"},
        {"extra_body": {"a": None}}, {"stream": True}, {"infer": True}, {"turns": 3},
        {"base_url": "http://h/v1"}, {"api": Api.RESPONSES},
    ):  # fmt: skip
        assert telling(**given) != plain, given
    assert telling(retries=9, timeout=3.0, key_env="X") == plain
    assert telling(base_url="https://api.openai.com/v1/") == plain
