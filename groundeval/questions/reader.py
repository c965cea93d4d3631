"""Questions that no contract generated: a benchmark that exists already, with its truths."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec

from groundeval.diagnostics import Checked, Diagnostic, codes, in_order
from groundeval.questions.model import SCHEMA, Question
from groundeval.traces.reader import schema_fault
from groundeval.world.files import DataFile
from groundeval.world.findings import Place
from groundeval.world.ids import shown
from groundeval.world.records import read_records

_KIND, _, _MAJOR = SCHEMA.rpartition("/")


def read_question_file(path: Path) -> Checked[Sequence[Question]]:
    """Every question of a file, or all that is wrong with it; unknown fields are let be."""
    file = DataFile.of(path)
    found: list[Diagnostic] = []
    questions: dict[str, Question] = {}
    for item in read_records(file):
        if isinstance(item, Diagnostic):
            found.append(item)
            continue
        place = Place(file.name, item[0])
        question = _question(dict(item[1]), place)
        if isinstance(question, Diagnostic):
            found.append(question)
        elif question.id in questions:
            message = f"question {shown(question.id)} is in the file twice"
            found.append(place.finding(codes.DUPLICATE_ID, message, help_="give each its own id"))
        else:
            questions[question.id] = question
    return Checked(None if found else tuple(questions.values()), in_order(found))


def _question(record: dict[str, object], place: Place) -> Question | Diagnostic:
    other = schema_fault(record, _KIND, _MAJOR, place)
    if other is not None:
        return other
    try:
        return msgspec.convert(record, Question)
    except msgspec.ValidationError as fault:
        return place.finding(
            codes.BAD_FIELD, f"the question does not fit: {fault}",
            help_="see `groundeval schema question`",
        )  # fmt: skip
