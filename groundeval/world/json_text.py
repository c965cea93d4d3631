"""JSON read strictly: what is not plain JSON of sane depth is a fault with its reason."""

from __future__ import annotations

import json
import unicodedata
from dataclasses import dataclass
from typing import Any, Final

import msgspec

DEEPEST: Final = 64
"""How deep objects and arrays may be nested."""

_decode = msgspec.json.Decoder().decode
_decode_lines = msgspec.json.Decoder(dict[str, Any]).decode_lines
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class TextFault:
    """Why text cannot be read; `line` is counted from 1 inside the text, `column` too."""

    message: str
    help: str = ""
    line: int = 1
    column: int = 1

    def moved(self, line: int, column: int) -> TextFault:
        """The same fault in a longer text, where this one begins at that line and column."""
        at = self.column + column - 1 if self.line == 1 else self.column
        return TextFault(self.message, self.help, self.line + line - 1, at)


def decode_json(data: bytes) -> Any | TextFault:
    """One JSON value, its texts and keys in NFC; a fault for anything doubtful.

    Doubtful are, besides broken syntax: bytes that are no UTF-8, NaN and infinities, numbers too
    large to hold, lone surrogates, a key given twice, and nesting deeper than 64.
    """
    try:
        value = _decode(data)
    except (msgspec.MsgspecError, RecursionError):
        return explain(data)
    if may_be_deep(data) and _depth(value) > DEEPEST:
        return TextFault(f"the value is nested deeper than {DEEPEST} levels")
    repeated = _repeated_key(data, value)
    if repeated is not None:
        return TextFault(f"the key `{repeated}` is given twice", "keep one of the two")
    if data.isascii() and not has_escapes(data):
        return value
    return normalised(value)


def decode_objects(lines: list[bytes]) -> list[dict[str, Any]] | None:
    """`decode_json` of many lines that are an object each; None where some may not be plain."""
    data = b"\n".join(lines)
    # Line ends stand between objects alone, as many as there are lines.
    if not data.isascii() or data.count(b"}\n{") != len(lines) - 1 or has_escapes(data):
        return None
    try:
        records = _decode_lines(data)
    except (msgspec.MsgspecError, RecursionError):
        return None
    if len(records) != len(lines) or data.count(b":") != _encode(records).count(b":"):
        return None  # a key that is given twice takes a colon with it
    return None if any(map(may_be_deep, lines)) else records


def may_be_deep(data: bytes) -> bool:
    """Whether JSON may be nested deeper than is read."""
    return data.count(b"{") + data.count(b"[") > DEEPEST


def has_escapes(data: bytes) -> bool:
    """Whether a character of the JSON is written as its number, or seems to be."""
    return b"\\" in data and b"\\u" in data  # one byte is found much faster than two


def normalised(value: Any) -> Any:
    """The value with every text and key in Unicode's NFC."""
    if isinstance(value, str):
        return value if value.isascii() else unicodedata.normalize("NFC", value)
    if isinstance(value, dict):
        return {normalised(key): normalised(item) for key, item in value.items()}
    if isinstance(value, list):
        return [normalised(item) for item in value]
    return value


def utf8_fault(data: bytes) -> TextFault | None:
    """Where bytes stop being UTF-8, counted from the start of `data`; None when they are."""
    try:
        data.decode()
    except UnicodeDecodeError as fault:
        line = data.count(b"\n", 0, fault.start) + 1
        message = f"the byte 0x{data[fault.start]:02x} is not UTF-8"
        help_ = "is the file Latin-1? `iconv -f latin1 -t utf-8` converts it"
        return TextFault(message, help_, line, column_of(data, fault.start))
    return None


def column_of(data: bytes, position: int) -> int:
    """The column, in characters from 1, of what stands at `position` of some UTF-8."""
    before = data[data.rfind(b"\n", 0, position) + 1 : position]
    return len(before.decode(errors="replace")) + 1


def explain(data: bytes) -> TextFault:
    """Say why `data`, which did not decode, is not the JSON that is read here."""
    wrong_bytes = utf8_fault(data)
    if wrong_bytes is not None:
        return wrong_bytes
    constants: list[str] = []
    try:
        json.loads(data.decode(), parse_constant=constants.append)
    except json.JSONDecodeError as fault:
        return _syntax(fault, data)
    except RecursionError:
        return TextFault(f"the value is nested deeper than {DEEPEST} levels")
    except ValueError:
        return TextFault("a number has too many digits")
    if constants:
        return TextFault(f"`{constants[0]}` is not JSON", "leave the field out, or write null")
    if b"\\u" in data and _decodes_without_surrogates(data):
        return TextFault("a `\\u` escape names half a character (a lone surrogate)")
    return TextFault("a number is too large to hold")


def _syntax(fault: json.JSONDecodeError, data: bytes) -> TextFault:
    if not data.strip():
        return TextFault("there is no JSON here")
    message = f"not JSON: {fault.msg[:1].lower()}{fault.msg[1:]}"
    return TextFault(message, line=fault.lineno, column=fault.colno)


def _decodes_without_surrogates(data: bytes) -> bool:
    try:
        _decode(data.replace(b"\\u", b""))
    except msgspec.ValidationError:
        return False
    return True


def _depth(value: Any) -> int:
    """The depth of nesting, without recursion."""
    deepest, level = 0, [value]
    while level and deepest <= DEEPEST:
        inner = [v for v in level if isinstance(v, dict | list)]
        deepest += bool(inner)
        level = [item for v in inner for item in (v.values() if isinstance(v, dict) else v)]
    return deepest


def _repeated_key(data: bytes, value: Any) -> str | None:
    """A key that one object has twice; decided without a second parse for nearly all records.

    A key that is lost takes a colon with it: when the decoded value, written again, has as many
    as the text, none was. Where a colon may be written as an escape the exact search decides.
    """
    if not has_escapes(data) and data.count(b":") == _encode(value).count(b":"):
        return None
    repeated: list[str] = []

    def pairs(items: list[tuple[str, Any]]) -> None:
        seen: set[str] = set()
        for key, _ in items:
            if key in seen:
                repeated.append(key)
            seen.add(key)

    json.loads(data.decode(), object_pairs_hook=pairs)
    return repeated[0] if repeated else None
