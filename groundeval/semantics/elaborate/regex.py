"""Patterns of `matches`, held against the engine that will run them."""

from __future__ import annotations

import re2


def fault_of_pattern(pattern: str) -> str | None:
    """Why RE2 refuses the pattern, in its own words; None where it takes it."""
    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options)
    except re2.error as refused:
        reason = refused.args[0]
        return reason.decode("utf-8", "replace") if isinstance(reason, bytes) else str(reason)
    return None
