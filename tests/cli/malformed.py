"""Malformed inputs, each beside a twin that differs as little as can be and is fine."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass

from tests.cli.running import ARTIFACTS, CONTRACT, EVENTS, PROJECT, artifact, event

Content = str | bytes | None
LOG = EVENTS.splitlines(keepends=True)


@dataclass(frozen=True)
class Case:
    """`file` with `bad` content gives the finding at `line`, with `text` in its message.

    With `good` content there is nothing to find.
    """

    slug: str
    file: str
    good: Content
    bad: Content
    finding: str
    line: int = 1
    text: str = ""
    code: int = 1
    extra: tuple[tuple[str, str], ...] = ()


def all_cases() -> list[Case]:
    return [*logs(), *rules(), *corpora(), *projects()]


def _log(slug: str, line: str, finding: str, text: str, good: str | None = None) -> Case:
    """The third line of the log is replaced."""
    ok = good if good is not None else LOG[2]
    rest = "".join(LOG[3:])
    head = "".join(LOG[:2])
    return Case(slug, "events.jsonl", head + ok + rest, head + line + rest, finding, 3, text)


def _third(**changed: object) -> str:
    return json.dumps({**json.loads(LOG[2]), **changed}) + "\n"


def logs() -> Iterator[Case]:
    yield _log("broken-json", LOG[2][:-3] + "\n", "malformed-record", "")
    yield _log("json-trailing-comma", LOG[2].replace("}}\n", "},}\n"), "malformed-record", "")
    yield _log("record-is-a-list", "[1, 2]\n", "malformed-record", "not an object")
    yield _log("repeated-key", LOG[2].replace("{", '{"id": "x", ', 1), "malformed-record", "id")
    yield _log("missing-time", _third(timestamp=None), "missing-field", "timestamp")
    yield _log("no-such-day", _third(timestamp="2026-02-30T10:00:00Z"), "bad-time", "2026-02-30")
    yield _log("year-0", _third(timestamp="0000-03-03T10:00:00Z"), "bad-time", "0000")
    far = _third(timestamp="2026-03-03T10:00:00+00:00")
    yield _log("year-10000", _third(timestamp="10000-03-03T10:00:00Z"), "bad-time", "10000", far)
    yield _log("time-is-true", _third(timestamp=True), "bad-time", "")
    yield _log("nan", LOG[2].replace('"high"', "NaN"), "malformed-record", "NaN")
    yield _log("infinity", LOG[2].replace('"high"', "1e999"), "malformed-record", "")
    yield _log("actors-is-an-object", _third(actors={"a": 1}), "bad-field", "actors")
    yield _log("artifacts-is-a-number", _third(artifact_ids=7), "bad-field", "artifact")
    yield _log("nul-in-id", _third(id="e\x00"), "bad-id", "")
    yield _log("right-to-left-in-id", _third(id="e\u202e3"), "bad-id", "U+202E")
    yield _log("empty-id", _third(id=""), "bad-id", "")
    long = LOG[2].replace('"high"', '"' + "x" * (9 << 20) + '"')
    yield _log("ten-megabytes-on-a-line", long, "malformed-record", "longer than")
    deep = LOG[2].replace('"high"', "[" * 2000 + "]" * 2000)
    yield _log("deep-nesting", deep, "malformed-record", "nested deeper")
    twice = "".join([*LOG, LOG[0].replace("high", "low")])
    yield Case("duplicate-id", "events.jsonl", EVENTS, twice, "duplicate-id", 0, "e1-opened")
    packed = gzip.compress(EVENTS.encode(), mtime=0)
    zipped = (("groundeval.yaml", PROJECT.replace("events.jsonl", "events.jsonl.gz")),)
    yield Case(
        "truncated-gzip", "events.jsonl.gz", packed, packed[:-20], "unreadable-file", 14,
        "the packed data end early", 2, zipped,
    )  # fmt: skip
    yield Case(
        "no-gzip-at-all", "events.jsonl.gz", packed, EVENTS, "unreadable-file", 1, "damaged", 2,
        zipped,
    )  # fmt: skip
    latin = EVENTS.replace("alice", "zoë").encode("latin-1")
    contract = (("desk.gev", CONTRACT.replace("alice", "zoë")),)
    utf = EVENTS.replace("alice", "zoë")
    yield Case("latin-1", "events.jsonl", utf, latin, "malformed-record", 1, "UTF-8", 1, contract)
    utf16 = EVENTS.encode("utf-16")
    bom = b"\xef\xbb\xbf" + EVENTS.encode()
    yield Case("utf-16", "events.jsonl", bom, utf16, "unreadable-file", 1, "UTF-16", 2)
    crlf = EVENTS.replace("\n", "\r\n")
    yield Case(
        "carriage-returns-alone", "events.jsonl", crlf, EVENTS.replace("\n", "\r"),
        "malformed-record", 1, "",
    )  # fmt: skip
    yield Case("no-log", "events.jsonl", EVENTS, None, "unreadable-file", 1, "no file", 2)
    naive = EVENTS.replace("Z", "")
    zoneless = (("desk.gev", CONTRACT.replace('timezone "UTC"\n', "")),)
    yield Case(
        "naive-time-without-zone", "events.jsonl", EVENTS, naive, "bad-time", 1, "zone", 1, zoneless
    )
    mixed = "".join([*LOG[:4], LOG[4].replace("Z", ""), *LOG[5:]])
    yield Case(
        "mixed-zones", "events.jsonl", "".join([*LOG[:4], LOG[4].replace("Z", "+00:00"), *LOG[5:]]),
        mixed, "bad-time", 5, "zone", 1, zoneless,
    )  # fmt: skip


def _rules(slug: str, good: str, bad: str, finding: str, text: str = "") -> Case:
    """A part of the contract, `good`, is replaced by `bad`; the finding stands in its first line."""
    assert good in CONTRACT
    line = CONTRACT[: CONTRACT.index(good)].count("\n") + 1
    changed = CONTRACT.replace(good, bad, 1)
    return Case(slug, "desk.gev", CONTRACT, changed, finding, line, text)


def rules() -> Iterator[Case]:
    yield _rules("unclosed-block", "role engineer { reads: [tickets, wiki] }",
                 "role engineer { reads: [tickets, wiki]", "unclosed-block")  # fmt: skip
    yield _rules("other-version", "gev 1", "gev 2", "unsupported-version", "2")
    yield _rules("no-version", "gev 1\n", "", "missing-version")
    yield _rules("unknown-track", "use tracks.silence", "use tracks.silense", "unknown-module",
                 "tracks.silense")  # fmt: skip
    yield _rules("unknown-role", "actor bob: engineer", "actor bob: enginer", "unknown-role",
                 "enginer")  # fmt: skip
    yield _rules("role-cycle", "role engineer {", "role engineer inherits engineer {", "role-cycle")
    yield _rules("unknown-event", "cause   c: opened", "cause   c: openend", "unknown-event-type")
    yield _rules("unknown-field", "c.tickets == e.tickets", "c.ticket == e.tickets",
                 "undeclared-field", "ticket")  # fmt: skip
    where = CONTRACT.replace("cause   c: opened", "cause   c: opened where grave(c.severity)")
    let = '{}let grave(how) = {} == "high"\n'
    yield Case("self-referring-let", "desk.gev", let.format(where, "how"),
               let.format(where, "grave(how)"), "let-cycle", where.count("\n") + 1)  # fmt: skip
    yield _rules("circle-of-uses", "use tracks.silence",
                 'use "./desk.gev", tracks.silence', "module-cycle")  # fmt: skip
    yield _rules("right-to-left-in-code", "actor bob", "actor \u202ebob", "stray-character")
    yield _rules("nul-in-code", "actor bob", "actor \x00bob", "stray-character")
    yield _rules("negative-window", "within  7d", "within  -7d", "bad-window")
    yield _rules("deep-expression", "c.tickets == e.tickets",
                 "(" * 400 + "c.tickets == e.tickets" + ")" * 400, "too-deep")  # fmt: skip
    track = """
track mine {
  ask for e in events
    about e
    as_of e.at
  enforce SET
  answer { right: bool }
  truth { right = true }
  text "Really?"
  score answer {
    "a" 0.5 of 1
    "b" WEIGHT of 1
  }
  score trajectory { "c" 1 of 1 - violation_rate }
  weights answer 0.3, trajectory 0.7
  correct when answer.right == truth.right
}
"""
    good = CONTRACT + track.replace("WEIGHT", "0.5").replace("SET", "horizon")
    line = CONTRACT.count("\n")
    yield Case("weights-that-do-not-add-up", "desk.gev", good,
               good.replace('"b" 0.5', '"b" 0.4'), "wrong-sum", line + 10, "0.9")  # fmt: skip
    yield Case("track-without-its-gate", "desk.gev", good,
               good.replace("enforce horizon", "enforce horizont"), "unknown-gate", line + 6,
               "horizont")  # fmt: skip
    yield Case("bundled-track-without-its-gate", "desk.gev", CONTRACT,
               CONTRACT.replace("policies.horizon, policies.rbac", "policies.rbac"),
               "unknown-gate", 0, "horizon")  # fmt: skip
    yield Case("latin-1-rules", "desk.gev", CONTRACT.replace("small", "café"),
               CONTRACT.replace("small", "café").encode("latin-1"), "unknown-module")  # fmt: skip
    yield Case("empty-rules", "desk.gev", CONTRACT, "", "missing-version")
    allow = CONTRACT.replace("gev 1", 'gev 1  # gev: allow GEV721 because "old scans"', 1)
    undated = ARTIFACTS + json.dumps({"id": "T-99", "subsystem": "tickets", "text": "x"}) + "\n"
    yield Case("allowing-nothing", "artifacts.jsonl", undated, ARTIFACTS, "unused-suppression", 1,
               "GEV721", 1, (("desk.gev", allow),))  # fmt: skip
    over = CONTRACT.replace(
        "gev 1", 'gev 1  # gev: allow GEV721 until 2020-01-01 because "old scans"', 1
    )
    yield Case("allowed-too-long-ago", "desk.gev", allow, over, "expired-suppression", 1,
               "2020-01-01", 1, (("artifacts.jsonl", undated),))  # fmt: skip


def corpora() -> Iterator[Case]:
    lines = ARTIFACTS.splitlines(keepends=True)
    yield Case("artifact-twice", "artifacts.jsonl", ARTIFACTS,
               ARTIFACTS + lines[0].replace("09:00", "08:00"), "duplicate-id", 0, "T-1")  # fmt: skip
    yield Case("artifact-without-subsystem", "artifacts.jsonl", ARTIFACTS,
               ARTIFACTS.replace('"subsystem": "tickets", ', "", 1), "missing-field", 1,
               "subsystem")  # fmt: skip
    yield Case("artifact-time-naive", "artifacts.jsonl", ARTIFACTS, ARTIFACTS.replace("Z", "", 1),
               "bad-time", 1, "zone", 1,
               (("desk.gev", CONTRACT.replace('timezone "UTC"\n', "")),))  # fmt: skip
    yield Case("no-corpus", "artifacts.jsonl", ARTIFACTS, None, "unreadable-file", 1, "no file", 2)
    yield Case("no-record-in-array", "a.json", "[" + lines[0].strip() + "]", "[1]",
               "malformed-record", 1, "number", 1,
               (("groundeval.yaml", PROJECT.replace("artifacts.jsonl", "a.json")),
                ("events.jsonl", LOG[0])))  # fmt: skip


def _project(
    slug: str, bad: Content, line: int, text: str, finding: str = "project-invalid"
) -> Case:
    return Case(slug, "groundeval.yaml", PROJECT, bad, finding, line, text, 2)


def projects() -> Iterator[Case]:
    yield _project("no-project-file", None, 1, "no `groundeval.yaml`", "project-missing")
    yield _project("empty-project-file", "", 1, "0 mappings")
    yield _project("project-is-a-list", "- contract: desk.gev\n- 1\n", 2, "number")
    yield _project("project-is-a-text", "desk.gev\n", 1, "text")
    yield _project("setting-twice", PROJECT + "contract: b.gev\n", 5, "`contract` is given twice")
    yield _project("setting-misspelt", PROJECT + "event: x\n", 5, "unknown setting `event`")
    yield _project("no-contract", PROJECT.replace("contract:", "# "), 1, "`contract` is missing")
    yield _project("contract-not-there", PROJECT.replace("desk.gev", "desc.gev"), 1, "`desc.gev`")
    yield _project("seed-is-a-text", PROJECT + "seed: many\n", 5, "`seed`")
    yield _project("cap-below-zero", PROJECT.replace("silence: 4", "silence: -4"), 4, "silence")
    yield _project("caps-is-a-list", PROJECT.replace("{ silence: 4 }", "[4]"), 4, "`caps`")
    yield _project("tab", PROJECT + "params:\n\tsilence: {}\n", 6, "")
    yield _project("unclosed-brace", PROJECT.replace("4 }", "4"), 5, "")
    yield _project("not-utf-8", PROJECT.encode() + b"# caf\xe9\n", 5, "UTF-8")
    yield _project("nul", PROJECT + "output: \x00\n", 1, "")
    yield _project("nul-in-a-path", PROJECT + 'output: "a\\0b"\n', 5, "`output`")
    yield _project("own-tag", PROJECT + "output: !!python/object:os.system x\n", 5, "tag")
    bomb = "a0: &a0 [x]\n" + "".join(
        f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]\n" for n in range(1, 30)
    )
    yield _project("anchor-bomb", PROJECT + "params:\n" + bomb.replace("a", "  a", 0), 6, "")
    yield _project(
        "nested-a-thousand-times", PROJECT + "params: " + "[" * 300 + "]" * 300, 0, "deeper"
    )
    unknown = PROJECT.replace("silence: 4", "silense: 4")
    yield Case(
        "cap-of-no-track", "groundeval.yaml", PROJECT, unknown, "unknown-track", 4, "silense"
    )
    param = PROJECT + "params: { silense: { a: 1 } }\n"
    yield Case(
        "params-of-no-track", "groundeval.yaml", PROJECT, param, "unknown-param", 5, "silense"
    )
    name = PROJECT + "params:\n  silence:\n    days: 3\n"
    yield Case("param-of-no-name", "groundeval.yaml", PROJECT, name, "unknown-param", 7, "days")
    yield _project("cap-is-a-text", PROJECT.replace("silence: 4", "\n  silence: x"), 5, "silence")
    nested = PROJECT + "params: # seed:\n  silence: 3\n"
    yield _project("params-are-no-mapping", nested, 6, "`params.silence`")


WARNINGS = [
    Case("empty-log", "events.jsonl", EVENTS, "", "empty-input", 1, "log", 0),
    Case("empty-corpus", "artifacts.jsonl", ARTIFACTS, "", "empty-input", 1, "corpus", 0),
    Case(
        "unknown-actor",
        "events.jsonl",
        EVENTS,
        EVENTS + event(30, "opened", 29, "mallory", artifact_ids={"tickets": "T-1"}),
        "undeclared-actor",
        1,
        "mallory",
        0,
    ),
    Case(
        "undeclared-type",
        "events.jsonl",
        EVENTS,
        EVENTS + event(1, "re-opened", 9),
        "undeclared-event-type",
        1,
        "`re-opened` (1)",
        0,
    ),
    Case(
        "artifact-not-in-corpus",
        "events.jsonl",
        EVENTS,
        EVENTS + event(31, "opened", 9),
        "missing-artifact",
        1,
        "T-31",
        0,
    ),
    Case(
        "undated-artifact",
        "artifacts.jsonl",
        ARTIFACTS + artifact("W-99", "wiki", 3, "x"),
        ARTIFACTS + '{"id": "W-99", "subsystem": "wiki", "text": "x"}\n',
        "undated-artifact",
        1,
        "W-99",
        0,
    ),
]
