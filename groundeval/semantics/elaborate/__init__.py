"""From an expression as written to the typed IR: checking and lowering in one pass."""

from groundeval.semantics.elaborate.elaborator import Elaborator
from groundeval.semantics.elaborate.types import ERROR

__all__ = ["ERROR", "Elaborator"]
