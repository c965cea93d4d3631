"""Every malformed input under `cases/data/bad` is named by kind, place and reason; its twin loads."""

from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from groundeval.diagnostics import Checked
from groundeval.world.loader import (
    LoadedArtifacts,
    LoadedEvents,
    LoadOptions,
    load_artifacts,
    load_events,
)

CASES = Path(__file__).parents[1] / "cases" / "data" / "bad"
SLUGS = sorted(path.name for path in CASES.iterdir())


def load(folder: Path, which: str, skip_bad: int = 0) -> Checked[LoadedEvents | LoadedArtifacts]:
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    options = LoadOptions(ZoneInfo(case["zone"]) if case["zone"] else None, skip_bad)
    path = folder / case[which]
    if case["load"] == "events":
        return load_events([path], options)  # type: ignore[return-value]
    return load_artifacts(path, options)  # type: ignore[return-value]


def count(loaded: Checked[LoadedEvents | LoadedArtifacts]) -> int | None:
    match loaded.value:
        case LoadedEvents(events=records) | LoadedArtifacts(artifacts=records):
            return len(records)
    return None


@pytest.mark.parametrize("slug", SLUGS)
def test_bad_input_is_named(slug: str) -> None:
    folder = CASES / slug
    expected = json.loads((folder / "case.json").read_text(encoding="utf-8"))["findings"]
    loaded = load(folder, "bad")
    assert loaded.value is None, "nothing is half-loaded"
    found = [(d.code.slug, d.span.line, d.message) for d in loaded.diagnostics]
    assert len(found) == len(expected), found
    for wanted, (slug_found, line, message) in zip(expected, found, strict=True):
        assert (slug_found, line) == (wanted["code"], wanted["line"]), message
        assert wanted["text"] in message


@pytest.mark.parametrize("slug", SLUGS)
def test_its_twin_loads(slug: str) -> None:
    folder = CASES / slug
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    loaded = load(folder, "good")
    assert loaded.diagnostics == ()
    assert count(loaded) == case["records"]


@pytest.mark.parametrize("slug", SLUGS)
def test_messages_keep_to_the_house_style(slug: str) -> None:
    for found in load(CASES / slug, "bad").diagnostics:
        assert "\n" not in found.message
        assert not found.message.endswith(".")
        assert found.message[0] in "`0123456789" or found.message[0].islower()
        assert (CASES / slug).as_posix() in found.span.file


def test_enough_cases() -> None:
    assert len(SLUGS) >= 30
