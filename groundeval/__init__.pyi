from groundeval.runs.agent import BudgetSpent, Reply
from groundeval.runs.functions import tool_functions
from groundeval.runs.session import AnswerError, SessionEnded
from groundeval.session import OpenContract, ProjectError, Session, UnknownQuestion

__version__: str
__all__ = [
    "AnswerError",
    "BudgetSpent",
    "OpenContract",
    "ProjectError",
    "Reply",
    "Session",
    "SessionEnded",
    "UnknownQuestion",
    "__version__",
    "tool_functions",
]
