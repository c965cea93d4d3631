"""The tree that a text becomes, and that no text is too much."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from groundeval.diagnostics import Source
from groundeval.syntax import ast
from groundeval.syntax.parser import parse, parse_expression
from tests.syntax.tree_shapes import shape

ROOT = Path(__file__).resolve().parents[2]
CASES = sorted((ROOT / "tests/cases/syntax").glob("*.gev"))
SHARED = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared"))


def read(text: str) -> ast.File:
    checked = parse(Source("a.gev", text))
    assert checked.diagnostics == ()
    assert checked.value is not None
    return checked.value


def one(text: str) -> ast.Declaration:
    (declaration,) = read(f"gev 1\n{text}\n").declarations
    return declaration


def expr(text: str) -> ast.Expr:
    checked = parse_expression(Source("a.gev", text))
    assert checked.diagnostics == ()
    assert checked.value is not None
    return checked.value


def slugs(text: str) -> list[str]:
    return [d.code.slug for d in parse(Source("a.gev", text)).diagnostics]


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_sample_is_read(path: Path) -> None:
    assert read(path.read_text(encoding="utf-8")).declarations


def test_samples_use_every_node() -> None:
    used = {type(node).__name__ for path in CASES for node in walk(read(path.read_text("utf-8")))}
    nodes = {
        name
        for name, value in vars(ast).items()
        if isinstance(value, type) and issubclass(value, ast.Node) and value is not ast.Node
    }
    assert nodes == used


def walk(node: object) -> list[ast.Node]:
    found: list[ast.Node] = []
    if isinstance(node, ast.Node):
        found.append(node)
        for name in field_names(node):
            found += walk(getattr(node, name))
    elif isinstance(node, tuple):
        for item in node:
            found += walk(item)
    return found


def field_names(node: ast.Node) -> list[str]:
    return list(type(node).__dataclass_fields__)


def test_design_is_read() -> None:
    page = SHARED / "design/language.md"
    if not page.is_file():
        pytest.skip(f"the design pages are not at {SHARED}")
    blocks = re.findall(r"```gev\n(.*?)```", page.read_text("utf-8"), re.DOTALL)
    texts = [block if block.startswith("gev") else f"gev 1\n{block}" for block in blocks]
    texts += [path.read_text("utf-8") for path in sorted((SHARED / "design").rglob("*.gev"))]
    assert len(texts) >= 11
    for text in texts:
        read(text)


# --- the version line


def test_version_is_missing() -> None:
    assert slugs("let a = 1\n") == ["missing-version"]
    assert slugs("") == ["missing-version"]
    assert slugs("gev\nlet a = 1\n") == ["missing-version"]


def test_declarations_without_version_are_read() -> None:
    file = parse(Source("a.gev", "let a = 1\n")).value
    assert file is not None
    assert len(file.declarations) == 1


def test_other_version_is_refused_by_name() -> None:
    checked = parse(Source("a.gev", "gev 2\nwhatever it says {\n"))
    assert checked.value is None
    (found,) = checked.diagnostics
    assert found.code.slug == "unsupported-version"
    assert "`gev 2`" in found.message
    assert (found.span.line, found.span.column) == (1, 5)


def test_version_may_follow_comments_and_a_byte_order_mark() -> None:
    assert read("\ufeff# a comment\r\n\r\ngev 1\r\nlet a = 1\r\n").version == 1


def test_byte_order_mark_does_not_move_columns() -> None:
    (found,) = parse(Source("a.gev", "\ufeffgev 2\n")).diagnostics
    assert found.span.column == 5


# --- words


@pytest.mark.parametrize(
    "word", ["search", "from", "join", "text", "actor", "in", "let", "if", "not"]
)
def test_any_word_can_be_a_field(word: str) -> None:
    event = one(f"event a {{ {word}: text   {word}: text? }}")
    assert isinstance(event, ast.EventType)
    assert [f.name.text for f in event.fields] == [word, word]
    silence = one(f"silence a {{ join x.{word} == y.{word} }}")
    assert isinstance(silence, ast.Silence)
    truth = one(f"track a {{ truth {{ a = b.{word}   {word} = c }} }}")
    assert isinstance(truth, ast.Track)


def test_clause_keywords_are_names_in_expressions() -> None:
    link = one("link a { join from == search }")
    assert isinstance(link, ast.Link)
    (join,) = link.clauses
    assert isinstance(join, ast.Join)
    assert isinstance(join.condition, ast.Compare)
    assert isinstance(join.condition.left, ast.Variable)
    assert join.condition.left.name == "from"


def test_quantifier_words_are_functions_and_names_too() -> None:
    call = expr("max(1, 2)")
    assert isinstance(call, ast.Call)
    assert isinstance(expr("count == 3"), ast.Compare)
    assert isinstance(expr("first in xs"), ast.Membership)
    assert isinstance(expr("first not in xs"), ast.Membership)
    assert isinstance(expr("first x in xs: y"), ast.Quantifier)


@pytest.mark.parametrize("name", ["zoë", "zoe\u0308", "나라", "हिन्दी", "имя", "_a1"])
def test_names_are_of_any_script(name: str) -> None:
    let = one(f"let {name} = 1")
    assert isinstance(let, ast.Let)
    assert let.name.text in {name, "zoë"}


def test_names_are_the_same_however_they_were_typed() -> None:
    composed, decomposed = expr("zo\u00eb"), expr("zoe\u0308")
    assert isinstance(composed, ast.Variable)
    assert isinstance(decomposed, ast.Variable)
    assert composed.name == decomposed.name == "zo\u00eb"


def test_backticks_quote_any_name() -> None:
    actor = one("actor `let it # be`: `role`")
    assert isinstance(actor, ast.Actor)
    assert (actor.name.text, actor.name.quoted) == ("let it # be", True)


# --- texts


def test_escapes_and_braces() -> None:
    text = expr(r'"a\"b\\c\nd\te\u{e9}\u{1F4E6}{{x}}"')
    assert isinstance(text, ast.Text)
    assert text.parts == ('a"b\\c\nd\teé📦{x}',)


def test_holes_are_expressions_with_their_place() -> None:
    let = one('let a = "x {b.c:date}{d} y"')
    assert isinstance(let, ast.Let)
    assert isinstance(let.value, ast.Text)
    start, hole, second, end = let.value.parts
    assert (start, end) == ("x ", " y")
    assert isinstance(hole, ast.Hole)
    assert isinstance(second, ast.Hole)
    assert hole.format == "date"
    assert (hole.span.line, hole.span.column, hole.span.end_column) == (2, 12, 22)
    assert isinstance(hole.expr, ast.Attribute)
    assert hole.expr.span.column == 13
    assert second.format is None


def test_hole_holds_a_set_and_a_quantifier() -> None:
    text = expr('"{ {x.id for x in xs} }{any x in xs: x:date}"')
    assert isinstance(text, ast.Text)
    first, second = text.parts
    assert isinstance(first, ast.Hole)
    assert isinstance(second, ast.Hole)
    assert isinstance(first.expr, ast.Comprehension)
    assert isinstance(second.expr, ast.Quantifier)
    assert second.format == "date"


def test_pattern_stands_as_it_is() -> None:
    matches = expr(r'a matches "^\d{3}\"$"')
    assert isinstance(matches, ast.Matches)
    assert matches.pattern.parts == (r"^\d{3}\"$",)


# --- operators


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("a or b and c", "a or (b and c)"),
        ("not a == b", "not (a == b)"),
        ("a ?? b or c", "a ?? (b or c)"),
        ("a - b - c", "(a - b) - c"),
        ("a + b * c", "a + (b * c)"),
        ("-a * b", "(-a) * b"),
        ("a | b == c", "(a | b) == c"),
        ("a and any x in xs: b or c", "a and (any x in xs: (b or c))"),
        ("if a then b else c ?? d", "if a then b else (c ?? d)"),
        ("a.b(c)[d].e", "(((a.b)(c))[d]).e"),
    ],
)
def test_operators_bind(text: str, same: str) -> None:
    assert shape(expr(text)) == shape(expr(same))


def test_raw_fields_end_at_a_space() -> None:
    source = one('source events "a" { id = .name.first   facts = .   type = .`odd name` }')
    assert isinstance(source, ast.SourceBlock)
    shapes = [shape(m.value) for m in source.mappings]
    first = ("Name", "first", False)
    assert shapes == [
        ("Attribute", ("RawField", "name"), first),
        ("RawField", None),
        ("RawField", "odd name"),
    ]


# --- comments and documentation


def test_comments_are_kept_with_their_places() -> None:
    text = 'gev 1 # one\n# two\r\n## three\nlet a = "# no" # four'
    file = read(text)
    assert [c.text for c in file.comments] == ["# one", "# two", "## three", "# four"]
    assert [(c.span.line, c.span.column) for c in file.comments] == [
        (1, 7),
        (2, 1),
        (3, 1),
        (4, 16),
    ]


def test_documentation_stands_right_above() -> None:
    event = one(
        "## not this\n\n## A scan.\n##   of a parcel\nevent a {\n  ## which\n  b: text\n  c: text\n}"
    )
    assert isinstance(event, ast.EventType)
    assert event.doc == "A scan.\n  of a parcel"
    assert [f.doc for f in event.fields] == ["which", ""]


def test_documentation_is_not_taken_by_what_follows_on_its_line() -> None:
    event = one("## A scan.\nevent a { b: text }")
    assert isinstance(event, ast.EventType)
    assert event.doc == "A scan."
    assert event.fields[0].doc == ""


# --- spans


def test_spans_point_into_the_file() -> None:
    text = "gev 1\n\nlink a {\n  join  b.c ==\n    d\n}\n"
    (link,) = read(text).declarations
    assert isinstance(link, ast.Link)
    (join,) = link.clauses
    assert isinstance(join, ast.Join)
    span = join.condition.span
    assert (span.file, span.line, span.column, span.end_line, span.end_column) == (
        "a.gev", 4, 9, 5, 6,
    )  # fmt: skip
    assert (link.span.line, link.span.end_line) == (3, 6)


# --- declarations are read on their own


def test_three_slips_are_three_findings() -> None:
    text = "gev 1\nlet a = )\nlet b = 1\nrle x {}\nlink c { cause }\nlet d = 2\n"
    checked = parse(Source("a.gev", text))
    assert [d.span.line for d in checked.diagnostics] == [2, 4, 5]
    assert checked.value is not None
    assert [d.span.line for d in checked.value.declarations] == [3, 6]


def test_declarations_may_share_names_with_keywords_across_lines() -> None:
    file = read(
        "gev 1\nsubsystem wiki,\n  event,\n  link\nlet a = b or\n  role.reads == x.in\nlet c = 1\n"
    )
    assert [type(d).__name__ for d in file.declarations] == ["Subsystems", "Let", "Let"]


# --- no text is too much


@pytest.mark.parametrize("sign", ["(", "[", "{", "not ", "-", "f(", "if ", "any x in ", "[[", '"{'])
def test_deep_nesting_is_a_finding(sign: str) -> None:
    assert len(slugs("gev 1\nlet a = " + sign * 100_000)) == 1


@pytest.mark.parametrize(
    "text",
    [
        "(" * 100_000 + "b" + ")" * 100_000,
        "not " * 100_000 + "b",
        "b" + " + b" * 100_000,
        "b" + ".c" * 100_000,
        "if a then b else " * 100_000 + "c",
        "any x in y: " * 100_000 + "c",
    ],
    ids=["brackets", "not", "sum", "attributes", "if", "quantifiers"],
)
def test_deep_trees_are_too_deep(text: str) -> None:
    assert slugs(f"gev 1\nlet a = {text}\n") == ["too-deep"]


def test_long_lists_are_not_deep() -> None:
    assert slugs(f"gev 1\nlet a = [{'b, ' * 10_000}b]\n") == []


@pytest.mark.parametrize(
    "char", ["\x00", "\udc80", "\u202e", "`", '"', "{", "}", "\\", "\ufeff", "7"]
)
def test_a_run_of_any_character_is_harmless(char: str) -> None:
    assert slugs(char * 20_000)
    assert slugs("gev 1\n" + char * 20_000)
    assert slugs('gev 1\ndomain a "' + char * 20_000)


def test_a_line_of_ten_megabytes_is_read() -> None:
    text = 'gev 1\ndomain a "' + "x" * 10_000_000 + '"\n'
    assert slugs(text) == []


def test_expression_alone() -> None:
    assert parse_expression(Source("a", "a b")).value is None
    assert [d.span.column for d in parse_expression(Source("a", "a b")).diagnostics] == [3]
    assert [d.code.slug for d in parse_expression(Source("a", "")).diagnostics] == ["syntax-error"]
    assert isinstance(expr("\n role\nin xs"), ast.Membership)
