"""Attempts that are made again with a cache: nothing is asked for twice, and nothing else given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from groundeval.runs.endpoints.agent import endpoint_agent
from groundeval.runs.endpoints.settings import Api
from groundeval.runs.response_cache import ResponseCache
from tests.runs.endpoints.attempts import (
    ANSWER,
    APIS,
    KEY,
    Shelf,
    agent_on,
    calls,
    means,
    settings,
    submits,
    task,
)
from tests.runs.endpoints.stub import Model, Raw, problem, scripted
from tests.runs.endpoints.wire import Said

EACH = pytest.mark.parametrize("of", APIS)
STREAMS = pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])


@STREAMS
@EACH
def test_the_second_time_nothing_is_asked(of: Api, stream: bool, tmp_path: Path) -> None:
    reports: list[str] = []
    cache = ResponseCache(tmp_path, reports.append)
    looking = Said(calls=((None, "fetch", '{"id": "W-1"}'), ("x", "search", "{bad")))
    model = scripted(looking, submits())
    shelves = [Shelf(), Shelf()]
    with agent_on(model, of, means(cache=cache), stream=stream) as (agent, server):
        replies = [agent.attempt(task(shelf)) for shelf in shelves]
        assert len(server.asked) == 2
        # In another epoch the model is asked anew, and this one now answers at once.
        assert agent.attempt(replace(task(Shelf()), epoch=2)).answer == ANSWER
        assert len(server.asked) == 3
    assert replies[0] == replies[1]
    assert replies[0].answer == ANSWER
    assert shelves[0].calls == shelves[1].calls
    assert shelves[0].noted == shelves[1].noted
    assert (cache.use.hits, cache.use.misses) == (2, 3)
    assert reports == []
    assert all(KEY.encode() not in path.read_bytes() for path in tmp_path.rglob("*.json"))


@pytest.mark.parametrize(
    "other",
    [
        {"temperature": 0.5}, {"model": "other"}, {"seed": 3}, {"max_output_tokens": 3},
        {"instructions": "x"}, {"stream": True}, {"extra_body": {"top_p": 0.1}},
    ],
)  # fmt: skip
def test_other_parameters_are_other_requests(other: dict[str, Any], tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path, lambda _: None)
    model = scripted(submits())
    with agent_on(model, Api.CHAT, means(cache=cache)) as (agent, server):
        agent.attempt(task())
        changed = endpoint_agent(settings(Api.CHAT, server.url, **other), means(cache=cache)).value
        assert changed is not None
        assert changed.attempt(task()).answer == ANSWER
        changed.close()
        assert len(server.asked) == 2
        patient = endpoint_agent(
            settings(Api.CHAT, server.url, retries=1, timeout=9.0, key_env=None), means(cache=cache)
        ).value
        assert patient is not None
        assert patient.attempt(task()).answer == ANSWER
        patient.close()
        assert len(server.asked) == 2


@EACH
def test_failures_are_not_kept(of: Api, tmp_path: Path) -> None:
    cache = ResponseCache(tmp_path, lambda _: None)
    model: Model = scripted(
        problem(500, "no"), Raw(body=b"{}"), Raw(body=b'{"error": {"message": "x"}}'), submits()
    )
    with agent_on(model, of, means(cache=cache), retries=0) as (agent, server):
        errors = [agent.attempt(task()).error for _ in range(3)]
        assert all(errors)
        assert agent.attempt(task()).answer == ANSWER
        assert agent.attempt(task()).answer == ANSWER
        assert len(server.asked) == 4


@EACH
def test_a_damaged_entry_is_asked_for_again(of: Api, tmp_path: Path) -> None:
    reports: list[str] = []
    cache = ResponseCache(tmp_path, reports.append)
    with agent_on(scripted(submits()), of, means(cache=cache)) as (agent, server):
        agent.attempt(task())
        (path,) = tmp_path.rglob("*.json")
        path.write_bytes(path.read_bytes()[:-9])
        assert agent.attempt(task()).answer == ANSWER
        assert len(server.asked) == 2
    assert len(reports) == 1


def test_a_pace_is_kept_by_what_goes_out_alone(tmp_path: Path) -> None:
    paced: list[int] = []
    given = means(cache=ResponseCache(tmp_path, lambda _: None), pace=lambda: paced.append(1))
    model = scripted(calls(("fetch", {"id": "W-1"})), problem(500, "no"), submits())
    with agent_on(model, Api.CHAT, given) as (agent, server):
        agent.attempt(task())
        agent.attempt(task())
        assert len(paced) == len(server.asked) == 3
