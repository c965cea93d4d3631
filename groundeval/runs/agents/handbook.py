"""The handbook's pages, read back into rules.

Its sentences are few and fixed, and conditions stand in them as they would in a rule file. So an
agent can put the rules of a question together again, and let GroundEval evaluate them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from groundeval.runs.agents.desk import Desk
from groundeval.world.artifacts import HANDBOOK

_MATCH = {
    "Of several effects that fit one cause, only the earliest counts.": "first",
    "Of several causes that fit one effect, only the latest counts.": "nearest",
    "Every pair that fits counts.": "every",
}
_NECESSITY = {
    "Necessary:": "necessary",
    "Necessary, each by itself:": "each",
    "Sufficient:": "sufficient",
    "Contributing:": "contributing",
}
_SIDE = re.compile(
    r"(?:.* )?\(?(?P<type>[^\s()]+)\)?, called (?P<name>\w+)(?:, where (?P<where>.*))?\."
)
_WINDOW = re.compile(r".* strictly later.*, and at most (\S+) later\.")
_SEARCH = re.compile(r"It would be found in (\S+) by a search for: (.*)")


@dataclass(frozen=True, slots=True)
class Side:
    """One event of a rule: its type, what the rule calls it, and a condition."""

    type: str
    name: str
    where: str | None

    def clause(self, word: str) -> str:
        condition = f" where {self.where}" if self.where else ""
        return f"  {word} `{self.name}`: `{self.type}`{condition}"


class Page:
    """One page of the handbook, asked for its sentences."""

    def __init__(self, text: str) -> None:
        self.lines = text.split("\n")

    def after(self, head: str) -> list[str]:
        """What follows `head` on the lines that begin with it."""
        return [line.removeprefix(head).strip() for line in self.lines if line.startswith(head)]

    def listed(self, head: str) -> list[str]:
        """The names in the sentence `head: a, b, c.`; none where there is no such sentence."""
        found = self.after(f"{head}:")
        return found[-1].removesuffix(".").split(", ") if found else []

    def side(self, head: str) -> Side | None:
        """The event after `Cause:`, `Effect:`, `After:` or `Expected:`."""
        for text in self.after(f"{head}:"):
            found = _SIDE.fullmatch(text)
            if found:
                return Side(found["type"], found["name"], found["where"])
        return None

    def joined(self) -> Iterator[str]:
        """The clauses that mechanisms and expected records share."""
        for text in self.after("Joined when:"):
            yield f"  join {text.removesuffix(' (a missing value joins nothing).')}"
        for line in self.lines:
            window = _WINDOW.fullmatch(line)
            if window:
                yield f"  within {window[1]}"
        for text in self.after("Not when"):
            yield f"  unless {text.removesuffix(', nor where that cannot be told.')}"


class Rules:
    """The rules that one question needs, as far as the handbook's pages have been read."""

    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._types: dict[str, Page] = {}
        self._mechanisms: dict[str, Page] = {}
        self._expected: dict[str, Page] = {}

    def page(self, path: str) -> Page | None:
        """A page of the handbook; None where there is none."""
        reply = self._desk.read(f"{HANDBOOK}/{path}")
        return None if reply is None else Page(reply.text)

    def event_type(self, name: str) -> Page | None:
        """What the handbook says of a type of events."""
        if name not in self._types:
            found = self.page(f"event/{name}")
            if found is None:
                return None
            self._types[name] = found
        return self._types[name]

    def mechanisms_into(self, event_type: str) -> None:
        """Read every mechanism that leads to this type, at once or by others in between."""
        page = self.event_type(event_type)
        for name in page.listed("It may be the effect in") if page else ():
            if name in self._mechanisms:
                continue
            found = self.page(f"mechanism/{name}")
            cause = found.side("Cause") if found else None
            if found is not None and cause is not None:
                self._mechanisms[name] = found
                self.mechanisms_into(cause.type)

    def expectations(self, hint: str) -> None:
        """Read the pages of what is expected to be recorded, those nearest to `hint`."""
        for hit in self._desk.look(f"expected record: {hint}", HANDBOOK, 20):
            name = hit.id.removeprefix(f"{HANDBOOK}/silence/")
            page = None if name == hit.id else self.page(f"silence/{name}")
            after, expected = (page.side(h) if page else None for h in ("After", "Expected"))
            if page is not None and after is not None and expected is not None:
                self._expected[name] = page
                self.event_type(after.type)
                self.event_type(expected.type)

    def text(self) -> str:
        """All that was read, as a rule file."""
        blocks = [_event(name, page) for name, page in sorted(self._types.items())]
        blocks += [_link(name, page) for name, page in sorted(self._mechanisms.items())]
        blocks += [_silence(name, page) for name, page in sorted(self._expected.items())]
        places = {s for page in self._expected.values() for s, _ in _searches(page)}
        named = [f"subsystem {', '.join(f'`{s}`' for s in sorted(places))}"] if places else []
        return "\n".join(["gev 1", "domain seen", 'timezone "UTC"', *named, *blocks, ""])


def _event(name: str, page: Page) -> str:
    fields = (f.rpartition(" (") for f in page.listed("Fields"))
    inside = " ".join(f"`{field}`: {kind.removesuffix(')')}" for field, _, kind in fields)
    label = (page.after("Texts call it:") or [f"{name}."])[0].removesuffix(".")
    return f"event `{name}` {_quoted(label)} {{ {inside} }}"


def _link(name: str, page: Page) -> str:
    cause, effect = page.side("Cause"), page.side("Effect")
    assert cause is not None
    assert effect is not None
    lines = [cause.clause("cause"), effect.clause("effect"), *page.joined()]
    lines += [f"  match {word}" for line, word in _MATCH.items() if line in page.lines]
    lines += [f"  necessity {word}" for head, word in _NECESSITY.items() if page.after(head)]
    lines += [f"  aka {_quoted(alias)}" for alias in page.listed("Also called")]
    shown = (page.after("Shown by:") or [""])[0].removesuffix(".")
    if shown and shown != "the artifacts of both records":
        lines.append(f"  evidence {shown.replace(', or ', ' or ')}")
    return "\n".join([f"link `{name}` {{", *lines, "}"])


def _silence(name: str, page: Page) -> str:
    after, expected = page.side("After"), page.side("Expected")
    assert after is not None
    assert expected is not None
    lines = [after.clause("after"), expected.clause("expect"), *page.joined()]
    lines += [f'  search `{place}` for "{text}"' for place, text in _searches(page)]
    lines += [f"  fetch {what}" for what in page.listed("Look also into")]
    return "\n".join([f"silence `{name}` {{", *lines, "}"])


def _searches(page: Page) -> Iterable[tuple[str, str]]:
    found = (_SEARCH.fullmatch(line) for line in page.lines)
    return [(match[1], match[2]) for match in found if match]


def _quoted(text: str) -> str:
    return f'"{text}"'
