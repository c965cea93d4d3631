"""`groundeval score`: what it writes, and what it makes of traces and questions that are wrong."""

from __future__ import annotations

import gzip
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import CONTRACT, Done, cli, traces_for, write_desk


@pytest.fixture
def compiled(desk: Path) -> Path:
    """The small project, compiled into `out`, with a trace of each question in `traces.jsonl`."""
    assert cli("compile", desk, "-o", desk / "out").code == 0
    (desk / "traces.jsonl").write_text(traces_for(desk / "out/questions.jsonl"), encoding="utf-8")
    return desk


def score(desk: Path, *more: object, traces: str = "traces.jsonl") -> Done:
    return cli("score", desk, "--traces", desk / traces, "-o", desk / "scores", *more)


def test_the_table_goes_to_standard_output_and_the_rest_to_standard_error(compiled: Path) -> None:
    done = score(compiled)
    assert done.code == 0
    assert "state-invalid rate" in done.out
    assert "silence" in done.out
    assert done.err == f"written to {compiled / 'scores'}: results.jsonl, summary.json\n"


def test_what_is_written_is_what_json_prints(compiled: Path) -> None:
    done = score(compiled, "--json")
    assert done.document == json.loads((compiled / "scores/summary.json").read_text())
    results = (compiled / "scores/results.jsonl").read_text().splitlines()
    assert len(results) == done.document["overall"]["n"] == 4


def test_a_contract_of_the_same_inputs_gives_the_same_results(compiled: Path) -> None:
    score(compiled)
    plain = (compiled / "scores/results.jsonl").read_bytes()
    assert score(compiled, "--contract", compiled / "out/contract.json").code == 0
    assert (compiled / "scores/results.jsonl").read_bytes() == plain


@pytest.mark.parametrize(
    ("name", "old", "new", "said"),
    [
        ("events.jsonl", "high", "low", "events"),
        ("artifacts.jsonl", "solution T-2", "no solution", "artifacts"),
        ("desk.gev", "within  7d", "within  6d", "rules"),
        ("groundeval.yaml", "caps", "seed: 7\ncaps", None),
    ],
)
def test_a_contract_of_other_inputs_is_refused_by_name(
    compiled: Path, name: str, old: str, new: str, said: str | None
) -> None:
    path = compiled / name
    path.write_text(path.read_text().replace(old, new, 1))
    done = score(compiled, "--contract", compiled / "out/contract.json", "--json")
    if said is None:  # a seed draws other questions, and the contract brings its own
        assert done.code == 0
        return
    assert (done.code, done.slugs) == (1, ["stale-contract"])
    assert said in done.findings[0]["message"]
    assert done.findings[0]["file"].endswith("contract.json")


def _first(desk: Path, change: Callable[[dict[str, Any]], object]) -> None:
    lines = (desk / "traces.jsonl").read_text().splitlines()
    trace = json.loads(lines[0])
    change(trace)
    (desk / "traces.jsonl").write_text("\n".join([json.dumps(trace), *lines[1:]]) + "\n")


BAD_TRACES: dict[str, tuple[Callable[[dict[str, Any]], object], str]] = {
    "GEV821 a step is a text": (lambda t: t.update(steps=["search"]), "step 1"),
    "GEV821 a step has no tool": (lambda t: t.update(steps=[{"n": 1}]), "tool"),
    "GEV821 no such tool": (lambda t: t.update(steps=[{"n": 1, "tool": "grep"}]), "grep"),
    "GEV821 fetches nothing": (lambda t: t.update(steps=[{"n": 1, "tool": "fetch"}]), "artifact"),
    "GEV821 the answer is a text": (lambda t: t.update(answer="no"), "answer"),
    "GEV821 no question": (lambda t: t.pop("question"), "question"),
    "GEV821 empty question": (lambda t: t.update(question=""), "question"),
    "GEV821 epoch 0": (lambda t: t.update(epoch=0), "epoch"),
    "GEV821 no such mode": (lambda t: t.update(mode="telepathy"), "telepathy"),
    "GEV822 a later major version": (lambda t: t.update(schema="groundeval.trace/2"), "trace/2"),
    "GEV822 another document": (lambda t: t.update(schema="groundeval.result/1"), "result/1"),
    "GEV851 no such question": (lambda t: t.update(question="silence-0"), "silence-0"),
}


@pytest.mark.parametrize("name", BAD_TRACES)
def test_a_bad_trace_is_reported_and_the_others_are_scored(compiled: Path, name: str) -> None:
    change, text = BAD_TRACES[name]
    _first(compiled, change)
    done = score(compiled)
    assert done.code == 1
    assert f"error[{name[:6]}]" in done.err
    assert text in done.err
    assert f"--> {compiled / 'traces.jsonl'}:1:1" in done.err
    assert len((compiled / "scores/results.jsonl").read_text().splitlines()) == 3
    with_workers = score(compiled, "--workers", 2)
    assert (with_workers.code, with_workers.out, with_workers.err) == (1, done.out, done.err)


@pytest.mark.parametrize(
    ("line", "text"),
    [
        ('{"question": ', "GEV704"),
        ("[]", "GEV704"),
        ('{"question": "a", "question": "b"}', "GEV704"),
        ("\x00", "GEV704"),
        ('{"question": "a", "answer": {"x": ' + "[" * 3000 + "]" * 3000 + "}}", "GEV704"),
        ('{"question": "a", "answer": {"x": NaN}}', "GEV704"),
    ],
)
def test_a_line_that_is_no_trace_is_reported_at_its_place(
    compiled: Path, line: str, text: str
) -> None:
    lines = (compiled / "traces.jsonl").read_text().splitlines()
    (compiled / "traces.jsonl").write_text("\n".join([*lines[:2], "", line, *lines[2:]]) + "\n")
    done = score(compiled)
    assert done.code == 1
    assert f"error[{text}]" in done.err
    assert f"{compiled / 'traces.jsonl'}:4:1" in done.err
    assert len((compiled / "scores/results.jsonl").read_text().splitlines()) == 4


def test_findings_name_the_file_and_line_among_several_files(compiled: Path) -> None:
    again = (compiled / "traces.jsonl").read_text().splitlines()[1]
    (compiled / "more.jsonl").write_text(f"\n\n{again}\n")
    done = score(compiled, "--traces", compiled / "more.jsonl")
    assert done.code == 1
    assert f"{compiled / 'more.jsonl'}:3:1" in done.err
    assert "GEV853" in done.err


def test_a_damaged_archive_counts_up_to_its_damage(compiled: Path) -> None:
    packed = gzip.compress((compiled / "traces.jsonl").read_bytes(), mtime=0)
    (compiled / "traces.jsonl.gz").write_bytes(packed[:-4])
    done = score(compiled, traces="traces.jsonl.gz")
    assert done.code == 1
    assert "the packed data end early" in done.err
    assert json.loads((compiled / "scores/summary.json").read_text())["overall"]["n"] == 4


@pytest.mark.parametrize("content", ["", "\n\n", '{"question": "nobody-knows"}\n', "nonsense\n"])
def test_nothing_scorable_is_exit_code_3(compiled: Path, content: str) -> None:
    (compiled / "traces.jsonl").write_text(content)
    done = score(compiled)
    assert (done.code, done.out) == (3, "")
    assert "no trace could be scored" in done.err


def test_attempts_that_only_failed_are_nothing_scorable(compiled: Path) -> None:
    text = traces_for(compiled / "out/questions.jsonl", answer=None, error="timed out")
    (compiled / "traces.jsonl").write_text(text)
    assert score(compiled).code == 3


@pytest.mark.parametrize(
    "options",
    [
        ["--traces", "nowhere.jsonl"],
        ["--traces", "."],
        ["--traces", "traces.jsonl", "--contract", "nowhere.json"],
        ["--traces", "traces.jsonl", "--questions", "nowhere.jsonl"],
    ],
)
def test_unreadable_inputs_are_exit_code_2(
    compiled: Path, options: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(compiled)
    done = cli("score", *options, "--json", "-o", "elsewhere")
    assert (done.code, done.slugs) == (2, ["unreadable-file"])
    assert not Path("elsewhere").exists()


def test_without_traces_the_command_is_wrong(desk: Path) -> None:
    done = cli("score", desk)
    assert done.code == 2
    assert "--traces" in done.err


def test_contract_and_questions_exclude_each_other(compiled: Path) -> None:
    contract = compiled / "out/contract.json"
    done = score(compiled, "--contract", contract, "--questions", contract)
    assert done.code == 2
    assert "cannot be said together" in done.err


@pytest.mark.parametrize(
    ("change", "slug"),
    [
        (lambda text: text[:-40], "malformed-file"),
        (lambda text: text.replace('"exists":false', '"exists":true', 1), "damaged-contract"),
        (
            lambda text: text.replace("groundeval.contract/1", "groundeval.contract/2"),
            "other-schema",
        ),
        (lambda text: "[]", "damaged-contract"),
        (lambda text: '{"schema": "groundeval.contract/1"}', "damaged-contract"),
        (lambda text: text.replace('"days"', '"d"').replace('"kind"', '"k"'), "damaged-contract"),
    ],
    ids=["cut", "truth-changed", "later-version", "list", "empty", "other-rules"],
)
def test_a_damaged_contract_is_refused(
    compiled: Path, change: Callable[[str], str], slug: str
) -> None:
    path = compiled / "out/contract.json"
    text = path.read_text()
    path.write_text(change(text))
    assert path.read_text() != text
    done = score(compiled, "--contract", path, "--json")
    assert done.code == 1
    assert slug in done.slugs


QUESTION = {"id": "q1", "track": "silence", "as_of": "2026-03-10T00:00:00Z", "text": "?"}
TRUTH = {"exists": False, "witness": [], "places": [{"fetch": "T-1"}]}


@pytest.mark.parametrize(
    ("lines", "slug"),
    [
        ([{**QUESTION, "id": 7}], "bad-field"),
        ([{"track": "silence"}], "bad-field"),
        ([{**QUESTION, "schema": "groundeval.question/9"}], "other-schema"),
        ([QUESTION, QUESTION], "duplicate-id"),
        ([{**QUESTION, "truth": "no"}], "bad-field"),
        (["nonsense"], "malformed-record"),
    ],
)
def test_malformed_questions_are_refused(compiled: Path, lines: list[object], slug: str) -> None:
    path = compiled / "questions.jsonl"
    path.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    done = score(compiled, "--questions", path, "--json")
    assert (done.code, done.slugs) == (1, [slug])


def test_questions_of_an_existing_benchmark_are_scored(compiled: Path) -> None:
    path = compiled / "questions.jsonl"
    path.write_text(json.dumps({**QUESTION, "truth": TRUTH}) + "\n")
    (compiled / "traces.jsonl").write_text('{"question": "q1", "answer": {"exists": false}}\n')
    done = score(compiled, "--questions", path, "--json")
    assert done.code == 0, done.err
    assert done.document["overall"]["n"] == 1
    path.write_text(json.dumps(QUESTION) + "\n")
    assert score(compiled, "--questions", path).code == 3


def test_recorded_flags_need_questions(compiled: Path) -> None:
    done = score(compiled, "--recorded-flags", "--json")
    assert done.code == 2
    assert "--questions" in done.findings[0]["help"]


def test_recorded_flags_read_no_data(tmp_path: Path) -> None:
    track = "\nuse tracks.paper.silence\n"
    folder = write_desk(tmp_path, {"desk.gev": CONTRACT + track, "events.jsonl": "broken"})
    done = cli("score", folder, "--traces", folder / "desk.gev", "--recorded-flags", "--questions",
               folder / "q.jsonl")  # fmt: skip
    assert done.code == 2
    (folder / "q.jsonl").write_text("")
    (folder / "t.jsonl").write_text("")
    done = cli("score", folder, "--traces", folder / "t.jsonl", "--recorded-flags", "--questions",
               folder / "q.jsonl", "-o", folder / "s")  # fmt: skip
    assert done.code == 3, done.err


def test_fields_that_nothing_reads_are_warnings_and_change_no_result(compiled: Path) -> None:
    assert score(compiled).code == 0
    before = [p.read_bytes() for p in sorted((compiled / "scores").iterdir())]
    lines = [json.loads(x) for x in (compiled / "traces.jsonl").read_text().splitlines()]
    for trace in lines:
        trace["answer"]["exist"] = True
    lines[2]["agnet"] = "x"
    text = "".join(json.dumps(x) + "\n" for x in lines)
    (compiled / "traces.jsonl").write_text(text)
    done = score(compiled)
    assert done.code == 0
    assert done.err.count("warning[GEV824]") == done.err.count("warning[GEV823]") == 1
    assert "has a field `exist` that nothing reads: 4 times, first here" in done.err
    assert "did you mean `exists`? asked for are `abstain`, `evidence_artifacts`, `exists`" in (
        done.err
    )
    assert f"--> {compiled / 'traces.jsonl'}:3:1" in done.err
    assert [p.read_bytes() for p in sorted((compiled / "scores").iterdir())] == before
    with_workers = score(compiled, "--workers", 2)
    assert (with_workers.out, with_workers.err) == (done.out, done.err)


@pytest.fixture
def of_two_agents(compiled: Path) -> Path:
    """The traces once more, by another agent."""
    path = compiled / "traces.jsonl"
    lines = [json.loads(x) for x in path.read_text().splitlines()]
    more = [{**x, "agent": "hasty", "steps": []} for x in lines]
    path.write_text("".join(json.dumps(x) + "\n" for x in [*lines, *more]))
    return compiled


def test_one_agent_alone_is_scored_as_if_there_were_no_other(of_two_agents: Path) -> None:
    done = score(of_two_agents, "--agent", "hasty", "--json")
    assert done.code == 0
    document = done.document
    assert document.pop("only") == {"agents": ["hasty"], "tracks": [], "left_out": 4}
    results = (of_two_agents / "scores/results.jsonl").read_text().splitlines()
    assert {json.loads(x)["agent"] for x in results} == {"hasty"}
    lines = (of_two_agents / "traces.jsonl").read_text().splitlines(keepends=True)
    (of_two_agents / "hasty.jsonl").write_text("".join(lines[4:]))
    assert score(of_two_agents, "--json", traces="hasty.jsonl").document == document
    table = score(of_two_agents, "--agent", "hasty", "--track", "silence").out
    assert "only  agent hasty; track silence (4 traces left out)" in table
    assert "only" not in score(of_two_agents).out
    both = score(of_two_agents, "--agent", "hasty", "--agent", "lazy", "--json")
    assert both.document["only"]["left_out"] == 0


def test_a_bad_trace_behind_left_out_ones_is_told_at_its_own_line(of_two_agents: Path) -> None:
    path = of_two_agents / "traces.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join([*lines, lines[4]]))
    done = score(of_two_agents, "--agent", "hasty")
    assert done.code == 1
    assert "error[GEV853]" in done.err
    assert f"--> {path}:9:1" in done.err


@pytest.mark.parametrize("as_json", [True, False])
def test_an_agent_of_no_trace_is_wrong_usage_and_nothing_is_written(
    of_two_agents: Path, as_json: bool
) -> None:
    assert score(of_two_agents).code == 0
    before = [p.read_bytes() for p in sorted((of_two_agents / "scores").iterdir())]
    done = score(of_two_agents, "--agent", "hasti", *(["--json"] if as_json else []))
    assert done.code == 2
    if as_json:
        assert [(f["message"], f["help"]) for f in done.findings] == [
            ("no trace is by an agent `hasti`", "did you mean `hasty`?")
        ]
    else:
        assert "error[GEV833]: no trace is by an agent `hasti`" in done.err
    assert [p.read_bytes() for p in sorted((of_two_agents / "scores").iterdir())] == before


def test_a_track_that_is_not_in_use_is_wrong_usage(of_two_agents: Path) -> None:
    done = score(of_two_agents, "--track", "silense")
    assert done.code == 2
    assert "no track is `silense`; did you mean `silence`?" in " ".join(done.err.split())
    assert not (of_two_agents / "scores").exists()
