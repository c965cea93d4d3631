"""Names of files in findings lead there from where the command was called."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import CONTRACT, EVENTS, PROJECT, cli, write_desk

SOURCED = """
source events "log/*.jsonl" { id = .id  at = .timestamp  type = .type }
"""


@pytest.mark.parametrize("place", ["desk", "./desk", "desk/groundeval.yaml", "{absolute}", "."])
def test_names_lead_there(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    desk = write_desk(
        tmp_path / "desk",
        {
            "desk.gev": CONTRACT.replace("cause   c: opened", "cause   c: openned"),
            "events.jsonl": EVENTS + "broken\n",
            "artifacts.jsonl": None,
        },
    )
    monkeypatch.chdir(desk if place == "." else tmp_path)
    place = place.format(absolute=desk)
    done = cli("check", place, "--json")
    by_slug = {f["slug"]: f["file"] for f in done.findings}
    assert set(by_slug) == {"unknown-event-type", "malformed-record", "unreadable-file"}
    assert Path(by_slug["unknown-event-type"]).samefile(desk / "desk.gev")
    assert Path(by_slug["malformed-record"]).samefile(desk / "events.jsonl")
    assert Path(by_slug["unreadable-file"]).absolute() == desk / "artifacts.jsonl"
    text = cli("check", place).out
    for file in by_slug.values():
        assert f"--> {file}:" in text, "text and JSON name files alike"
    assert "cause   c: openned" in text, "the line is shown"


def test_a_lone_rule_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_desk(tmp_path / "desk", {"desk.gev": "gev 1\nactor a: b\n"})
    monkeypatch.chdir(tmp_path)
    assert {f["file"] for f in cli("check", "desk/desk.gev", "--json").findings} == {
        "desk/desk.gev"
    }


def test_used_files_and_source_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_desk(
        tmp_path / "desk",
        {
            "desk.gev": CONTRACT.replace("use tracks", 'use "./more/people.gev", tracks') + SOURCED,
            "groundeval.yaml": PROJECT.replace("events: events.jsonl\n", ""),
            "more/people.gev": "gev 1\nactor carol: enginer\n",
            "log/a.jsonl": "broken\n",
        },
    )
    monkeypatch.chdir(tmp_path)
    files = {f["slug"]: f["file"] for f in cli("check", "desk", "--json").findings}
    assert files["unknown-role"] == "desk/more/people.gev"
    (tmp_path / "desk/more/people.gev").write_text("gev 1\nactor carol: engineer\n")
    (finding,) = cli("check", "desk", "--json").findings
    assert (finding["slug"], finding["file"]) == ("malformed-record", "desk/log/a.jsonl")
    assert "desk/log/a.jsonl:1" in cli("check", "desk").out


def test_a_bundled_file_keeps_its_name_and_shows_its_line(tmp_path: Path) -> None:
    desk = write_desk(
        tmp_path, {"desk.gev": CONTRACT.replace("policies.horizon, policies.rbac", "policies.rbac")}
    )
    done = cli("check", desk, "--json")
    assert {f["file"] for f in done.findings} == {"tracks/silence.gev"}
    assert "enforce horizon" in cli("check", desk).out


def test_a_neighbour_of_the_same_name_is_not_shown_instead(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_desk(tmp_path / "desk", {"desk.gev": CONTRACT.replace("bob: engineer", "bob: enginer")})
    (tmp_path / "desk.gev").write_text("gev 1\n# quite another file\n" * 30)
    monkeypatch.chdir(tmp_path)
    out = cli("check", "desk").out
    assert "another" not in out
    assert "enginer" in out


# What is allowed.

ALLOWED = CONTRACT.replace(
    "gev 1", 'gev 1  # gev: allow GEV719 because "contractors have no role"', 1
)
STRANGER = EVENTS.replace('"alice"', '"mallory"', 1)


def test_a_warning_about_data_can_be_allowed(tmp_path: Path) -> None:
    desk = write_desk(tmp_path, {"events.jsonl": STRANGER})
    assert cli("check", desk, "--json").slugs == ["undeclared-actor"]
    write_desk(tmp_path, {"events.jsonl": STRANGER, "desk.gev": ALLOWED})
    assert cli("check", "--strict", desk).code == 0
    done = cli("compile", desk, "-o", tmp_path / "out")
    assert "GEV719" not in done.err
    assert done.code == 0


def test_a_warning_about_links_over_data_can_be_allowed(tmp_path: Path) -> None:
    events = EVENTS + json.dumps(
        {**json.loads(EVENTS.splitlines()[1]), "id": "again", "timestamp": "2026-03-02T11:00:00Z"}
    )
    contract = CONTRACT.replace("  within  7d\n", "  within  7d\n  match every\n", 1)
    desk = write_desk(tmp_path, {"events.jsonl": events, "desk.gev": contract})
    assert cli("check", desk, "--json").slugs == ["shared-effect"]
    allowed = contract.replace("link ", '# gev: allow GEV437 because "reopened"\nlink ', 1)
    write_desk(tmp_path, {"events.jsonl": events, "desk.gev": allowed})
    assert cli("check", desk, "--json").slugs == []
    assert cli("check", desk / "desk.gev", "--json").slugs == [], "without data it may be needed"


def test_what_is_allowed_in_vain_is_not_said_while_something_else_is_wrong(tmp_path: Path) -> None:
    files = {"desk.gev": ALLOWED, "events.jsonl": EVENTS + "broken\n"}
    desk = write_desk(tmp_path, files)
    assert cli("check", desk, "--json").slugs == ["malformed-record"]
    write_desk(tmp_path, {"desk.gev": ALLOWED})
    assert cli("check", desk, "--json").slugs == ["unused-suppression"]
    assert cli("compile", desk, "-o", tmp_path / "out").code == 1
