"""Findings as text and as JSON."""

from __future__ import annotations

import json

import pytest

from groundeval.diagnostics import Diagnostic, Source, Span, codes
from groundeval.diagnostics.render import json as as_json
from groundeval.diagnostics.render import text as as_text


def finding(span: Span, message: str = "no such field", label: str = "") -> Diagnostic:
    return Diagnostic(codes.SYNTAX_ERROR, message, span, label, "write `b`")


def shown(text: str, span: Span, label: str = "") -> str:
    return as_text.render([finding(span, label=label)], {"a.gev": Source("a.gev", text)})


def test_finding_with_its_line() -> None:
    span = Span("a.gev", 12, 5, 12, 8)
    assert shown("\n" * 11 + "let abc = 1", span, "here") == (
        "error[GEV101]: no such field\n"
        "  --> a.gev:12:5\n"
        "   |\n"
        "12 | let abc = 1\n"
        "   |     ^^^ here\n"
        "   = help: write `b`\n"
    )


def test_findings_stand_apart_and_none_is_nothing() -> None:
    one = finding(Span("a.gev", 1, 1, 1, 2))
    assert as_text.render([one, one], {}).count("\n\n") == 1
    assert as_text.render([], {}) == ""


def test_unknown_file_is_shown_without_its_line() -> None:
    lines = as_text.render([finding(Span.at("b.jsonl", 7))], {}).splitlines()
    assert lines == ["error[GEV101]: no such field", " --> b.jsonl:7:1", "  = help: write `b`"]


def caret_line(text: str, column: int, end: int) -> tuple[str, str]:
    lines = shown(text, Span("a.gev", 1, column, 1, end)).splitlines()
    return lines[3].removeprefix("1 | "), lines[4].removeprefix("  | ")


@pytest.mark.parametrize(
    ("text", "start", "end", "line", "carets"),
    [
        ("나라 x", 4, 5, "나라 x", "     ^"),
        ("나라 x", 1, 3, "나라 x", "^^^^"),
        ("e\u0308 x", 4, 5, "e\u0308 x", "  ^"),
        ("\tx", 2, 3, "    x", "    ^"),
        ("a\u202ex", 3, 4, "a\\u{202e}x", "         ^"),
        ("a\u202ex", 2, 3, "a\\u{202e}x", " ^^^^^^^^"),
        ("a\u200bx", 3, 4, "a\\u{200b}x", "         ^"),
        ("a\x1b[31mx", 7, 8, "a\\u{1b}[31mx", "           ^"),
        ("ab", 3, 3, "ab", "  ^"),
        ("ab", 9, 12, "ab", "  ^"),
        ("", 1, 1, "", "^"),
    ],
    ids=[
        "wide",
        "on-wide",
        "combining",
        "tab",
        "bidi",
        "on-bidi",
        "zero-width",
        "escape",
        "end",
        "past",
        "empty",
    ],
)
def test_carets_stand_under_their_place(
    text: str, start: int, end: int, line: str, carets: str
) -> None:
    text_line, caret = caret_line(text, start, end)
    assert text_line.removeprefix("1 |") == line
    assert caret == carets


def test_long_lines_are_cut_around_the_place() -> None:
    text = "a" * 5_000_000 + "HERE" + "b" * 5_000_000
    line, carets = caret_line(text, 5_000_001, 5_000_005)
    assert line.startswith("…a")
    assert line.endswith("b…")
    assert len(line) == 102
    place = carets.index("^")
    assert line[place : place + carets.count("^")] == "HERE"


def test_long_spans_end_with_the_shown_part() -> None:
    line, carets = caret_line("x" * 500, 1, 501)
    assert len(carets) == len(line) - 1 == 100


def test_spans_over_lines_are_marked_to_the_end_of_the_first() -> None:
    lines = shown("let a = (\n  b", Span("a.gev", 1, 9, 2, 3)).splitlines()
    assert lines[4] == "  |         ^"


def test_byte_order_mark_does_not_move_carets() -> None:
    lines = shown("\ufefflet a", Span("a.gev", 1, 5, 1, 6)).splitlines()
    assert lines[3:5] == ["1 | let a", "  |     ^"]


def test_nothing_in_a_message_or_name_reaches_the_terminal() -> None:
    bad = Diagnostic(codes.SYNTAX_ERROR, "a\x1b[2Jb\nc", Span.at("x\x07.gev", 1), help="\u202ed")
    text = as_text.render([bad], {})
    assert (
        text == "error[GEV101]: a\\u{1b}[2Jb\\u{a}c\n --> x\\u{7}.gev:1:1\n  = help: \\u{202e}d\n"
    )


def test_json_document() -> None:
    document = json.loads(as_json.render([finding(Span("a.gev", 1, 2, 3, 4), "b \udc80")]))
    assert document == {
        "schema": "groundeval.findings/1",
        "findings": [
            {
                "code": "GEV101", "slug": "syntax-error", "severity": "error", "file": "a.gev",
                "line": 1, "column": 2, "end_line": 3, "end_column": 4,
                "message": "b \udc80", "help": "write `b`",
            }
        ],
    }  # fmt: skip


def test_json_is_ascii() -> None:
    assert as_json.render([finding(Span.at("zoë.gev", 1), "📦 \udc80")]).isascii()
