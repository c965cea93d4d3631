"""Python knows no track: one of another name, with other fields and components, scores the same.

Each bundled track that the example uses is copied into a project's own `tracks/` folder under
another name, its answer fields, truth fields, components and strata renamed. It is then checked,
compiled and scored by a copy of the package whose own `tracks/` folder is empty.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import cli

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "support"
NAMES = {"perspective": "vantage", "counterfactual": "otherwise", "silence": "hush"}
SCORED = ("question", "answer", "trajectory", "combined", "v", "rate", "s_adj", "outcome", "correct", "sound")  # fmt: skip


@dataclass(frozen=True)
class Renamed:
    """A track's text under another name, and its fields' new names by the old ones."""

    text: str
    fields: Mapping[str, str]


def renamed(name: str) -> Renamed:
    text = (ROOT / "tracks" / f"{name}.gev").read_text(encoding="utf-8").partition('\ntest "')[0]
    fields: dict[str, str] = {}

    def new(match: re.Match[str]) -> str:
        fields[match[2]] = f"the_{match[2]}"
        return f"{match[1]}the_{match[2]}{match[3]}"

    def block(match: re.Match[str]) -> str:
        return re.sub(r"(?m)^(    )(\w+)(\s*[:=](?!=))", new, match[0])

    text = re.sub(r"(?ms)^  (answer|truth) \{.*?^  \}", block, text)
    text = re.sub(r"\b(answer|truth)\.(\w+)", r"\1.the_\2", text)
    text = re.sub(r'(?m)^    "([\w ]+)"', r'    "the \1"', text)
    return Renamed(text.replace(f"track {name} ", f"track {NAMES[name]} "), fields)


def project(folder: Path, *, other_names: bool) -> Path:
    """The example without its tests, with the bundled tracks or with renamed ones of its own."""
    shutil.copytree(EXAMPLE, folder, ignore=shutil.ignore_patterns("*.py", "__pycache__", "runs"))
    rules, settings = folder / "support.gev", folder / "groundeval.yaml"
    text = rules.read_text(encoding="utf-8").partition('\ntest "')[0] + "\n"
    caps = settings.read_text(encoding="utf-8")
    if other_names:
        (folder / "tracks").mkdir()
        for old, new in NAMES.items():
            text = re.sub(
                rf"(tracks\.|^question ){old}\b", rf"\g<1>{new}", text, flags=re.MULTILINE
            )
            caps = caps.replace(f"{old}:", f"{new}:")
            (folder / "tracks" / f"{new}.gev").write_text(renamed(old).text, encoding="utf-8")
    rules.write_text(text, encoding="utf-8")
    settings.write_text(caps, encoding="utf-8")
    return folder


def bare_package(folder: Path) -> Path:
    """A copy of the package that comes without any track."""
    shutil.copytree(ROOT / "groundeval", folder / "groundeval", ignore=shutil.ignore_patterns("__pycache__"))  # fmt: skip
    data = folder / "groundeval" / "_data"
    for kind in ("grammar", "policies"):
        shutil.copytree(ROOT / kind, data / kind)
    (data / "tracks").mkdir()
    return folder


def run_bare(package: Path, *arguments: object) -> str:
    """Standard output of a command line of the copied package."""
    done = subprocess.run(
        [sys.executable, "-m", "groundeval", *map(str, arguments)],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def asked(contract: Path) -> list[dict[str, Any]]:
    """The questions of a compiled contract, with their truths."""
    return list(json.loads(contract.read_text(encoding="utf-8"))["questions"])


def traces(question: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Somebody who looks at everything, somebody who looks nowhere, somebody who reads ahead."""
    ids = sorted(artifacts_of(question["truth"]))
    look = [{"tool": "fetch", "artifact": i, "results": [i], "text": True} for i in ids]
    for place in question["truth"].get("places", ()):
        if "for" in place:
            query = {"tool": "search", "query": place["for"], "subsystem": place["search"][0]}
            look.append({**query, "limit": 10, "results": []})
        else:
            look.append({"tool": "fetch", "artifact": place["fetch"], "results": []})
    ahead: list[dict[str, Any]] = [
        {"tool": "fetch", "artifact": i, "results": []} for i in ("WK-0", "ISS-210", "CH-37")
    ]
    answer = {k: v for k, v in question["truth"].items() if k != "places"}
    wrong = {k: (not v if isinstance(v, bool) else v) for k, v in answer.items()}
    paths: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
        "careful": (look, answer),
        "idle": ([], answer),
        "hasty": (look[:1] + ahead, wrong),
    }
    return [
        {
            "schema": "groundeval.trace/1",
            "question": question["id"],
            "agent": agent,
            "steps": [{"n": n, **step} for n, step in enumerate(steps, start=1)],
            "answer": said,
            "cited": ids[:2],
        }
        for agent, (steps, said) in paths.items()
    ]


def artifacts_of(truth: Mapping[str, Any]) -> set[str]:
    wanted = (truth.get(f) or [] for f in ("evidence_artifacts", "witness", "evidence"))
    flat = (x for value in wanted for item in value for x in ([item] if isinstance(item, str) else item))  # fmt: skip
    return set(flat)


def translated(question: dict[str, Any], played: list[dict[str, Any]]) -> None:
    """Question and traces as the renamed track has them, in place."""
    fields = renamed(question["track"]).fields
    question["track"] = NAMES[question["track"]]
    question["truth"] = {fields[k]: v for k, v in question["truth"].items()}
    schema = question["answer_schema"]
    schema["properties"] = {fields.get(k, k): v for k, v in schema["properties"].items()}
    for trace in played:
        trace["answer"] = {fields.get(k, k): v for k, v in trace["answer"].items()}


def written(path: Path, records: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(r) + "\n" for r in records), encoding="utf-8")
    return path


def scores(folder: Path) -> list[dict[str, Any]]:
    lines = (folder / "results.jsonl").read_text(encoding="utf-8").splitlines()
    found = [{k: r[k] for k in SCORED} for r in map(json.loads, lines)]
    for result in found:
        for block in ("answer", "trajectory"):
            result[block] = [result[block]["score"], list(result[block]["components"].values())]
    return found


@pytest.fixture(scope="module")
def compared(tmp_path_factory: pytest.TempPathFactory) -> tuple[list[dict[str, Any]], list[dict[str, Any]], Path]:  # fmt: skip
    """The results under the bundled names and under others, and the renamed project's folder."""
    folder = tmp_path_factory.mktemp("renamed")
    own, other = project(folder / "own", other_names=False), project(folder / "other", other_names=True)  # fmt: skip
    package = bare_package(folder / "package")
    run_bare(package, "check", other)
    assert cli("compile", own, "-o", folder / "c1").code == 0
    run_bare(package, "compile", other, "-o", folder / "c2")
    questions = asked(folder / "c1" / "contract.json")
    for question in questions:
        question["contract"] = None
    played = [traces(q) for q in questions]
    flat = [t for group in played for t in group]
    files = written(folder / "q1.jsonl", questions), written(folder / "t1.jsonl", flat)
    done = cli("score", own, "--questions", files[0], "--traces", files[1], "-o", folder / "s1")
    assert done.code == 0, done.err
    for question, group in zip(questions, played, strict=True):
        translated(question, group)
    files = written(folder / "q2.jsonl", questions), written(folder / "t2.jsonl", flat)
    run_bare(package, "score", other, "--questions", files[0], "--traces", files[1], "-o", folder / "s2")  # fmt: skip
    return scores(folder / "s1"), scores(folder / "s2"), folder


def test_a_renamed_track_gives_the_same_scores(
    compared: tuple[list[dict[str, Any]], list[dict[str, Any]], Path],
) -> None:
    first, second, _ = compared
    assert len(first) >= 60
    assert second == first
    assert {r["outcome"] for r in first} >= {"valid", "state_invalid", "wrong"}


def test_a_renamed_track_asks_as_many_questions_of_each_kind(
    compared: tuple[list[dict[str, Any]], list[dict[str, Any]], Path],
) -> None:
    counts = []
    for name in ("c1", "c2"):
        strata: dict[tuple[str, str], int] = {}
        for question in asked(compared[2] / name / "contract.json"):
            track = {new: old for old, new in NAMES.items()}.get(
                question["track"], question["track"]
            )
            key = (track, question["stratum"].removeprefix("the "))
            strata[key] = strata.get(key, 0) + 1
        counts.append(strata)
    assert counts[0].keys() == counts[1].keys()
    assert {track for track, _ in counts[0]} == set(NAMES)


def test_the_copied_package_has_no_track_of_its_own(
    compared: tuple[list[dict[str, Any]], list[dict[str, Any]], Path],
) -> None:
    package = compared[2] / "package"
    script = "from groundeval.resources import builtin; print(builtin('tracks'))"
    done = subprocess.run(
        [sys.executable, "-c", script],
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=True,
    )
    place = Path(done.stdout.strip())
    assert place.is_relative_to(package)
    assert not list(place.iterdir())
