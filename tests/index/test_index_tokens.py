"""Words, chains and what makes ids strong."""

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.index.tokens import distinct_words, terms, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ()),
        ("  ,;!  ", ()),
        ("Postmortem for ESC-42.", ("postmortem", "for", "esc", "42")),
        ("CONF-PROD-002", ("conf", "prod", "002")),
        ("ns1/pods/x", ("ns1", "pods", "x")),
        ("l'été de Zoë", ("l", "été", "de", "zoë")),
        ("STRASSE Straße", ("strasse", "strasse")),
        ("Ελλάς ΕΛΛΆΣ", ("ελλάσ", "ελλάσ")),
        ("नमस्ते दुनिया", ("नमस्ते", "दुनिया")),
        ("障害のポストモーテム", ("障", "害", "の", "ポストモーテム")),
        ("soft\u00adhyphen zero\u200bwidth", ("softhyphen", "zero", "width")),
        ("⚠️ fire", ("fire",)),
        ("esc\x00-42", ("esc", "42")),
        ("__init__ a--b", ("init", "a", "b")),
    ],
)
def test_words(text: str, expected: tuple[str, ...]) -> None:
    assert words(text) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("see ESC-42", ("see", "esc", "42", "esc-42")),
        ("esc_42", ("esc", "42", "esc-42")),
        ("team/ESC-42", ("team", "esc", "42", "esc-42", "team-esc-42")),
        ("ns1/pods/x", ("ns1", "pods", "x", "ns1-pods-x")),
        ("ESC 42", ("esc", "42")),
        ("a, a b", ("a", "b")),
    ],
)
def test_terms(text: str, expected: tuple[str, ...]) -> None:
    assert terms(text) == expected


def test_an_accent_is_one_however_it_is_written() -> None:
    composed = unicodedata.normalize("NFC", "Réunion d'équipe à Orléans ÉTÉ-7")
    decomposed = unicodedata.normalize("NFD", composed)
    assert composed != decomposed
    assert terms(composed) == terms(decomposed)
    assert "été-7" in terms(decomposed)


def test_distinct_words_keep_the_first_of_each() -> None:
    assert distinct_words("b a B a-c") == ("b", "a", "c")


@given(st.text())
def test_normal_forms_and_case_do_not_matter(text: str) -> None:
    assert terms(unicodedata.normalize("NFD", text)) == terms(unicodedata.normalize("NFC", text))
    assert words(text) == words(text.casefold())


@given(st.text())
def test_words_are_stable_and_among_the_terms(text: str) -> None:
    found = words(text)
    assert all(word and not any(c.isspace() for c in word) for word in found)
    assert words(" ".join(found)) == found
    assert set(found) <= set(terms(text))


@given(st.text(alphabet=st.characters(max_codepoint=127)))
def test_the_short_way_for_ascii_is_the_general_one(text: str) -> None:
    longer = words(f"{text} é")
    assert longer == (*words(text), "é")
