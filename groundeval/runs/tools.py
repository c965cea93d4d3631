"""The gated tools that an agent works with, and the record of what it did with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, Final, Protocol

from groundeval import __version__
from groundeval.contracts.sight import Gated, Sight, Standing
from groundeval.index.postings import Index, Search, Viewpoint
from groundeval.index.snippets import snippet
from groundeval.questions.model import Question
from groundeval.runs.asked import (
    raw_arguments,
    usable_id,
    usable_limit,
    usable_query,
    usable_subsystem,
)
from groundeval.runs.backend import OWN, OwnIndex, Searcher
from groundeval.runs.replies import FetchReply, ReportedEvent, SearchHit, SearchReply
from groundeval.traces.chain import chain
from groundeval.traces.model import Recorder, Refusal, Step, Trace
from groundeval.world.artifacts import HANDBOOK, Artifact, Version
from groundeval.world.events import Event
from groundeval.world.time import format_instant, parse_instant
from groundeval.world.world import World

_MOST_ARGUMENTS: Final = 20
"""So many arguments of a refused call are recorded."""


class GatedView(Gated, Protocol):
    """What the tools ask of a contract."""

    @property
    def world(self) -> World: ...

    @property
    def index(self) -> Index: ...

    @property
    def handbook(self) -> Mapping[str, Artifact]:
        """The reference documents by id."""
        ...

    @property
    def subsystems(self) -> frozenset[str]:
        """Every subsystem there is, declared or in the corpus."""
        ...

    @property
    def digest(self) -> str:
        """The contract's hash."""
        ...

    def enforced(self, track_id: str, actor: str | None) -> tuple[str, ...]:
        """The gates that a track's question enforces: see `contracts.sight.enforced_gates`."""
        ...

    def label(self, event: Event) -> str: ...


class Tools:
    """`search` and `fetch` for one question, as of its instant and for its actor.

    Every call becomes a step of the trace, with what was refused or withheld and by which rule;
    the replies say nothing of it. Ungated, nothing is withheld, not even what is not written yet
    (shown as first written), and the scores tell what that let through. `clock` gives seconds;
    without one no latency is recorded, so that equal runs give equal bytes. `backend` ranks in the
    place of the contract's own index; what there is to rank it is told.
    """

    def __init__(
        self,
        view: GatedView,
        question: Question,
        *,
        gated: bool = True,
        clock: Callable[[], float] | None = None,
        backend: Searcher | None = None,
    ) -> None:
        gates = view.enforced(question.track, question.actor)
        self._view = view
        self._question = question
        self._gated = gated
        self._clock = clock
        self._searcher = OwnIndex(view.index) if backend is None else backend
        self._as_of = _instant(question)
        self._sight = Sight(view, Standing(question.actor, self._as_of, gates))
        self._open = Viewpoint(self._as_of, _everything, unborn=True)
        self._steps: list[Step] = []

    @property
    def steps(self) -> tuple[Step, ...]:
        """What was recorded so far."""
        return tuple(self._steps)

    def search(
        self, query: object = "", subsystem: object = None, limit: object = None
    ) -> SearchReply:
        """The best visible documents for `query`, in one subsystem or all open ones.

        At most `limit` (10 where none above 0 is named, never over 20). A subsystem that is
        closed or not there is `available: false`, without hits.
        """
        began = self._now()
        asked = Search(usable_query(query), usable_subsystem(subsystem), usable_limit(limit))
        refused = self._refused(asked)
        exists = asked.subsystem is None or self._exists(asked.subsystem)
        available = exists and not (refused and self._gated)
        found = self._found(asked) if available else ()
        everything = self._searcher.search(asked, self._open) if self._gated and exists else ()
        self._record(
            began,
            tool="search",
            query=asked.query,
            subsystem=asked.subsystem,
            limit=None if asked.limit is None else asked.width,
            results=found,
            refused=refused if self._gated else (),
            suppressed=self._withheld(everything, found),
            arguments=raw_arguments(
                query=(query, asked.query),
                subsystem=(subsystem, asked.subsystem),
                limit=(limit, None if limit is None else asked.width),
            ),
        )
        hits = tuple(self._hit(artifact_id, asked.query) for artifact_id in found)
        return SearchReply(available, hits)

    def fetch(self, artifact_id: object) -> FetchReply:
        """The text of an artifact as it was at the question's instant, and the events about it.

        What is closed, not there yet or not there at all is `available: false`, and nothing else
        tells the three apart.
        """
        began = self._now()
        wanted = usable_id(artifact_id)
        artifact, refused = self._reach(wanted)
        version = None if artifact is None or refused else self._version(artifact)
        given = artifact is not None and version is not None
        self._record(
            began,
            tool="fetch",
            artifact=wanted,
            results=(wanted,) if given else (),
            text=given,
            refused=refused,
            arguments=raw_arguments(artifact=(artifact_id, wanted)),
        )
        if artifact is None or version is None:
            return FetchReply(wanted, available=False)
        return FetchReply(
            wanted,
            available=True,
            title=version.title,
            subsystem=artifact.subsystem,
            created=_when(artifact),
            text=version.text,
            events=tuple(map(self._report, self._view.world.events_of(wanted, self._as_of))),
        )

    def give(
        self, results: Sequence[str], query: str | None = None, subsystem: str | None = None
    ) -> None:
        """Record documents whose text the agent was handed, and the search that brought them."""
        self._record(
            None,
            tool="given",
            query=query,
            subsystem=subsystem,
            results=tuple(results),
            text=True,
        )

    def note(self, tool: str, arguments: Mapping[str, object]) -> None:
        """Record a call that was refused before it reached a tool, as it came. It opens nothing."""
        first = islice(sorted(arguments.items()), _MOST_ARGUMENTS)
        raw = raw_arguments(**{usable_id(name): (came, None) for name, came in first})
        self._record(None, tool="other", arguments={"tool": tool, "arguments": raw or {}})

    def finish(
        self,
        answer: dict[str, Any] | None,
        cited: Sequence[str] = (),
        error: str | None = None,
        seal_key: bytes | None = None,
    ) -> Trace:
        """The trace of all calls, with the hash over the chain of its steps.

        With a `seal_key` the hash is an HMAC. Agent, model, epoch and times are the runner's to
        add: the chain is over the steps alone.
        """
        steps = self.steps
        sealed = chain(steps, seal_key)
        ranker = self._searcher.name
        other = "" if ranker == OWN else ranker
        recorder = Recorder(f"groundeval/{__version__}", self._view.digest, sealed, other)
        return Trace(
            question=self._question.id,
            gated=self._gated,
            steps=steps,
            answer=answer,
            cited=tuple(cited),
            error=error,
            recorder=recorder,
        )

    # --- searching

    def _exists(self, subsystem: str) -> bool:
        return subsystem == HANDBOOK or subsystem in self._view.subsystems

    def _refused(self, asked: Search) -> tuple[Refusal, ...]:
        """Why the search is refused. A subsystem that nobody knows is a dead end, not a break."""
        if asked.subsystem is None or not self._exists(asked.subsystem):
            return ()
        return self._sight.closing_search(asked.subsystem, asked.query)

    def _found(self, asked: Search) -> tuple[str, ...]:
        viewpoint = self._sight.viewpoint(asked.query) if self._gated else self._open
        return tuple(self._searcher.search(asked, viewpoint))

    def _withheld(self, all_hits: Iterable[str], found: Sequence[str]) -> tuple[str, ...]:
        """Of the hits without any gate, those that a gate or the instant withheld."""
        shown = frozenset(found)
        return tuple(
            hit
            for hit in all_hits
            if hit not in shown and hit not in self._view.handbook and not self._sight.shows(hit)
        )

    def _hit(self, artifact_id: str, query: str) -> SearchHit:
        artifact = self._known(artifact_id)
        version = None if artifact is None else self._version(artifact)
        assert artifact is not None, artifact_id
        assert version is not None, artifact_id
        kind = version.attributes.get("type")
        return SearchHit(
            id=artifact_id,
            title=version.title,
            subsystem=artifact.subsystem,
            created=_when(artifact),
            type=kind if isinstance(kind, str) else None,
            snippet=snippet(version.text, query),
        )

    # --- reading

    def _known(self, artifact_id: str) -> Artifact | None:
        document = self._view.handbook.get(artifact_id)
        return document if document is not None else self._view.world.corpus.get(artifact_id)

    def _reach(self, artifact_id: str) -> tuple[Artifact | None, tuple[Refusal, ...]]:
        """The artifact and why it is refused; the handbook and what nobody knows never are."""
        artifact = self._known(artifact_id)
        if artifact is None or artifact_id in self._view.handbook or not self._gated:
            return artifact, ()
        return artifact, self._sight.closing(artifact_id)

    def _version(self, artifact: Artifact) -> Version | None:
        """The version to show; None for what is not there at the question's instant."""
        at = self._as_of
        if at is None or artifact.id in self._view.handbook:
            return artifact.versions[-1]
        if not self._gated:
            return artifact.at(at) or artifact.versions[0]
        return artifact.shown_at(at)

    def _report(self, event: Event) -> ReportedEvent:
        named = {kind: tuple(filter(self._shows, ids)) for kind, ids in event.artifacts.items()}
        return ReportedEvent(
            id=event.id,
            type=event.type,
            label=self._view.label(event),
            at=format_instant(event.at),
            actors=event.actors,
            facts={**event.extra, **event.facts},
            artifacts={kind: ids for kind, ids in sorted(named.items()) if ids},
        )

    def _shows(self, artifact_id: str) -> bool:
        return not self._gated or self._sight.shows(artifact_id)

    # --- recording

    def _now(self) -> float | None:
        return None if self._clock is None else self._clock()

    def _record(self, began: float | None, **fields: Any) -> None:
        now = self._now()
        took = None if began is None or now is None else round((now - began) * 1000, 3)
        self._steps.append(Step(n=len(self._steps) + 1, latency_ms=took, **fields))


def _instant(question: Question) -> int | None:
    if question.as_of is None:
        return None
    instant = parse_instant(question.as_of, None)
    if isinstance(instant, int):
        return instant
    raise ValueError(f"question {question.id}: `{question.as_of}` {instant.text}")


def _when(artifact: Artifact) -> str | None:
    return None if artifact.created is None else format_instant(artifact.created)


def _everything(_: str) -> bool:
    return True
