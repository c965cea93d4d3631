"""The page of diagnostics: the one table of codes, with examples out of our own test cases."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from contextlib import chdir
from pathlib import Path
from zoneinfo import ZoneInfo

from docs.generated.markdown import block, sentence
from docs.generated.markdown import page as whole
from groundeval.diagnostics import Diagnostic, Source, codes
from groundeval.diagnostics.model import Code
from groundeval.diagnostics.render.text import render
from groundeval.semantics.files import FolderFiles
from groundeval.semantics.program import analyse
from groundeval.syntax.parser import parse
from groundeval.world.loader import LoadOptions, load_artifacts, load_events
from groundeval.world.time import DAY
from tests.syntax.test_slips import PLACE, SLIPS

CASES = Path(__file__).resolve().parent.parent.parent / "tests" / "cases"

_HEAD = """\
Every finding has a number that never changes its meaning. `check` prints it with its place,
`check --json` prints the number and the name. A warning in a rule file is silenced where it stands,
and with a reason (see [the language](language.md#comments)); an error cannot be silenced.

The first digit says where a finding comes from: 1 syntax, 2 names and files, 3 types, 4 the domain,
5 tracks, 6 tests, 7 data, 8 the project, traces and scoring."""

_PARTS = {
    "1": "Syntax",
    "2": "Names and files",
    "3": "Types",
    "4": "The domain",
    "5": "Tracks",
    "6": "Tests",
    "7": "Data",
    "8": "Project, traces, scoring",
}
_TODAY = 20_000 * DAY
_EXPECT = re.compile(r" +# expect [GEV\d ]+$", re.MULTILINE)


def page() -> str:
    """The page `diagnostics.md`."""
    parts, examples = [_HEAD], _examples()
    ordered = sorted(all_codes(), key=lambda c: c.id)
    for digit, title in _PARTS.items():
        parts.append(f"## {title}")
        parts += [_entry(c, examples.get(c.id)) for c in ordered if c.id[3] == digit]
    return whole("Diagnostics", *parts)


def all_codes() -> tuple[Code, ...]:
    """Every kind of finding that there is."""
    return tuple(c for c in vars(codes).values() if isinstance(c, Code))


def _entry(code: Code, example: str | None) -> str:
    head = f"### {code.id} {code.slug}"
    words = sentence(f"{code.title[:1].upper()}{code.title[1:]}")
    kind = f"{code.severity.value.capitalize()}. "
    shown = f"\n\n{block('text', example)}" if example else ""
    return f"{head}\n\n{kind}{words}{shown}"


def _examples() -> Mapping[str, str]:
    """A rendered finding for each code that a test case has."""
    found: dict[str, str] = {}
    for name, text in _rule_texts():
        source = Source(name, _EXPECT.sub("", text))
        _take(found, analyse(name, FolderFiles(CASES / "errors"), today=_TODAY).diagnostics, source)
    for slip in SLIPS:
        source = Source("rules.gev", f"gev 1\n{slip.text.replace(PLACE, '')}")
        _take(found, parse(source).diagnostics, source)
    for folder in sorted((CASES / "data" / "bad").iterdir()):
        _take_data(found, folder)
    return found


def _rule_texts() -> Iterable[tuple[str, str]]:
    for path in sorted((CASES / "errors").glob("*.gev")):
        if not path.name.endswith(".ok.gev"):
            yield path.name, path.read_text(encoding="utf-8")


def _take(found: dict[str, str], diagnostics: Iterable[Diagnostic], source: Source) -> None:
    for finding in diagnostics:
        if finding.code.id not in found:
            found[finding.code.id] = render([finding], {source.name: source})


def _take_data(found: dict[str, str], folder: Path) -> None:
    case = json.loads((folder / "case.json").read_text(encoding="utf-8"))
    options = LoadOptions(ZoneInfo(case["zone"]) if case["zone"] else None, 0)
    path = Path(case["bad"])
    with chdir(folder):
        loaded = (
            load_events([path], options)
            if case["load"] == "events"
            else load_artifacts(path, options)
        )
        for finding in loaded.diagnostics:
            found.setdefault(finding.code.id, render([finding], {}))
