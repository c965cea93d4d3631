"""One spelling for each value, the hashes over it, and the deterministic draws.

Two equal values give the same bytes on any machine, Python and hash seed: object keys are sorted
by code point, text is UTF-8 without needless escapes, nothing stands between the tokens, numbers
are written in one way only.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain
from operator import methodcaller
from typing import Final

import msgspec

_ENCODER: Final = msgspec.json.Encoder(order="sorted")
_LINES: Final = msgspec.json.Encoder(order="deterministic")
_INT64: Final = range(-(2**63), 2**63)
_TEXT: Final = frozenset((str,))
_DICT: Final = frozenset((dict,))
_PARTS: Final = methodcaller("values")
_SURE: Final = frozenset((str, bool, type(None)))
_FLAT: Final = _SURE | {int}


def canonical_json(value: object) -> bytes:
    """The canonical JSON of decoded JSON, of mappings, sequences, sets and msgspec structs.

    Floats have at most six decimals without trailing zeros (`1.0` and `1` are the same number and
    are written the same, `-0.0` is `0`); sets stand as arrays in the order of their members'
    bytes. Raises ValueError for NaN and infinities and TypeError for what JSON cannot hold:
    readers refuse both in a user's file.
    """
    return _ENCODER.encode(_plain(value))


def digest(value: object) -> str:
    """`sha256:` and the hex digest of the value's canonical JSON."""
    return "sha256:" + hashlib.sha256(canonical_json(value)).hexdigest()


def digest_records(records: Iterable[object]) -> str:
    """The digest of a collection of records whose order carries no meaning.

    It is the SHA-256 over the sorted SHA-256 digests (32 bytes each) of the records' canonical
    JSON, so neither the order of lines nor of files shows in it.
    """
    return digest_written(map(canonical_json, records))


def digest_written(written: Iterable[bytes]) -> str:
    """`digest_records` of records that are canonical JSON already."""
    sha256, size = hashlib.sha256, hashlib.sha256().digest_size
    # By first byte, since a million digests are sorted best a few thousand at a time.
    leaves = [bytearray() for _ in range(256)]
    for record in written:
        leaf = sha256(record).digest()
        leaves[leaf[0]] += leaf
    whole = sha256()
    for some in map(bytes, leaves):
        whole.update(b"".join(sorted(some[i : i + size] for i in range(0, len(some), size))))
    return "sha256:" + whole.hexdigest()


def are_flat(values: Iterable[Mapping[str, object]]) -> bool:
    """Whether each is a `dict` of texts, integers, truth values and nulls by texts, or empty.

    All parts are looked at together, which for very many values takes a quarter of the time.
    """
    filled = [value for value in values if value]
    return (
        _DICT.issuperset(map(type, filled))
        and _FLAT.issuperset(map(type, chain.from_iterable(map(_PARTS, filled))))
        and _TEXT.issuperset(map(type, chain.from_iterable(filled)))
    )


def flat_json(value: Mapping[str, object]) -> bytes:
    """`canonical_json` of an object that holds flat ones, texts and lists of texts alone.

    That is what the encoder writes without a look at each part: a fifth of the time, for logs.
    """
    try:
        return _ENCODER.encode(value)
    except OverflowError:  # an integer that this encoder has no room for
        return canonical_json(value)


def json_lines(records: Sequence[msgspec.Struct]) -> list[bytes]:
    """`flat_json` of many structs, whose fields are declared in the order of their names.

    Raises OverflowError where one of them holds an integer that has no room in 64 bits.
    """
    return _LINES.encode_lines(records).split(b"\n")[:-1]


def structs_json(records: Iterable[msgspec.Struct]) -> msgspec.Raw:
    """The canonical JSON of an array of structs, to stand in a larger value.

    They hold texts, whole numbers of 64 bits and arrays of those: what needs no closer look.
    """
    return msgspec.Raw(_ENCODER.encode(list(records)))


def blake(seed: int | str, *parts: str | bytes | int) -> bytes:
    """32 bytes of BLAKE2b over the seed and the parts: what every seeded draw is ordered by.

    Each piece goes in as its kind (one byte: `i`, `s` or `b`), its length (8 bytes, big-endian)
    and its bytes (decimal digits, UTF-8, as they are), so no two lists of pieces are confused.
    """
    state = hashlib.blake2b(digest_size=32)
    for part in (seed, *parts):
        state.update(_framed(part))
    return state.digest()


def blake_after(
    seed: int | str, *parts: str | bytes | int
) -> Callable[[Iterable[str]], Iterator[bytes]]:
    """`blake(seed, *parts, last)` for each `last` of many: for draws among millions."""
    begun = hashlib.blake2b(digest_size=32)
    for part in (seed, *parts):
        begun.update(_framed(part))

    def digests_of(texts: Iterable[str]) -> Iterator[bytes]:
        copy = begun.copy
        for data in map(str.encode, texts):
            state, size = copy(), len(data)
            state.update((_HEADS[size] if size < _HEADED else _head(size)) + data)
            yield state.digest()

    return digests_of


def number_text(value: float) -> str:
    """A number as canonical JSON writes it: at most six decimals, no trailing zeros, no `-0`."""
    if isinstance(value, int):
        return str(value)
    if not math.isfinite(value):
        raise ValueError(f"{value!r} has no canonical spelling")
    text = f"{value:.6f}".rstrip("0").removesuffix(".")
    return "0" if text == "-0" else text


def _head(size: int) -> bytes:
    """What stands before a text of so many bytes."""
    return b"s" + size.to_bytes(8, "big")


_HEADED: Final = 256
_HEADS: Final = tuple(map(_head, range(_HEADED)))


def _framed(part: str | bytes | int) -> bytes:
    """A piece with its kind and length before it."""
    if isinstance(part, str):
        kind, data = b"s", part.encode()
    elif isinstance(part, bytes):
        kind, data = b"b", part
    else:
        kind, data = b"i", b"%d" % part
    return kind + len(data).to_bytes(8, "big") + data


def _plain(value: object) -> object:
    """The value with everything replaced that the encoder would write in another way.

    A part that needs no change is handed back itself, so most of a log is not copied.
    """
    kind = type(value)
    if kind is dict:
        return _plain_mapping(value)  # type: ignore[arg-type]  # narrowed by its very type
    if kind is str or value is None or isinstance(value, str | bool):
        return value
    if isinstance(value, int):
        return value if value in _INT64 else msgspec.Raw(b"%d" % value)
    if isinstance(value, float):
        return msgspec.Raw(number_text(value).encode())
    if isinstance(value, list | tuple):
        return _plain_sequence(value)
    if isinstance(value, Mapping):
        return _plain_mapping(value)
    if isinstance(value, Set):
        return [msgspec.Raw(piece) for piece in sorted(map(canonical_json, value))]
    if kind is msgspec.Raw:
        return value
    if isinstance(value, msgspec.Struct):
        return _plain(msgspec.to_builtins(value))
    raise TypeError(f"{type(value).__name__} has no canonical JSON")


def _plain_sequence(value: Sequence[object]) -> object:
    for item in value:
        if type(item) is not str:
            return [_plain(item) for item in value]
    return value


def _plain_mapping(value: Mapping[object, object]) -> object:
    if _SURE.issuperset(map(type, value.values())) and _TEXT.issuperset(map(type, value)):
        return value if type(value) is dict else dict(value)
    plain: dict[object, object] | None = None if type(value) is dict else dict(value)
    for key, item in value.items():
        if not isinstance(key, str):
            raise TypeError(f"a key of type {type(key).__name__} has no canonical JSON")
        if type(item) is str:
            continue
        written = _plain(item)
        if written is not item:
            plain = dict(value) if plain is None else plain
            plain[key] = written
    return value if plain is None else plain
