"""Calls of a client that wants to see what is closed to it: crafted ones, and sheer noise."""

from __future__ import annotations

from random import Random
from typing import Any

from tests.server.vault import CANARY, closed

Call = tuple[str, dict[str, Any]]

ABSENT = [
    "V-1", "V-99", "X-0", "F-9", "", " ", "T-0\0", "../V-0", "vault/V-0", "/etc/passwd",
    "file:///etc/passwd", "groundeval://artifact/V-0", "http://127.0.0.1/V-0", "V-0%00",
    "V-0/../V-0", "\ud800", "é" * 3000, "C:\\V-0", "\\\\host\\V-0", "artifacts.jsonl", "desk.gev",
]  # fmt: skip
ODD: list[Any] = [
    None, True, 0, -1, 1e308, 2**80, [], ["V-0"], {"id": "V-0"}, "V-0", "", "\0", "x" * 5000,
    {"$ref": "#/truth"}, [[[[["V-3"]]]]], "T-0",
]  # fmt: skip
_NOISE = "VTWF-0123456789 ./\\%\0\n\u202e\u0301éÉßﬀ*?'\"{}[]$~\ud800"
_WHERE = ["vault", "Vault", "vault/", "../vault", "nowhere", "", "wiki", "tickets", "handbook"]
_FOREIGN = ["actor", "as_of", "role", "contract", "gated", "question", "mode", "__class__"]
_TOOLS = ["search", "fetch", "question"]


def crafted(rng: Random) -> Call:
    """One call; what its arguments are is anybody's guess."""
    makers = (_fetch, _near, _search, _everywhere, _search_in, _odd, _as_another, _mixed, _no_tool)
    return rng.choice(makers)(rng)


def _fetch(rng: Random) -> Call:
    return "fetch", {"id": rng.choice([*closed(), *ABSENT, "T-0", "T-1"])}


def _near(rng: Random) -> Call:
    """An id that is almost one of theirs."""
    name = rng.choice(closed())
    at = rng.randrange(len(name) + 1)
    some = "".join(rng.choices(_NOISE, k=rng.randrange(4)))
    return "fetch", {
        "id": rng.choice([name[:at] + some + name[at:], name.lower(), some, f" {name} "])
    }


def _search(rng: Random) -> Call:
    words = [
        CANARY,
        "vault",
        "outage",
        "review",
        rng.choice(closed()),
        "shared words",
        "T-3",
        "stamp",
    ]
    query = " ".join(rng.sample(words, rng.randrange(1, 5)))
    return "search", {"query": query, "limit": rng.choice([1, 10, 20, 10**9, "7", None])}


def _everywhere(rng: Random) -> Call:
    kind, number = rng.choice("tw"), rng.randrange(40)
    return "search", {"query": rng.choice([f"stamp{number}{kind}", f"T-{number}", f"V-{number}"])}


def _search_in(rng: Random) -> Call:
    words = [CANARY, "outage", "review", "shared", rng.choice(closed())]
    return "search", {"query": rng.choice(words), "subsystem": rng.choice(_WHERE)}


def _odd(rng: Random) -> Call:
    return "fetch", {rng.choice(["id", "artifact", "path", "ID", ""]): rng.choice(ODD)}


def _as_another(rng: Random) -> Call:
    foreign = {rng.choice(_FOREIGN): rng.choice(["kim", "keeper", "2027-01-01T00:00:00Z", *ODD])}
    return rng.choice(_TOOLS), {"query": CANARY, **foreign}


def _mixed(rng: Random) -> Call:
    names = rng.choices(["query", "subsystem", "limit", "id"], k=3)
    noise = "".join(rng.choices(_NOISE, k=rng.randrange(30)))
    return rng.choice(_TOOLS), {name: rng.choice([*ODD, noise]) for name in names}


def _no_tool(rng: Random) -> Call:
    name = rng.choice(["truth", "read_file", "Search", "fetch ", "submit", "", "resources/read"])
    return name, {"id": rng.choice(closed())}
