"""The gated tools: what an agent gets, and what the trace says."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundeval.diagnostics import Span
from groundeval.index.postings import Index
from groundeval.ir.program import Rule
from groundeval.questions.model import Question
from groundeval.runs.replies import FetchReply, SearchReply
from groundeval.runs.tools import Tools
from groundeval.traces.chain import chain
from groundeval.traces.model import Refusal
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.time import parse_instant
from groundeval.world.world import World


def at(text: str) -> int:
    instant = parse_instant(text, None)
    assert isinstance(instant, int)
    return instant


MARCH_1, MARCH_9, MARCH_20 = (at(f"2026-03-{day}T00:00:00Z") for day in ("01", "09", "20"))
RULE = Rule("permit", "read", None, None, None, Span("rbac.gev", 7, 3, 7, 40))


@dataclass(frozen=True)
class Desk:
    """A contract with two plain gates: `horizon` (created by then) and `subsystem` (not `crm`)."""

    world: World
    books: tuple[Artifact, ...] = ()
    digest: str = "sha256:desk"
    gates: tuple[str, ...] = ("horizon", "subsystem")
    subsystems: frozenset[str] = field(default=frozenset({"wiki", "crm", "empty"}))

    @cached_property
    def index(self) -> Index:
        return Index(self.world.corpus, self.books)

    @cached_property
    def handbook(self) -> dict[str, Artifact]:
        return {book.id: book for book in self.books}

    def enforced(self, track_id: str, actor: str | None) -> tuple[str, ...]:
        return self.gates if actor is not None else self.gates[:1]

    def label(self, event: Event) -> str:
        return event.type.replace("_", " ")

    def closing(
        self, actor: str | None, artifact_id: str, as_of: int | None, gates: Sequence[str]
    ) -> tuple[tuple[str, Rule | None], ...]:
        return tuple(self._closing(artifact_id, as_of, gates))

    def closing_search(
        self,
        actor: str | None,
        subsystem: str,
        query: str,
        as_of: int | None,
        gates: Sequence[str],
    ) -> tuple[tuple[str, Rule | None], ...]:
        closed = "subsystem" in gates and subsystem == "crm"
        return (("subsystem", RULE),) if closed else ()

    def _closing(
        self, artifact_id: str, as_of: int | None, gates: Sequence[str]
    ) -> Iterator[tuple[str, Rule | None]]:
        artifact = self.world.corpus.get(artifact_id)
        late = artifact is None or artifact.created is None or artifact.created > (as_of or 0)
        if "horizon" in gates and late:
            yield "horizon", None
        if "subsystem" in gates and artifact is not None and artifact.subsystem == "crm":
            yield "subsystem", RULE


def artifact(
    artifact_id: str, text: str, subsystem: str = "wiki", created: int = MARCH_1
) -> Artifact:
    version = Version(
        start=created, title=f"on {artifact_id}", text=text, attributes={"type": "page"}
    )
    return Artifact(id=artifact_id, subsystem=subsystem, created=created, versions=(version,))


REVISED = Artifact(
    id="W-3",
    subsystem="wiki",
    created=MARCH_1,
    deleted=MARCH_20,
    versions=(
        Version(start=MARCH_1, title="draft", text="first words"),
        Version(start=MARCH_9, title="final", text="second words"),
        Version(start=MARCH_9 + 1, title="later", text="third words"),
    ),
)
CORPUS = Corpus(
    [
        artifact("W-1", "the outage of ESC-42"),
        artifact("W-2", "the outage of ESC-42, written later", created=MARCH_20),
        REVISED,
        artifact("C-1", "the outage as the customer of ESC-42 tells it", "crm"),
    ]
)
LOG = MemoryLog(
    [
        Event(
            id="e1",
            type="page_written",
            at=MARCH_1,
            actors=("zoë",),
            artifacts={"wiki": ("W-1", "W-2"), "crm": ("C-1",), "none": ("GONE",)},
            facts={"severity": "high"},
            extra={"severity": "low", "team": "a"},
        ),
        Event(id="e2", type="page_written", at=MARCH_20, artifacts={"wiki": ("W-1",)}),
    ]
)
BOOK = Artifact(
    id="handbook/role/a",
    subsystem="handbook",
    versions=(Version(start=0, title="Role a", text="the outage of roles"),),
)
DESK = Desk(World(LOG, CORPUS), (BOOK,))


def question(actor: str | None = "zoë", as_of: str | None = "2026-03-09T00:00:00Z") -> Question:
    return Question(id="q-1", track="t", actor=actor, as_of=as_of)


def tools(actor: str | None = "zoë", *, gated: bool = True) -> Tools:
    return Tools(DESK, question(actor), gated=gated)


def found(reply: SearchReply) -> list[str]:
    return [hit.id for hit in reply.hits]


def test_a_search_returns_metadata_and_a_snippet_of_what_is_visible() -> None:
    desk = tools()
    reply = desk.search("outage ESC-42")
    assert found(reply) == ["W-1"]
    assert msgspec.to_builtins(reply.hits[0]) == {
        "id": "W-1",
        "title": "on W-1",
        "subsystem": "wiki",
        "created": "2026-03-01T00:00:00Z",
        "type": "page",
        "snippet": "the outage of ESC-42",
    }
    (step,) = desk.steps
    assert (step.n, step.tool, step.query, step.limit) == (1, "search", "outage ESC-42", None)
    assert (step.results, step.refused, step.arguments) == (("W-1",), (), None)
    assert not step.text
    assert sorted(step.suppressed) == ["C-1", "W-2"]


def test_a_closed_subsystem_and_none_answer_alike() -> None:
    desk = tools()
    closed, absent = desk.search("outage", "crm"), desk.search("outage", "nowhere")
    assert msgspec.json.encode(closed) == msgspec.json.encode(absent)
    assert not closed.available
    refused, dead_end = desk.steps
    assert refused.refused == (Refusal("subsystem", "rbac.gev:7"),)
    assert refused.suppressed == ("C-1",)
    assert (dead_end.refused, dead_end.results, dead_end.suppressed) == ((), (), ())


def test_an_open_subsystem_without_artifacts_is_empty_and_available() -> None:
    assert tools().search("outage", "empty") == SearchReply(available=True)


def test_without_an_actor_only_gates_that_need_none_bind() -> None:
    desk = tools(actor=None)
    assert found(desk.search("outage", "crm")) == ["C-1"]
    assert desk.fetch("C-1").available
    assert not desk.fetch("W-2").available


def test_a_fetch_returns_text_and_events() -> None:
    desk = tools()
    reply = desk.fetch("W-1")
    assert msgspec.to_builtins(reply) == {
        "id": "W-1",
        "available": True,
        "title": "on W-1",
        "subsystem": "wiki",
        "created": "2026-03-01T00:00:00Z",
        "text": "the outage of ESC-42",
        "events": (
            {
                "id": "e1",
                "type": "page_written",
                "label": "page written",
                "at": "2026-03-01T00:00:00Z",
                "actors": ("zoë",),
                "facts": {"severity": "high", "team": "a"},
                "artifacts": {"wiki": ("W-1",)},
            },
        ),
    }
    (step,) = desk.steps
    assert (step.artifact, step.results, step.text) == ("W-1", ("W-1",), True)


@pytest.mark.parametrize(
    ("as_of", "text"),
    [
        ("2026-03-01T00:00:00Z", "first words"),
        ("2026-03-09T00:00:00Z", "second words"),
        ("2026-03-19T23:59:59Z", "third words"),
        ("2026-03-20T00:00:00Z", ""),
    ],
)
def test_the_version_of_the_instant_is_shown(as_of: str, text: str) -> None:
    desk = Tools(DESK, question(as_of=as_of))
    assert desk.fetch("W-3").text == text
    assert bool(desk.search("words").hits) is bool(text)


HOSTILE = (
    "",
    "  ",
    "W-9",
    "\x00",
    "../../etc/passwd",
    "W-1\x00",
    "é" * 10**6,
    "\ud800",
    "handbook",
)


@pytest.mark.parametrize("artifact_id", HOSTILE)
def test_hostile_ids_are_just_not_available(artifact_id: str) -> None:
    desk = tools()
    reply = desk.fetch(artifact_id)
    assert reply == FetchReply(reply.id, available=False)
    assert desk.steps[0].refused == ()
    assert len(msgspec.json.encode(desk.finish({}))) < 10_000


def test_closed_later_and_absent_answer_alike() -> None:
    desk = tools()
    replies = [desk.fetch(i) for i in ("C-1", "W-2", "W-7")]
    bodies = {msgspec.json.encode(msgspec.structs.replace(reply, id="")) for reply in replies}
    assert len(bodies) == 1
    assert [r.id for r in replies] == ["C-1", "W-2", "W-7"]
    assert [s.refused for s in desk.steps] == [
        (Refusal("subsystem", "rbac.gev:7"),),
        (Refusal("horizon"),),
        (),
    ]
    assert all(not s.results and not s.text for s in desk.steps)


def test_the_handbook_is_always_open_and_searched_by_name_only() -> None:
    desk = Tools(DESK, question(as_of="1999-01-01T00:00:00Z"))
    assert desk.fetch("handbook/role/a").text == "the outage of roles"
    assert found(desk.search("outage", "handbook")) == ["handbook/role/a"]
    assert found(desk.search("outage")) == []
    assert all(not s.refused for s in desk.steps)
    assert "handbook/role/a" not in desk.steps[1].suppressed


def test_ungated_withholds_nothing_and_records_it() -> None:
    desk = tools(gated=False)
    assert sorted(found(desk.search("outage"))) == ["C-1", "W-1", "W-2"]
    assert found(desk.search("outage", "crm")) == ["C-1"]
    assert desk.fetch("W-2").text == "the outage of ESC-42, written later"
    assert desk.fetch("C-1").available
    assert not desk.fetch("W-7").available
    assert desk.fetch("W-1").events[0].artifacts["crm"] == ("C-1",)
    assert all(not s.refused and not s.suppressed for s in desk.steps)
    assert not desk.finish(None).gated


@pytest.mark.parametrize(
    ("given_limit", "recorded", "arguments"),
    [
        (None, None, None),
        (5, 5, None),
        ("5", 5, {"limit": "5"}),
        (0, 10, {"limit": 0}),
        (-1, 10, {"limit": -1}),
        (999, 20, {"limit": 999}),
        (10**40, 20, {"limit": "int"}),
        ("many", None, {"limit": "many"}),
        (True, None, {"limit": True}),
    ],
)
def test_limits_are_recorded_as_used_and_as_given(
    given_limit: object, recorded: int | None, arguments: dict[str, object] | None
) -> None:
    desk = tools()
    desk.search("outage", None, given_limit)
    (step,) = desk.steps
    assert step.limit == recorded
    assert step.arguments == arguments
    assert len(msgspec.json.encode(step)) < 1000


def test_a_long_query_is_cut_and_text_is_normalised() -> None:
    desk = tools()
    assert desk.search("outage " + "x" * 5000).hits
    assert desk.search("Zoe\u0308", " ").available
    long, blank = desk.steps
    assert long.query is not None
    assert len(long.query) == 1000
    assert long.arguments is not None
    assert (blank.query, blank.subsystem) == ("Zoë", None)


def test_no_clock_no_latency() -> None:
    ticks = iter([1.0, 1.0025])
    timed = Tools(DESK, question(), clock=lambda: next(ticks))
    timed.fetch("W-1")
    assert timed.steps[0].latency_ms == 2.5
    desk = tools()
    desk.fetch("W-1")
    assert desk.steps[0].latency_ms is None


def test_the_trace_is_sealed_and_the_same_every_time() -> None:
    def run() -> bytes:
        desk = tools()
        desk.search("outage ESC-42")
        desk.fetch("C-1")
        return msgspec.json.encode(desk.finish({"exists": True}, ["W-1"]))

    assert run() == run()
    trace = tools().finish(None, error="gave up")
    assert trace.recorder is not None
    assert trace.recorder.chain == chain(())
    assert trace.recorder.contract == "sha256:desk"
    sealed = tools().finish(None, seal_key=b"k").recorder
    assert sealed is not None
    assert sealed.chain.startswith("hmac-sha256:")


def test_a_question_with_an_unreadable_instant_is_our_mistake() -> None:
    with pytest.raises(ValueError, match="q-1"):
        Tools(DESK, question(as_of="yesterday"))


hidden = st.lists(st.tuples(st.sampled_from(["crm", "wiki"]), st.text(max_size=20)), max_size=5)


@given(hidden, st.sampled_from(["outage", "ESC-42 of the outage", "written H-0", "words"]))
def test_what_is_closed_or_later_changes_no_reply(
    documents: list[tuple[str, str]], query: str
) -> None:
    more = [
        artifact(f"H-{n}", f"{text} {query}", subsystem, MARCH_20)
        for n, (subsystem, text) in enumerate(documents)
    ]
    other = Tools(Desk(World(LOG, Corpus([*CORPUS, *more])), (BOOK,)), question())
    for subsystem in (None, "wiki", "crm", "handbook"):
        plain = msgspec.json.encode(tools().search(query, subsystem))
        assert msgspec.json.encode(other.search(query, subsystem)) == plain
    for artifact_id in ("W-1", "H-0"):
        assert other.fetch(artifact_id) == tools().fetch(artifact_id)


@given(st.text(), st.none() | st.text(), st.none() | st.integers() | st.text())
def test_no_argument_breaks_the_tools(query: str, subsystem: str | None, limit: object) -> None:
    desk = tools()
    desk.search(query, subsystem, limit)
    desk.fetch(query)
    msgspec.json.encode(desk.finish({}))
    assert all(set(s.results) <= {"W-1", "W-3", "handbook/role/a"} for s in desk.steps)
