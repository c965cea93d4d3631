from __future__ import annotations

from benchmarks.table import Row, as_markdown, as_text

ROWS = (
    Row("compile", "12.0 s", "30 s", met=True, against="3x"),
    Row("score", "60 us", "50 us", met=False),
    Row("start", "90 ms"),
)


def test_text_says_what_was_met() -> None:
    head, *lines = as_text(ROWS).splitlines()
    assert head.split() == ["what", "figure", "target", "against", "the", "alternative"]
    assert [line.split() for line in lines] == [
        ["compile", "12.0", "s", "30", "s", "met", "3x"],
        ["score", "60", "us", "50", "us", "missed"],
        ["start", "90", "ms"],
    ]


def test_markdown_names_commit_and_date() -> None:
    page = as_markdown(ROWS, "\n## more\n", "abc1234", "2026-03-01")
    assert "Commit abc1234, 2026-03-01" in page
    assert "| score | 60 us | 50 us | missed |  |" in page
    assert page.endswith("\n## more\n")
