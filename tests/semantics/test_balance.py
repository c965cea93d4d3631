"""A track that says nothing of a balance has one stratum, which takes every candidate."""

from __future__ import annotations

from groundeval.engine.evaluator import evaluate
from groundeval.semantics.files import MemoryFiles
from groundeval.semantics.program import analyse
from tests.engine.test_evaluator import HOST

TRACK = """gev 1
track seen "Did it happen?" {
  ask for e in events
    about e
    as_of e.at
  answer { happened: bool }
  truth { happened = not empty(e.actors) }
  score answer { "verdict" 1 of answer.happened == truth.happened }
  score trajectory { "looked" 1 of not empty(opened) }
  weights answer 0.5, trajectory 0.5
  correct when answer.happened == truth.happened
}
"""


def test_without_a_balance_everything_is_one_stratum() -> None:
    program = analyse("seen.gev", MemoryFiles({"seen.gev": TRACK}))
    assert program.value is not None, program.diagnostics
    (stratum,) = program.value.tracks[0].balance
    assert (stratum.name, stratum.share) == ("all", 1.0)
    assert evaluate(stratum.condition, {}, HOST) is True
