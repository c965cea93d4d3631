"""The stretch of text that a hit shows."""

from hypothesis import given
from hypothesis import strategies as st

from groundeval.index.snippets import LONGEST_SNIPPET, snippet


def test_it_is_around_the_piece_that_fits_best() -> None:
    text = " ".join(["esc"] * 3 + [f"w{n}" for n in range(100)] + ["see", "ESC-42,", "please"])
    assert snippet(text, "esc-42").startswith("… w93")
    assert snippet(text, "esc-42").endswith("see ESC-42, please")


def test_it_is_the_start_where_nothing_fits_and_folds_white_space() -> None:
    assert snippet("a\n\n b\tc", "nowhere") == "a b c"
    assert snippet("", "x") == ""


@given(st.text(), st.text())
def test_it_is_short_and_of_the_text(text: str, query: str) -> None:
    shown = snippet(text, query).removeprefix("… ").removesuffix(" …")
    assert len(shown) <= LONGEST_SNIPPET
    assert shown in " ".join(text.split()) or "…" in text
