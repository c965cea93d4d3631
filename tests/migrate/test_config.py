"""`import config`: what is translated, what is listed, and that the outcome passes `check`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from groundeval import api
from groundeval.diagnostics import has_errors
from groundeval.migrate.config import translate
from tests.cli.running import Done, cli

CONFIG = """\
artifacts_dir: pieces
seed: 7
actors: { alice: engineer, "zoë@corp": sales }
roles:
  engineer: { subsystems: [jira, git], broadcast_event_types: [opened] }
  sales: { subsystems: [crm] }
causal_links:
  - name: opened_leads_to_review
    cause_event_type: opened
    effect_event_type: reviewed
    max_gap_days: 1.5
    join: [{ cause: artifact_ids.jira, effect: facts.ticket }]
    mechanism_aliases: [the review]
    premise_template: 'the "{artifact_ids.jira}" had never been {{opened}}'
silence_pairs:
  - trigger_event_type: opened
    response_event_type: reviewed
    max_gap_days: 7
    join: [{ cause: artifact_ids.jira, effect: facts.ticket }]
    search_space:
      - { subsystem: git, query_template: "review {artifact_ids.jira}" }
      - { subsystem: jira, id_template: "{artifact_ids.jira}" }
"""


def imported(folder: Path, config: str, *more: object) -> Done:
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    return cli("import", "config", folder / "config.yaml", "-o", folder / "new", *more)


def test_what_is_said_is_said_in_the_language(tmp_path: Path) -> None:
    done = imported(tmp_path, CONFIG)
    assert done.code == 0, done.err
    text = (tmp_path / "new/contract.gev").read_text(encoding="utf-8")
    assert text.endswith("}\n")
    for line in (
        "role engineer { reads: [jira, git]  hears: [opened] }",
        "actor `zoë@corp`: sales",
        "  within  1d720m",
        "  join    c.artifacts.jira == e.facts.ticket",
        '  aka     "the review"',
        '  search  git for "review {t.artifacts.jira}"',
        "  fetch   t.artifacts.jira",
        "subsystem crm, git, jira",
        '  premise "the \\"{c.artifacts.jira}\\" had never been {{opened}}"',
    ):
        assert line in text
    assert (tmp_path / "new/groundeval.yaml").read_text() == "contract: contract.gev\nseed: 7\n"
    assert "not translated" not in done.err
    assert cli("check", tmp_path / "new").code == 0


def test_data_beside_the_config_are_named_from_the_new_folder(tmp_path: Path) -> None:
    (tmp_path / "pieces").mkdir()
    (tmp_path / "pieces/a.json").write_text(
        '{"id": "A", "subsystem": "git", "text": "x", "timestamp": "2026-03-01T00:00:00Z"}'
    )
    (tmp_path / "it's.jsonl").write_text(
        '{"id": "e", "type": "odd type", "timestamp": "2026-03-01T00:00:00Z"}\n'
    )
    assert imported(tmp_path, CONFIG, "--events", tmp_path / "it's.jsonl").code == 0
    project = (tmp_path / "new/groundeval.yaml").read_text()
    assert "events: '../it''s.jsonl'" in project
    assert "artifacts: '../pieces'" in project
    assert "event `odd type`" in (tmp_path / "new/contract.gev").read_text()
    assert cli("compile", tmp_path / "new", "-o", tmp_path / "out").code == 0


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("seed: 7", "seed: 7\neasy_ratio: 0.3", "the config: `easy_ratio`"),
        (
            "{ subsystems: [crm] }",
            "{ subsystems: [crm], clearance: 3 }",
            "role `sales`: `clearance`",
        ),
        (
            "max_gap_days: 1.5",
            "max_gap_days: 1.5\n    lag: 2",
            "link `opened_leads_to_review`: `lag`",
        ),
        ("max_gap_days: 1.5", "outcome_changed: false", "`outcome_changed: false`"),
        (
            "  search_space:",
            "  search_space_subsystems: [crm]\n    search_space:",
            "search `crm` for",
        ),
        ("review {artifact_ids.jira}", "{a-b} {artifact_ids.jira}", "the hole `{a-b}` is no field"),
        (
            "review {artifact_ids.jira}",
            "all reviews",
            "searching for `all reviews` names no trigger",
        ),
    ],
)
def test_what_cannot_be_said_is_listed(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in CONFIG
    done = imported(tmp_path, CONFIG.replace(old, new, 1))
    assert done.code == 0, done.err
    assert "not translated: " in done.err
    assert said in done.err
    assert said in (tmp_path / "new/contract.gev").read_text(encoding="utf-8")


def test_a_silence_without_a_place_is_left_out(tmp_path: Path) -> None:
    done = imported(tmp_path, CONFIG[: CONFIG.index("    search_space:")], "--json")
    assert done.code == 0
    assert done.document["left_out"] == ["silence `opened->reviewed`: it says nowhere to look"]
    assert "\nsilence" not in (tmp_path / "new/contract.gev").read_text()


@pytest.mark.parametrize(
    ("config", "text"),
    [
        ("[1, 2]", "not an object"),
        ("a: 1\n---\nb: 2\n", "2 mappings"),
        ("", "0 mappings"),
        ("actors: [alice]", "`actors`"),
        ("roles: { a: 7 }", "`roles.a`"),
        ("causal_links: [{ name: x }]", "cause_event_type"),
        ("actors: { 'a`b': c }", "`actors"),
        ("seed: many", "`seed`"),
        ("seed: 1\nseed: 2", "`seed` is given twice"),
        ("a: &a [x]\nb: *a", "alias"),
        (CONFIG.replace("1.5", "-1"), "max_gap_days"),
        (CONFIG.replace("1.5", ".inf"), "max_gap_days"),
        ("a: [", ""),
        ("a: " + "[" * 300 + "]" * 300, "nested deeper"),
    ],
)
def test_what_is_no_config_is_refused(tmp_path: Path, config: str, text: str) -> None:
    done = imported(tmp_path, config, "--json")
    assert done.code == 1, done.out
    assert text in done.findings[0]["message"]
    assert not (tmp_path / "new").exists()


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    assert imported(tmp_path, CONFIG).code == 0
    (tmp_path / "new/contract.gev").write_text("mine")
    done = imported(tmp_path, CONFIG)
    assert done.code == 2
    assert "it is there already" in done.err
    assert (tmp_path / "new/contract.gev").read_text() == "mine"


def test_a_role_that_does_not_exist_is_found_by_the_check(tmp_path: Path) -> None:
    done = imported(tmp_path, CONFIG.replace("alice: engineer", "alice: enginer"))
    assert done.code == 1
    assert "GEV206" in done.err


@pytest.mark.parametrize("domain", ["cybersecurity", "enterprise-support", "finance"])
def test_real_configs_compile(domain: str, shared: Path, tmp_path: Path) -> None:
    config = shared / "data" / "peer" / domain / "config.yaml"
    done = cli("import", "config", config, "-o", tmp_path / "new")
    assert done.code == 0, done.err
    compiled = cli("compile", tmp_path / "new", "-o", tmp_path / "out", "--json")
    assert compiled.code == 0
    assert sum(sum(strata.values()) for strata in compiled.document["questions"].values()) > 50


WORDS = ["actor", "read", "event", "link", "use", "if", "in", "not", "where", "missing", "from",
         "until", "gate", "permit", "when", "7up", "a b", "é", "x.y", "{x}", '"', "->", "#"]  # fmt: skip


@settings(max_examples=15, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_any_names_give_a_contract_that_parses(tmp_path: Path, data: st.DataObject) -> None:
    name = st.sampled_from(WORDS) | st.text(
        st.characters(categories=("L", "N", "P", "S"), exclude_characters="`"),
        min_size=1,
        max_size=6,
    )
    role, system, kind, other = (data.draw(name) for _ in range(4))
    text = data.draw(st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=12))
    config = {
        "roles": {role: {"subsystems": [system], "broadcast_event_types": [kind]}},
        "causal_links": [
            {"name": other + "1", "cause_event_type": kind, "effect_event_type": other,
             "premise_template": text, "max_gap_days": 2,
             "join": [{"cause": "artifact_ids.a", "effect": "artifact_ids.a"}]}
        ],
    }  # fmt: skip
    (tmp_path / "config.json.yaml").write_text(
        json.dumps(config, ensure_ascii=False), encoding="utf-8"
    )
    translated = translate(tmp_path / "config.json.yaml")
    assert translated.value is not None, translated.diagnostics
    (tmp_path / "contract.gev").write_text(translated.value.text, encoding="utf-8")
    opened = api.open_project(tmp_path / "contract.gev")
    assert opened.value is not None
    found = [d for d in api.check_rules(opened.value).diagnostics if d.code.id.startswith("GEV1")]
    assert not has_errors(found), (translated.value.text, found)
