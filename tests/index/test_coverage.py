"""When a search would have found what is missing."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.functions.host import Place
from groundeval.index.coverage import (
    MOST_WORDS,
    Coverage,
    may_name_key,
    names_key,
    place_keys,
)
from groundeval.index.postings import Index, Search, Viewpoint
from groundeval.index.tokens import distinct_words
from groundeval.world.artifacts import Artifact, Corpus, Version


def document(artifact_id: str, text: str, subsystem: str = "wiki") -> Artifact:
    return Artifact(
        id=artifact_id, subsystem=subsystem, created=0, versions=(Version(start=0, text=text),)
    )


PLACE = Place(
    id="p",
    subsystems=("wiki",),
    text="postmortem ESC-42",
    keys=place_keys(["ESC-42"]),
    ghost="postmortem ESC-42 postmortem",
)
CORPUS = Corpus(
    [
        *(document(f"W-{n}", f"postmortem of ESC-{n} outage") for n in range(30) if n != 42),
        document("W-100", "alice wrote of ESC-42"),
        document("C-1", "ESC-42 is urgent", "chat"),
    ]
)
HERE = Viewpoint(10, lambda _: True, key="all")


def covers(search: Search, place: Place = PLACE, viewpoint: Viewpoint = HERE) -> bool:
    return Coverage(Index(CORPUS)).covers(place, search, viewpoint)


@pytest.mark.parametrize(
    ("search", "expected"),
    [
        (Search("postmortem ESC-42", "wiki"), True),
        (Search("postmortem ESC-42"), True),
        (Search("esc 42"), True),
        (Search("Is there a postmortem for ESC-42?", "wiki"), True),
        (Search("postmortem ESC-42", "chat"), False),
        (Search("postmortem ESC-42", "handbook"), False),
        (Search("postmortem ESC-42", "nowhere"), False),
        (Search("postmortem", "wiki"), False),
        (Search("postmortem 42", "wiki"), False),
        (Search("postmortem ESC-43", "wiki"), False),
        (Search("", "wiki"), False),
    ],
)
def test_covers(search: Search, expected: bool) -> None:
    assert covers(search) is expected


def test_the_ghost_must_be_within_the_limit() -> None:
    crowded = Corpus([document(f"W-{n}", "postmortem ESC-42") for n in range(12)])
    coverage = Coverage(Index(crowded))
    found = [
        coverage.covers(PLACE, Search("postmortem ESC-42", None, n), HERE)
        for n in (None, 0, 1, 12, 13, 20, 999)
    ]
    assert found == [False, False, False, False, True, True, True]


def test_an_unconfined_search_goes_through_open_subsystems_only() -> None:
    closed = replace(HERE, searchable=("chat",).__contains__)
    assert not covers(Search("postmortem ESC-42"), viewpoint=closed)
    either = replace(PLACE, subsystems=("wiki", "chat"))
    assert covers(Search("postmortem ESC-42"), either, closed)


def test_a_subsystem_without_any_artifact_is_searched_all_the_same() -> None:
    empty = replace(PLACE, subsystems=("reviews",))
    assert covers(Search("postmortem ESC-42"), empty)
    assert covers(Search("postmortem ESC-42", "reviews"), empty)


def test_any_one_subsystem_of_a_place_serves() -> None:
    either = replace(PLACE, subsystems=("wiki", "chat"))
    assert covers(Search("postmortem ESC-42", "chat"), either)
    assert covers(Search("postmortem ESC-42", "wiki"), either)


def test_a_place_to_fetch_is_covered_by_no_search() -> None:
    fetched = Place(id="f", fetch="ESC-42", subsystems=("wiki",), keys=(("esc",),), ghost="esc 42")
    assert not covers(Search("ESC-42", "wiki"), fetched)


def test_a_place_without_keys_is_never_covered() -> None:
    assert not covers(Search("postmortem ESC-42"), replace(PLACE, keys=()))
    assert not covers(Search("postmortem ESC-42"), replace(PLACE, keys=((),)))


def test_what_is_remembered_is_told_apart() -> None:
    coverage = Coverage(Index(CORPUS))
    search = Search("postmortem ESC-42")
    nothing = Viewpoint(10, lambda _: True, ("chat",).__contains__, key="chat only")
    other = replace(PLACE, ghost="nothing of the kind")
    for _ in range(2):
        assert coverage.covers(PLACE, search, HERE)
        assert not coverage.covers(PLACE, search, nothing)
        assert not coverage.covers(other, search, HERE)
        assert coverage.covers(PLACE, search, replace(HERE, key=None))


def test_keys() -> None:
    assert place_keys(["ESC-42", "esc 42", "!!", "", "Zoë", " ".join(map(str, range(17)))]) == (
        ("esc", "42"),
        ("zoë",),
    )
    assert place_keys([" ".join(map(str, range(16)))]) != ()


padding = st.lists(st.integers(1000, 9999), min_size=15, max_size=40, unique=True)


@given(padding)
def test_a_stuffed_query_covers_nothing(numbers: list[int]) -> None:
    assert not covers(Search(" ".join(["ESC-42", *map(str, numbers)]), "wiki"))


@given(st.text(), st.sampled_from([None, "wiki", "chat"]), st.integers(-5, 50))
def test_without_the_key_nothing_is_covered(text: str, subsystem: str | None, limit: int) -> None:
    query = text.replace("42", "")
    assert not covers(Search(f"postmortem {query} esc", subsystem, limit))


@given(st.integers(1, 19), st.text(max_size=20))
def test_a_wider_search_covers_no_less(limit: int, more: str) -> None:
    query = f"ESC-42 {more}"
    if covers(Search(query, "wiki", limit)):
        assert covers(Search(query, "wiki", limit + 1))


@given(
    st.lists(st.sampled_from(["ESC-42", "esc 42 b", "ölberg", "x", "Straße 7"]), max_size=3),
    st.lists(st.sampled_from(["ESC-42", "x42", "ÖLBERG", "b", "STRASSE", "7", "esc", "x"])),
)
def test_the_quick_look_lets_every_query_through_that_names_a_key(
    values: list[str], asked: list[str]
) -> None:
    place, query = replace(PLACE, keys=place_keys(values)), " ".join(asked)
    named = any(set(distinct_words(query)) >= set(key) for key in place.keys)
    assert names_key(query, place) is (named and len(distinct_words(query)) <= MOST_WORDS)
    assert may_name_key(query, place) or not named


def test_the_quick_look_turns_away_what_is_about_something_else() -> None:
    assert not may_name_key("postmortem ESC-43", PLACE)
    assert not may_name_key("", PLACE)
    assert not may_name_key("ESC-42", replace(PLACE, keys=()))
    assert may_name_key("postmortem esc.42", PLACE)
