"""Random worlds and random well-typed expressions over them: what the evaluators are held equal on.

Everything is drawn from one `random.Random`, so a case is named by its seed; under hypothesis the
draws come from `st.randoms`, which shrinks.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any, Final, Literal, cast

from groundeval.diagnostics import Span
from groundeval.functions import Host
from groundeval.ir import expressions as ir
from groundeval.ir import types as t
from groundeval.ir.expressions import Expr
from groundeval.world.access import Access, Actor, RoleDefinition, Stint
from groundeval.world.artifacts import Artifact, Corpus, Version
from groundeval.world.events import Event, MemoryLog
from groundeval.world.world import World

SPAN = Span("case.gev", 1, 1, 1, 2)
WORDS = ("a", "b", "B", "c", "é", "")
ARTIFACTS = ("A1", "A2", "A3", "gone")
ACTORS = ("ann", "bob", "eve")
SUBSYSTEMS = ("git", "wiki", "mail")
MANY = t.Type("text", optional=True, many=True)
HUGE = 10**400
FACTS = ("severity", "count", "flag", "tags", "nested")


SUMS: Final[tuple[Literal["+", "-", "*", "/"], ...]] = ("+", "-", "*", "/")
UNIONS: Final[tuple[Literal["|", "&", "-"], ...]] = ("|", "&", "-")


@dataclass(frozen=True)
class RuleHost:
    """A world and nothing else of what a host has."""

    world: World


def rule_host(world: World) -> Host:
    """A host of which rules may ask for the world only: anything else raises AttributeError."""
    return cast("Host", RuleHost(world))


def pick(rng: Random, options: Any) -> Any:
    return options[rng.randrange(len(options))]


def scalar(rng: Random) -> Any:
    return pick(
        rng,
        (
            None,
            True,
            False,
            0,
            1,
            2,
            -3,
            1.0,
            0.5,
            HUGE,
            -HUGE,
            1e308,
            "a",
            "b",
            "1",
            "B",
            "é",
            "x\ud800",
            "",
        ),
    )


def json_value(rng: Random, depth: int = 2) -> Any:
    kind = rng.randrange(8) if depth else 0
    if kind == 6:
        return [json_value(rng, depth - 1) for _ in range(rng.randrange(4))]
    if kind == 7:
        return {name: json_value(rng, depth - 1) for name in ("p", "q") if rng.randrange(3)}
    return scalar(rng)


def some(rng: Random, options: Any, most: int) -> tuple[Any, ...]:
    return tuple(dict.fromkeys(pick(rng, options) for _ in range(rng.randrange(most + 1))))


def event(rng: Random, number: int) -> Event:
    facts = {n: json_value(rng) for n in FACTS if rng.randrange(3)}
    kinds = {k: some(rng, ARTIFACTS, 2) for k in ("jira", "doc") if rng.randrange(2)}
    return Event(
        id=f"e{number}",
        type=pick(rng, ("opened", "closed")),
        at=rng.randrange(6),
        actors=some(rng, ACTORS, 2),
        artifacts={k: v for k, v in kinds.items() if v},
        facts=facts,
        extra={"note": json_value(rng, 1)} if rng.randrange(2) else {},
    )


def artifact(rng: Random, name: str) -> Artifact:
    created = pick(rng, (None, 0, 1, 3))
    starts = sorted({created or 0, *(rng.randrange(6) for _ in range(rng.randrange(3)))})
    versions = tuple(
        Version(
            start=start,
            title=pick(rng, WORDS),
            text=pick(rng, WORDS),
            labels=some(rng, WORDS, 2),
            attributes={n: json_value(rng, 1) for n in ("owner", "rank") if rng.randrange(3)},
        )
        for start in starts
        if start >= (created or 0)
    )
    return Artifact(
        id=name,
        subsystem=pick(rng, SUBSYSTEMS),
        created=created,
        deleted=pick(rng, (None, None, 4)),
        participants=some(rng, ACTORS, 1),
        versions=versions,
    )


def roles(rng: Random) -> tuple[RoleDefinition, ...]:
    return tuple(
        RoleDefinition(
            name,
            frozenset({name, "staff"} if rng.randrange(2) else {name}),
            {
                "reads": frozenset(some(rng, SUBSYSTEMS, 2)),
                "hears": frozenset(some(rng, ("opened", "closed"), 1)),
            },
        )
        for name in ("lead", "sales")
    )


def actor(rng: Random, name: str) -> Actor:
    stints = tuple(
        Stint(pick(rng, ("lead", "sales")), pick(rng, (None, 1, 2)), pick(rng, (None, 3, 4)))
        for _ in range(rng.randrange(3))
    )
    attributes = {n: json_value(rng, 1) for n in ("team", "level") if rng.randrange(3)}
    return Actor(name, stints, attributes)


def world(rng: Random, events: int = 8) -> World:
    return World(
        log=MemoryLog(event(rng, n) for n in range(events)),
        corpus=Corpus(artifact(rng, name) for name in ARTIFACTS[:3]),
        access=Access((actor(rng, name) for name in ACTORS[:2]), roles(rng)),
    )


ANSWER = {
    "yes": t.BOOL.maybe,
    "score": t.NUMBER.maybe,
    "word": t.TEXT.maybe,
    "ids": t.set_of(t.TEXT).maybe,
}


def answer(rng: Random) -> dict[str, Any]:
    full = {
        "yes": bool(rng.randrange(2)),
        "score": pick(rng, (0, 1, 0.5, 3)),
        "word": pick(rng, WORDS),
        "ids": frozenset(some(rng, WORDS + ARTIFACTS, 3)),
    }
    return {name: value for name, value in full.items() if rng.randrange(3)}


def environment(rng: Random, around: World) -> dict[str, Any]:
    events = tuple(around.log)
    who, as_of = pick(rng, ACTORS), rng.randrange(7)
    return {
        "actor": who,
        "role": around.access.role_at(who, as_of),
        "as_of": as_of,
        "artifact": pick(rng, ARTIFACTS),
        "e": pick(rng, events),
        "f": pick(rng, events),
        "answer": answer(rng),
        "j": json_value(rng),
        "word": pick(rng, (*WORDS, None)),
        "numbers": tuple(pick(rng, (0, 1, 2, 0.5, 1.0, -3)) for _ in range(rng.randrange(4))),
    }


VARIABLES = {
    "actor": t.ACTOR,
    "role": t.ROLE,
    "as_of": t.TIME,
    "artifact": t.ARTIFACT,
    "e": t.EVENT,
    "f": t.EVENT,
    "answer": t.Type("record", fields=tuple(ANSWER.items())),
    "j": t.JSON,
    "word": t.TEXT.maybe,
    "numbers": t.list_of(t.NUMBER),
}
PARAMS = tuple(VARIABLES)
ITEM_TYPES = {"text": t.TEXT, "json": t.JSON, "event": t.EVENT, "number": t.NUMBER}


@dataclass
class Programs:
    """Draws expressions of a wanted kind; `scope` holds the bound variables by kind."""

    rng: Random
    scope: dict[str, list[tuple[str, t.Type]]] = field(default_factory=dict)
    only: frozenset[str] = frozenset(VARIABLES)
    count: int = 0

    def var(self, name: str) -> Expr:
        return ir.Var(SPAN, VARIABLES[name], name)

    def one_of(self, options: list[Callable[[], Expr]]) -> Expr:
        made: Expr = pick(self.rng, options)()
        return made

    def draw(self, kind: str, depth: int) -> Expr:
        bound = self.scope.get(kind, [])
        if bound and self.rng.randrange(3) == 0:
            name, shape = pick(self.rng, bound)
            return ir.Var(SPAN, shape, name)
        leaf = depth <= 0 or self.rng.randrange(8) == 0
        made: Expr = getattr(self, f"{kind}_leaf" if leaf else kind)(depth - 1)
        return made

    # --- truth values

    def bool_leaf(self, _: int) -> Expr:
        options: list[Callable[[], Expr]] = [
            lambda: ir.Const(SPAN, t.BOOL, bool(self.rng.randrange(2))),
            lambda: ir.Const(SPAN, t.MISSING, None),
            lambda: ir.Order(
                SPAN,
                t.BOOL,
                "<=",
                ir.ArtifactField(
                    SPAN, t.TIME.maybe, self.var("artifact"), "created", self.var("as_of")
                ),
                self.var("as_of"),
            ),
        ]
        if "answer" in self.only:
            options.append(lambda: ir.RecordField(SPAN, ANSWER["yes"], self.var("answer"), "yes"))
        return self.one_of(options)

    def bool(self, d: int) -> Expr:
        draw, rng = self.draw, self.rng
        kind = rng.choice(("text", "number", "json", "json", "text"))
        negated = bool(rng.randrange(2))
        some_kind = rng.choice(
            ("text", "json", "number", "list_text", "set_text", "list_json", "bool")
        )
        item = rng.choice(("text", "json", "number"))
        return self.one_of(
            [
                lambda: ir.Not(SPAN, t.BOOL, draw("bool", d)),
                lambda: ir.And(SPAN, t.BOOL, draw("bool", d), draw("bool", d)),
                lambda: ir.And(SPAN, t.BOOL, draw("bool", d), draw("json", d)),
                lambda: ir.Or(SPAN, t.BOOL, draw("bool", d), draw("bool", d)),
                lambda: ir.Equal(
                    SPAN, t.BOOL, draw(kind, d), draw(kind, d), negated, bool(rng.randrange(2))
                ),
                lambda: ir.Equal(
                    SPAN,
                    t.BOOL,
                    draw(some_kind, d),
                    draw("json", d),
                    negated,
                    bool(rng.randrange(2)),
                ),
                lambda: ir.Equal(
                    SPAN, t.BOOL, draw("set_text", d), draw("list_text", d), negated, False
                ),
                lambda: ir.Order(
                    SPAN, t.BOOL, rng.choice(("<", "<=", ">", ">=")), draw(kind, d), draw(kind, d)
                ),
                lambda: ir.Membership(
                    SPAN,
                    t.BOOL,
                    draw(kind, d),
                    draw(f"{rng.choice(('list', 'set'))}_{item}", d),
                    negated,
                ),
                lambda: ir.Membership(
                    SPAN,
                    t.BOOL,
                    self.var("actor"),
                    ir.ArtifactField(
                        SPAN,
                        t.set_of(t.ACTOR),
                        self.var("artifact"),
                        "participants",
                        self.var("as_of"),
                    ),
                    negated,
                ),
                lambda: ir.Membership(
                    SPAN,
                    t.BOOL,
                    draw("text", d),
                    ir.ArtifactField(
                        SPAN, t.set_of(t.TEXT), self.var("artifact"), "labels", self.var("as_of")
                    ),
                    negated,
                ),
                lambda: ir.Membership(SPAN, t.BOOL, draw("json", d), draw("json", d), negated),
                lambda: ir.Overlaps(SPAN, t.BOOL, draw(f"list_{item}", d), draw(f"set_{item}", d)),
                lambda: ir.Overlaps(SPAN, t.BOOL, draw("set_text", d), draw("json", d)),
                lambda: ir.Matches(
                    SPAN,
                    t.BOOL,
                    draw(rng.choice(("text", "json")), d),
                    rng.choice(("a", "^b", "[^a]$", "(?i)B")),
                ),
                lambda: ir.IsMissing(SPAN, t.BOOL, draw(some_kind, d), negated),
                lambda: self.if_("bool", d),
                lambda: ir.Coalesce(SPAN, t.BOOL, draw("bool", d), draw("bool", d)),
                lambda: self.quantifier(rng.choice(("any", "all")), "bool", t.BOOL, d),
                lambda: ir.Call(SPAN, t.BOOL, "empty/1", (draw(f"list_{item}", d),)),
                lambda: ir.Call(SPAN, t.BOOL, "as_bool/1", (draw("json", d),)),
                lambda: ir.Call(SPAN, t.BOOL, "same/2", (draw(kind, d), draw(kind, d))),
                lambda: ir.Call(SPAN, t.BOOL, "same_label/2", (draw("text", d), draw("json", d))),
                lambda: ir.Call(
                    SPAN, t.BOOL, "holds/2", (self.var("role"), ir.Const(SPAN, t.TEXT, "staff"))
                ),
                lambda: self.bind("bool", d),
            ]
        )

    def if_(self, kind: str, d: int) -> Expr:
        condition = self.draw("bool", d)
        then, otherwise = self.draw(kind, d), self.draw(kind, d)
        return ir.If(SPAN, then.type.maybe, condition, then, otherwise)

    def bind(self, kind: str, d: int) -> Expr:
        bound = self.rng.choice(("text", "number", "json", "bool"))
        value = self.draw(bound, d)
        return ir.Bind(SPAN, t.BOOL, *self.inside(bound, value.type, kind, d, value))

    def inside(
        self, bound: str, shape: t.Type, kind: str, d: int, first: Expr
    ) -> tuple[str, Expr, Expr]:
        self.count += 1
        name = f"x{self.count}"
        before = self.scope.get(bound, [])
        self.scope[bound] = [*before, (name, shape)]
        body = self.draw(kind, d)
        self.scope[bound] = before
        return name, first, body

    def quantifier(self, kind: Any, body: str, shape: t.Type, d: int) -> Expr:
        item = self.rng.choice(("text", "json", "number", "event", "event"))
        collection = self.draw(f"{self.rng.choice(('list', 'set'))}_{item}", d)
        item_type = collection.type.item or t.JSON
        name, _, inner = self.inside(item, item_type, body, d, collection)
        return ir.Quantifier(SPAN, shape, kind, name, collection, inner)

    def comprehension(self, form: Any, item: str, d: int) -> Expr:
        over = self.rng.choice(("text", "json", "number", "event"))
        collection = self.draw(f"{self.rng.choice(('list', 'set'))}_{over}", d)
        name, _, value = self.inside(over, collection.type.item or t.JSON, item, d, collection)
        before = self.scope.get(over, [])
        self.scope[over] = [*before, (name, collection.type.item or t.JSON)]
        condition = self.draw("bool", d) if self.rng.randrange(2) else None
        self.scope[over] = before
        shape = t.Type(form, ITEM_TYPES[item] if form == "set" else ITEM_TYPES[item].maybe)
        return ir.Comprehension(SPAN, shape, form, value, name, collection, condition)

    # --- numbers

    def number_leaf(self, _: int) -> Expr:
        options: list[Callable[[], Expr]] = [
            lambda: ir.Const(
                SPAN, t.NUMBER, pick(self.rng, (0, 1, 2, 3, -1, 0.5, 1.0, 2.5, HUGE, 1e308, 5000))
            ),
            lambda: self.var("as_of"),
            lambda: ir.ArtifactField(
                SPAN, t.TIME.maybe, self.var("artifact"), "created", self.var("as_of")
            ),
        ]
        if "answer" in self.only:
            options.append(
                lambda: ir.RecordField(SPAN, ANSWER["score"], self.var("answer"), "score")
            )
            options.append(lambda: ir.Attribute(SPAN, t.TIME, self.draw("event", 0), "at"))
        return self.one_of(options)

    def number(self, d: int) -> Expr:
        draw, rng = self.draw, self.rng
        shape = rng.choice((t.NUMBER, t.NUMBER, t.TIME, t.DURATION)).maybe
        operand = rng.choice(("number", "number", "json"))
        return self.one_of(
            [
                lambda: ir.Arithmetic(
                    SPAN, shape, rng.choice(SUMS), draw("number", d), draw(operand, d)
                ),
                lambda: ir.Negate(SPAN, t.NUMBER.maybe, draw(operand, d)),
                lambda: ir.ToNumber(SPAN, t.NUMBER.maybe, draw(rng.choice(("bool", "json")), d)),
                lambda: self.quantifier(rng.choice(("count", "share")), "bool", t.NUMBER.maybe, d),
                lambda: self.quantifier(rng.choice(("sum", "mean")), operand, shape, d),
                lambda: self.quantifier(rng.choice(("min", "max")), "number", t.NUMBER.maybe, d),
                lambda: ir.Call(SPAN, t.NUMBER, "size/1", (draw("set_text", d),)),
                lambda: ir.Call(
                    SPAN, t.NUMBER.maybe, "recall/2", (draw("set_text", d), draw("list_json", d))
                ),
                lambda: ir.Call(
                    SPAN,
                    t.NUMBER.maybe,
                    f"{rng.choice(('min', 'max'))}/2",
                    (draw("number", d), draw("json", d)),
                ),
                lambda: ir.Call(SPAN, t.NUMBER, "size/1", (draw("json", d),)),
                lambda: ir.Coalesce(SPAN, t.NUMBER.maybe, draw("number", d), draw("number", d)),
                lambda: self.if_("number", d),
            ]
        )

    # --- texts

    def text_leaf(self, _: int) -> Expr:
        options: list[Callable[[], Expr]] = [
            lambda: ir.Const(
                SPAN, t.TEXT, pick(self.rng, (*WORDS, *SUBSYSTEMS, "opened", '"""\\{x}\n'))
            ),
            lambda: self.var("actor"),
            lambda: self.var("artifact"),
            lambda: ir.ArtifactField(
                SPAN, t.SUBSYSTEM.maybe, self.var("artifact"), "subsystem", self.var("as_of")
            ),
            lambda: ir.ArtifactField(
                SPAN, t.TEXT.maybe, self.var("artifact"), "title", self.var("as_of")
            ),
        ]
        if "answer" in self.only:
            options.append(lambda: ir.RecordField(SPAN, ANSWER["word"], self.var("answer"), "word"))
            options.append(lambda: self.var("word"))
            options.append(lambda: ir.Attribute(SPAN, t.TEXT, self.draw("event", 0), "type"))
        return self.one_of(options)

    def text(self, d: int) -> Expr:
        draw, rng = self.draw, self.rng
        return self.one_of(
            [
                lambda: ir.Text(
                    SPAN,
                    t.TEXT.maybe,
                    (
                        "w ",
                        ir.Hole(draw(rng.choice(("text", "number", "list_text", "json")), d), None),
                        "!",
                    ),
                ),
                lambda: ir.Text(SPAN, t.TEXT.maybe, (ir.Hole(draw("set_text", d), None),)),
                lambda: ir.Text(SPAN, t.TEXT.maybe, (ir.Hole(self.var("as_of"), "date"),)),
                lambda: ir.Coalesce(SPAN, t.TEXT.maybe, draw("text", d), draw("text", d)),
                lambda: ir.Coalesce(SPAN, t.TEXT.maybe, draw("json", d), draw("text", d)),
                lambda: self.quantifier(rng.choice(("min", "max")), "text", t.TEXT.maybe, d),
                lambda: self.found("text", d),
                lambda: ir.Call(SPAN, t.TEXT.maybe, "stem/1", (draw("json", d),)),
                lambda: self.if_("text", d),
                lambda: self.text_leaf(d),
            ]
        )

    def found(self, item: str, d: int) -> Expr:
        form = self.rng.choice(("list", "set"))
        collection = self.draw(f"{form}_{item}", d)
        name, _, inner = self.inside(item, collection.type.item or t.JSON, "bool", d, collection)
        kind: Any = self.rng.choice(("first", "last"))
        return ir.Quantifier(SPAN, ITEM_TYPES[item].maybe, kind, name, collection, inner)

    # --- json and events

    def json_leaf(self, _: int) -> Expr:
        options: list[Callable[[], Expr]] = [
            lambda: ir.ActorField(
                SPAN, t.JSON, self.var("actor"), pick(self.rng, ("team", "level", "none"))
            ),
            lambda: ir.ArtifactField(
                SPAN,
                t.JSON,
                self.var("artifact"),
                pick(self.rng, ("owner", "rank")),
                self.var("as_of"),
            ),
        ]
        if "answer" in self.only:
            options += [
                lambda: self.var("j"),
                lambda: ir.Const(SPAN, t.JSON, scalar(self.rng)),
                lambda: ir.EventField(
                    SPAN,
                    MANY,
                    self.draw("event", 0),
                    pick(self.rng, (*FACTS, "jira", "note")),
                    "any",
                ),
                lambda: ir.EventField(
                    SPAN, MANY, self.draw("event", 0), pick(self.rng, FACTS), "facts"
                ),
                lambda: ir.EventField(SPAN, MANY, self.draw("event", 0), "jira", "artifacts"),
                lambda: ir.EventField(SPAN, t.JSON, self.draw("event", 0), "note", "extra"),
            ]
        return self.one_of(options)

    def json(self, d: int) -> Expr:
        draw, rng = self.draw, self.rng
        return self.one_of(
            [
                lambda: ir.Item(
                    SPAN, t.JSON, draw("json", d), draw(rng.choice(("number", "text", "json")), d)
                ),
                lambda: ir.RecordField(SPAN, t.JSON, draw("json", d), rng.choice(("p", "q"))),
                lambda: ir.RecordField(
                    SPAN,
                    t.JSON,
                    ir.Attribute(SPAN, t.JSON, draw("event", d), "facts"),
                    pick(rng, FACTS),
                ),
                lambda: ir.Coalesce(
                    SPAN, t.JSON, draw("json", d), draw(rng.choice(("json", "text")), d)
                ),
                lambda: self.found("json", d),
                lambda: ir.RecordOf(
                    SPAN, t.JSON, (("p", draw("json", d)), ('odd "key"', draw("text", d)))
                ),
                lambda: self.json_leaf(d),
                lambda: self.json_leaf(d),
            ]
        )

    def event_leaf(self, _: int) -> Expr:
        if "answer" in self.only:
            return self.var(self.rng.choice(("e", "f")))
        self.count += 1
        true = ir.Const(SPAN, t.BOOL, value=True)
        events = self.list_event_leaf(0)
        return ir.Quantifier(SPAN, t.EVENT.maybe, "first", f"x{self.count}", events, true)

    event = event_leaf

    # --- collections

    def list_text_leaf(self, _: int) -> Expr:
        options: list[Callable[[], Expr]] = [
            lambda: ir.Const(SPAN, t.list_of(t.TEXT), some(self.rng, (*WORDS, *SUBSYSTEMS), 4)),
        ]
        if "answer" in self.only:
            options.append(
                lambda: ir.EventArtifacts(SPAN, t.list_of(t.ARTIFACT), self.draw("event", 0))
            )
            options.append(
                lambda: ir.Attribute(SPAN, t.list_of(t.ACTOR), self.draw("event", 0), "actors")
            )
        return self.one_of(options)

    def list_text(self, d: int) -> Expr:
        draw = self.draw
        return self.one_of(
            [
                lambda: ir.ListOf(
                    SPAN, t.list_of(t.TEXT.maybe), (draw("text", d), draw("text", d))
                ),
                lambda: ir.AsList(SPAN, t.list_of(t.TEXT), draw("text", d)),
                lambda: ir.AsList(SPAN, t.list_of(t.TEXT), draw("set_text", d)),
                lambda: self.comprehension("list", "text", d),
                lambda: self.set_operation("list", "text", d),
                lambda: self.list_text_leaf(d),
            ]
        )

    def set_operation(self, form: str, item: str, d: int) -> Expr:
        left, right = (
            self.draw(f"{form}_{item}", d),
            self.draw(f"{self.rng.choice(('list', form))}_{item}", d),
        )
        shape = t.Type(form, ITEM_TYPES[item] if form == "set" else ITEM_TYPES[item].maybe)
        return ir.SetOperation(SPAN, shape, self.rng.choice(UNIONS), left, right)

    def set_text_leaf(self, _: int) -> Expr:
        options: list[Callable[[], Expr]] = [
            lambda: ir.RoleList(
                SPAN,
                t.set_of(t.TEXT),
                self.var("role"),
                self.rng.choice(("reads", "hears", "none")),
            ),
            lambda: ir.ArtifactField(
                SPAN, t.set_of(t.ACTOR), self.var("artifact"), "participants", self.var("as_of")
            ),
            lambda: ir.ArtifactField(
                SPAN, t.set_of(t.TEXT), self.var("artifact"), "labels", self.var("as_of")
            ),
        ]
        if "answer" in self.only:
            options.append(lambda: ir.RecordField(SPAN, ANSWER["ids"], self.var("answer"), "ids"))
        return self.one_of(options)

    def set_text(self, d: int) -> Expr:
        return self.one_of(
            [
                lambda: self.comprehension("set", "text", d),
                lambda: self.set_operation("set", "text", d),
                lambda: self.set_text_leaf(d),
            ]
        )

    def list_json_leaf(self, d: int) -> Expr:
        return ir.AsList(SPAN, t.list_of(t.JSON), self.json_leaf(d))

    def list_json(self, d: int) -> Expr:
        draw = self.draw
        return self.one_of(
            [
                lambda: ir.ListOf(
                    SPAN, t.list_of(t.JSON), (draw("json", d), draw("text", d), draw("number", d))
                ),
                lambda: ir.AsList(SPAN, t.list_of(t.JSON), draw("json", d)),
                lambda: ir.AsList(SPAN, t.list_of(t.JSON), draw("json", d)),
                lambda: self.comprehension("list", "json", d),
                lambda: self.set_operation("list", "json", d),
                lambda: draw("json", d),
            ]
        )

    def set_json(self, d: int) -> Expr:
        return self.one_of(
            [
                lambda: self.comprehension("set", "json", d),
                lambda: self.set_operation("set", "json", d),
            ]
        )

    def set_json_leaf(self, d: int) -> Expr:
        return ir.SetOperation(
            SPAN, t.set_of(t.JSON), "|", self.list_json_leaf(d), self.list_json_leaf(d)
        )

    def list_number_leaf(self, _: int) -> Expr:
        return (
            self.var("numbers")
            if "answer" in self.only
            else ir.Const(SPAN, t.list_of(t.NUMBER), (1, 2, 0.5))
        )

    def list_number(self, d: int) -> Expr:
        return self.one_of(
            [
                lambda: ir.ListOf(
                    SPAN,
                    t.list_of(t.NUMBER.maybe),
                    (self.draw("number", d), self.draw("number", d)),
                ),
                lambda: self.comprehension("list", "number", d),
                lambda: self.list_number_leaf(d),
            ]
        )

    def set_number(self, d: int) -> Expr:
        return self.comprehension("set", "number", d)

    def set_number_leaf(self, _: int) -> Expr:
        return ir.Comprehension(
            SPAN,
            t.set_of(t.NUMBER),
            "set",
            ir.Var(SPAN, t.NUMBER, "n0"),
            "n0",
            self.list_number_leaf(0),
            None,
        )

    def list_event_leaf(self, _: int) -> Expr:
        return ir.ArtifactField(
            SPAN, t.list_of(t.EVENT), self.var("artifact"), "events", self.var("as_of")
        )

    def list_event(self, d: int) -> Expr:
        if "answer" not in self.only:
            return self.list_event_leaf(d)
        return self.one_of(
            [
                lambda: self.list_event_leaf(d),
                lambda: ir.ListOf(SPAN, t.list_of(t.EVENT), (self.var("f"), self.var("e"))),
            ]
        )

    def set_event(self, d: int) -> Expr:
        return self.set_event_leaf(d)

    def set_event_leaf(self, d: int) -> Expr:
        collection = self.list_event(0)
        self.count += 1
        name = f"x{self.count}"
        return ir.Comprehension(
            SPAN, t.set_of(t.EVENT), "set", ir.Var(SPAN, t.EVENT, name), name, collection, None
        )


KINDS = (
    "bool",
    "bool",
    "number",
    "text",
    "json",
    "list_text",
    "set_text",
    "list_json",
    "set_json",
    "set_number",
)


def expression(rng: Random, depth: int = 4, kind: str | None = None) -> Expr:
    return Programs(rng).draw(kind or pick(rng, KINDS), depth)


def alike(left: Any, right: Any) -> bool:
    """Whether two values are the same to the last detail: None is not False, nor True 1."""
    if left is right or type(left) is not type(right):
        return left is right
    if isinstance(left, tuple | list):
        return len(left) == len(right) and all(map(alike, left, right))
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(alike(v, right[k]) for k, v in left.items())
    if isinstance(left, frozenset):
        pairs = {x: x for x in left}
        return left == right and all(alike(pairs.get(y), y) for y in right)
    return bool(left == right)
