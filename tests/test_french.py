"""A domain in French, from its rules to its scores: accents, both ways to write them, dates."""

from __future__ import annotations

import json
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import cli

PROJECT = Path(__file__).parent / "cases" / "projects" / "french"


def nfd(text: str) -> str:
    return unicodedata.normalize("NFD", text)


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("french")
    done = cli("compile", PROJECT, "-o", out)
    assert done.code == 0, done.err
    return out


def _questions(out: Path) -> list[dict[str, Any]]:
    return list(json.loads((out / "contract.json").read_text(encoding="utf-8"))["questions"])


def test_there_is_nothing_to_find() -> None:
    done = cli("check", "--strict", PROJECT)
    assert (done.code, done.out) == (0, "")
    assert cli("test", PROJECT).code == 0


def test_both_ways_to_write_an_accent_are_one(compiled: Path) -> None:
    log = (PROJECT / "événements.jsonl").read_text(encoding="utf-8")
    assert nfd("analyse_demandée") in log, "the case holds what it is about"
    assert "analyse_demandée" in log
    report = json.loads((compiled / "compile.json").read_text(encoding="utf-8"))
    assert report["links"] == {"l_analyse_mène_au_résultat": 8}
    assert report["silences"]["résultat_manquant"] == {
        "absent": 4, "present": 8, "undetermined": 0,
    }  # fmt: skip
    assert report["missing_artifacts"] == []
    for name in ("contract.json", "questions.jsonl", "graph.json", "compile.json"):
        text = (compiled / name).read_text(encoding="utf-8")
        assert unicodedata.is_normalized("NFC", text), name
        assert "\\u00e" not in text, "text is written as text"


def test_questions_speak_french_and_show_dates(compiled: Path) -> None:
    for question in _questions(compiled):
        text = question["text"]
        assert "{" not in text
        if question["track"] in {"perspective", "silence"}:
            assert question["as_of"][:10] in text, text
            assert "T" not in text.split(question["as_of"][:10])[1][:1], "a date, not an instant"
    texts = " ".join(q["text"] for q in _questions(compiled))
    assert "demande d’analyse" in texts
    assert "Dossier-É" in texts
    assert "zoé@chu" in texts


def _steps(question: dict[str, Any], write: Any) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    for place in question.get("places", ()):
        if "fetch" in place:
            name = write(place["fetch"])
            steps.append({"tool": "fetch", "artifact": name, "results": [name], "text": True})
        else:
            for subsystem in place["search"]:
                query = {"query": write(place["for"]), "subsystem": write(subsystem)}
                steps.append({"tool": "search", **query, "results": []})
    for name in question["truth"].get("witness") or ():
        shown = write(name)
        steps.append({"tool": "fetch", "artifact": shown, "results": [shown], "text": True})
    return [{"n": n, **step} for n, step in enumerate(steps, 1)]


def _traces(out: Path, write: Any) -> str:
    lines = []
    for question in _questions(out):
        fields = question["answer_schema"]["properties"]
        answer = {k: v for k, v in question["truth"].items() if k in fields and v is not None}
        trace = {
            "question": question["id"], "agent": "zoé", "answer": answer,
            "steps": _steps(question, write),
        }  # fmt: skip
        lines.append(json.dumps(trace, ensure_ascii=False))
    return "\n".join(lines) + "\n"


def test_scores_do_not_depend_on_how_an_accent_is_written(compiled: Path, tmp_path: Path) -> None:
    written = {"composed": lambda text: text, "decomposed": nfd}
    for name, write in written.items():
        (tmp_path / f"{name}.jsonl").write_text(_traces(compiled, write), encoding="utf-8")
        traces = tmp_path / f"{name}.jsonl"
        done = cli("score", PROJECT, "--traces", traces, "-o", tmp_path / name)
        assert done.code == 0, done.err
    composed = (tmp_path / "composed/results.jsonl").read_bytes()
    assert (tmp_path / "composed.jsonl").read_bytes() != (
        tmp_path / "decomposed.jsonl"
    ).read_bytes()
    assert composed == (tmp_path / "decomposed/results.jsonl").read_bytes()
    summary = json.loads((tmp_path / "composed/summary.json").read_text(encoding="utf-8"))
    silence = summary["tracks"]["silence"]
    assert (silence["n"], silence["correct"], silence["sound"]) == (8, 1, 1), "who looked is sound"
