"""The hash chain over a trace's steps: what notices a damaged or altered trace."""

from __future__ import annotations

import hashlib
import hmac
from typing import TYPE_CHECKING, Final

from groundeval.world.canonical import canonical_json

if TYPE_CHECKING:
    from collections.abc import Iterable

    from groundeval.traces.model import Step

_START: Final = b"groundeval.chain/1"


def chain(steps: Iterable[Step], key: bytes | None = None) -> str:
    """The hash over all steps, each with the one before.

    The first link is SHA-256 over the ASCII bytes `groundeval.chain/1`; each further one is
    SHA-256 over the link before (its 32 bytes) followed by the step's canonical JSON, in which
    fields with their default value are left out. The last link's hex digits stand behind
    `sha256:`. With a `key` each link is HMAC-SHA256 of the same bytes, and `hmac-sha256:` stands
    before the digits, so that a sealed chain cannot pass for an unsealed one.
    """
    link = _link(_START, key)
    for step in steps:
        link = _link(link + canonical_json(step), key)
    return f"{'sha256' if key is None else 'hmac-sha256'}:{link.hex()}"


def _link(data: bytes, key: bytes | None) -> bytes:
    if key is None:
        return hashlib.sha256(data).digest()
    return hmac.new(key, data, hashlib.sha256).digest()
