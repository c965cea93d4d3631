"""What a test is given: plain values, held against what there is to be given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

from groundeval.diagnostics import Span, codes
from groundeval.diagnostics.suggestions import did_you_mean, nearest
from groundeval.ir import program as ir
from groundeval.ir.types import ARTIFACT_FIELDS, SUBSYSTEM, TIME, Type
from groundeval.semantics.elaborate import Elaborator
from groundeval.semantics.elaborate.types import EVENT_TYPE
from groundeval.semantics.elaborate.vocabulary import TOOLS, check_word
from groundeval.semantics.scope import Scope
from groundeval.semantics.track_questions import ABSTAIN
from groundeval.syntax import ast

Kind = Literal["artifact", "event", "actor", "question", "truth", "trace"]
KINDS: Final[tuple[Kind, ...]] = ("artifact", "event", "actor", "question", "truth", "trace")
NAMED: Final = frozenset({"artifact", "event", "actor"})
CONTRACT: Final = "contract"

_TIMES: Final[Mapping[str, frozenset[str]]] = {
    "artifact": frozenset({"created", "deleted"}),
    "event": frozenset({"at"}),
    "actor": frozenset({"from", "until"}),
    "question": frozenset({"as_of"}),
}
_WORDS: Final[Mapping[tuple[str, str], Type]] = {
    ("artifact", "subsystem"): SUBSYSTEM,
    ("event", "type"): EVENT_TYPE,
}
_NEEDED: Final[Mapping[str, tuple[str, ...]]] = {"event": ("type", "at")}
_CLOSED: Final[Mapping[str, frozenset[str]]] = {
    "question": frozenset({"about", "actor", "as_of"}),
    "trace": frozenset({"steps", "answer", "cited", "mode", "gated", "error"}),
}
STEP: Final = frozenset(
    {
        *("tool", "query", "subsystem", "artifact", "limit", "results", "text"),
        *("refused", "breaks", "suppressed", "arguments", "latency_ms"),
    }
)
_PARTS: Final = ("facts", "artifacts")
"""Records in a given event that hold fields of its type."""
_ARTIFACT: Final = frozenset({*ARTIFACT_FIELDS, "versions"} - {"id", "events"})
_EVENT: Final = frozenset({"type", "at", "actors", *_PARTS})
_ACTOR: Final = frozenset({"role", "roles", "from", "until"})


@dataclass(frozen=True, slots=True)
class Givens:
    """Elaborates the `given`s of one test; `track` is what the test is for."""

    el: Elaborator
    track: ir.Track | None

    def all(self, trees: Iterable[ast.Given]) -> tuple[ir.GivenItem, ...]:
        """What is given, as written; a thing that is given twice is a finding."""
        found: list[ir.GivenItem] = []
        seen: set[tuple[str, str | None]] = set()
        for tree in trees:
            item = self._item(tree)
            if item is None:
                continue
            if (item.kind, item.name) in seen:
                what = f"the {item.kind}" + (f" `{item.name}`" if item.name else "")
                self.el.report(
                    codes.REPEATED_GIVEN, tree.kind.span, f"{what} is given twice", "the second"
                )
                continue
            seen.add((item.kind, item.name))
            found.append(item)
        return tuple(found)

    def _item(self, tree: ast.Given) -> ir.GivenItem | None:
        kind = next((k for k in KINDS if k == tree.kind.text), None)
        if kind is None:
            message = f"a test is given no `{tree.kind.text}`"
            help_ = did_you_mean(tree.kind.text, [*KINDS, CONTRACT])
            self.el.report(codes.UNKNOWN_GIVEN, tree.kind.span, message, "unknown", help_)
            return None
        if not self._has_place(tree, kind) or tree.record is None:
            return None
        values = {e.key.text: self._value(kind, e) for e in tree.record.entries}
        self._hold_keys(kind, tree.record, self._keys(kind))
        for needed in _NEEDED.get(kind, ()):
            if needed not in values:
                message = f"an event is given without its `{needed}`"
                self.el.report(codes.BAD_GIVEN, tree.record.span, message, "", f"add `{needed}: …`")
        match kind:
            case "trace":
                self._hold_trace(tree.record)
            case "event":
                self._hold_event(tree.record, str(values.get("type")))
            case "artifact":
                self._hold_spelling(kind, tree.record, _ARTIFACT)
                self._hold_words(tree.record, ("participants",), self.el.symbols.actors)
            case "actor":
                self._hold_spelling(kind, tree.record, _ACTOR)
                self._hold_words(tree.record, ("role", "roles"), self.el.symbols.roles)
            case _:
                pass
        return ir.GivenItem(kind, tree.name.text if tree.name else None, values, tree.span)

    def _has_place(self, tree: ast.Given, kind: Kind) -> bool:
        """Whether the thing has a name where it needs one, and a track to belong to."""
        if kind in NAMED:
            if tree.name is not None:
                return True
            message, help_ = f"the {kind} has no name", f"write `given {kind} NAME {{ … }}`"
        elif self.track is not None:
            return True
        else:
            message = f"a {kind} is given, but the test is for no track"
            help_ = 'write `test "…" for track NAME { … }`'
        self.el.report(codes.BAD_GIVEN, tree.kind.span, message, "", help_)
        return False

    def _value(self, kind: Kind, entry: ast.Entry) -> Any:
        key = entry.key.text
        wanted = TIME if key in _TIMES.get(kind, ()) else None
        value = self.el.constant(
            entry.value, Scope(place="what a test is given"), wanted, names_as_text=True
        )
        word = _WORDS.get((kind, key))
        if word is not None and isinstance(value, str):
            check_word(self.el, entry.value.span, value, word)
        return value

    def _hold_event(self, record: ast.Record, event_type: str) -> None:
        """Field names, wherever in the event they stand, and those who took part."""
        self._hold_words(record, ("actors",), self.el.symbols.actors)
        symbol = self.el.symbols.events.get(event_type)
        fields = frozenset(symbol.fields) if symbol is not None else frozenset()
        self._hold_spelling("event", record, _EVENT | fields)
        for entry in record.entries:
            if entry.key.text in _PARTS and isinstance(entry.value, ast.Record):
                self._hold_spelling("event", entry.value, fields)

    def _hold_spelling(self, kind: Kind, record: ast.Record, known: frozenset[str]) -> None:
        """Report keys that are near misses of known ones; others are attributes of their own."""
        for key in (e.key for e in record.entries):
            if key.text not in known and not key.quoted and nearest(key.text, known) is not None:
                message = f"no {kind} has `{key.text}`"
                help_ = did_you_mean(key.text, known) + " Another name stands in backticks"
                self.el.report(codes.BAD_GIVEN, key.span, message, "unknown", help_)

    def _hold_words(
        self, record: ast.Record, keys: tuple[str, ...], known: Mapping[str, Span]
    ) -> None:
        """Report names in the lists at `keys` that are near misses of declared ones."""
        for entry in (e for e in record.entries if e.key.text in keys):
            listed = (
                entry.value.items if isinstance(entry.value, ast.ListLiteral) else [entry.value]
            )
            for name in (item for item in listed if isinstance(item, ast.Variable)):
                if name.name not in known and nearest(name.name, known) is not None:
                    message = f"there is no `{name.name}`"
                    help_ = did_you_mean(name.name, known) + " Another name stands in quotes"
                    self.el.report(codes.BAD_GIVEN, name.span, message, "not declared", help_)

    def _keys(self, kind: Kind) -> frozenset[str] | None:
        """The keys that there are, None where any will do."""
        if kind == "truth" and self.track is not None:
            return frozenset(n for n, _ in (*self.track.truth, *self.track.truth_reads))
        return _CLOSED.get(kind)

    def _hold_keys(self, kind: str, record: ast.Record, known: frozenset[str] | None) -> None:
        for entry in record.entries if known is not None else ():
            if known is not None and entry.key.text not in known:
                message = f"the {kind} has no `{entry.key.text}`"
                help_ = did_you_mean(entry.key.text, known)
                self.el.report(codes.BAD_GIVEN, entry.key.span, message, "unknown", help_)

    def _hold_trace(self, record: ast.Record) -> None:
        for entry in record.entries:
            match entry.key.text, entry.value:
                case "steps", ast.ListLiteral(_, items):
                    for step in items:
                        self._hold_step(step)
                case "answer", ast.Record() as answer:
                    fields = self.track.answer if self.track is not None else ()
                    self._hold_keys(
                        "answer", answer, frozenset({ABSTAIN, *(f.name for f in fields)})
                    )
                case "answer", ast.Constant(_, None):
                    pass
                case ("steps" | "answer") as key, value:
                    wanted = "a list of records" if key == "steps" else "a record"
                    message = f"`{key}` is {wanted}"
                    self.el.report(codes.BAD_GIVEN, value.span, message)
                case _:
                    pass

    def _hold_step(self, step: ast.Expr) -> None:
        if not isinstance(step, ast.Record):
            message = "a step is a record"
            help_ = 'as in `{ tool: "fetch" artifact: "X" }`'
            self.el.report(codes.BAD_GIVEN, step.span, message, "", help_)
            return
        self._hold_keys("step", step, STEP)
        tools = [e.value for e in step.entries if e.key.text == "tool"]
        for tool in tools:
            name = self.el.trial().constant(tool, Scope(), names_as_text=True)
            if name not in TOOLS:
                message = f"there is no tool `{name}`"
                help_ = did_you_mean(str(name), TOOLS)
                self.el.report(codes.BAD_GIVEN, tool.span, message, "unknown tool", help_)
        if not tools:
            message = "the step has no `tool`"
            self.el.report(codes.BAD_GIVEN, step.span, message, "", 'add `tool: "fetch"`')


def given_artifacts(items: Iterable[ir.GivenItem]) -> frozenset[str]:
    """The ids of the artifacts that there are in a test: those given, and those events name."""
    found = set[str]()
    for item in items:
        if item.kind == "artifact" and item.name is not None:
            found.add(item.name)
        parts = item.values.get("artifacts") if item.kind == "event" else None
        for ids in parts.values() if isinstance(parts, Mapping) else ():
            found |= {ids} if isinstance(ids, str) else set(ids or ())
    return frozenset(found)
