"""One slip is one finding, at its place, with its remedy; the other declarations are read."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from groundeval.diagnostics import Code, Source, codes
from groundeval.syntax.parser import parse

PLACE = "‸"  # stands right before the place of the finding


@dataclass(frozen=True)
class Slip:
    name: str
    code: str
    text: str
    says: str  # a part of the message
    help: str = ""  # a part of the help


SLIPS = [
    # words
    Slip("declaration", "unknown-declaration", "‸rle clerk { }", "`rle`", "`role`"),
    Slip("foreign", "unknown-declaration", "‸zzzz x", "`zzzz`", "declarations are `domain`"),
    Slip("in-link", "unknown-clause", "link a {\n  cause c: x\n  ‸effct e: y\n}", "`effct`", "`effect`"),
    Slip("in-silence", "unknown-clause", 'silence a {\n  after t: x\n  ‸serch s for "a"\n}', "`serch`", "`search`"),
    Slip("in-track", "unknown-clause", "track a {\n  ‸enforc all\n}", "`enforc`", "`enforce`"),
    Slip("in-gate", "unknown-clause", "gate g {\n  ‸allow read\n}", "`allow`", "`permit`"),
    Slip("in-rule", "unknown-clause", "gate g {\n  permit read ‸wen a == b\n}", "`wen`", "`when`"),
    Slip("in-score", "unknown-clause", "track a {\n  score b {\n    ‸requires c\n  }\n}", "`requires`", "`require`"),
    Slip("in-test", "unknown-clause", 'test "a" {\n  ‸expects b\n}', "`expects`", "`expect`"),
    Slip("other-block", "unknown-clause", "link a {\n  cause c: x\n  ‸fetch c\n}", "`fetch`", "expected"),
    Slip("infix", "unknown-clause", "let a = b ‸overlap c", "`overlap`", "`overlaps`"),
    # words of other languages
    Slip("contains", "syntax-error", "gate g {\n  permit read when xs ‸contains x\n}", "`contains`", "`x in xs`"),
    Slip("null", "syntax-error", "let a = b is ‸null", "`null`", "write `missing`"),
    Slip("permit-if", "syntax-error", "gate g {\n  permit read ‸if a\n}", "`if`", "write `when`"),
    Slip("deny", "unknown-clause", "gate g {\n  ‸deny read\n}", "`deny`", "write `forbid`"),
    Slip("import", "unknown-declaration", "‸import policies.rbac", "`import`", "write `use`"),
    Slip("percent", "stray-character", "let a = 80‸%", "`%`", "`0.8`"),
    Slip("called-sum", "syntax-error", "let a = sum(x in xs‸: x)", "`:`", "write `sum x in xs: …`"),
    Slip("generator", "syntax-error", "let a = any(x ‸for x in xs)", "`for`", "write `any x in xs: …`"),
    # blocks and brackets
    Slip("block", "unclosed-block", "link a ‸{\n  cause c: x\n\nlink b {\n  cause c: x\n}", "`{`", "`}`"),
    Slip("inner-block", "unclosed-block", "track a {\n  answer ‸{\n    x: bool\n  let y = 1\n}\nlink b {}", "`{`", "`}`"),
    Slip("last-block", "unclosed-block", "let x = 1\ngate g ‸{\n  permit read\n", "`{`", "`}`"),
    Slip("record", "unclosed-block", "role a ‸{ reads: [x]\nlet b = 1\ngate g {}\n", "`{`"),
    Slip("paren", "unclosed-block", "let a = ‸(b + c\nlet d = 1", "`(`", "`)`"),
    Slip("paren-in-block", "unclosed-block", "link a {\n  join f‸(c\n}", "`(`", "`)`"),
    Slip("bracket", "unclosed-block", "let a = ‸[b, c\nlet d = 1", "`[`", "`]`"),
    Slip("mismatch", "unclosed-block", "let a = ‸[b, c)", "`[`", "`]`"),
    Slip("stray-brace", "syntax-error", "link a {}\n‸}\nlink b {}", "`}` closes nothing", "leave it out"),
    Slip("stray-paren", "syntax-error", "let a = b‸)", "`)` closes nothing", "leave it out"),
    # texts and names
    Slip("text", "unclosed-text", 'domain a ‸"never closed\nlet b = 1', "a text is not closed"),
    Slip("text-in-block", "unclosed-text", 'test ‸"a {\n  expect b\n}', "a text is not closed"),
    Slip("quoted", "unclosed-text", "actor ‸`ana: clerk", "a quoted name is not closed", "backtick"),
    Slip("empty-quoted", "unclosed-text", "actor ‸``: clerk", "a quoted name is empty"),
    Slip("escape", "bad-text", r'domain a "b ‸\d"', "unknown escape `\\d`", r"`\\`"),
    Slip("character", "bad-text", r'domain a "b ‸\u{d800}"', "is no character"),
    Slip("character-open", "bad-text", r'domain a "b ‸\u{41"', "is no character"),
    Slip("hole", "bad-text", 'domain a "b ‸{c"', "never closed", "`{{`"),
    Slip("empty-hole", "bad-text", 'domain a "b ‸{ } c"', "an empty hole", "`{{}}`"),
    Slip("lone-brace", "bad-text", 'domain a "b ‸} c"', "`}` without its `{`", "`}}`"),
    Slip("in-hole", "assignment", 'let a = "b {c ‸= d} e"', "`=`", "`==`"),
    Slip("comment-in-hole", "stray-character", 'let a = "b {c ‸# d} e"', "`#`"),
    Slip("straight-quotes", "stray-character", "domain a ‸“b”", "`“`", "double quotes"),
    Slip("single-quotes", "stray-character", "domain a ‸'b'", "`'`", "double quotes"),
    # literals
    Slip("duration", "malformed-literal", "link a {\n  within ‸5 days\n}", "`5 days`", "`5d`"),
    Slip("hours", "malformed-literal", "let a = b > ‸36 hours", "`36 hours`", "`36h`"),
    Slip("half-hours", "malformed-literal", "let a = b > ‸1.5 hours", "`1.5 hours`", "`1h30m`"),
    Slip("number", "malformed-literal", "let a = ‸12abc", "`12abc`", "`0.5`"),
    Slip("date", "malformed-literal", "let a = ‸2026-3-5", "`2026-3-5`", "`2026-03-05`"),
    Slip("half-instant", "malformed-literal", "let a = ‸2026-03-05T10", "`2026-03-05T10`"),
    # expressions
    Slip("assignment", "assignment", 'link a {\n  cause c: x where c.severity ‸= "high"\n}', "`=`", "`==`"),
    Slip("assignment-of-name", "assignment", 'link a {\n  cause c: x where severity ‸= "high"\n}', "`=`", "`==`"),
    Slip("assignment-later", "assignment", "let a = b and c ‸= d", "`=`", "`==`"),
    Slip("chain", "syntax-error", "let a = 1 < b ‸< 3", "do not chain", "`and`"),
    Slip("chained-in", "syntax-error", "let a = b in c ‸in d", "do not chain", "`and`"),
    Slip("open-if", "syntax-error", "let a = 1 + ‸if b then c else d", "parentheses", "`(if …)`"),
    Slip("open-quantifier", "syntax-error", "let a = 1 - ‸share c in d: e", "parentheses", "`(share …)`"),
    Slip("quantifier", "syntax-error", "let a = ‸any c of d: e", "lacks its `in`", "`any x in xs: …`"),
    Slip("and", "syntax-error", "let a = b &‸& c", "`&`", "`and`"),
    Slip("or", "syntax-error", "let a = b |‸| c", "`|`", "`or`"),
    Slip("not", "stray-character", "let a = ‸!b", "`!`", "`not`"),
    Slip("slashes", "syntax-error", "let a = b /‸/ why", "`/`", "`#`"),
    Slip("semicolon", "stray-character", "let a = b‸;", "`;`", "no `;`"),
    Slip("no-else", "syntax-error", "let a = if b then c‸", "ends too early", "`else`"),
    Slip("no-value", "syntax-error", "let a =‸\n\nlet b = 1", "ends too early", "an expression"),
    Slip("comma", "syntax-error", "link a {\n  cause c: x‸,\n  effect e: y\n}", "`,`", "no `,`"),
    Slip("pattern", "syntax-error", "let a = b matches ‸c", "`c`", "a text"),
    # declarations
    Slip("two-found", "repeated-part", 'event a { found by "b" ‸found by "c" }', "`found by` stands twice"),
    Slip("two-about", "repeated-part", "track a {\n  ask for b in c\n    about d\n    ‸about e\n}", "`about` stands twice"),
    Slip("no-name", "syntax-error", "link ‸{ }", "unexpected `{`", "a name"),
    Slip("no-type", "syntax-error", "event a { b: ‸}", "unexpected `}`", "a name"),
    Slip("cut-short", "syntax-error", "actor a‸", "`actor` ends too early", "`:`"),
    Slip("path-hole", "bad-text", 'use "a/‸{b}.gev"', "no holes", "`{{`"),
    Slip("weight", "syntax-error", 'track a {\n  score b {\n    "c" ‸of d\n  }\n}', "`of`", "a number"),
    # room kept for later versions
    Slip("state", "not-in-version", "‸state on_call(a) { opens e: x lasts 12h }", "`state`"),
    Slip("relation", "not-in-version", "‸relation parent: artifact -> artifact", "`relation`"),
    Slip("action", "not-in-version", "‸action list, delete", "`action`"),
    Slip("group", "not-in-version", "‸group a = b", "`group`"),
    Slip("tools", "not-in-version", "‸tools { }", "`tools`"),
    Slip("bind", "not-in-version", "‸bind x { }", "`bind`"),
    Slip("before", "not-in-version", "silence a {\n  ‸before t: payment\n}", "`before`"),
    Slip("either-text", "not-in-version", 'silence a {\n  search s for "a" ‸or "b"\n}', "`or`"),
    Slip("either-event", "not-in-version", "silence a {\n  expect a: approval ‸or waiver\n}", "`or`"),
    Slip("each", "not-in-version", 'source events "a" {\n  ‸each i in .items\n}', "`each`"),
    Slip("on", "not-in-version", 'actor a: viewer ‸on "ns1"', "`on`"),
    Slip("rule-from", "not-in-version", "gate g {\n  permit read ‸from 2026-01-01\n}", "`from`"),
    # characters
    Slip("nul", "stray-character", "let a = ‸\x00", "U+0000"),
    Slip("nul-in-text", "stray-character", 'let a = "b‸\x00c"', "U+0000", "remove it"),
    Slip("surrogate", "stray-character", "let a = b # c‸\udc80", "U+DC80", "remove it"),
    Slip("bidi", "stray-character", "let a = b ‸\u202e", "U+202E"),
    Slip("emoji", "stray-character", "let a = ‸📦", "`📦`", "backticks"),
]  # fmt: skip


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.name)
def test_slip_is_one_finding_at_its_place(slip: Slip) -> None:
    before, _, after = slip.text.partition(PLACE)
    source = Source("a.gev", f"gev 1\nlet first = 1\n{before}{after}\nlet last_one = 1\n")
    checked = parse(source)
    assert [d.code.slug for d in checked.diagnostics] == [slip.code], checked.diagnostics
    (found,) = checked.diagnostics
    line = before.count("\n") + 3
    column = len(before) - (before.rfind("\n") + 1) + 1
    assert (found.span.line, found.span.column) == (line, column), found
    assert slip.says in found.message
    assert slip.help in found.help
    assert found.help


@pytest.mark.parametrize("slip", SLIPS, ids=lambda slip: slip.name)
def test_declarations_around_a_slip_are_read(slip: Slip) -> None:
    source = Source("a.gev", f"gev 1\nlet first = 1\n{slip.text.replace(PLACE, '')}\ndomain last\n")
    file = parse(source).value
    assert file is not None
    kinds = [type(d).__name__ for d in file.declarations]
    assert kinds[0] == "Let"
    assert kinds[-1] == "Domain"


def test_every_code_of_the_syntax_has_a_slip() -> None:
    shown = {slip.code for slip in SLIPS}
    elsewhere = {"missing-version", "unsupported-version", "too-deep"}  # in test_parser
    table = {c.slug for c in vars(codes).values() if isinstance(c, Code)}
    syntax = {c.slug for c in vars(codes).values() if isinstance(c, Code) and c.id < "GEV2"}
    assert shown | elsewhere == syntax
    assert shown <= table
