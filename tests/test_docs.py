"""The documentation is run: what it shows is what happens, and nothing is left out."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner

from docs.generate import PAGES as GENERATED
from docs.generate import REFERENCE
from docs.generated.commands import commands, parameters
from docs.generated.findings import all_codes
from docs.generated.rules import rule_files
from groundeval.cli.app import app
from groundeval.functions import FUNCTIONS
from groundeval.project import ProjectFile
from groundeval.questions.model import Question, visible_part
from groundeval.scoring.model import Result
from groundeval.traces.model import Step, Trace
from tests.docs_support.pages import Block, Page, anchor, fits
from tests.docs_support.pages import commands as shown_commands
from tests.docs_support.running import ROOT, Run, rewritten

TEXTS = [
    *(ROOT / n for n in ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")),
    *sorted((ROOT / "docs").rglob("*.md")),
]
RUN = [p for p in TEXTS if p.name not in {"CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"}]
COMMANDS = dict(commands(app))


def named(path: Path) -> str:
    return str(path.relative_to(ROOT))


def reference(name: str) -> str:
    return (REFERENCE / name).read_text(encoding="utf-8")


@pytest.mark.parametrize("path", RUN, ids=named)
def test_what_a_page_shows_is_what_happens(
    path: Path, tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    run = Run(Page.of(path), tmp_path)
    faults = run.whole()
    if pytestconfig.getoption("--update-cases"):
        path.write_text(rewritten(run), encoding="utf-8")
        return
    assert not faults, "\n".join(faults)


@pytest.mark.parametrize("name", GENERATED)
def test_generated_pages_are_what_their_tables_say(name: str, pytestconfig: pytest.Config) -> None:
    page = GENERATED[name]()
    if pytestconfig.getoption("--update-cases"):
        (REFERENCE / name).write_text(page, encoding="utf-8")
    assert reference(name) == page, "`make docs` writes it anew"


# --- nothing is left out


def test_every_code_has_its_place() -> None:
    page = reference("diagnostics.md")
    assert [c.id for c in all_codes() if f"### {c.id} {c.slug}\n" not in page] == []


def test_every_function_has_its_place() -> None:
    page = reference("functions.md")
    spoken = [f.name for f in FUNCTIONS.values() if not f.hidden]
    assert [n for n in spoken if not re.search(rf"^### `(\w+\.)?{n}\(", page, re.MULTILINE)] == []


@pytest.mark.parametrize("name", COMMANDS)
def test_every_option_of_a_command_has_its_place(name: str) -> None:
    said = CliRunner().invoke(app, [*name.split(), "--help"], terminal_width=200).output
    options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", said)) - {"-h", "--help"}
    section = reference("cli.md").split(f"## `groundeval {name}`\n")[1].split("\n## ")[0]
    assert {o for o in options if f"{o}" not in section} == set()
    assert all(words in section for words, _ in parameters(COMMANDS[name]))


def test_the_readme_names_every_command_and_no_other() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert set(re.findall(r"^\| `groundeval ([\w ]+)`", readme, re.MULTILINE)) == set(COMMANDS)
    assert readme.count("\n") <= 60


@pytest.mark.parametrize(("folder", "page"), [("policies", "policies.md"), ("tracks", "tracks.md")])
def test_every_bundled_rule_file_has_its_place(folder: str, page: str) -> None:
    names = [file.name for file in rule_files(folder)]
    assert names
    assert [n for n in names if f"\n## `{n}`\n" not in reference(page)] == []


def test_every_keyword_of_the_grammar_is_told() -> None:
    grammar = (ROOT / "grammar" / "gev.lark").read_text(encoding="utf-8")
    rules = "\n".join(line for line in grammar.splitlines() if not line.startswith("//"))
    keywords = set(re.findall(r'"([a-z_]{2,})"', rules))
    assert len(keywords) > 70
    page = reference("language.md")
    assert sorted(k for k in keywords if not re.search(rf"\b{k}\b", page)) == []


def test_every_field_of_the_formats_is_told() -> None:
    page = reference("formats.md")
    fields = {*Trace.__struct_fields__, *Result.__struct_fields__, *Step.__struct_fields__}
    fields |= {*visible_part(Question(id="q", track="t")), *ProjectFile.model_fields}
    assert sorted(f for f in fields if not re.search(rf"\b{f}\b", page)) == []


# --- the pages hang together


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_every_link_leads_somewhere(path: Path) -> None:
    lost = []
    for target in Page.of(path).links():
        file, _, place = target.partition("#")
        there = (path.parent / file).resolve() if file else path
        found = there.is_file() and there.is_relative_to(ROOT)
        if not found or (place and place not in Page.of(there).anchors()):
            lost.append(target)
    assert not lost


def test_every_page_is_listed() -> None:
    index = ROOT / "docs" / "README.md"
    listed = {(index.parent / link).resolve() for link in Page.of(index).links()}
    pages = {p for p in (ROOT / "docs").rglob("*.md") if p != index}
    assert pages - listed == set()


@pytest.mark.parametrize("path", TEXTS, ids=named)
def test_no_line_names_a_host_or_a_machine(path: Path) -> None:
    named_places = re.compile(r"https?://|\bwww\.|(?<![\w.])/(?:home|root|tmp|work|usr|Users)/")
    lines = path.read_text(encoding="utf-8").splitlines()
    assert [line for line in lines if named_places.search(line)] == []


def targets(path: Path) -> Iterator[str]:
    text = path.read_text(encoding="utf-8")
    return (m[1] for m in re.finditer(r"(?:`|^\$ |^)make ([a-z]+)(?=`|$)", text, re.MULTILINE))


def test_every_make_target_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    named_targets = {t for path in TEXTS for t in targets(path)}
    assert {"demo", "test", "docs"} <= named_targets
    assert {t for t in named_targets if f"\n{t}:" not in makefile} == set()


# --- the runner itself can fail


def a_page(tmp_path: Path, text: str) -> list[str]:
    page = ROOT / "docs" / "page.md"  # never written; names the page in faults
    return Run(Page(page, text), tmp_path).whole()


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("```console\n$ groundeval --version\ngroundeval 99\n```\n", "prints"),
        ("```console\n$ rm x\n```\n", "may not run"),
        ("```gev\ngev 1\nlink l { }\n```\n", "page.md:3:"),
        ("```gev fragment of gate\npermit read\npermitt read\n```\n", "page.md:3: `permitt`"),
        ("```gev expressions\na\na +\n```\n", "page.md:3:"),
        ("```perl\n1\n```\n", "no block may be of language"),
        ("```csv\na,b\n```\n", "needs the name"),
    ],
)
def test_a_page_that_is_not_true_is_found(tmp_path: Path, text: str, fault: str) -> None:
    assert any(fault in found for found in a_page(tmp_path, text))


def test_wildcards_stand_for_what_they_say() -> None:
    assert fits(("a", "…", "d"), ["a", "b", "c", "d"])
    assert fits(("a … c",), ["a b c"])
    assert not fits(("a", "…", "d"), ["a", "b"])
    assert not fits(("a",), ["a", "b"])
    assert not fits(("a … c",), ["a b"])


def test_shortened_output_is_rewritten_line_by_line(tmp_path: Path) -> None:
    text = "```console\n$ python p.py\nhead\n…\nb  1  -\n…\n```\n"
    script = "for line in ('head', 'a  7  7.0 %', 'b  20  3.5 %', 'c'): print(line)\n"
    run = Run(Page(ROOT / "docs" / "page.md", f"```python p.py\n{script}```\n{text}"), tmp_path)
    assert len(run.whole()) == 1
    assert rewritten(run).endswith(text.replace("b  1  -", "b  20  3.5 %"))


def test_commands_may_go_on_in_the_next_line() -> None:
    block = Block("console", (), "$ groundeval \\\n  check\nout\n$ b\n", 1)
    found = [(c.text, c.printed) for c in shown_commands(block)]
    assert found == [("groundeval check", ("out",)), ("b", ())]


def test_anchors_are_made_as_code_hosts_make_them() -> None:
    assert anchor(" Files, names, comments") == "files-names-comments"
    assert anchor(" `tracks.paper.silence`") == "trackspapersilence"
