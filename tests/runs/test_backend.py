"""Other search engines: they rank what they are shown, whatever world and whoever asks."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from importlib.metadata import EntryPoint
from pathlib import Path

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.cli.app import run
from groundeval.contracts.contract import Contract
from groundeval.diagnostics import Code, codes
from groundeval.index.postings import Search, Viewpoint
from groundeval.questions.model import Question
from groundeval.runs.backend import BackedSearch, BackendFault, Document, Searcher, Shelf
from groundeval.runs.backends import named, sqlite
from groundeval.runs.backends.named import known_backends, searcher_named
from groundeval.runs.backends.sqlite import SqliteBackend
from groundeval.runs.replies import SearchReply
from groundeval.runs.tools import GatedView, Tools
from groundeval.traces.model import Recorder
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.time import format_instant
from tests.properties.worlds import ACTORS, ARTIFACTS, LAST, Drawn, contract, day, gated, written
from tests.runs.test_tools import DESK, question, tools
from tests.scoring import desk

ROOT = Path(__file__).resolve().parents[2]
SOME = settings(max_examples=60, deadline=None)
TRACK = """track t "T" {
  ask for a in actors, e in events
    about e
    actor a
    as_of e.at
  answer { known: bool }
  truth { known = true }
  balance { "yes" 1 when truth.known }
  text "{about.label} {about.keys} {actor} {as_of}"
  score answer { "a" 1 of answer.known == truth.known }
  score trajectory { "t" 1 of true }
  weights answer 0.5, trajectory 0.5
  correct when answer.known == truth.known
}
"""
QUERIES = ("plan", "review", "old plan", "new review old", "old new plan review")
EVERYTHING = "old new plan review"


def engine(name: str, over: GatedView) -> Searcher:
    found = searcher_named(name, over)
    assert found.value is not None, found.diagnostics
    return found.value


def asking(over: Contract, name: str, actor: str, at: int, *, gated: bool = True) -> Tools:
    asked = Question(id="q", track="t", actor=actor, as_of=format_instant(at))
    return Tools(over, asked, gated=gated, backend=engine(name, over))


def with_track(drawn: Drawn, corpus: Iterable[Artifact] | None = None) -> Contract:
    text = written(drawn.scene, drawn.gates, TRACK)
    return contract(
        text, drawn.scene.events, drawn.scene.artifacts.values() if corpus is None else corpus
    )


def ids(reply: SearchReply) -> set[str]:
    return {hit.id for hit in reply.hits}


@SOME
@given(gated(), st.sampled_from(ACTORS), st.integers(1, LAST))
def test_what_can_be_found_is_what_is_visible(drawn: Drawn, actor: str, on: int) -> None:
    built = with_track(drawn)
    visible = {name for name in ARTIFACTS if drawn.visible(actor, name, day(on))}
    ours, theirs = (asking(built, name, actor, day(on)) for name in ("index", "sqlite"))
    assert ids(theirs.search(EVERYTHING)) == visible
    for query in QUERIES:
        for subsystem in (None, "mail", "wiki", "nowhere"):
            mine, other = ours.search(query, subsystem, 20), theirs.search(query, subsystem, 20)
            assert other.available == mine.available
            assert ids(other) == ids(mine)
    for one, two in zip(ours.steps, theirs.steps[1:], strict=True):
        assert two.refused == one.refused
        assert {*two.suppressed} == {*one.suppressed}


@SOME
@given(gated(), st.sampled_from(ACTORS), st.integers(1, LAST), st.data())
def test_closed_documents_change_no_byte(
    drawn: Drawn, actor: str, on: int, data: st.DataObject
) -> None:
    """Whatever closed documents hold: their words, how often, how long."""
    loud = data.draw(st.sampled_from(["", "plan " * 50, "old new plan review " * 20, "x " * 900]))

    def retold(artifact: Artifact) -> Artifact:
        if drawn.visible(actor, artifact.id, day(on)):
            return artifact
        louder = tuple(msgspec.structs.replace(v, text=loud) for v in artifact.versions)
        return msgspec.structs.replace(artifact, versions=louder)

    held = list(drawn.scene.artifacts.values())
    one, two = with_track(drawn), with_track(drawn, map(retold, held))
    before, after = (asking(built, "sqlite", actor, day(on)) for built in (one, two))
    for query in QUERIES:
        for limit in (1, 2, 20):
            said = [msgspec.json.encode(t.search(query, None, limit)) for t in (before, after)]
            assert said[0] == said[1]


@SOME
@given(gated(), st.integers(1, LAST))
def test_ungated_everything_takes_part_as_in_the_own_index(drawn: Drawn, on: int) -> None:
    built = with_track(drawn)
    ours, theirs = (
        asking(built, name, "none", day(on), gated=False) for name in ("index", "sqlite")
    )
    for query in QUERIES:
        assert ids(theirs.search(query, None, 20)) == ids(ours.search(query, None, 20))


def test_the_trace_has_the_same_shape_and_names_the_engine() -> None:
    calls: list[Callable[[Tools], object]] = [
        lambda t: t.search("outage", limit=5),
        lambda t: t.search("outage", "crm"),
        lambda t: t.search("outage", "handbook"),
        lambda t: t.search("", None, 3),
        lambda t: t.search("--", None, 3),
        lambda t: t.search("\x00 \ud800 \"*'(", None, 3),
        lambda t: t.search("outage NEAR(esc, 2) OR id:W-1"),
        lambda t: t.fetch("W-1"),
        lambda t: t.fetch("C-1"),
    ]
    own, other = tools(), Tools(DESK, question(), backend=engine("sqlite", DESK))
    for call in calls:
        call(own)
        call(other)
    for mine, theirs in zip(own.steps, other.steps, strict=True):
        unranked = ("results", "suppressed")
        assert [getattr(mine, f) for f in mine.__struct_fields__ if f not in unranked] == [
            getattr(theirs, f) for f in theirs.__struct_fields__ if f not in unranked
        ]
    assert [step.results for step in other.steps[:4]] == [("W-1",), (), ("handbook/role/a",), ()]
    assert {*other.steps[0].suppressed} == {*own.steps[0].suppressed} == {"C-1", "W-2"}
    recorder = other.finish(None).recorder
    assert recorder is not None
    assert recorder.backend == "sqlite"
    plain = own.finish(None).recorder
    assert plain is not None
    assert plain.backend == ""


def test_no_score_depends_on_who_ranked() -> None:
    """What a search covers is decided on the own index; the result says so with a mark."""
    answer = {"exists": False}
    looked = (desk.search("writing T-2", "wiki"), desk.fetch("T-2"))
    own, other = (
        desk.scored(
            desk.absent(), *looked, answer=answer,
            recorder=Recorder(runtime="groundeval/1.0", backend=backend),
        )
        for backend in ("", "sqlite")
    )  # fmt: skip
    assert own.outcome == "valid"
    assert own.marks == ()
    assert other.marks == ("approximate",)
    assert msgspec.to_builtins(msgspec.structs.replace(other, marks=())) == msgspec.to_builtins(own)


def test_a_search_sees_the_version_of_its_instant() -> None:
    asked = Tools(DESK, question(), backend=engine("sqlite", DESK))
    assert ids(asked.search("second")) == {"W-3"}
    assert asked.search("first").hits == ()
    assert asked.search("third").hits == ()


# --- the ranking


def ranked(texts: dict[str, str], query: str, limit: int = 10) -> list[str]:
    held = [
        Artifact(id=name, subsystem="wiki", versions=(Version(start=0, text=text),))
        for name, text in texts.items()
    ]
    search = BackedSearch(SqliteBackend(), Corpus(held), {})
    found = list(search.search(Search(query, None, limit), Viewpoint(None, lambda _: True)))
    search.close()
    return found


def test_rare_words_and_ids_outweigh_common_ones() -> None:
    texts = {f"N-{n}": "the outage of the shop" for n in range(9)}
    texts |= {"N-10": "the reviewed outage", "ESC-42": "nothing else", "N-11": "it names esc-42"}
    assert ranked(texts, "reviewed outage")[0] == "N-10"
    assert ranked(texts, "outage ESC-42")[:2] == ["ESC-42", "N-11"]
    assert ranked(texts, "nothing-at-all") == []


def test_more_of_a_word_and_less_around_it_rank_higher() -> None:
    texts = {"A": "plan", "B": "plan plan", "C": "plan and a lot of other words beside it"}
    assert ranked(texts, "plan") == ["B", "A", "C"]
    assert ranked(texts, "plan", 1) == ["B"]


def test_equal_scores_are_in_the_order_of_ids() -> None:
    assert ranked(dict.fromkeys("DACB", "plan"), "plan") == ["A", "B", "C", "D"]


def test_accents_and_case_do_not_part_words() -> None:
    assert ranked({"A": "Réunion du comité"}, "reunion COMITE") == ["A"]


def test_many_threads_get_what_one_gets() -> None:
    texts = {f"N-{n}": f"plan {n % 7} review {n % 11}" for n in range(200)}
    held = [
        Artifact(id=name, subsystem="wiki", versions=(Version(start=0, text=text),))
        for name, text in texts.items()
    ]
    search = BackedSearch(SqliteBackend(), Corpus(held), {})
    view = Viewpoint(None, lambda _: True)
    asked = [Search(f"plan {n % 7} review {n % 11}") for n in range(120)]
    alone = [search.search(a, view) for a in asked]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(partial(search.search, viewpoint=view), asked)) == alone
    search.close()


# --- backends that do not keep their promise, and names


@dataclass
class Wrong:
    """A backend that ranks as it is told, whatever is on the shelf."""

    says: Sequence[int]
    name: str = "wrong"
    taken: list[Document] = field(default_factory=list)

    def open(self, documents: Iterable[Document]) -> Wrong:
        self.taken = list(documents)
        return self

    def rank(self, query: str, shelf: Shelf, limit: int) -> Sequence[int]:
        return self.says

    def close(self) -> None:
        """Nothing is held."""


def number(of: str) -> int:
    taken = Wrong(())
    BackedSearch(taken, DESK.world.corpus, DESK.handbook)
    return next(d.number for d in taken.taken if d.id == of)


@pytest.mark.parametrize("says", [("C-1",), ("W-2",), ("W-1", "W-1"), ("handbook/role/a",)])
def test_what_is_not_on_the_shelf_never_reaches_the_agent(says: tuple[str, ...]) -> None:
    backend = Wrong([number(name) for name in says])
    search = BackedSearch(backend, DESK.world.corpus, DESK.handbook)
    with pytest.raises(BackendFault, match="`wrong`") as raised:
        Tools(DESK, question(), backend=search).search("outage")
    assert not any(name in str(raised.value) for name in says)


@pytest.mark.parametrize("says", [-1, 99])
def test_a_number_that_nothing_has_is_a_fault(says: int) -> None:
    search = BackedSearch(Wrong([says]), DESK.world.corpus, DESK.handbook)
    with pytest.raises(BackendFault):
        Tools(DESK, question(), backend=search).search("outage")


def test_a_backend_gets_every_version_once_and_no_empty_query() -> None:
    backend = Wrong([99])
    search = BackedSearch(backend, DESK.world.corpus, DESK.handbook)
    assert [d.number for d in backend.taken] == list(range(len(backend.taken)))
    assert sorted(d.id for d in backend.taken) == [
        "C-1", "W-1", "W-2", "W-3", "W-3", "W-3", "handbook/role/a",
    ]  # fmt: skip
    assert Tools(DESK, question(), backend=search).search(" -- ").hits == ()


def test_a_backend_may_stand_anywhere() -> None:
    assert known_backends() == ["sqlite"]
    assert engine("index", DESK).name == "index"
    assert engine(f"{sqlite.__name__}:SqliteBackend", DESK).name == "sqlite"


@pytest.mark.parametrize(
    ("name", "code", "words"),
    [
        ("sqlit", codes.UNKNOWN_BACKEND, "known: index, sqlite"),
        ("", codes.UNKNOWN_BACKEND, "known: index, sqlite"),
        ("no.such.module:Thing", codes.UNUSABLE_BACKEND, "No module named"),
        ("groundeval.runs.backend:Thing", codes.UNUSABLE_BACKEND, "AttributeError"),
        ("groundeval.runs.backend:OWN", codes.UNUSABLE_BACKEND, "TypeError"),
    ],
)
def test_a_name_that_leads_nowhere_is_a_finding(name: str, code: Code, words: str) -> None:
    found = searcher_named(name, DESK)
    assert found.value is None
    assert found.diagnostics[0].code == code
    assert words in found.diagnostics[0].message + found.diagnostics[0].help


def test_an_installed_package_brings_a_backend_along(monkeypatch: pytest.MonkeyPatch) -> None:
    point = EntryPoint("other", f"{sqlite.__name__}:SqliteBackend", named.GROUP)

    def installed(group: str, name: str | None = None) -> Iterator[EntryPoint]:
        assert group == "groundeval.backends"
        return iter([point] if name in (None, "other") else [])

    monkeypatch.setattr(named, "entry_points", installed)
    assert known_backends() == ["other", "sqlite"]
    assert engine("other", DESK).name == "sqlite"


def test_a_python_without_full_text_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    schema = re.sub("fts5", "fts99", sqlite._SCHEMA)
    monkeypatch.setattr(sqlite, "_SCHEMA", schema)
    found = searcher_named("sqlite", DESK)
    assert found.value is None
    assert found.diagnostics[0].code == codes.UNUSABLE_BACKEND
    assert "no such module: fts99" in found.diagnostics[0].message


def test_an_honest_agent_is_valid_behind_another_engine(tmp_path: Path) -> None:
    """What the own index credits, SQLite finds as well: on every silence of the support desk."""
    project, out = str(ROOT / "examples" / "support"), str(tmp_path)
    asked = ["--agent", "careful", "--only", "silence", "--backend", "sqlite", "-o", out]
    assert run(["run", project, *asked]) == 0
    assert run(["score", project, "--traces", f"{out}/traces.jsonl", "-o", out]) == 0
    lines = (tmp_path / "results.jsonl").read_text(encoding="utf-8").splitlines()
    results = [json.loads(line) for line in lines]
    assert len(results) >= 16
    assert {r["outcome"] for r in results} == {"valid"}
    assert any(r["marks"] == ["approximate"] for r in results)
