"""The handbook: everything an agent may know of the rules, and nothing of what happened."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from groundeval.contracts.handbook import handbook
from groundeval.index.postings import Index, Search, Viewpoint
from groundeval.ir.program import Program
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.world.artifacts import Corpus

DESK = """gev 1
domain desk "A help desk"
timezone "UTC"
subsystem wiki, chat, crm
role agent { reads: [wiki, chat]  hears: [outage] }
role boss inherits agent { reads: [crm] }
actor zoë: agent, boss from 2026-03-10

gate horizon "the artifact was there" { permit read when artifact.created <= as_of }
gate subsystem "the role may use it" {
  permit read   when artifact.subsystem in role.reads
  permit search when search.subsystem in role.reads
  forbid read "sealed" when "sealed" in artifact.labels and not holds(boss) because "legal hold"
}

## Something went down.
event outage "outage" { wiki: artifact  severity: text  found by "outage {wiki}" }
event review "postmortem" { wiki: artifact  chat: artifact? }
event fix { wiki: artifact }

link outage_leads_to_review "The outage is why there is a review" {
  cause c: outage where c.severity in ["high", "critical"]
  effect e: review
  join c.wiki == e.wiki
  within 7d
  unless c.severity == "critical" and e.chat is missing
  match nearest
  necessity sufficient
  aka "outage review"
  premise "the outage {c.wiki} had never been"
  outcome "the review would have been written"
  because "policy 12"
}
link fix_leads_to_review { cause f: fix  effect r: review  join f.wiki == r.wiki  necessity contributing }

silence missing_review "Every outage is reviewed" {
  after t: outage
  expect r: review
  join t.wiki == r.wiki
  within 48h
  search chat for "postmortem {t.wiki}"
  fetch t.wiki
}
"""


SUFFICIENT = (
    "Sufficient: any one cause is enough, so the effect still happens as long as another "
    "sufficient cause of it happens."
)


def program(text: str = DESK) -> Program:
    checked = analyse("desk.gev", MemoryFiles({"desk.gev": text}))
    assert checked.value is not None, checked.diagnostics
    return checked.value


PAGES = {page.id.removeprefix("handbook/"): page for page in handbook(program())}


def text(path: str) -> str:
    return PAGES[path].versions[0].text


def test_there_is_a_page_for_each_rule() -> None:
    assert list(PAGES) == [
        "event/fix",
        "event/outage",
        "event/review",
        "gate/horizon",
        "gate/subsystem",
        "mechanism/fix_leads_to_review",
        "mechanism/none/review/fix",
        "mechanism/none/review/outage",
        "mechanism/outage_leads_to_review",
        "role/agent",
        "role/boss",
        "searching",
        "silence/missing_review",
        "subsystem/chat",
        "subsystem/crm",
        "subsystem/wiki",
    ]
    assert all(page.subsystem == "handbook" and len(page.versions) == 1 for page in PAGES.values())
    assert all(page.versions[0].title and page.versions[0].text for page in PAGES.values())


def test_a_mechanism_says_everything_that_its_rule_says() -> None:
    assert text("mechanism/outage_leads_to_review").split("\n") == [
        "The outage is why there is a review.",
        "Also called: outage review.",
        'Cause: outage, called c, where c.severity in ["high", "critical"].',
        "Effect: postmortem (review), called e.",
        "Joined when: c.wiki == e.wiki (a missing value joins nothing).",
        "The effect must be strictly later than the cause, and at most 7d later.",
        'Not when c.severity == "critical" and e.chat is missing, nor where that cannot be told.',
        "Of several causes that fit one effect, only the latest counts.",
        SUFFICIENT,
        "Shown by: the artifacts of both records.",
        "Policy 12.",
    ]
    assert "there is no bound on the time between" in text("mechanism/fix_leads_to_review")
    assert "Contributing" in text("mechanism/fix_leads_to_review")


def test_a_role_says_what_is_open_to_it() -> None:
    boss = text("role/boss")
    assert "It includes the roles: agent." in boss
    assert "role.reads: chat, crm, wiki." in boss
    assert "Subsystems in its lists: chat, crm, wiki." in boss
    assert "Event types in its lists: outage." in boss
    assert "- permit read when artifact.subsystem in role.reads" in boss
    assert '- forbid read "sealed" when "sealed" in artifact.labels and not holds(boss)' in boss
    assert "legal hold" in boss.casefold()
    assert "artifact.created" not in boss
    assert "crm" not in text("role/agent")


def test_a_silence_says_what_is_expected_and_where() -> None:
    page = text("silence/missing_review")
    assert "After: outage, called t." in page
    assert "at most 2d later" in page
    assert "It would be found in chat by a search for: postmortem {t.wiki}" in page
    assert "Look also into: t.wiki." in page


def test_an_event_type_names_label_fields_and_uses() -> None:
    page = text("event/review")
    assert "Texts call it: postmortem." in page
    assert "Kinds of artifacts: chat, wiki." in page
    assert "It may be the effect in: fix_leads_to_review, outage_leads_to_review." in page
    assert "It is expected by: missing_review." in page
    assert "Something went down." in text("event/outage")


@pytest.mark.parametrize("pair", ["review/outage", "review/fix"])
def test_what_is_said_to_be_unlinked_is_unlinked(pair: str) -> None:
    cause, effect = pair.split("/")
    linked = {(link.cause.event_type, link.effect.event_type) for link in program().links}
    assert (cause, effect) not in linked
    assert "No mechanism" in text(f"mechanism/none/{pair}")


def test_a_chain_of_links_leaves_its_own_pairs_out() -> None:
    both = DESK + "\nlink back { cause a: review  effect b: outage  join a.wiki == b.wiki }\n"
    ids = {page.id for page in handbook(program(both))}
    assert "handbook/mechanism/none/review/outage" not in ids
    assert "handbook/mechanism/none/review/fix" in ids


def test_colour_and_actors_stand_nowhere() -> None:
    everything = "\n".join(page.versions[0].text for page in PAGES.values())
    for hidden in ("had never been", "would have been written", "zoë"):
        assert hidden not in everything


def test_a_contract_without_rules_has_the_page_on_searching() -> None:
    empty = handbook(program("gev 1\ndomain nothing\n"))
    assert [page.id for page in empty] == ["handbook/searching"]


def test_a_mechanism_is_found_by_its_name() -> None:
    index = Index(Corpus(), tuple(PAGES.values()))
    hits = index.search(Search("outage leads to review mechanism", "handbook"), Viewpoint(0, bool))
    assert hits[0].id == "handbook/mechanism/outage_leads_to_review"


_PRINT = """
from tests_desk import DESK
from groundeval.contracts.handbook import handbook
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
for page in handbook(analyse("desk.gev", MemoryFiles({"desk.gev": DESK})).value):
    print(page.id, page.versions[0].title, page.versions[0].text)
"""


def test_the_bytes_do_not_depend_on_the_hash_seed(tmp_path: Path) -> None:
    (tmp_path / "tests_desk.py").write_text(f"DESK = {DESK!r}\n", encoding="utf-8")

    def run(seed: str) -> bytes:
        paths = os.pathsep.join([str(tmp_path), str(Path.cwd())])
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": paths}
        return subprocess.run(
            [sys.executable, "-c", _PRINT], env=environment, capture_output=True, check=True
        ).stdout

    assert run("1") == run("2") != b""
