"""The cache of responses: what tells two requests apart, and that nothing half-written counts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.runs.response_cache import ResponseCache, response_key

ROOT = Path(__file__).parents[2]
KEY = response_key({"a": 1})


def opened(folder: Path) -> tuple[ResponseCache, list[str]]:
    reports: list[str] = []
    return ResponseCache(folder, reports.append), reports


def files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def test_what_was_kept_comes_back(tmp_path: Path) -> None:
    cache, reports = opened(tmp_path / "deep" / "cache")
    assert cache.get(KEY) is None
    response = json.dumps({"text": "“ä” \\ud83d", "n": [1.5, None]}).encode()
    cache.put(KEY, response)
    again, _ = opened(tmp_path / "deep" / "cache")
    assert again.get(KEY) == response
    assert again.get(response_key({"a": 2})) is None
    assert (again.use.hits, again.use.misses, again.use.damaged) == (1, 1, 0)
    assert reports == []


@pytest.mark.parametrize("damage", range(7))
def test_what_is_damaged_is_passed_over_and_reported(tmp_path: Path, damage: int) -> None:
    cache, reports = opened(tmp_path)
    cache.put(KEY, b'{"answer":"yes"}')
    (path,) = files(tmp_path)
    whole = path.read_bytes()
    broken = [
        b"",
        whole[:-5],
        whole.replace(b"yes", b"no!"),
        whole.replace(b"response/1", b"response/2"),
        b"[]",
        b"\xff\xfe",
        whole.replace(KEY.encode(), response_key({"a": 2}).encode()),
    ][damage]
    path.write_bytes(broken)
    assert cache.get(KEY) is None
    assert cache.use.damaged == 1
    assert reports == [
        f"the cached response `{KEY[:2]}/{KEY[2:]}.json` is passed over: it is cut or was changed"
    ]
    assert str(tmp_path) not in reports[0]
    cache.put(KEY, b'{"answer":"yes"}')
    assert cache.get(KEY) == b'{"answer":"yes"}'


def test_a_folder_that_cannot_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    cache, reports = opened(tmp_path / "file")
    cache.put(KEY, b"{}")
    assert len(reports) == 1
    assert reports[0].startswith("a response was not kept in the cache: ")


def test_many_write_and_read_at_once(tmp_path: Path) -> None:
    keys = [response_key(number % 7) for number in range(400)]

    def once(key: str) -> bool:
        cache, reports = opened(tmp_path)
        response = json.dumps({"key": key * 50}).encode()
        cache.put(key, response)
        return cache.get(key) == response and not reports

    with ThreadPoolExecutor(8) as pool:
        assert all(pool.map(once, keys))
    assert len(files(tmp_path)) == 7


def test_killed_writers_leave_nothing_half_written(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from pathlib import Path\n"
        "from groundeval.runs.response_cache import ResponseCache, response_key\n"
        "cache = ResponseCache(Path(sys.argv[1]), print)\n"
        "print('ready', flush=True)\n"
        "for number in range(10**9):\n"
        "    cache.put(response_key(number % 50), b'{\"x\":\"' + b'y' * 20_000 + b'\"}')\n"
    )
    for patience in (0.0, 0.01, 0.03):
        writer = subprocess.Popen(
            [sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, stdout=subprocess.PIPE
        )
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
        time.sleep(0.05 + patience)
        os.kill(writer.pid, signal.SIGKILL)
        writer.wait()
        writer.stdout.close()
    cache, reports = opened(tmp_path)
    kept = [cache.get(response_key(number)) for number in range(50)]
    assert any(kept)
    assert {found for found in kept if found} == {b'{"x":"' + b"y" * 20_000 + b'"}'}
    assert reports == []


BASE: dict[str, Any] = {
    "api": "chat",
    "url": "http://h/v1",
    "epoch": 1,
    "body": {"model": "m", "temperature": 0.1, "messages": [{"role": "user", "content": "a"}]},
}


@pytest.mark.parametrize(
    "change",
    [
        {"api": "responses"},
        {"url": "http://h/v2"},
        {"epoch": 2},
        {"body": {**BASE["body"], "model": "n"}},
        {"body": {**BASE["body"], "temperature": 0.1000000001}},
        {"body": {**BASE["body"], "seed": None}},
        {"body": {**BASE["body"], "messages": [{"role": "user", "content": "a "}]}},
        {"body": {**BASE["body"], "messages": [{"role": "system", "content": "a"}]}},
    ],
)
def test_everything_is_in_the_key(change: dict[str, Any]) -> None:
    assert response_key({**BASE, **change}) != response_key(BASE)


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


@given(JSON, JSON)
def test_equal_requests_have_equal_keys_and_no_others(left: Any, right: Any) -> None:
    written = [json.dumps(value, sort_keys=True) for value in (left, right)]
    assert (response_key(left) == response_key(right)) == (written[0] == written[1])


def test_the_order_of_fields_does_not_count() -> None:
    assert response_key({"a": 1, "b": [1, 2]}) == response_key({"b": [1, 2], "a": 1})
    assert response_key([1, 2]) != response_key([2, 1])
