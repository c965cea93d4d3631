"""What goes wrong in somebody's Python function, as a short text that names no machine."""

from __future__ import annotations

import math
import re
from pathlib import Path
from types import TracebackType
from typing import Any, Final

LONGEST: Final = 300
"""Characters of what an exception says."""
_DEEPEST: Final = 60
"""Levels of an answer: what is around it adds some, and readers take 64."""
_FOREIGN: Final = frozenset({"site-packages", "dist-packages"})
_PATH: Final = re.compile(r"(?<![\w:/.])(?:[A-Za-z]:[\\/]|/)(?:[^\\/\s'\"`:]+[\\/])+")


def told(fault: BaseException, home: Path) -> str:
    """The kind of exception, what it says, and where in the code under `home` it was raised."""
    if isinstance(fault, SystemExit):
        code = "" if fault.code is None else plain(repr(fault.code))
        said = f"sys.exit({code}) was called"
    else:
        said = f"{type(fault).__name__}: {plain(_text(fault))}".removesuffix(": ")
    place = own_frame(fault.__traceback__, home)
    return said if place is None else f"{said} ({place[0].name}:{place[1]})"


def plain(text: str) -> str:
    """One line of at most 300 characters, its paths cut down to their last part."""
    line = " ".join(_PATH.sub("", text[: 4 * LONGEST]).split())
    short = line if len(line) <= LONGEST else line[:LONGEST] + "…"
    return short.encode("utf-8", "replace").decode()


def own_frame(trace: TracebackType | None, home: Path) -> tuple[Path, int] | None:
    """File and line of the innermost frame whose code is under `home`; None where none is."""
    found = None
    while trace is not None:
        file = Path(trace.tb_frame.f_code.co_filename)
        if file.is_relative_to(home) and not _FOREIGN & {*file.relative_to(home).parts}:
            found = file, trace.tb_lineno
        trace = trace.tb_next
    return found


def fault_in(value: Any, way: str, depth: int = 0) -> str | None:
    """The first thing in a value that plain JSON does not have, and where; None for none."""
    match value:
        case None | bool() | str():
            return None
        case int():
            return None if -(2**63) <= value < 2**63 else f"{way} is a number beyond 64 bits"
        case float():
            return None if math.isfinite(value) else f"{way} is {value}"
    if depth > _DEEPEST:
        return "it is nested too deep"
    match value:
        case dict():
            return _fault_in_object(value, way, depth)
        case list() | tuple():
            parts = ((f"{way}[{n}]", item) for n, item in enumerate(value))
            faults = (fault_in(item, place, depth + 1) for place, item in parts)
            return next((fault for fault in faults if fault is not None), None)
    return f"{way} is a `{type(value).__name__}`"


def _fault_in_object(value: dict[Any, Any], way: str, depth: int) -> str | None:
    for key, item in value.items():
        if not isinstance(key, str):
            return f"{way} has the key {plain(repr(key))}, which is no text"
        fault = fault_in(item, f"{way}.{key[:40]}", depth + 1)
        if fault is not None:
            return fault
    return None


def _text(fault: BaseException) -> str:
    try:
        return str(fault)
    except Exception:  # noqa: BLE001 - the exception is somebody else's, and so is its text
        return ""
