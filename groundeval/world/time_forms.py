"""Times in a written form of their own, such as `DD-MM-YYYY`, brought into ISO 8601.

A form is the letters of its fields and what stands between them: YYYY, MM (or MMM, the English
name's first three letters), DD, hh, mm, ss, and ZZ for an offset or `Z`. Everything that is no
letter stands for itself, and so does a `T`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

_FIELDS: Final = {
    "YYYY": r"(?P<year>\d{4})",
    "MMM": r"(?P<name>[A-Za-z]{3})",
    "MM": r"(?P<month>\d{1,2})",
    "DD": r"(?P<day>\d{1,2})",
    "hh": r"(?P<hour>\d{2})",
    "mm": r"(?P<minute>\d{2})",
    "ss": r"(?P<second>\d{2}(?:[.,]\d+)?)",
    "ZZ": r"(?P<offset>Z|UTC|[+-]\d\d:?\d\d)",
}
_MONTHS: Final = (
    *("jan", "feb", "mar", "apr", "may", "jun"),
    *("jul", "aug", "sep", "oct", "nov", "dec"),
)
_PIECE: Final = re.compile(r"[A-SU-Za-z]+|T|[^A-Za-z]+", re.ASCII)
FIELDS: Final = ", ".join(_FIELDS)
"""The fields that a form may have, for messages."""


@dataclass(frozen=True, slots=True)
class FormFault:
    """What is wrong with a form, in the words that follow it."""

    text: str


@dataclass(frozen=True, slots=True)
class TimeForm:
    """A form that was understood."""

    pattern: re.Pattern[str]

    def iso(self, text: str) -> str | None:
        """The text as ISO 8601 (naive where the form has no ZZ), None where it does not fit.

        Whether such a day exists is for the reader of the ISO text to say.
        """
        found = self.pattern.fullmatch(text.strip())
        if found is None:
            return None
        part = {name: value for name, value in found.groupdict().items() if value is not None}
        month = _month(part)
        if month is None:
            return None
        day = f"{part['year']}-{month:02}-{int(part['day']):02}"
        clock = ":".join(part[name] for name in ("hour", "minute", "second") if name in part)
        return f"{day}T{clock}{part.get('offset', '')}" if clock else day


@lru_cache(maxsize=256)
def time_form(written: str) -> TimeForm | FormFault:
    """The form as it is written, or what is wrong with it.

    A date has to be whole, a time of day begins with its hours, and no field stands twice.
    """
    pieces = _PIECE.findall(written)
    names = [piece for piece in pieces if piece in _FIELDS]
    strange = next((p for p in pieces if p not in _FIELDS and p != "T" and p[0].isalpha()), None)
    if strange is not None:
        return FormFault(f"has `{strange}`, which is no field")
    if len(set(names)) != len(names) or {"MM", "MMM"} <= set(names):
        return FormFault("has a field twice")
    if "YYYY" not in names or "DD" not in names or not {"MM", "MMM"} & set(names):
        return FormFault("says no whole date")
    if ("ss" in names and "mm" not in names) or ("hh" in names) != ("mm" in names):
        return FormFault("says no whole time of day")
    if "ZZ" in names and "hh" not in names:
        return FormFault("has an offset without a time of day")
    return TimeForm(re.compile("".join(_FIELDS.get(p) or re.escape(p) for p in pieces), re.ASCII))


def _month(part: dict[str, str]) -> int | None:
    if "month" in part:
        return int(part["month"])
    name = part["name"].lower()
    return _MONTHS.index(name) + 1 if name in _MONTHS else None
