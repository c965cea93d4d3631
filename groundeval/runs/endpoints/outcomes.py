"""What an endpoint's errors mean: in words, and whether to ask again, and when."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, Final

from groundeval.runs.endpoints.turns import Fault, Json, excerpt

_AGAIN: Final = frozenset({408, 409, 429, 500, 502, 503, 504, 520, 522, 524, 529})
_AGAIN_KINDS: Final = frozenset(
    {
        "api_error", "overloaded_error", "rate_limit_error", "rate_limit_exceeded", "server_error",
        "timeout_error",
    }
)  # fmt: skip
"""Kinds of errors that pass, as they are named where there is no status to tell."""
_FOR_GOOD: Final = frozenset({"insufficient_quota", "billing_error"})
"""Kinds of errors that waiting does not mend, whatever the status."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """An error as an endpoint told it; `status` 200 where it came inside of a response."""

    status: int
    headers: Mapping[str, str]
    body: object
    message: str


def fault_of_status(trouble: Trouble) -> Fault:
    """The fault that an error is. Of refused keys nothing is repeated that the endpoint said."""
    if trouble.status in {401, 403}:
        return Fault(f"the endpoint answered {trouble.status}: it does not accept the key")
    kinds = _kinds(trouble.body)
    passing = trouble.status in _AGAIN or (trouble.status == 200 and bool(kinds & _AGAIN_KINDS))
    again = passing and not kinds & _FOR_GOOD and trouble.headers.get("x-should-retry") != "false"
    said = reason_of(trouble.body) or trouble.message
    what = "failed" if trouble.status == 200 else f"answered {trouble.status}"
    return Fault(f"the endpoint {what}: {excerpt(said)}", again, _wait(trouble.headers))


def fault_inside(response: Json) -> Fault | None:
    """The fault that stands where a response was to be; None where it is none."""
    reason = reason_of(response)
    return None if reason is None else fault_of_status(Trouble(200, {}, response, reason))


def reason_of(body: object) -> str | None:
    """The message of the error that a body holds; None where it holds none."""
    error = body.get("error") if isinstance(body, dict) else None
    if isinstance(error, dict):
        message = error.get("message")
        return message if isinstance(message, str) else excerpt(str(error))
    if isinstance(error, str):
        return error
    message = body.get("message") if isinstance(body, dict) else None
    return message if isinstance(message, str) else None


def _kinds(body: object) -> frozenset[str]:
    error: Any = body.get("error", body) if isinstance(body, dict) else {}
    found: Json = error if isinstance(error, dict) else {}
    return frozenset(k for k in (found.get("type"), found.get("code")) if isinstance(k, str))


def _wait(headers: Mapping[str, str]) -> float | None:
    """The seconds that `Retry-After` asks for, as a number or a date; None for neither."""
    thousandths = _number(headers.get("retry-after-ms"))
    if thousandths is not None:
        return thousandths / 1000
    text = headers.get("retry-after")
    seconds = _number(text)
    return seconds if seconds is not None or text is None else _until(text, headers.get("date"))


def _number(text: str | None) -> float | None:
    try:
        found = float(text or "")
    except ValueError:
        return None
    return max(0.0, found) if math.isfinite(found) else None


def _until(text: str, date: str | None) -> float | None:
    """Seconds until a date, by the clock of the endpoint where it tells the time."""
    then, now = _instant(text), _instant(date or "") or datetime.now(UTC)
    return None if then is None else max(0.0, (then - now).total_seconds())


def _instant(text: str) -> datetime | None:
    try:
        found = parsedate_to_datetime(text)
    except (TypeError, ValueError):
        return None
    return found if found.tzinfo is not None else found.replace(tzinfo=UTC)
