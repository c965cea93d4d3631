"""Replies as traces can hold them: what is recorded can be read again, whatever an agent says."""

from __future__ import annotations

from typing import Any, Final

import msgspec

from groundeval.runs.agent import Reply
from groundeval.world.canonical import canonical_json
from groundeval.world.json_text import TextFault, decode_json, normalised

LARGEST_REPLY: Final = 1 << 20
"""Bytes of a reply as JSON."""


def recordable(reply: Reply) -> Reply:
    """The reply as plain JSON, its texts in NFC; else an error that says what cannot be held.

    Plain JSON has no NaN, no infinities, no lone surrogates, and is nested at most 64 levels deep.
    """
    try:
        plain = msgspec.to_builtins(reply, order="deterministic")
        written = canonical_json(plain)
        msgspec.json.encode(plain)
    except UnicodeEncodeError:
        return _unheld("a text of it holds half a character, a lone surrogate")
    except (TypeError, ValueError, OverflowError, RecursionError) as fault:
        return _unheld(str(fault) or "it is nested too deep")
    if len(written) > LARGEST_REPLY:
        return _unheld(f"it is longer than {LARGEST_REPLY:,} bytes")
    return _read(decode_json(written), plain)


def _read(value: Any, plain: Any) -> Reply:
    if isinstance(value, TextFault):
        return _unheld(value.message)
    try:
        # The numbers are those of the agent: canonical JSON has cut their decimals.
        return msgspec.convert(normalised(plain), Reply)
    except msgspec.ValidationError as fault:
        return _unheld(str(fault))


def _unheld(reason: str) -> Reply:
    plain = reason.encode("utf-8", "replace").decode()
    return Reply(error=f"the reply cannot be recorded: {plain[:1].lower()}{plain[1:200]}")
