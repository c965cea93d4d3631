"""Scores, violations and outcomes of traces, and their totals: semantics, sections 8 to 10."""

from groundeval.scoring.model import Result, ScoreDetail, Violation
from groundeval.scoring.prepared import Unusable
from groundeval.scoring.scorer import TrackScorer
from groundeval.scoring.stream import Scorers, score_traces
from groundeval.scoring.summary import Group, Summary
from groundeval.scoring.totals import Totals, summarise

__all__ = [
    "Group",
    "Result",
    "ScoreDetail",
    "Scorers",
    "Summary",
    "Totals",
    "TrackScorer",
    "Unusable",
    "Violation",
    "score_traces",
    "summarise",
]
