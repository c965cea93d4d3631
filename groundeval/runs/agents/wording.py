"""What a question's text says, read without knowing the domain."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from groundeval.runs.replies import ReportedEvent
from groundeval.world.time import parse_instant

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
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


def fitting(events: Iterable[ReportedEvent], text: str) -> list[ReportedEvent]:
    """The events that the text names by label, artifacts and full instant, in the text's order.

    What is said of an event stands between the instant before and its own. Of several events at
    one instant it is the one of which most is said.
    """
    best: dict[int, tuple[int, ReportedEvent]] = {}
    for event in events:
        for start, end in _stretches(event.at, text):
            said = text[start:end]
            names = artifacts_of(event)
            if event.label not in said or not all(_names(name, said) for name in names):
                continue
            much = len(event.label) + sum(map(len, names))
            if end not in best or much > best[end][0]:
                best[end] = much, event
    return [best[end][1] for end in sorted(best)]


def _stretches(instant: str, text: str) -> Iterator[tuple[int, int]]:
    """Where something is said of an instant: from the one before it in the text up to itself."""
    start = 0
    for found in _INSTANT.finditer(text):
        if found[0] == instant:
            yield start, found.start()
        start = found.end()


def _names(key: str, said: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(key)}(?![\w-])", said) is not None


def artifacts_of(event: ReportedEvent) -> tuple[str, ...]:
    """The ids of an event's artifacts, of all kinds, each once."""
    return tuple(dict.fromkeys(i for ids in event.artifacts.values() for i in ids))


def instant(text: str) -> int:
    """An instant that a reply or a question gave, in microseconds."""
    found = parse_instant(text, None)
    if not isinstance(found, int):
        raise TypeError(f"`{text}` is no instant")
    return found


def beside(key: str, steps: Iterable[int]) -> list[str]:
    """The ids that lie so many steps from this one, where it ends in a number."""
    found = re.fullmatch(r"(.*?)(\d+)", key)
    if found is None:
        return []
    head, number = found.groups()
    near = ((int(number) + step, step) for step in steps)
    return [f"{head}{n:0{len(number)}}" for n, step in near if step and n >= 0]
