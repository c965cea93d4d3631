from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from groundeval.contracts.inputs import event_json, event_record
from groundeval.world.canonical import canonical_json
from groundeval.world.events import Event

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=6,
)  # fmt: skip
RECORDS = st.dictionaries(st.text(), VALUES, max_size=4)


@given(RECORDS, RECORDS, st.none() | st.integers(0, 9))
def test_the_short_way_writes_the_same_bytes(
    facts: dict[str, Any], extra: dict[str, Any], rank: int | None
) -> None:
    event = Event(
        id="e", type="t", at=5, actors=("a",), artifacts={"k": ("x", "y")}, facts=facts,
        extra=extra, rank=rank,
    )  # fmt: skip
    assert event_json(event) == canonical_json(event_record(event))
