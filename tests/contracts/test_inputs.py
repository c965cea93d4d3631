from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from groundeval.contracts.inputs import event_record, events_json
from groundeval.world.canonical import canonical_json
from groundeval.world.events import Event

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)  # fmt: skip
RECORDS = st.dictionaries(st.text(), VALUES, max_size=4)


EVENTS = st.builds(
    Event,
    id=st.text(max_size=4),
    type=st.just("t"),
    at=st.just(5),
    actors=st.just(("a",)),
    artifacts=st.just({"k": ("y", "x"), "b": ("z",)}),
    facts=RECORDS,
    extra=RECORDS,
    rank=st.none() | st.integers(0, 9),
)


@given(st.lists(EVENTS, max_size=6))
def test_the_short_way_writes_the_same_bytes(events: list[Event]) -> None:
    expected = sorted(canonical_json(event_record(event)) for event in events)
    assert sorted(events_json(events)) == expected


def test_batches_lose_nothing() -> None:
    events = [Event(id=str(n), type="t", at=n, facts={"n": n}) for n in range(10_001)]
    assert sorted(events_json(events)) == sorted(canonical_json(event_record(e)) for e in events)
