"""Responses of models on disk, so that a run which is made again asks for nothing twice."""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import msgspec

from groundeval.world.drafts import Drafts

SCHEMA: Final = "groundeval.response/1"


class _Entry(msgspec.Struct, frozen=True):
    """A file of the cache: the response as it came, what it answers, and a hash over both."""

    schema: str
    key: str
    response: msgspec.Raw
    digest: str


@dataclass(slots=True)
class CacheUse:
    """How often the cache had a response, had none, or had one that could not be used."""

    hits: int = 0
    misses: int = 0
    damaged: int = 0


def response_key(request: Any) -> str:
    """The hex SHA-256 of a request with all that it depends on.

    `request` is plain JSON. Keys of objects have no order, everything else counts, floats to
    their last digit (which canonical JSON would round).
    """
    written = json.dumps(request, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(written.encode()).hexdigest()


class ResponseCache:
    """Responses by `response_key`, one file each; many threads and processes may share a folder.

    A file is written whole or not at all. One that is damaged all the same counts as none, and
    is told to `report`, as is a folder that cannot be written.
    """

    def __init__(self, folder: Path, report: Callable[[str], None]) -> None:
        self.use = CacheUse()
        self._folder = folder
        self._report = report
        self._counting = threading.Lock()

    def get(self, key: str) -> bytes | None:
        """The JSON that was kept under a key; None where there is none that can be used."""
        path = self._shard(key) / _name(key)
        try:
            written = path.read_bytes()
        except FileNotFoundError:
            with self._counting:
                self.use.misses += 1
            return None
        except OSError as fault:
            self._pass_over(key, (fault.strerror or "it cannot be read").lower())
            return None
        found = _read(key, written)
        if found is None:
            self._pass_over(key, "it is cut or was changed")
            return None
        with self._counting:
            self.use.hits += 1
        return found

    def put(self, key: str, response: bytes) -> None:
        """Keep a response, which is JSON. What cannot be written is reported, not raised."""
        entry = _Entry(SCHEMA, key, msgspec.Raw(response), _digest(key, response))
        try:
            with Drafts(self._shard(key)) as drafts:
                drafts.write(_name(key), msgspec.json.encode(entry))
        except OSError as fault:
            reason = (fault.strerror or "it cannot be written").lower()
            self._report(f"a response was not kept in the cache: {reason}")

    def _shard(self, key: str) -> Path:
        return self._folder / key[:2]

    def _pass_over(self, key: str, reason: str) -> None:
        with self._counting:
            self.use.damaged += 1
        self._report(f"the cached response `{key[:2]}/{_name(key)}` is passed over: {reason}")


def _name(key: str) -> str:
    return f"{key[2:]}.json"


def _read(key: str, written: bytes) -> bytes | None:
    try:
        entry = msgspec.json.decode(written, type=_Entry)
    except msgspec.DecodeError:
        return None
    response = bytes(entry.response)
    good = (SCHEMA, key, _digest(key, response)) == (entry.schema, entry.key, entry.digest)
    return response if good else None


def _digest(key: str, response: bytes) -> str:
    return hashlib.sha256(key.encode() + b"\n" + response).hexdigest()
