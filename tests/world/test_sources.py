from __future__ import annotations

import json
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from groundeval.diagnostics import Span
from groundeval.world.assembly import build_world
from groundeval.world.sources import LoadedSource, SourceKind, SourceSpec, load_source
from groundeval.world.time import format_instant, to_datetime

UTC = ZoneInfo("UTC")
EVENT = {
    "id": lambda r: r["n"],
    "type": lambda r: r.get("kind"),
    "at": lambda r: r.get("when"),
    "actors": lambda r: (r.get("who"),),
    "artifacts": lambda r: {"doc": r.get("doc"), "none": None},
    "facts": lambda r: r,
    "region": lambda r: r.get("region"),
}
RAW = {
    "n": 17,
    "kind": "opened",
    "when": "2026-03-12T10:00:00Z",
    "who": "ana",
    "doc": 4,
    "region": "eu",
}
SPAN = Span.at("desk.gev", 7)


def write(path: Path, *records: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def load(
    kind: SourceKind, pattern: str, folder: Path, skip_bad: int = 0, **rest: object
) -> LoadedSource:
    loaded = load_source(SourceSpec(kind, pattern, span=SPAN, **rest), folder, skip_bad)  # type: ignore[arg-type]
    assert loaded.value is not None, [d.message for d in loaded.diagnostics]
    return loaded.value


def findings(
    kind: SourceKind, pattern: str, folder: Path, **rest: object
) -> list[tuple[str, str, int, str]]:
    loaded = load_source(SourceSpec(kind, pattern, span=SPAN, **rest), folder)  # type: ignore[arg-type]
    assert loaded.value is None
    return [(d.code.slug, d.span.file, d.span.line, d.message) for d in loaded.diagnostics]


def test_an_event_of_any_shape(tmp_path: Path) -> None:
    write(tmp_path / "log" / "a.jsonl", RAW)
    (event,) = load("events", "log/*.jsonl", tmp_path, fields=EVENT).parts.events
    assert (event.id, event.type, format_instant(event.at)) == (
        "17",
        "opened",
        "2026-03-12T10:00:00Z",
    )
    assert (event.actors, event.artifacts) == (("ana",), {"doc": ("4",)})
    assert event.facts == RAW
    assert event.extra == {"region": "eu"}
    assert (event.source, event.line) == ("log/a.jsonl", 1)


def test_missing_values_are_fields_that_are_not_there(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", {**RAW, "who": None, "doc": None, "region": None})
    (event,) = load("events", "a.jsonl", tmp_path, fields=EVENT).parts.events
    assert (event.actors, event.artifacts, event.extra) == ((), {}, {})


def test_a_required_field_that_is_missing_is_named(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", RAW, {**RAW, "kind": None}, {**RAW, "when": "12:00"})
    assert findings("events", "a.jsonl", tmp_path, fields=EVENT) == [
        ("missing-field", "a.jsonl", 2, "the record has no `type`"),
        ("bad-time", "a.jsonl", 3, "`at` `12:00` is not a time"),
    ]
    assert load("events", "a.jsonl", tmp_path, skip_bad=2, fields=EVENT).skipped == 2


def test_only_a_true_condition_skips(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", *({**RAW, "n": n} for n in range(4)))
    skip = [lambda r: {0: True, 1: None, 2: False}.get(r["n"]), lambda r: r["n"] == 3]
    loaded = load("events", "a.jsonl", tmp_path, fields=EVENT, skip=skip)
    assert [e.id for e in loaded.parts.events] == ["1", "2"]
    assert loaded.passed_over == 2


def test_zone_and_order(tmp_path: Path) -> None:
    write(tmp_path / "b.jsonl", {**RAW, "n": 1, "when": "2026-03-12"})
    write(tmp_path / "a.jsonl", {**RAW, "n": 3}, {**RAW, "n": 2})
    kyiv = ZoneInfo("Europe/Kyiv")
    loaded = load("events", "*.jsonl", tmp_path, fields=EVENT, zone=kyiv, ordered=True)
    assert [(e.id, e.rank) for e in loaded.parts.events] == [("3", 0), ("2", 1), ("1", 2)]
    assert format_instant(loaded.parts.events[2].at) == "2026-03-11T22:00:00Z"
    unordered = load("events", "*.jsonl", tmp_path, fields=EVENT, zone=kyiv)
    assert {e.rank for e in unordered.parts.events} == {None}


def test_the_files_of_a_block_are_one_source(tmp_path: Path) -> None:
    first = {**RAW, "n": 1, "when": "2026-03-01T00:00:00Z", "kind": "opened"}
    last = {**RAW, "n": 2, "when": "2026-03-09T00:00:00Z", "kind": "closed"}
    write(tmp_path / "log" / "1.jsonl", first)
    write(tmp_path / "log" / "2.jsonl", last)
    write(tmp_path / "other.jsonl", {**RAW, "n": 3, "when": "2026-05-01T00:00:00Z"})
    parts = load("events", "log/*.jsonl", tmp_path, fields=EVENT).parts
    parts += load(
        "events", "other.jsonl", tmp_path, fields={**EVENT, "type": lambda r: "other"}
    ).parts
    built = build_world(parts).value
    assert built is not None
    period = built.world.log.period("opened")
    assert period is not None
    assert [format_instant(t) for t in period] == ["2026-03-01T00:00:00Z", "2026-03-09T00:00:00Z"]


def test_a_computed_instant_is_exact(tmp_path: Path) -> None:
    write(tmp_path / "a.jsonl", RAW)
    fields = {**EVENT, "at": lambda r: to_datetime(5)}
    (event,) = load("events", "a.jsonl", tmp_path, fields=fields).parts.events
    assert event.at == 5


def test_markdown_and_versions(tmp_path: Path) -> None:
    (tmp_path / "wiki" / "x").mkdir(parents=True)
    (tmp_path / "wiki" / "x" / "page.md").write_text("---\ndate: 2026-03-01\n---\nfirst\n")
    write(tmp_path / "log.jsonl", {"page": "page", "saved": "2026-03-02", "text": "second"})
    pages = load(
        "artifacts",
        "wiki/**/*.md",
        tmp_path,
        zone=UTC,
        fields={
            "id": lambda r: Path(r["path"]).stem,
            "subsystem": lambda r: "wiki",
            "created": lambda r: r["front"].get("date"),
            "text": lambda r: r["body"],
            "path": lambda r: r["path"],
        },
    ).parts.artifacts
    assert [(a.id, a.versions[0].text) for a in pages] == [("page", "first\n")]
    assert pages[0].versions[0].attributes == {"path": "wiki/x/page.md"}
    versions = load(
        "versions",
        "log.jsonl",
        tmp_path,
        zone=UTC,
        fields={
            "artifact": lambda r: r["page"],
            "from": lambda r: r["saved"],
            "text": lambda r: r["text"],
        },
    ).parts.versions
    assert [(v.artifact, format_instant(v.start), v.text, v.title) for v in versions] == [
        ("page", "2026-03-02T00:00:00Z", "second", None)
    ]


def test_people_and_transfers(tmp_path: Path) -> None:
    (tmp_path / "people.csv").write_text("email,title,team\nana@x,lead,\nbob@x,,red\n")
    (tmp_path / "moves.csv").write_text(
        "email,title,start,end\nbob@x,sales,2026-03-01,2026-03-10\nbob@x,lead,2026-03-10,\n"
    )
    people = load(
        "actors",
        "people.csv",
        tmp_path,
        fields={
            "id": lambda r: r["email"],
            "role": lambda r: r.get("title"),
            "team": lambda r: r.get("team"),
        },
    ).parts.actors
    assert [(p.id, p.roles, p.attributes) for p in people] == [
        ("ana@x", ("lead",), {}),
        ("bob@x", (), {"team": "red"}),
    ]
    stints = load(
        "stints",
        "moves.csv",
        tmp_path,
        zone=UTC,
        fields={
            "actor": lambda r: r["email"],
            "role": lambda r: r["title"],
            "from": lambda r: r.get("start"),
            "until": lambda r: r.get("end"),
        },
    ).parts.stints
    assert [(s.role, s.end is None, s.place.line) for s in stints] == [
        ("sales", False, 2),
        ("lead", True, 3),
    ]


def test_a_block_must_map_what_is_required(tmp_path: Path) -> None:
    assert findings("events", "a.jsonl", tmp_path, fields={"id": EVENT["id"]}) == [
        ("missing-field", "desk.gev", 7, "`source events` does not say what `type` is"),
        ("missing-field", "desk.gev", 7, "`source events` does not say what `at` is"),
    ]


def test_patterns_stay_below_the_folder(tmp_path: Path) -> None:
    inner = tmp_path / "contract"
    inner.mkdir()
    write(tmp_path / "log" / "a.jsonl", RAW)
    assert [e.source for e in load("events", "../log/*.jsonl", inner, fields=EVENT).parts.events]
    for pattern in ("/etc/*.json", "x/../../*.jsonl", "", ".."):
        found = findings("events", pattern, inner, fields=EVENT)
        assert [f[0] for f in found] == ["outside-folder"], pattern
    (inner / "a.jsonl").symlink_to(tmp_path / "log" / "a.jsonl")
    assert findings("events", "*.jsonl", inner, fields=EVENT)[0][0] == "outside-folder"


def test_a_pattern_that_matches_nothing_is_an_error(tmp_path: Path) -> None:
    assert findings("events", "lgo/*.jsonl", tmp_path, fields=EVENT) == [
        ("nothing-matched", "desk.gev", 7, "`lgo/*.jsonl` matches no file")
    ]


@pytest.mark.parametrize("value", [1.5, True, {"a": 1}])
def test_only_whole_numbers_become_ids(tmp_path: Path, value: object) -> None:
    write(tmp_path / "a.jsonl", {**RAW, "n": value})
    assert findings("events", "a.jsonl", tmp_path, fields=EVENT)[0][0] == "bad-field"
