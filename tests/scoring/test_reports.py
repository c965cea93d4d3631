"""What is written and printed about results."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import msgspec

from groundeval.diagnostics import Diagnostic, codes
from groundeval.reports.json_files import (
    encode_result,
    encode_summary,
    read_results,
    read_summary,
    write_results,
    write_summary,
)
from groundeval.reports.terminal import Worst, print_summary
from groundeval.scoring import Result, summarise
from tests.scoring.desk import absent, fetch, present, scored, search


def results() -> list[Result]:
    looked = (search("writing T-2", "wiki"), fetch("T-2"))
    return [
        scored(absent(), *looked, answer={"exists": False}),
        scored(present(), answer={"exists": True}),
        scored(present(), fetch("W-1"), fetch("W-9"), answer={"exists": True}, epoch=2),
    ]


def test_a_result_is_written_as_the_format_says() -> None:
    line = encode_result(results()[2])
    assert line.startswith(b'{"schema":"groundeval.result/1","question":"q-present"')
    assert line.endswith(b"}\n")
    found = json.loads(line)
    assert found["v"] == 0.5
    assert found["rate"] == [1, 2]
    assert found["violations"] == [
        {"step": 2, "gate": "horizon", "kind": "exposure", "target": "W-9"}
    ]
    assert set(found) >= {
        "actor",
        "role",
        "spec",
        "stratum",
        "difficulty",
        "pair",
        "contract",
        "trace",
    }


def test_numbers_have_at_most_six_decimals() -> None:
    result = scored(absent(), search("writing T-2", "wiki"), answer={"exists": False})
    thirds = scored(
        absent(), *[fetch(f"V-{n}", found=False) for n in (1, 1)], answer={"exists": False}
    )
    for line in (encode_result(result), encode_summary(summarise([result, thirds, *results()]))):
        numbers = [x for x in _numbers(json.loads(line)) if isinstance(x, float)]
        assert numbers
        assert all(round(x, 6) == x for x in numbers)
        assert b"e-" not in line


def _numbers(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return [x for item in value.values() for x in _numbers(item)]
    if isinstance(value, list):
        return [x for item in value for x in _numbers(item)]
    return [value]


def test_what_is_written_reads_back(tmp_path: Path) -> None:
    for name in ("results.jsonl", "results.jsonl.gz"):
        assert write_results(tmp_path / name, results()) == 3
        again = list(read_results([tmp_path / name]))
        assert [encode_result(r) for r in again if isinstance(r, Result)] == list(
            map(encode_result, results())
        )
    summary = summarise(results())
    write_summary(tmp_path / "summary.json", summary)
    read = read_summary(tmp_path / "summary.json")
    assert not isinstance(read, Diagnostic)
    assert encode_summary(read) == encode_summary(summary)


def test_what_is_no_result_is_named(tmp_path: Path) -> None:
    file = tmp_path / "results.jsonl"
    other = b'{"schema":"groundeval.trace/1","question":"q"}\n'
    later = b'{"schema":"groundeval.result/2"}\n'
    file.write_bytes(encode_result(results()[0]) + other + later + b'{"question": 1}\n')
    first, *findings = read_results([file])
    assert isinstance(first, Result)
    found = [(f.code, f.span.line) for f in findings if isinstance(f, Diagnostic)]
    assert found == [(codes.OTHER_SCHEMA, 2), (codes.OTHER_SCHEMA, 3), (codes.MALFORMED_RESULT, 4)]
    empty = tmp_path / "summary.json"
    empty.write_text("[]")
    assert isinstance(read_summary(empty), Diagnostic)


def printed(found: list[Result]) -> str:
    worst = Worst()
    for result in found:
        worst.add(result)
    stream = io.StringIO()
    print_summary(summarise(found), worst.results(), stream)
    return stream.getvalue()


def test_the_table_leads_with_the_state_invalid_rate() -> None:
    lines = printed(results()).splitlines()
    told = "state-invalid rate 66.7 % of correct answers (95 %: 0.0 to 100.0, 2 questions)"
    assert lines[0] == told
    assert "few questions  2 of silence" in lines
    assert any(
        line.split() == ["silence", "3", "66.7", "%", "100.0", "%", "50.0", "%", "0.517", "0.200"]
        for line in lines
    )
    assert max(map(len, lines)) <= 80
    assert "\x1b" not in "".join(lines)


def test_the_worst_results_say_why() -> None:
    text = printed(results())
    assert "q-present by someone: state_invalid" in text
    assert "- step 2 was given `W-9`, which gate `horizon` closes" in text
    assert "q-absent by" not in text


def test_several_agents_stand_apart() -> None:
    other = scored(absent(), answer={"exists": True}, agent="other")
    lines = printed([*results(), other]).splitlines()
    names = [line.split()[0] for line in lines if line and not line.startswith(" ")]
    assert names.index("other") < names.index("someone") < names.index("overall")
    assert any(line.startswith("overall (pooled)  4  ") for line in lines)


def test_enough_questions_are_not_told() -> None:
    first = results()[0]
    enough = [msgspec.structs.replace(first, question=f"q{i}") for i in range(6)]
    assert "question" not in printed(enough)
    assert "few questions  5 of silence" in printed(enough[1:])


def test_answers_without_looking_stand_beside_the_others() -> None:
    blind = [scored(q, answer={"exists": False}, mode="zero-shot") for q in (absent(), present())]
    text = printed([*results(), *blind])
    assert "silence: tool / zero-shot  2  answer 1.000 / 0.500  +0.500*  +0.000 to +1.000" in text
    assert "* within noise" in text
    assert "zero-shot" not in printed(results())


def test_nothing_correct_is_said_in_words() -> None:
    text = printed([scored(absent(), answer={"exists": True})])
    assert text.startswith("state-invalid rate: none, since no answer is correct")


def test_the_worst_do_not_depend_on_the_order() -> None:
    found = [scored(present(), answer={"exists": True}, epoch=e) for e in range(1, 9)]
    kept = []
    for order in (found, found[::-1]):
        worst = Worst()
        for result in order:
            worst.add(result)
        kept.append([r.epoch for r in worst.results()])
    assert kept[0] == kept[1] == [1, 2, 3]
