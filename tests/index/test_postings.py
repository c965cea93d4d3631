"""Ranking, visibility and what statistics may know."""

import unicodedata
from collections.abc import Sequence

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from groundeval.index.postings import Ghost, Hit, Index, Search, Viewpoint
from groundeval.index.tokens import distinct_words
from groundeval.world.artifacts import Artifact, Corpus, Version

WORDS = ("postmortem", "outage", "report", "esc", "42", "7", "alice", "rollback")


def document(
    artifact_id: str, text: str = "", *, subsystem: str = "wiki", created: int = 0, title: str = ""
) -> Artifact:
    version = Version(start=created, title=title, text=text)
    return Artifact(id=artifact_id, subsystem=subsystem, created=created, versions=(version,))


def versions(artifact_id: str, *texts: tuple[int, str], deleted: int | None = None) -> Artifact:
    return Artifact(
        id=artifact_id,
        subsystem="wiki",
        created=texts[0][0],
        deleted=deleted,
        versions=tuple(Version(start=start, text=text) for start, text in texts),
    )


def seeing(as_of: int | None = 100, closed: Sequence[str] = (), **more: object) -> Viewpoint:
    return Viewpoint(as_of, lambda i: i not in closed, **more)  # type: ignore[arg-type]


def ids(hits: Sequence[Hit]) -> list[str]:
    return [hit.id for hit in hits]


def test_the_document_whose_id_is_named_comes_first() -> None:
    noise = [
        document(f"DOC-{n}", "postmortem esc 42 report", title="ESC-42 esc 42") for n in range(9)
    ]
    index = Index(Corpus([*noise, document("ESC-42", "nothing else")]))
    assert ids(index.search(Search("postmortem of ESC-42"), seeing()))[0] == "ESC-42"
    assert ids(index.search(Search("42 esc"), seeing()))[0] == "ESC-42"


def test_a_rare_word_outweighs_many_common_ones() -> None:
    common = [document(f"D{n}", "weekly status report outage") for n in range(20)]
    index = Index(Corpus([*common, document("Z", "the rollback of yesterday")]))
    assert ids(index.search(Search("weekly status report outage rollback"), seeing()))[0] == "Z"


def test_title_counts_more_than_text_and_short_more_than_long() -> None:
    index = Index(
        Corpus(
            [
                document("A", "outage " + " ".join(f"w{n}" for n in range(300))),
                document("B", "outage there"),
                document("C", "there", title="outage"),
            ]
        )
    )
    assert ids(index.search(Search("outage"), seeing())) == ["C", "B", "A"]


def test_ties_are_in_the_order_of_ids() -> None:
    index = Index(Corpus([document(i, "outage") for i in ("b9", "a1", "c", "a2")]))
    assert ids(index.search(Search("outage"), seeing())) == ["a1", "a2", "b9", "c"]


@pytest.mark.parametrize("query", ["", "   ", "!?", "nowhere", "\x00"])
def test_nothing_is_found_for_nothing(query: str) -> None:
    index = Index(Corpus([document("A", "outage")]))
    assert index.search(Search(query), seeing()) == ()


@pytest.mark.parametrize(
    ("limit", "width"), [(None, 10), (0, 10), (-3, 10), (1, 1), (20, 20), (21, 20), (10**30, 20)]
)
def test_limits(limit: int | None, width: int) -> None:
    index = Index(Corpus([document(f"D{n}", "outage") for n in range(40)]))
    assert len(index.search(Search("outage", None, limit), seeing())) == width


def test_visibility_is_decided_before_the_limit() -> None:
    index = Index(Corpus([document(f"D{n}", "outage") for n in range(5)]))
    assert ids(index.search(Search("outage", None, 2), seeing(closed=["D0", "D1"]))) == ["D2", "D3"]


def test_subsystems() -> None:
    corpus = Corpus([document("A", "outage"), document("B", "outage", subsystem="chat")])
    index = Index(corpus, [document("handbook/x", "outage", subsystem="handbook", created=999)])
    assert ids(index.search(Search("outage"), seeing())) == ["A", "B"]
    assert ids(index.search(Search("outage", "chat"), seeing())) == ["B"]
    assert ids(index.search(Search("outage"), seeing(searchable=("chat",).__contains__))) == ["B"]
    assert index.search(Search("outage", "nowhere"), seeing()) == ()
    assert index.search(Search("outage"), seeing(searchable=lambda _: False)) == ()
    handbook = Search("outage", "handbook")
    assert ids(index.search(handbook, seeing(as_of=1, closed=["handbook/x"]))) == ["handbook/x"]


def test_the_version_of_the_instant_is_searched() -> None:
    index = Index(Corpus([versions("A", (10, "draft"), (20, "final"), deleted=30)]))
    found = {
        at: [q for q in ("draft", "final") if index.search(Search(q), seeing(at))]
        for at in (9, 10, 19, 20, 29, 30)
    }
    assert found == {9: [], 10: ["draft"], 19: ["draft"], 20: ["final"], 29: ["final"], 30: []}
    assert ids(index.search(Search("final"), seeing(None))) == ["A"]


def test_ungated_sees_what_is_not_there_yet_or_any_more() -> None:
    index = Index(Corpus([versions("A", (10, "draft"), (20, "final"), deleted=30)]))
    assert ids(index.search(Search("draft"), seeing(5, unborn=True))) == ["A"]
    assert index.search(Search("final"), seeing(5, unborn=True)) == ()
    assert ids(index.search(Search("final"), seeing(40, unborn=True))) == ["A"]


def test_accents_match_in_either_form() -> None:
    composed, decomposed = (unicodedata.normalize(form, "dégât à Évry") for form in ("NFC", "NFD"))
    index = Index(
        Corpus([document("A", decomposed), document("B", composed), document("C", "degat")])
    )
    assert ids(index.search(Search(unicodedata.normalize("NFD", "DÉGÂT")), seeing())) == ["A", "B"]


def test_a_ghost_takes_part_in_the_ranking_and_comes_last_among_equals() -> None:
    index = Index(Corpus([document("A", "postmortem outage"), document("B", "outage rollback")]))
    search, here = Search("postmortem outage"), seeing()
    assert index.rank_of_ghost(search, here, Ghost("wiki", "postmortem outage")) == 2
    assert index.rank_of_ghost(search, here, Ghost("wiki", "outage alone")) == 3
    assert index.rank_of_ghost(search, here, Ghost("wiki", "something else")) is None
    confined = Search("postmortem outage", "wiki")
    assert index.rank_of_ghost(confined, here, Ghost("chat", "postmortem outage")) is None
    assert index.rank_of_ghost(Search(""), here, Ghost("wiki", "")) is None


def test_nothing_is_built_before_a_search() -> None:
    class Untouched(Corpus):
        def of_subsystem(self, subsystem: str) -> Sequence[Artifact]:
            raise AssertionError(subsystem)

    index = Index(Untouched([document("A", "outage")]))
    with pytest.raises(AssertionError, match="wiki"):
        index.search(Search("outage", "wiki"), seeing())


texts = st.lists(st.sampled_from(WORDS), max_size=8).map(" ".join)
queries = st.lists(st.sampled_from((*WORDS, "ESC-42", "nowhere")), max_size=6).map(" ".join)


@st.composite
def corpora(draw: st.DrawFn, prefix: str, created: st.SearchStrategy[int]) -> list[Artifact]:
    return [
        document(f"{prefix}-{n}", draw(texts), title=draw(texts), created=draw(created))
        for n in range(draw(st.integers(0, 6)))
    ]


@given(
    visible=corpora("OPEN", st.integers(0, 100)),
    hidden=st.tuples(corpora("SHUT", st.integers(0, 200)), corpora("LATE", st.integers(101, 200))),
    query=queries,
    ghost=texts,
    limit=st.integers(1, 8),
)
def test_closed_and_later_documents_show_in_nothing(
    visible: list[Artifact],
    hidden: tuple[list[Artifact], list[Artifact]],
    query: str,
    ghost: str,
    limit: int,
) -> None:
    view = Viewpoint(100, lambda i: not i.startswith("SHUT"))
    search = Search(query, None, limit)
    alone, among = Index(Corpus(visible)), Index(Corpus([*visible, *hidden[0], *hidden[1]]))
    assert repr(alone.search(search, view)) == repr(among.search(search, view))
    absent = Ghost("wiki", ghost)
    assert alone.rank_of_ghost(search, view, absent) == among.rank_of_ghost(search, view, absent)


@given(corpora("DOC", st.just(0)), texts, st.data())
def test_naming_an_id_ranks_its_document_first(
    corpus: list[Artifact], padding: str, data: st.DataObject
) -> None:
    assume(corpus)
    wanted = data.draw(st.sampled_from(corpus)).id
    others = [
        a
        for a in corpus
        if a.id == wanted
        or not set(distinct_words(a.id)) <= set(distinct_words(f"{padding} {wanted}"))
    ]
    hits = Index(Corpus(others)).search(Search(f"{padding} {wanted}"), seeing())
    assert hits[0].id == wanted


@given(corpora("DOC", st.just(0)), queries, texts)
def test_a_ghost_ranks_where_the_document_itself_would(
    corpus: list[Artifact], query: str, text: str
) -> None:
    rank = Index(Corpus(corpus)).rank_of_ghost(Search(query), seeing(), Ghost("wiki", text))
    with_it = Index(Corpus([*corpus, document("￿", text)]))
    hits = ids(with_it.search(Search(query, None, 20), seeing()))
    assert (hits.index("￿") + 1 if "￿" in hits else None) == rank
