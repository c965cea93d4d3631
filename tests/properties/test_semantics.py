"""No rule file makes the analysis raise, and neither hash seeds nor file orders show in it."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from groundeval.semantics.files import FolderFiles, MemoryFiles
from groundeval.semantics.program import analyse

ROOT = Path(__file__).parent.parent.parent
TEXTS = [
    p.read_text(encoding="utf-8")
    for folder in ("policies", "tracks", "tests/cases/errors")
    for p in sorted((ROOT / folder).rglob("*.gev"))
]
_TOKEN = re.compile(r'"[^"\n]*"|`[^`\n]*`|\w+|\s+|.', re.DOTALL)
WORDS = sorted({w for t in TEXTS for w in _TOKEN.findall(t) if not w.isspace()})


@st.composite
def mangled(draw: st.DrawFn) -> str:
    """A bundled file or a case in which a few words are gone, doubled or others."""
    tokens = _TOKEN.findall(draw(st.sampled_from(TEXTS)))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(4, max(4, len(tokens) - 1)))
        change = draw(st.sampled_from(["drop", "double", "other"]))
        if change == "drop":
            del tokens[at : at + 1]
        else:
            tokens.insert(
                at, tokens[at % len(tokens)] if change == "double" else draw(st.sampled_from(WORDS))
            )
            if change == "other":
                del tokens[at + 1 : at + 2]
    return "".join(tokens)


@settings(max_examples=100, deadline=None)
@given(mangled())
def test_no_text_makes_the_analysis_raise(text: str) -> None:
    files = MemoryFiles({"main.gev": text, "testing/desk.gev": DESK})
    checked = analyse("main.gev", files, today=0)
    assert (checked.value is None) == any(d.severity == "error" for d in checked.diagnostics)


DESK = (ROOT / "policies" / "testing" / "desk.gev").read_text(encoding="utf-8")

_SCRIPT = """
import json, sys
from pathlib import Path
from groundeval.ir.codec import encode
from groundeval.semantics.files import FolderFiles
from groundeval.semantics.program import analyse
checked = analyse(sys.argv[1], FolderFiles(Path(sys.argv[2])))
print(json.dumps(encode(checked.value)) if checked.value else "", checked.diagnostics)
"""


def test_the_hash_seed_shows_nowhere() -> None:
    outputs = set()
    for seed in ("1", "2", "3"):
        done = subprocess.run(
            [sys.executable, "-c", _SCRIPT, "counterfactual.gev", str(ROOT / "tracks")],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=True,
        )
        outputs.add(done.stdout)
    assert len(outputs) == 1
    assert '"outage"' in outputs.pop()


def test_a_folder_and_memory_give_the_same(tmp_path: Path) -> None:
    (tmp_path / "desk.gev").write_text(DESK, encoding="utf-8")
    on_disk = analyse("desk.gev", FolderFiles(tmp_path))
    assert on_disk == analyse("desk.gev", MemoryFiles({"desk.gev": DESK}))
