"""The bundled policies and tracks: without findings, alone and together, and with tests that hold."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest

from groundeval.ir.codec import decode, encode
from groundeval.semantics.files import FolderFiles, MemoryFiles
from groundeval.semantics.program import analyse
from groundeval.testing.runner import run_tests

ROOT = Path(__file__).parent.parent.parent
POLICIES = sorted((ROOT / "policies").glob("*.gev"))
TRACKS = sorted(p for p in (ROOT / "tracks").rglob("*.gev") if p.parent.name != "testing")
DESIGN = Path(os.environ.get("GROUNDEVAL_SHARED", ROOT.parent / "shared")) / "design"


def name(path: Path) -> str:
    return str(path.relative_to(ROOT))


@pytest.mark.parametrize("path", POLICIES + TRACKS, ids=name)
def test_a_bundled_file_alone_has_no_finding_and_its_tests_hold(path: Path) -> None:
    checked = analyse(path.name, FolderFiles(path.parent))
    assert checked.diagnostics == ()
    assert checked.value is not None
    assert len(checked.value.tests) >= 2
    assert all(test.program is not None for test in checked.value.tests)
    failed = [(o.name, o.failures) for o in run_tests(checked.value) if not o.passed]
    assert failed == []


def test_all_policies_and_tracks_go_together() -> None:
    modules = [f"policies.{p.stem}" for p in POLICIES]
    modules += [name(p).removesuffix(".gev").replace("/", ".") for p in TRACKS]
    text = f"""gev 1
domain everything
timezone "UTC"
use {", ".join(modules)}
subsystem wiki
role agent {{ reads: [wiki]  hears: [opened]  clearances: ["privileged"] }}
actor ada: agent {{ tenant: "north" }}
event opened {{ page: artifact }}
"""
    checked = analyse("main.gev", MemoryFiles({"main.gev": text}))
    assert checked.diagnostics == ()
    assert checked.value is not None
    assert [g.name for g in checked.value.gates] == [
        "actor",
        "horizon",
        "privilege",
        "retention",
        "subsystem",
        "tenant",
    ]
    assert {t.id for t in checked.value.tracks} >= {"silence", "paper.silence"}
    assert checked.value.tests == ()
    assert decode(encode(checked.value)) == checked.value


def test_the_example_of_the_design_has_only_warnings() -> None:
    page = DESIGN / "language.md"
    if not page.is_file():
        pytest.skip(f"the design pages are not at {DESIGN}")
    blocks = re.findall(r"```gev\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    domain, sources, gates = blocks[:3]
    own = domain.replace("use policies.horizon, policies.rbac, policies.participation", "#")
    for text, used in ((domain, sources), (own, sources + gates)):
        files = MemoryFiles({"support.gev": text, "escalations.gev": "gev 1\n" + used})
        checked = analyse("support.gev", files)
        assert checked.value is not None, [str(d) for d in checked.diagnostics]
        assert checked.diagnostics == ()  # its sources supply what the example does not declare
        assert [g.name for g in checked.value.gates] == ["actor", "horizon", "subsystem"]
        assert checked.value.wordings[0][0] == "perspective"
