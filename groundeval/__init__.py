"""GroundEval: policy as code that says whether an agent reached its answer by a valid path."""

__version__ = "0.1.0"
__all__ = ["__version__"]
