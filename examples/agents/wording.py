"""What a question's text says, read without knowing the domain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from groundeval.runs.replies import ReportedEvent

_AROUND_A_LABEL = " ,;:.([{\"'\u201c\u201d"


def subsystem_of(key: str, question: Mapping[str, Any]) -> str | None:
    """The subsystem that the text names before a key; None for a key that is no artifact."""
    known = (question.get("vocabulary") or {}).get("subsystem", ())
    named = [
        s for s in known if re.search(rf"(?<!\w){re.escape(f'{s} {key}')}(?!\w)", question["text"])
    ]
    return max(named, key=len, default=None)


def label_before_keys(question: Mapping[str, Any]) -> str:
    """The words up to the first key, the label of the record at their end."""
    text, keys = question["text"], question["keys"]
    starts = [text.find(key) for key in keys if key in text]
    # The key's subsystem or field stands before it.
    return " ".join(text[: min(starts, default=len(text))].split()[:-1]).strip(_AROUND_A_LABEL)


def called(label: str, question: Mapping[str, Any]) -> bool:
    """Whether the text calls its record by this label."""
    before = label_before_keys(question)
    return before == label or bool(re.search(rf"\W{re.escape(label)}$", before))


def named_at(instant: str, text: str) -> int:
    """Where the text names an instant; -1 where it does not."""
    return text.find(instant)


def fitting(events: Iterable[ReportedEvent], text: str) -> list[ReportedEvent]:
    """The events that the text names by label, artifacts and full instant, in the text's order.

    Of several at one instant the one of which the text says most.
    """
    best: dict[str, ReportedEvent] = {}
    starts: list[int] = []
    for event in events:
        at = text.find(event.at)
        names = artifacts_of(event)
        before = text[:at] if at >= 0 else ""
        if at < 0 or event.label not in before or not all(name in before for name in names):
            continue
        known = best.get(event.at)
        if known is None or _said(event, before) > _said(known, before):
            best[event.at] = event
        starts.append(at)
    return [best[at] for at in sorted(best, key=text.find)]


def artifacts_of(event: ReportedEvent) -> tuple[str, ...]:
    """The ids of an event's artifacts, of all kinds, each once."""
    return tuple(dict.fromkeys(i for ids in event.artifacts.values() for i in ids))


def _said(event: ReportedEvent, before: str) -> tuple[int, int]:
    return max(before.rfind(event.label), 0), len(event.label) + len(artifacts_of(event))
